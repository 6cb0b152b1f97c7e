//! Messages between nodes.

use std::rc::Rc;

use quorate::gossip::Aggregate;
use quorate::scheme::Toy;

use super::block::Id;

/// Number of nodes that headers and segments are forwarded to.
pub(super) const COPIES: usize = 5;

/// The content of a message.
#[derive(Clone)]
pub(super) enum Load {
    Bundle(u32),
    Header(Id),
    /// A segment, with its transactions unless they travel separately.
    Segment(Id, usize),
    AskHeader(Id),
    AskSegments(Id, u64),
    Ask(Id, Rc<[u32]>),
    Answer(Id, Rc<[u32]>),
    Signatures(Id, usize, Aggregate<Toy>),
    /// Acknowledgement of signatures.
    Heard,
}
