//! `quorate.gossip`: signatures summed in any order, and how the sums spread.

mod aggregate;
mod peers;
mod pool;
mod spread;

pub(crate) use aggregate::{Aggregate, VerifiedAggregate};
pub(crate) use peers::{Parameters, Peers};
pub(crate) use pool::Pool;
pub(crate) use spread::Gossip;
