//! An **insecure** signature scheme for simulations: anyone who sees a public key can sign for it.
//!
//! It has the algebra of BLS (keys and signatures can be summed, and a sum verifies against the sum of the keys) without
//! its cost, so that simulations of thousands of members run the real aggregation code. It is compiled only with the
//! feature `toy`, it is not one of the suites of [`any`](crate::any), and no binding offers it.
//!
//! Arithmetic is modulo p = 2⁶¹ − 1: a key is x·g, a signature is x·H(message), and a signature verifies if
//! signature·g = key·H(message). Encodings are padded with zeros to the lengths of suite 4, so that a simulation counts
//! the bytes of real messages.

use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use super::additive::{Additive, CountedProof};
use super::coefficients::coefficients;
use super::counts::Counts;
use super::sealed::Sealed;
use super::secret::random_32;
use super::signers::SignerSet;
use super::traits::{Claim, Keys, Scheme, SumCheck};
use super::vrf::Vrf;
use crate::machine::MemberIndex;
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// The insecure scheme for simulations: suite 240. **It protects nothing.**
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Toy {}

/// A non-zero number, encoded in `LEN` bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number<const LEN: usize>(u64);

/// The stand-in for a secret key. It is not secret, because it is easily computed from the public key.
#[derive(Clone, Copy)]
pub struct NoSecret(u64);

const P: u64 = (1 << 61) - 1;
const GENERATOR: u64 = 37;

type Key = Number<96>;
type Signature = Number<48>;

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(P)) as u64
}

fn sum(numbers: impl Iterator<Item = u64>) -> u64 {
    (numbers.map(u128::from).sum::<u128>() % u128::from(P)) as u64
}

/// Maps 32 bytes to a number from 1 to p − 1.
fn number(bytes: &[u8; 32]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *bytes;
    1 + u64::from_le_bytes([a, b, c, d, e, f, g, h]) % (P - 1)
}

fn hash(message: &[u8]) -> u64 {
    number(&domain::hash(domain::TOY_MESSAGE, message))
}

impl<const LEN: usize> Encode for Number<LEN> {
    fn encode_to(&self, w: &mut Writer) {
        w.u64(self.0);
        (8..LEN).for_each(|_| w.u8(0));
    }
}

impl<const LEN: usize> Decode for Number<LEN> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let value = r.u64()?;
        let padding = r.raw(LEN.saturating_sub(8))?;
        match value {
            0 => Err(Error::Infinity),
            1..P if padding.iter().all(|byte| *byte == 0) => Ok(Self(value)),
            _ => Err(Error::NonCanonical { what: "toy number" }),
        }
    }
}

impl<const LEN: usize> fmt::Debug for Number<LEN> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Number({:x})", self.0)
    }
}

fn finite(value: u64) -> Result<Signature> {
    if value == 0 { Err(Error::Infinity) } else { Ok(Number(value)) }
}

/// Σ countᵢ·keyᵢ.
fn sum_of_keys(keys: Keys<'_, Toy>, signers: &SignerSet, counts: &Counts) -> Result<u64> {
    if signers.is_empty() || signers.committee_len() as usize != keys.public.len() {
        return Err(Error::WrongContext { what: "signer set" });
    }
    // At most 2¹⁶ products of 16 by 61 bits: far below 128 bits.
    let counted = signers.iter().filter_map(|signer| {
        let key = keys.public.get(usize::from(signer))?;
        Some(u128::from(counts.get(signer)) * u128::from(key.0))
    });
    Ok((counted.sum::<u128>() % u128::from(P)) as u64)
}

impl Sealed for Toy {}

impl Scheme for Toy {
    const SUITE: u8 = 0xf0;
    const NAME: &'static str = "toy";
    const SUMMED: bool = true;

    type SecretKey = NoSecret;
    type PublicKey = Key;
    type Signature = Signature;
    type Proof = CountedProof<Signature>;
    type Cache = ();
    type Ciphersuite = ();

    const STATEMENTS: &'static () = &();

    fn generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<NoSecret> {
        Ok(NoSecret(number(&*random_32(rng)?)))
    }

    fn secret_from_bytes(bytes: &[u8]) -> Result<NoSecret> {
        let wrong = Error::WrongLength { what: "toy secret key", expected: 32, actual: bytes.len() as u64 };
        let bytes: &[u8; 32] = bytes.try_into().map_err(|_| wrong)?;
        let secret = NoSecret(number(bytes));
        if *Self::secret_to_bytes(&secret) == *bytes {
            Ok(secret)
        } else {
            Err(Error::Malformed { what: "toy secret key" })
        }
    }

    fn secret_to_bytes(secret: &NoSecret) -> Zeroizing<[u8; 32]> {
        let mut bytes = Zeroizing::new([0; 32]);
        if let Some(head) = bytes.first_chunk_mut::<8>() {
            *head = (secret.0 - 1).to_le_bytes();
        }
        bytes
    }

    fn public_key(secret: &NoSecret) -> Key {
        Number(times(secret.0, GENERATOR))
    }

    fn sign(secret: &NoSecret, message: &[u8]) -> Signature {
        Number(times(secret.0, hash(message)))
    }

    fn verify(key: &Key, message: &[u8], signature: &Signature) -> Result<()> {
        if times(signature.0, GENERATOR) == times(key.0, hash(message)) {
            Ok(())
        } else {
            Err(Error::BadSignature { signers: Vec::new() })
        }
    }

    fn prove_possession(secret: &NoSecret) -> Signature {
        Self::sign(secret, &Self::public_key(secret).encode())
    }

    fn verify_possession(key: &Key, possession: &Signature) -> Result<()> {
        Self::verify(key, &key.encode(), possession).map_err(|_| Error::BadPossession)
    }

    fn encode_link(signature: &Signature, w: &mut Writer) {
        Number::<96>(signature.0).encode_to(w);
    }

    fn decode_link(r: &mut Reader<'_>) -> Result<Signature> {
        Number::<96>::decode_from(r, &()).map(|number| Number(number.0))
    }

    fn cache(keys: &[Key]) -> Result<()> {
        finite(sum(keys.iter().map(|key| key.0))).map(drop)
    }

    fn relation_tag(key: &Key) -> Vec<u8> {
        key.0.min(P - key.0).to_le_bytes().to_vec()
    }

    fn combine(signatures: &[(MemberIndex, &Signature)]) -> Self::Proof {
        let signature = Number(sum(signatures.iter().map(|(_, signature)| signature.0)));
        CountedProof { signature, counts: Counts::ones() }
    }

    fn merge(proofs: &[&Self::Proof]) -> Self::Proof {
        CountedProof {
            signature: Number(sum(proofs.iter().map(|proof| proof.signature.0))),
            counts: Counts::merge_disjoint(proofs.iter().map(|proof| &proof.counts)),
        }
    }

    fn verify_claims(keys: Keys<'_, Self>, claims: &[Claim<'_>], proof: &Self::Proof) -> Result<()> {
        let mut expected = 0;
        for claim in claims {
            let key = sum_of_keys(keys, claim.signers, &proof.counts)?;
            expected = sum([expected, times(key, hash(claim.message))].into_iter());
        }
        finite(proof.signature.0)?;
        if expected == times(proof.signature.0, GENERATOR) {
            Ok(())
        } else {
            Err(Error::BadSignature { signers: Vec::new() })
        }
    }

    fn verify_each(keys: Keys<'_, Self>, signed: &[(MemberIndex, &[u8])], proof: &Self::Proof) -> Result<()> {
        let mut expected = 0;
        for (member, message) in signed {
            let key = keys.public.get(usize::from(*member));
            let key = key.ok_or(Error::UnknownSigner { index: (*member).into() })?;
            let counted = times(u64::from(proof.counts.get(*member)), times(key.0, hash(message)));
            expected = sum([expected, counted].into_iter());
        }
        finite(proof.signature.0)?;
        if expected == times(proof.signature.0, GENERATOR) {
            Ok(())
        } else {
            Err(Error::BadSignature { signers: Vec::new() })
        }
    }

    fn verify_sum(
        keys: Keys<'_, Self>,
        claim: Claim<'_>,
        signatures: &[(MemberIndex, &Signature)],
        search: bool,
    ) -> SumCheck<Self::Proof> {
        let proof = Self::combine(signatures);
        if Self::verify_claims(keys, &[claim], &proof).is_ok() {
            return SumCheck::Good(proof);
        }
        if !search {
            return SumCheck::Bad;
        }
        let is_bad = |signer: MemberIndex, signature| {
            keys.public
                .get(usize::from(signer))
                .is_none_or(|key| Self::verify(key, claim.message, signature).is_err())
        };
        let (bad, good): (Vec<_>, Vec<_>) =
            signatures.iter().copied().partition(|(signer, signature)| is_bad(*signer, signature));
        let [(signer, _)] = *bad else { return SumCheck::Bad };
        let (mut signers, others) = (claim.signers.clone(), Self::combine(&good));
        signers.remove(signer);
        match Self::verify_claims(keys, &[Claim { signers: &signers, ..claim }], &others) {
            Ok(()) => SumCheck::OneBad { signer, others },
            _ => SumCheck::Bad,
        }
    }

    fn verify_many(
        keys: Keys<'_, Self>,
        items: &[(Claim<'_>, &Self::Proof)],
        entropy: Option<&[u8; 32]>,
    ) -> Result<()> {
        // Coefficients as in a real scheme, so that tests detect wrong ones.
        let mut coefficients = coefficients(entropy, |hasher| {
            for (claim, proof) in items {
                hasher.update(claim.message).update(&proof.signature.0.to_le_bytes());
            }
        });
        let (mut left, mut right) = (0, 0);
        for (claim, proof) in items {
            let factor = (coefficients.draw() % u128::from(P)) as u64;
            let key = sum_of_keys(keys, claim.signers, &proof.counts)?;
            finite(proof.signature.0)?;
            left = sum([left, times(factor, times(key, hash(claim.message)))].into_iter());
            right = sum([right, times(factor, proof.signature.0)].into_iter());
        }
        if left == times(right, GENERATOR) {
            Ok(())
        } else {
            Err(Error::BadSignature { signers: Vec::new() })
        }
    }

    fn encode_proof(proof: &Self::Proof, signers: &SignerSet, w: &mut Writer) {
        proof.counts.encode(signers, w);
        proof.signature.encode_to(w);
    }

    fn decode_proof(r: &mut Reader<'_>, signers: &SignerSet) -> Result<Self::Proof> {
        let counts = Counts::decode(r, signers)?;
        Ok(CountedProof { counts, signature: Signature::decode_from(r, &())? })
    }

    fn proof_len(proof: &Self::Proof, signers: &SignerSet) -> usize {
        proof.counts.encoded_len(signers) + 48
    }
}

impl Vrf for Toy {
    fn verify_unique<T>(
        key: &Key,
        message: &[u8],
        signature: &Signature,
        accept: impl FnOnce(&[u8]) -> Result<T>,
    ) -> Result<T> {
        let accepted = accept(&signature.encode())?;
        Self::verify(key, message, signature).map(|()| accepted)
    }
}

impl Additive for Toy {
    fn add(signatures: &[&Signature]) -> Result<Signature> {
        finite(sum(signatures.iter().map(|signature| signature.0)))
    }

    fn subtract(from: &Signature, parts: &[(u16, &Signature)]) -> Result<Signature> {
        let gone = sum(parts.iter().map(|(count, part)| times(u64::from(*count), part.0)));
        finite(sum([from.0, P - gone].into_iter()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    #[test]
    fn has_the_algebra_and_the_lengths_of_suite_4() {
        let mut rng = StdRng::seed_from_u64(1);
        let secrets: Vec<_> = (0..3).map(|_| Toy::generate(&mut rng).unwrap()).collect();
        let keys: Vec<_> = secrets.iter().map(Toy::public_key).collect();
        let [a, b, c] = [0, 1, 2].map(|i: usize| Toy::sign(&secrets[i], b"m"));
        assert!(Toy::verify(&keys[0], b"m", &a).is_ok() && Toy::verify(&keys[1], b"m", &a).is_err());
        assert_eq!((keys[0].encode().len(), a.encode().len()), (96, 48));
        assert_eq!(Key::decode(&keys[0].encode(), &()), Ok(keys[0]));
        let all = Toy::add(&[&a, &b, &c]).unwrap();
        assert_eq!(Toy::subtract(&all, &[(1, &c), (1, &b)]), Ok(a));
        assert_eq!(Toy::subtract(&a, &[(1, &a)]), Err(Error::Infinity));
        let secret = Toy::secret_from_bytes(Toy::secret_to_bytes(&secrets[0]).as_ref()).unwrap();
        assert_eq!(Toy::public_key(&secret), keys[0]);
        assert_eq!(Signature::decode(&[0xff; 48], &()), Err(Error::NonCanonical { what: "toy number" }));
    }
}
