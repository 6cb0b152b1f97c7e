//! `quorate.erasure`: a message becomes n shards, any k of which restore it; a commitment binds the sender to one
//! message.

mod coder;
mod shape;
mod tuner;

pub(crate) use coder::{CheckedShard, Coder, Commitment, Dispersal};
pub(crate) use shape::{Coding, ErasureSuite, Packets, Shape};
pub(crate) use tuner::{Row, Table};
