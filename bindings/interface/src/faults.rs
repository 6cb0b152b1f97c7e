//! Results of adding a vote: possibly a certificate, possibly faults of members.
#![cfg_attr(binding, module = "faults")]

use quorate::Error;
use quorate::any;

use crate::certificates::VerifiedCertificate;
use crate::evidence::VerifiedEquivocation;
use crate::timeouts::VerifiedTimeoutCertificate;

/// A fault found while a vote was added.
#[allow(clippy::large_enum_variant, reason = "each language has an object in place of the evidence")]
pub enum VoteFault {
    /// The vote does not belong to this collector: it has another kind, epoch or view, an unknown signer, or it exceeds
    /// the limit of one statement and one bad vote per member. It was dropped without verification.
    Stray {
        /// Signer that the vote names.
        signer: u16,
        /// The reason.
        error: Error,
    },
    /// The vote's signature, verified alone, is invalid. The member is at fault only if the vote came over a link that
    /// authenticates the member; otherwise the fault is the sender's.
    BadSignature {
        /// Signer that the vote names.
        signer: u16,
    },
    /// The member signed two contradicting statements. The first vote still counts.
    Equivocation {
        /// The member that signed both.
        signer: u16,
        /// Both votes, verified: evidence for the other members.
        evidence: VerifiedEquivocation,
    },
}

impl From<any::VoteFault> for VoteFault {
    fn from(fault: any::VoteFault) -> Self {
        let signer = fault.signer();
        match fault {
            any::VoteFault::Stray { error, .. } => VoteFault::Stray { signer, error },
            any::VoteFault::BadSignature { .. } => VoteFault::BadSignature { signer },
            any::VoteFault::Equivocation(evidence) => {
                VoteFault::Equivocation { signer, evidence: VerifiedEquivocation(*evidence) }
            }
        }
    }
}

/// Result of adding a vote.
pub struct Collected {
    /// The certificate, returned **once**, when the quorum is reached.
    pub certificate: Option<VerifiedCertificate>,
    /// Faults found in this vote or in earlier ones.
    pub faults: Vec<VoteFault>,
}

/// Result of adding a timeout vote.
pub struct CollectedTimeouts {
    /// The certificate, returned **once**, when the quorum is reached.
    pub certificate: Option<VerifiedTimeoutCertificate>,
    /// Faults found in this vote or in earlier ones.
    pub faults: Vec<VoteFault>,
}

pub(crate) fn faults(faults: Vec<any::VoteFault>) -> Vec<VoteFault> {
    faults.into_iter().map(VoteFault::from).collect()
}
