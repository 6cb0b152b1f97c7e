use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use super::certificate::Certificate;
use super::evidence::Equivocation;
use crate::Error;
use crate::committee::Verified;
use crate::machine::MemberIndex;
use crate::scheme::Scheme;

/// Result of adding a vote to a collector.
#[must_use = "a certificate is returned only once"]
pub struct Collected<S: Scheme, C = Certificate<S>> {
    /// The certificate; returned once, when the quorum is reached.
    pub certificate: Option<Verified<C>>,
    /// Faults found in this vote or in earlier ones.
    pub faults: Vec<VoteFault<S>>,
}

/// A fault of a vote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VoteFault<S: Scheme> {
    /// The vote does not belong to the collector: it has another kind, epoch or view, its signer does not exist, or it
    /// exceeds the limit of different statements or of the member's bad votes. It was dropped unverified.
    Stray {
        /// The claimed signer.
        signer: MemberIndex,
        /// The reason.
        error: Error,
    },
    /// The vote's signature, verified alone, is bad. The member is at fault only if the vote arrived over a link that
    /// authenticates the member; otherwise the sender is.
    BadSignature {
        /// The claimed signer.
        signer: MemberIndex,
    },
    /// The member signed two contradicting statements. Its first vote still counts.
    Equivocation(Box<Verified<Equivocation<S>>>),
}

impl<S: Scheme> VoteFault<S> {
    /// Returns the signer, or the claimed signer, of the vote.
    pub fn signer(&self) -> MemberIndex {
        match self {
            VoteFault::Stray { signer, .. } | VoteFault::BadSignature { signer } => *signer,
            VoteFault::Equivocation(evidence) => evidence.signer(),
        }
    }
}

impl<S: Scheme, C: fmt::Debug> fmt::Debug for Collected<S, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collected")
            .field("certificate", &self.certificate)
            .field("faults", &self.faults)
            .finish()
    }
}
