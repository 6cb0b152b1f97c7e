//! Requests of a validator, and answers of its signer.
//!
//! ```text
//! request    0 | committee 32                  33 bytes   which key?
//!            1 | committee 32 | statement 49   82 bytes   sign
//! answer     0 | public key
//!            1 | signature
//!            2 | reason u8 | view u64          10 bytes   refused
//! ```
//!
//! Each is one frame: `length u32` (little endian), then `length` bytes.

use quorate::certificate::{Kind, Statement};
use quorate::committee::CommitteeId;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

/// Maximum length of a frame in bytes, without its length field.
pub const MAX_FRAME: usize = 128;

/// A request of a validator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Asks for the public key of the voting key, as a member of this committee.
    Key(CommitteeId),
    /// Asks for the signature of a statement.
    Sign {
        /// The committee of which the signer's key is a member.
        committee: CommitteeId,
        /// The statement.
        statement: Statement,
    },
}

/// An answer of a signer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<S: Scheme> {
    /// The public key of the voting key.
    Key(S::PublicKey),
    /// The signature of the statement, whose record is durable.
    Signature(S::Signature),
    /// Nothing was signed.
    Refused(Refusal),
}

/// Reason why nothing was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The statement contradicts a signed one.
    Contradiction {
        /// View of the signed statement, or the one up to which records may be missing.
        signed_view: u64,
    },
    /// The committee or the epoch is not the signer's.
    WrongContext,
    /// The view is above the highest one of a recovered journal.
    TooLarge,
    /// The record may not be durable, or a token that holds the key gave no valid signature. The signer stops.
    JournalFailed,
    /// The request is malformed. The signer closes the connection.
    Malformed,
}

impl Refusal {
    /// Describes the refusal of a statement of this kind.
    pub fn error(self, kind: Kind) -> Error {
        match self {
            Refusal::Contradiction { signed_view } => {
                Error::Contradiction { kind: kind.number(), signed_view }
            }
            Refusal::WrongContext => Error::WrongContext { what: "committee or epoch of the signer" },
            Refusal::TooLarge => Error::TooLarge { what: "view of a statement", limit: (1 << 56) - 1 },
            Refusal::JournalFailed => Error::JournalFailed {
                path: "the signer".into(),
                operation: "making a record durable, or signing with a token,",
                reason: "see its log".into(),
            },
            Refusal::Malformed => Error::Malformed { what: "request to the signer" },
        }
    }

    fn code(self) -> u8 {
        match self {
            Refusal::Contradiction { .. } => 1,
            Refusal::WrongContext => 2,
            Refusal::TooLarge => 3,
            Refusal::JournalFailed => 4,
            Refusal::Malformed => 5,
        }
    }
}

/// The reason for an error of the guard.
impl From<&Error> for Refusal {
    fn from(error: &Error) -> Self {
        match error {
            Error::Contradiction { signed_view, .. } => Refusal::Contradiction { signed_view: *signed_view },
            Error::WrongContext { .. } | Error::Mismatch { .. } => Refusal::WrongContext,
            Error::TooLarge { .. } => Refusal::TooLarge,
            _ => Refusal::JournalFailed,
        }
    }
}

impl Encode for Request {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Request::Key(committee) => {
                w.u8(0);
                w.raw(&committee.0);
            }
            Request::Sign { committee, statement } => {
                w.u8(1);
                w.raw(&committee.0);
                statement.encode_to(w);
            }
        }
    }
}

impl Decode for Request {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let tag = r.u8()?;
        let committee = CommitteeId(r.array()?);
        Ok(match tag {
            0 => Request::Key(committee),
            1 => Request::Sign { committee, statement: Statement::decode_from(r, &())? },
            _ => return Err(Error::Malformed { what: "request" }),
        })
    }
}

impl<S: Scheme> Encode for Answer<S> {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Answer::Key(key) => {
                w.u8(0);
                key.encode_to(w);
            }
            Answer::Signature(signature) => {
                w.u8(1);
                signature.encode_to(w);
            }
            Answer::Refused(refusal) => {
                w.u8(2);
                w.u8(refusal.code());
                w.u64(match refusal {
                    Refusal::Contradiction { signed_view } => *signed_view,
                    _ => 0,
                });
            }
        }
    }
}

impl<S: Scheme> Decode for Answer<S> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(match r.u8()? {
            0 => Answer::Key(S::PublicKey::decode_from(r, &())?),
            1 => Answer::Signature(S::Signature::decode_from(r, &())?),
            2 => Answer::Refused(Refusal::decode_from(r, &())?),
            _ => return Err(Error::Malformed { what: "answer" }),
        })
    }
}

impl Decode for Refusal {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let (code, view) = (r.u8()?, r.u64()?);
        let refusal = match code {
            1 => return Ok(Refusal::Contradiction { signed_view: view }),
            2 => Refusal::WrongContext,
            3 => Refusal::TooLarge,
            4 => Refusal::JournalFailed,
            5 => Refusal::Malformed,
            _ => return Err(Error::Malformed { what: "reason of a refusal" }),
        };
        if view == 0 { Ok(refusal) } else { Err(Error::NonCanonical { what: "view of a refusal" }) }
    }
}

/// Returns a message as a frame.
pub(super) fn frame(message: &impl Encode) -> Vec<u8> {
    let body = message.encode();
    // No message is longer than `MAX_FRAME`.
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
    [&length.to_le_bytes(), body.as_slice()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use getrandom::SysRng;
    use quorate::bls::{MinPk, MinSig};
    use quorate::ed25519::Ed25519;

    fn all_answers_fit<S: Scheme>() {
        let secret = S::generate(&mut SysRng).unwrap();
        let refusals = [
            Refusal::Contradiction { signed_view: 7 },
            Refusal::WrongContext,
            Refusal::TooLarge,
            Refusal::JournalFailed,
            Refusal::Malformed,
        ];
        let answers = [Answer::Key(S::public_key(&secret)), Answer::Signature(S::sign(&secret, b"x"))];
        for answer in answers.into_iter().chain(refusals.map(Answer::<S>::Refused)) {
            let bytes = answer.encode();
            assert!(bytes.len() <= MAX_FRAME, "{answer:?}");
            assert_eq!(Answer::decode(&bytes, &()).as_ref(), Ok(&answer));
            assert!(Answer::<S>::decode(&bytes[..bytes.len() - 1], &()).is_err());
            assert!(Answer::<S>::decode(&[bytes.as_slice(), &[0]].concat(), &()).is_err());
        }
    }

    #[test]
    fn messages_have_one_encoding() {
        all_answers_fit::<Ed25519>();
        all_answers_fit::<MinSig>();
        all_answers_fit::<MinPk>();
        let committee = CommitteeId([7; 32]);
        let statement = Statement { kind: Kind::new(1), epoch: 2, view: 3, digest: [4; 32] };
        for (request, length) in [(Request::Key(committee), 33), (Request::Sign { committee, statement }, 82)]
        {
            let bytes = request.encode();
            assert_eq!((bytes.len(), Request::decode(&bytes, &())), (length, Ok(request)));
            for other in [&bytes[..length - 1], &[bytes.as_slice(), &[0]].concat(), &[9; 33], &[]] {
                assert!(Request::decode(other, &()).is_err());
            }
        }
        let refused = |code, view| Answer::<Ed25519>::decode(&[2, code, view, 0, 0, 0, 0, 0, 0, 0], &());
        assert_eq!(refused(2, 1).unwrap_err().code(), "NON_CANONICAL");
        assert!(refused(0, 0).is_err() && refused(6, 0).is_err() && refused(1, 1).is_ok());
    }

    #[test]
    fn the_error_of_the_guard_arrives() {
        let kind = Kind::new(2);
        for error in [
            Error::Contradiction { kind: 2, signed_view: 9 },
            Error::TooLarge { what: "view of a statement", limit: (1 << 56) - 1 },
        ] {
            assert_eq!(Refusal::from(&error).error(kind), error);
        }
        let error = Error::Mismatch { what: "epoch", expected: 1, actual: 2 };
        assert_eq!(Refusal::from(&error).error(kind).code(), error.code());
        assert_eq!(Refusal::from(&Error::Rng).error(kind).code(), "JOURNAL_FAILED");
    }
}
