//! Parties that misbehave on purpose, for tests and demonstrations.

use std::str::FromStr;
use std::time::Duration;

use quorate::threshold::Secp256k1;
use quorate::threshold::ecdsa::SignatureShare;
use quorate::wire::{Decode, Encode};

use crate::protocol::Reply;

/// Offset of s in an encoded share, after suite, member, epoch, index and digest.
const S_OFFSET: usize = 1 + 2 + 8 + 4 + 32;

/// Misbehaviour of a party. Its journal is correct in each case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misbehaviour {
    /// Sends invalid shares with valid attestations.
    WrongShares,
    /// Sends invalid shares and does not open them.
    NoOpening,
    /// Sends no replies.
    Silent,
    /// Sends malformed replies.
    Garbage,
    /// Reports all presignatures as spent.
    FalseNext,
    /// Delays each reply.
    Slow(Duration),
}

impl Misbehaviour {
    /// Returns the share to send instead of `share`.
    pub(super) fn share(self, share: SignatureShare<Secp256k1>) -> SignatureShare<Secp256k1> {
        match self {
            Self::WrongShares | Self::NoOpening => invalid_share(&share).unwrap_or(share),
            _ => share,
        }
    }

    /// Returns the bytes to send instead of `reply`; `None` to send nothing.
    pub(super) async fn reply(self, reply: Reply) -> Option<Vec<u8>> {
        match (self, reply) {
            (Self::Silent, _) | (Self::NoOpening, Reply::Opening(_)) => None,
            (Self::Garbage, reply) => Some(reply.encode().into_iter().rev().collect()),
            (Self::FalseNext, Reply::Status { count, .. }) => {
                Some(Reply::Status { next: count, count }.encode())
            }
            (Self::Slow(pause), reply) => {
                tokio::time::sleep(pause).await;
                Some(reply.encode())
            }
            (_, reply) => Some(reply.encode()),
        }
    }
}

/// Returns the share with another s.
fn invalid_share(share: &SignatureShare<Secp256k1>) -> Option<SignatureShare<Secp256k1>> {
    // One of the two is below the group's order.
    [1, 2].into_iter().find_map(|bit| {
        let mut bytes = share.encode();
        *bytes.get_mut(S_OFFSET + 31)? ^= bit;
        SignatureShare::decode(&bytes, &()).ok()
    })
}

impl FromStr for Misbehaviour {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "wrong-shares" => Self::WrongShares,
            "closed" => Self::NoOpening,
            "silent" => Self::Silent,
            "garbage" => Self::Garbage,
            "false-next" => Self::FalseNext,
            _ => {
                let pause = text.strip_prefix("slow:").and_then(|pause| pause.parse().ok());
                let known =
                    "expected one of wrong-shares, closed, silent, garbage, false-next, slow:MILLISECONDS";
                Self::Slow(Duration::from_millis(pause.ok_or(known)?))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed() {
        assert_eq!("wrong-shares".parse(), Ok(Misbehaviour::WrongShares));
        assert_eq!("slow:250".parse(), Ok(Misbehaviour::Slow(Duration::from_millis(250))));
        for nonsense in ["", "slow", "slow:", "slow:x", "evil"] {
            assert!(nonsense.parse::<Misbehaviour>().is_err());
        }
    }
}
