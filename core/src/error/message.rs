//! The text of an error.

use core::fmt;

use super::Error;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Malformed { what } => write!(f, "malformed {what}"),
            Error::WrongLength { what, expected, actual } => {
                write!(f, "malformed {what}: expected {expected} bytes, got {actual}")
            }
            Error::Truncated { expected, actual } => {
                write!(f, "truncated input: expected at least {expected} more bytes, got {actual}")
            }
            Error::TrailingBytes { count } => {
                write!(f, "trailing bytes: expected the end of the input, got {count} more bytes")
            }
            Error::NonCanonical { what } => {
                write!(f, "non-canonical encoding: {what}; re-encode the value with quorate")
            }
            Error::TooLarge { what, limit } => write!(f, "{what}: above the limit of {limit}"),
            Error::NotInSubgroup => {
                f.write_str("the point is outside the prime-order subgroup; reject its sender")
            }
            Error::Infinity => {
                f.write_str("the point is the point at infinity or has small order; reject its sender")
            }
            Error::UnknownSigner { index } => {
                write!(f, "unknown member {index}: expected an index below the committee's size")
            }
            Error::DuplicateSigner { index } => {
                write!(f, "duplicate member {index}: each member may appear once")
            }
            Error::OutOfOrder { index } => {
                write!(f, "member {index} is out of order: sort the members in ascending order")
            }
            Error::RelatedKeys { first, second } => {
                write!(
                    f,
                    "the keys of members {first} and {second} are equal or negations of each other; remove one"
                )
            }
            Error::BadCommittee { rule } => write!(f, "invalid committee: {rule}"),
            Error::BadShape { rule } => write!(f, "invalid erasure code: {rule}"),
            Error::BadEncoding => f.write_str(
                "the shards do not encode one message; reject their sender and keep the shards as evidence",
            ),
            Error::BelowQuorum { signed, needed } => {
                write!(f, "below quorum: weight {signed} of {needed}; collect more")
            }
            Error::BadSignature { signers } if signers.is_empty() => {
                f.write_str("the signature does not verify; reject it")
            }
            Error::BadSignature { signers } => {
                write!(f, "the signatures of members {signers:?} do not verify; reject them")
            }
            Error::BadPossession => f.write_str(
                "the proof of possession does not verify for this key; ask the key's owner for a new one",
            ),
            Error::BadShare { members } if members.is_empty() => {
                f.write_str("the shares contradict each other; collect more to identify the wrong ones")
            }
            Error::BadShare { members } => {
                write!(f, "the shares of members {members:?} are wrong; discard them")
            }
            Error::BadCiphertext => {
                f.write_str("the ciphertext does not verify; treat it as if it were empty")
            }
            Error::WrongContext { what } => write!(f, "wrong context: {what}"),
            Error::Mismatch { what, expected, actual } => {
                write!(f, "{what} does not match: expected {expected}, got {actual}")
            }
            Error::UnknownName { what, given, known } => {
                write!(f, "unknown {what} {given}: expected one of {}", known.join(", "))
            }
            Error::Contradiction { kind, signed_view } => write!(
                f,
                "refused to sign: contradicts, or may contradict, what kind {kind} signed up to view {signed_view}"
            ),
            Error::NotEvidence => {
                f.write_str("not evidence: the two objects do not contradict each other")
            }
            Error::Exhausted => f.write_str(
                "no unused one-time key or presignature is left; prepare a batch, or sign under an unspent tag",
            ),
            Error::OneTimeReuse => f.write_str(
                "a one-time key signed two messages; reject its signer and keep both signatures as evidence",
            ),
            Error::NotDrawn => {
                f.write_str("the ticket does not win its lottery; drop the message that carries it")
            }
            Error::RateLimited => f.write_str(
                "too many announcements from this signer; its signatures still verify on the slow path",
            ),
            Error::Rng => f.write_str("the random number generator failed; do not continue without it"),
            Error::JournalMissing { path } => write!(f, "no journal of signatures at {path}"),
            Error::JournalExists { path } => write!(f, "there is already a journal of signatures at {path}"),
            Error::JournalInUse { path } => write!(f, "the journal {path} is in use"),
            Error::JournalDamaged { path, offset } => write!(f, "the journal {path} is damaged at byte {offset}"),
            Error::JournalFailed { path, operation, reason } => {
                write!(f, "{operation} failed at {path}: {reason}; nothing was released")
            }
            Error::KeyFailed { key, reason } => {
                write!(f, "the key {key} gave no signature: {reason}; nothing was released")
            }
        }?;
        self.recovery().map_or(Ok(()), |recovery| write!(f, "; {recovery}"))
    }
}

#[cfg(test)]
mod tests {
    use super::Error;
    use alloc::string::ToString;

    #[test]
    fn messages_name_the_expected_and_the_actual_value() {
        let cases = [
            (
                Error::WrongLength { what: "digest", expected: 32, actual: 31 },
                "malformed digest: expected 32 bytes, got 31",
            ),
            (
                Error::Mismatch { what: "epoch", expected: 3, actual: 4 },
                "epoch does not match: expected 3, got 4",
            ),
            (Error::BelowQuorum { signed: 2, needed: 3 }, "below quorum: weight 2 of 3; collect more"),
            (
                Error::UnknownName { what: "suite", given: "bsl".into(), known: &["bls", "ed25519"] },
                "unknown suite bsl: expected one of bls, ed25519",
            ),
        ];
        for (error, text) in cases {
            assert_eq!(error.to_string(), text);
            assert!(Error::CODES.contains(&error.code()));
        }
    }
}
