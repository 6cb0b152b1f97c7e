//! Identity of a simulated node.

use quorate::machine::MemberIndex;

/// Identity of a running node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    /// Number of the node in this run. It equals `member`, except for the second of two twins, whose slot is higher.
    pub slot: usize,
    /// Member index under which the node runs.
    pub member: MemberIndex,
    /// True if the node follows the protocol. A crash does not make a node dishonest.
    pub honest: bool,
}
