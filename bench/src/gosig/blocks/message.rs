//! Messages between nodes of the simulation of whole rounds.

use std::rc::Rc;

use quorate::gossip::Aggregate;
use quorate::scheme::Toy;

use super::block::Id;

/// Number of nodes that headers and segments are forwarded to.
pub(super) const COPIES: usize = 5;

/// A message from one node to another.
#[derive(Clone)]
pub(super) enum Message {
    Bundle(u32),
    Header(Id),
    /// A segment, with its transactions unless they travel separately.
    Segment(Id, usize),
    HeaderRequest(Id),
    SegmentRequest(Id, u64),
    BundleRequest(Id, Rc<[u32]>),
    BundleAnswer(Id, Rc<[u32]>),
    Signatures(Id, usize, Aggregate<Toy>),
    /// Acknowledgement of signatures.
    Heard,
}
