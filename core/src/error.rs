//! One error type for every building block. Each error has a stable code and a message that says what was expected,
//! what arrived and what to do; where members are at fault, it names them.

mod details;
mod message;

use alloc::string::String;
use alloc::vec::Vec;

pub use details::Detail;

/// Result of every fallible call in this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// An error of this crate.
///
/// Match on the variant in Rust and on [`code`](Error::code) in all other languages. Several variants can share one
/// code: [`WrongLength`](Error::WrongLength) is a more precise `MALFORMED`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not an encoding of the type: unknown tag, impossible value, not a point of the curve.
    Malformed {
        /// Name of the decoded type.
        what: &'static str,
    },
    /// The input has the wrong length. The code is `MALFORMED`.
    WrongLength {
        /// Name of the decoded type.
        what: &'static str,
        /// Expected number of bytes.
        expected: u64,
        /// Number of bytes in the input.
        actual: u64,
    },
    /// The input ends before the value is complete. The code is `MALFORMED`.
    Truncated {
        /// Number of bytes that the next field needs.
        expected: u64,
        /// Number of bytes left in the input.
        actual: u64,
    },
    /// The input continues after the end of the value. The code is `MALFORMED`.
    TrailingBytes {
        /// Number of bytes after the value.
        count: u64,
    },
    /// The bytes decode, but they are not the one canonical encoding of the value.
    NonCanonical {
        /// Name of the decoded type.
        what: &'static str,
    },
    /// A length or count in the input is above its limit; nothing was allocated for it.
    TooLarge {
        /// Name of the limited quantity.
        what: &'static str,
        /// The largest accepted value.
        limit: u64,
    },
    /// The point is on the curve but outside the prime-order subgroup.
    NotInSubgroup,
    /// A key, a signature or an aggregate is the point at infinity or has small order.
    Infinity,
    /// The committee has no member with this index.
    UnknownSigner {
        /// The unknown index.
        index: u32,
    },
    /// A member appears more than once where each member may appear once.
    DuplicateSigner {
        /// The repeated index.
        index: u32,
    },
    /// Members are not in ascending order. The code is `DUPLICATE_SIGNER`.
    OutOfOrder {
        /// Index of the first member that follows a larger index.
        index: u32,
    },
    /// Two members of a committee have the same key, or the keys are negations of each other.
    RelatedKeys {
        /// Index of the first of the two members.
        first: u32,
        /// Index of the member whose key repeats or negates the first one.
        second: u32,
    },
    /// The committee has no members or too many, or its weights are zero or too large in sum.
    BadCommittee {
        /// The violated rule.
        rule: &'static str,
    },
    /// No erasure code supports this number of shards or these parameters.
    BadShape {
        /// The violated rule.
        rule: &'static str,
    },
    /// The sender committed to shards that do not encode one message. Every member that decodes them gets this error.
    BadEncoding,
    /// The signers or the shards do not reach the threshold.
    BelowQuorum {
        /// Weight of the signers, or number of shards.
        signed: u128,
        /// Required weight, or required number of shards.
        needed: u128,
    },
    /// A signature does not verify.
    BadSignature {
        /// Members whose signature does not verify, ascending; empty if the signature belongs to no single member.
        signers: Vec<u16>,
    },
    /// A proof of possession does not verify for its key.
    BadPossession,
    /// Shares of a secret, a signature or a decryption are wrong.
    BadShare {
        /// Members whose share is wrong, ascending; empty if the shares contradict each other and the wrong ones
        /// cannot be identified yet.
        members: Vec<u16>,
    },
    /// A threshold ciphertext's proof does not verify, or its payload does not match its label and key. Members must
    /// not make decryption shares of it.
    BadCiphertext,
    /// The object is valid, but it belongs to another committee, chain, epoch, view, key or suite.
    WrongContext {
        /// The part that does not match.
        what: &'static str,
    },
    /// A number in the object differs from the expected one. The code is `WRONG_CONTEXT`.
    Mismatch {
        /// The part that does not match: an epoch, a view, a kind, a suite, a committee size.
        what: &'static str,
        /// The value that the context requires.
        expected: u64,
        /// The value in the object.
        actual: u64,
    },
    /// No alternative has this name or number. The code is `WRONG_CONTEXT`.
    UnknownName {
        /// The kind of thing that was named.
        what: &'static str,
        /// The unknown name or number, at most 64 characters of it.
        given: String,
        /// The known names.
        known: &'static [&'static str],
    },
    /// The statement contradicts an earlier signed one, or one that may have been signed without a record that is left:
    /// below a watermark, a counter or a recovery. Nothing was signed.
    Contradiction {
        /// Kind of the statement.
        kind: u8,
        /// View of the earlier statement, or the view up to which records may be missing.
        signed_view: u64,
    },
    /// The two objects offered as evidence do not contradict each other.
    NotEvidence,
    /// A one-time resource is used up and nothing was signed: no unused one-time key is left, or the presignature is
    /// spent, burnt, or outside its plan or epoch.
    Exhausted,
    /// The signer used one one-time key for two different messages. Reject all its further signatures.
    OneTimeReuse,
    /// The ticket does not win its lottery; the member that presents it is at fault.
    NotDrawn,
    /// The signer sent more announcements than its allowance; the excess was not processed.
    RateLimited,
    /// The random number generator failed.
    Rng,
    /// The directory has no journal of signatures, so it is unknown what the key has signed.
    JournalMissing {
        /// Path of the journal.
        path: String,
    },
    /// The directory has a journal of signatures already; nothing was changed.
    JournalExists {
        /// Path of the journal.
        path: String,
    },
    /// Another process, or another object of this process, has opened the journal.
    JournalInUse {
        /// Path of the journal.
        path: String,
    },
    /// The journal has bytes that no interrupted write explains.
    JournalDamaged {
        /// Path of the journal.
        path: String,
        /// Offset of the damaged bytes in the file.
        offset: u64,
    },
    /// A file operation of the journal failed, so a record may not be durable. Nothing was released, and nothing is signed
    /// until the journal is opened again.
    JournalFailed {
        /// Path of the file or directory.
        path: String,
        /// The failed operation.
        operation: &'static str,
        /// The system's reason.
        reason: String,
    },
    /// A key outside this process, for example in a token, gave no valid signature. Nothing was recorded or released.
    KeyFailed {
        /// Name of the key.
        key: String,
        /// The reason, with the remedy.
        reason: String,
    },
}

impl Error {
    /// Returns the members at fault, ascending; empty if the error names none.
    pub fn culprits(&self) -> &[u16] {
        match self {
            Error::BadSignature { signers: members } | Error::BadShare { members } => members,
            _ => &[],
        }
    }

    /// Returns what makes signing possible again after an error of a [journal](crate::guard); the message ends with it.
    pub fn recovery(&self) -> Option<&'static str> {
        Some(match self {
            Error::JournalMissing { .. } => {
                "create it only if the key has never signed on this chain; otherwise move the directory of its last signature \
                 here, or recover above a view that the key cannot have reached"
            }
            Error::JournalExists { .. } => {
                "open it instead, or recover if only one with the suffix .aside is left"
            }
            Error::JournalInUse { .. } => {
                "close the other object, or end the other process, and open it again; do not remove any file"
            }
            Error::JournalDamaged { .. } => {
                "use no older copy of the journal; recover above a view that the key cannot have reached, which keeps the \
                 damaged file"
            }
            Error::JournalFailed { .. } => "remove the cause, then open the journal again",
            _ => return None,
        })
    }

    /// Returns a [`BadSignature`](Error::BadSignature) that names no member.
    #[cfg(any(feature = "bls", feature = "ed25519"))]
    pub(crate) fn bad_signature() -> Self {
        Error::BadSignature { signers: Vec::new() }
    }

    /// Returns the error for an unknown name or number of `what`; keeps at most 64 characters of it.
    #[cfg(any(feature = "bls", feature = "ed25519"))]
    pub(crate) fn unknown_name(
        what: &'static str,
        given: impl core::fmt::Display,
        known: &'static [&'static str],
    ) -> Self {
        let given: String = alloc::format!("{given}").chars().take(64).collect();
        Error::UnknownName { what, given, known }
    }

    /// Names `signer` as the culprit of a [`BadSignature`](Error::BadSignature); leaves other errors as they are.
    pub(crate) fn blame(self, signer: u16) -> Self {
        match self {
            Error::BadSignature { .. } => Error::BadSignature { signers: [signer].into() },
            other => other,
        }
    }
}

impl core::error::Error for Error {}
