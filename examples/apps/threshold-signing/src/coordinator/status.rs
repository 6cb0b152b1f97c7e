use std::fmt;

use quorate::threshold::Secp256k1;
use quorate::threshold::ecdsa::ShareFault;

use crate::protocol::Refusal;

/// State of a party within a signing request.
#[derive(Clone, Debug, PartialEq)]
pub enum PartyStatus {
    /// The party has not answered yet.
    Pending,
    /// The party reported its next presignature, but was not asked for a share because too few parties are available.
    Ready,
    /// The party sent a share that was not checked individually.
    Unchecked,
    /// The party sent a share that was checked individually and is valid.
    Valid,
    /// The party sent an invalid share, as the evidence proves.
    Invalid(Box<ShareFault<Secp256k1>>),
    /// The party sent a message that no honest party sends, but that is no evidence for a third party.
    Misbehaved(String),
    /// The party refused.
    Refused(Refusal),
    /// The party could not be asked.
    Unreachable(String),
}

impl PartyStatus {
    /// Returns true if the party sent a share that is valid as far as is known.
    pub fn has_share(&self) -> bool {
        matches!(self, Self::Unchecked | Self::Valid)
    }
}

impl fmt::Display for PartyStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pending => f.write_str("no answer in time"),
            Self::Ready => f.write_str("available, but not asked for a share"),
            Self::Unchecked => f.write_str("sent a share"),
            Self::Valid => f.write_str("sent a valid share"),
            Self::Invalid(_) => f.write_str("sent an INVALID share"),
            Self::Misbehaved(what) => f.write_str(what),
            Self::Refused(refusal) => write!(f, "refused: {} ({})", refusal.reason, refusal.reason.code()),
            Self::Unreachable(why) => f.write_str(why),
        }
    }
}
