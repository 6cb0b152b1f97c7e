//! `quorate.gossip`: signatures summed in any order, and the gossip of the sums.

mod aggregate;
mod peers;
mod pool;
mod spread;

pub(crate) use aggregate::{Aggregate, VerifiedAggregate};
pub(crate) use peers::{Parameters, Peers};
pub(crate) use pool::Pool;
pub(crate) use spread::Gossip;
