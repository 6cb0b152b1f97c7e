//! Events of a running member.

use std::path::PathBuf;

use quorate::machine::MemberIndex;
use quorate_broadcast::{Delivery, Refusal};
use quorate_node::NodeError;

/// An event of a member, reported on its thread; the receiver must not block for long.
#[derive(Debug)]
pub(crate) enum Event {
    Delivered(Delivery),
    Refused(Refusal),
    Fault {
        culprit: MemberIndex,
        code: &'static str,
        /// For provable faults and members with a disk: the path of the evidence, or the error of storing it.
        evidence: Option<Result<PathBuf, NodeError>>,
    },
    /// The member has stopped.
    Failed(NodeError),
}
