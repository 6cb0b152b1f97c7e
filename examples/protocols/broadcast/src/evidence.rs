//! File format of evidence, verifiable with the group file alone.
//!
//! | bytes | field |
//! |---|---|
//! | 8 | `qbevid01` |
//! | 24 to 39 | the [`GroupParameters`]; with the group file they determine the committee, and alone the signature scheme |
//! | the rest | the [`Equivocation`](crate::Equivocation) with signatures of that scheme |
//!
//! The file does not state the number of members; the last part is decoded with the group file.

use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use crate::group_parameters::GroupParameters;

/// Magic number at the beginning of a file.
const MAGIC: &[u8; 8] = b"qbevid01";
/// Maximum length of a file: two signatures of the longest suite and the other fields.
pub const MAX_FILE: usize = 8 << 10;

/// Encodes evidence against a member of a group with these parameters.
pub fn encode(group_parameters: &GroupParameters, evidence: &impl Encode) -> Vec<u8> {
    let mut w = Writer::new();
    w.raw(MAGIC);
    group_parameters.encode_to(&mut w);
    evidence.encode_to(&mut w);
    w.into_bytes()
}

/// Decodes the group parameters of a file and returns them with the encoded evidence.
///
/// # Errors
/// [`Error::TooLarge`] beyond [`MAX_FILE`]; [`Error::Malformed`] and related errors if it is not an evidence file.
pub fn decode(bytes: &[u8]) -> Result<(GroupParameters, &[u8])> {
    if bytes.len() > MAX_FILE {
        return Err(Error::TooLarge { what: "evidence", limit: MAX_FILE as u64 });
    }
    let mut r = Reader::new(bytes);
    if r.raw(MAGIC.len())? != MAGIC {
        return Err(Error::Malformed { what: "evidence file: wrong magic number" });
    }
    let group_parameters = GroupParameters::decode_from(&mut r, &())?;
    let rest = r.raw(r.remaining())?;
    Ok((group_parameters, rest))
}

#[cfg(test)]
mod tests {
    use quorate::dsig::{DsigSuite, WotsBlake3, WotsBlake3Wide, WotsHaraka256, WotsHaraka512};
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
    fn an_evidence_file_has_one_encoding() {
        let group_parameters =
            GroupParameters { authentication: AuthenticationKind::Eddsa, tail: 128, max_message: 16 << 10 };
        let (evidence, bytes) = (evidence(), encode(&group_parameters, &evidence()));
        let (read, rest) = decode(&bytes).unwrap();
        assert_eq!((read, rest), (group_parameters, &evidence.encode()[..]));
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
        fn longest<S: DsigSuite>() -> usize {
            quorate::dsig::Signature::<S>::LEN
        }
        let signature = [
            longest::<WotsHaraka512>(),
            longest::<WotsHaraka256>(),
            longest::<WotsBlake3>(),
            longest::<WotsBlake3Wide>(),
        ];
        let group_parameters = AuthenticationKind::ALL
            .map(|authentication| GroupParameters { authentication, tail: 1, max_message: 1 }.encode().len());
        let around = MAGIC.len() + group_parameters.into_iter().max().unwrap() + 2 + 10 + 2 * 32;
        assert!(around + 2 * signature.into_iter().max().unwrap() <= MAX_FILE);
    }
}
