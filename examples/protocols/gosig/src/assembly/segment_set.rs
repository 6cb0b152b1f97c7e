//! The segments of one proposal.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate::machine::MemberIndex;

use crate::body::Segment;

/// The segments of one proposal that have arrived, by index.
pub(super) struct SegmentSet {
    pub(super) signer: MemberIndex,
    pub(super) round: u64,
    /// Number of segments of the body.
    pub(super) count: u16,
    pub(super) segments: BTreeMap<u16, Arc<Segment>>,
}
