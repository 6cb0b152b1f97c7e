use std::path::{Path, PathBuf};

use quorate::ed25519::SecretKey;
use quorate::machine::MemberIndex;

use super::group::Group;
use super::handshake::Party;
use crate::Parameters;

/// Configuration of a running replica.
pub struct Options<'a> {
    /// The group.
    pub group: &'a Group,
    /// The replica's key.
    pub key: SecretKey,
    /// Parameters of the machine.
    pub parameters: Parameters,
    /// Data directory; `None` for measurements without a disk.
    pub data: Option<&'a Path>,
    /// Synchronises every record with the disk. Otherwise records survive a kill, not a power failure.
    pub sync: bool,
    /// Polls all the time instead of sleeping when idle.
    pub spin: bool,
}

/// An event of a replica, for its operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A replica violated the protocol.
    Fault {
        /// The replica.
        culprit: MemberIndex,
        /// Stable error code.
        code: &'static str,
        /// The file with the evidence, if the violation is provable and the replica has a data directory.
        evidence: Option<PathBuf>,
    },
    /// Evidence could not be written. It is kept in memory, and written as soon as that is possible.
    EvidenceUnsaved {
        /// The replica.
        culprit: MemberIndex,
        /// The error.
        reason: String,
    },
    /// Evidence was written at a later attempt.
    EvidenceSaved {
        /// The replica.
        culprit: MemberIndex,
        /// The file.
        evidence: PathBuf,
    },
    /// A link was refused.
    Refused {
        /// Stable error code.
        code: &'static str,
        /// The party that the peer claimed to be.
        claimed: Party,
    },
    /// The replica entered a view.
    View(u64),
}
