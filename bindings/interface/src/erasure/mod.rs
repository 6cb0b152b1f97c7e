//! Erasure coding: a message becomes n shards, any k of which restore it. A commitment binds the sender to one message.
//!
//! A sender disperses a message and sends each member its [`CheckedShard`]; a member with k of them decodes. All members
//! that decode shards of one [`Commitment`] reach the same verdict, whichever shards they have: decoding encodes again,
//! and compares.
#![cfg_attr(binding, module = "erasure")]

mod dispersal;
mod shape;
mod tuner;

pub use dispersal::{CheckedShard, Coder, Commitment, Dispersal};
pub use shape::{Coding, MAX_MESSAGE, MAX_SHARDS, Packets, Shape, Suite};
pub use tuner::{Row, Table};
