//! Evidence as a file, which convinces whoever has the group's file.
//!
//! | bytes | field |
//! |---|---|
//! | 8 | `qbevid01` |
//! | 24 to 39 | the group's [`GroupParameters`]: with the group's file they say which committee it is, and the way of signing how to go on |
//! | the rest | the [`Equivocation`](crate::Equivocation) with signatures of that way |
//!
//! How many members there are the file does not say, so the last part is decoded by whoever has the group.

use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use crate::group_parameters::GroupParameters;

/// What a file begins with.
const MAGIC: &[u8; 8] = b"qbevid01";
/// Longest file: two signatures of the longest suite, and what is around them.
pub const MAX_FILE: usize = 8 << 10;

/// The file of evidence against a member of a group with these terms.
pub fn encode(terms: &GroupParameters, evidence: &impl Encode) -> Vec<u8> {
    let mut w = Writer::new();
    w.raw(MAGIC);
    terms.encode_to(&mut w);
    evidence.encode_to(&mut w);
    w.into_bytes()
}

/// What a file says that its group agrees on, and the evidence itself, which only that can read.
///
/// # Errors
/// [`Error::TooLarge`] beyond [`MAX_FILE`], [`Error::Malformed`] and its kin if it is no such file.
pub fn decode(bytes: &[u8]) -> Result<(GroupParameters, &[u8])> {
    if bytes.len() > MAX_FILE {
        return Err(Error::TooLarge { what: "evidence", limit: MAX_FILE as u64 });
    }
    let mut r = Reader::new(bytes);
    if r.raw(MAGIC.len())? != MAGIC {
        return Err(Error::Malformed { what: "beginning of a file of evidence" });
    }
    let terms = GroupParameters::decode_from(&mut r, &())?;
    let rest = r.raw(r.remaining())?;
    Ok((terms, rest))
}

#[cfg(test)]
mod tests {
    use quorate::dsig::{Suite, WotsBlake3, WotsBlake3Wide, WotsHaraka256, WotsHaraka512};
    use quorate::ed25519::{Ed25519, Signature};
    use quorate::scheme::Scheme;

    use super::*;
    use crate::group_parameters::AuthenticationKind;
    use crate::{Equivocation, Slot};

    fn evidence() -> Equivocation<Signature> {
        let key = Ed25519::secret_from_bytes(&[1; 32]).unwrap();
        let word = |digest: u8| ([digest; 32], Ed25519::sign(&key, &[digest]));
        Equivocation { culprit: 2, slot: Slot { sender: 0, sequence: 1 }, attestations: [word(1), word(2)] }
    }

    #[test]
    fn a_file_is_read_as_it_was_written_and_no_other_is_one() {
        let terms =
            GroupParameters { authentication: AuthenticationKind::Eddsa, tail: 128, max_message: 16 << 10 };
        let (evidence, bytes) = (evidence(), encode(&terms, &evidence()));
        let (read, rest) = decode(&bytes).unwrap();
        assert_eq!((read, rest), (terms, &evidence.encode()[..]));
        assert_eq!(Equivocation::decode(rest, &4), Ok(evidence.clone()));
        for end in 0..bytes.len() {
            let cut = decode(&bytes[..end]);
            assert!(
                cut.is_err()
                    || cut.is_ok_and(|(_, rest)| Equivocation::<Signature>::decode(rest, &4).is_err())
            );
        }
        let longer = [&bytes[..], &[0]].concat();
        assert!(Equivocation::<Signature>::decode(decode(&longer).unwrap().1, &4).is_err());
        assert_eq!(decode(&[b"x", &bytes[1..]].concat()).unwrap_err().code(), "MALFORMED");
        let long = [&bytes[..], &vec![0; MAX_FILE + 1 - bytes.len()]].concat();
        assert_eq!(decode(&long).unwrap_err().code(), "TOO_LARGE");
    }

    #[test]
    fn the_longest_evidence_fits() {
        fn longest<S: Suite>() -> usize {
            quorate::dsig::Signature::<S>::LEN
        }
        let signature = [
            longest::<WotsHaraka512>(),
            longest::<WotsHaraka256>(),
            longest::<WotsBlake3>(),
            longest::<WotsBlake3Wide>(),
        ];
        let terms = AuthenticationKind::ALL
            .map(|authentication| GroupParameters { authentication, tail: 1, max_message: 1 }.encode().len());
        let around = MAGIC.len() + terms.into_iter().max().unwrap() + 2 + 10 + 2 * 32;
        assert!(around + 2 * signature.into_iter().max().unwrap() <= MAX_FILE);
    }
}
