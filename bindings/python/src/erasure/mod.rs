//! `quorate.erasure`: a message as n shards of which any k restore it, with a commitment that keeps senders honest.

mod coder;
mod shape;
mod tuner;

pub(crate) use coder::{CheckedShard, Coder, Commitment, Dispersal};
pub(crate) use shape::{Coding, ErasureSuite, Packets, Shape};
pub(crate) use tuner::{Row, Table};
