//! BLS schemes whose certificates may contain a signer's signature more than once.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::marker::PhantomData;

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use super::ffi::Group;
use super::group::{Affine, Variant};
use super::keys::{PublicKey, SecretKey, Signature};
use super::locate;
use super::pairing::{self, Cache};
use crate::machine::MemberIndex;
use crate::scheme::sealed::Sealed;
use crate::scheme::{
    Additive, Claim, CountedProof, Counts, Keys, Scheme, SignerSet, SumCheck, Vrf, coefficients,
};
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// A BLS variant whose certificates carry counts: suite 4 for `MinSig`, suite 5 for `MinPk`.
///
/// Keys, signatures and proofs of possession are those of the variant. The committee's id names the suite, so a vote
/// under one suite never counts under the other.
///
/// The proof of a set of signers is their counts nᵢ and the sum S = Σ nᵢ·σᵢ. It verifies if
/// e(Σ nᵢ·keyᵢ, H(message)) = e(g, S).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Counted<V>(PhantomData<V>);

impl<V: Variant> Sealed for Counted<V> {}

/// A BLS variant whose scheme has this module's key, signature and cache types.
pub trait Plain:
    Variant
    + Scheme<
        SecretKey = SecretKey<Self>,
        PublicKey = PublicKey<Self>,
        Signature = Signature<Self>,
        Cache = Cache<Self>,
    >
{
}

impl<V> Plain for V where
    V: Variant
        + Scheme<SecretKey = SecretKey<V>, PublicKey = PublicKey<V>, Signature = Signature<V>, Cache = Cache<V>>
{
}

type Proof<V> = CountedProof<Signature<V>>;

impl<V: Plain> Scheme for Counted<V> {
    const SUITE: u8 = V::COUNTED.0;
    const NAME: &'static str = V::COUNTED.1;
    const SUMMED: bool = true;

    type SecretKey = SecretKey<V>;
    type PublicKey = PublicKey<V>;
    type Signature = Signature<V>;
    type Proof = Proof<V>;
    type Cache = Cache<V>;
    type Ciphersuite = ();

    const STATEMENTS: &'static () = &();

    fn generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<SecretKey<V>> {
        V::generate(rng)
    }

    fn secret_from_bytes(bytes: &[u8]) -> Result<SecretKey<V>> {
        V::secret_from_bytes(bytes)
    }

    fn secret_to_bytes(secret: &SecretKey<V>) -> Zeroizing<[u8; 32]> {
        V::secret_to_bytes(secret)
    }

    fn public_key(secret: &SecretKey<V>) -> PublicKey<V> {
        V::public_key(secret)
    }

    fn sign(secret: &SecretKey<V>, message: &[u8]) -> Signature<V> {
        <V as Scheme>::sign(secret, message)
    }

    fn verify(key: &PublicKey<V>, message: &[u8], signature: &Signature<V>) -> Result<()> {
        V::verify(key, message, signature)
    }

    fn prove_possession(secret: &SecretKey<V>) -> Signature<V> {
        V::prove_possession(secret)
    }

    fn verify_possession(key: &PublicKey<V>, possession: &Signature<V>) -> Result<()> {
        V::verify_possession(key, possession)
    }

    fn encode_link(signature: &Signature<V>, w: &mut Writer) {
        V::encode_link(signature, w);
    }

    fn decode_link(r: &mut Reader<'_>) -> Result<Signature<V>> {
        V::decode_link(r)
    }

    fn cache(keys: &[PublicKey<V>]) -> Result<Cache<V>> {
        V::cache(keys)
    }

    #[cfg(feature = "group-sums")]
    fn add_group_sums(cache: &mut Cache<V>) {
        cache.add_group_sums();
    }

    #[cfg(feature = "group-sums")]
    fn group_sums_size(cache: &Cache<V>) -> usize {
        cache.group_sums_size()
    }

    fn relation_tag(key: &PublicKey<V>) -> Vec<u8> {
        V::relation_tag(key)
    }

    fn combine(signatures: &[(MemberIndex, &Signature<V>)]) -> Proof<V> {
        let signature = Signature::sum(signatures.iter().map(|(_, signature)| *signature));
        CountedProof { signature, counts: Counts::ones() }
    }

    fn merge(proofs: &[&Proof<V>]) -> Proof<V> {
        CountedProof {
            signature: Signature::sum(proofs.iter().map(|proof| &proof.signature)),
            counts: Counts::merge_disjoint(proofs.iter().map(|proof| &proof.counts)),
        }
    }

    fn verify_claims(keys: Keys<'_, Self>, claims: &[Claim<'_>], proof: &Proof<V>) -> Result<()> {
        proof.signature.check()?;
        let mut terms = Vec::with_capacity(claims.len());
        for claim in claims {
            let key = sum_of_keys(keys, claim.signers, &proof.counts)?;
            // Keys that cancel have the factor 1 if there are other claims, see `pairing::check_hashes`.
            if !V::Key::is_infinity(&key) {
                terms.push((key, claim.message));
            }
        }
        if terms.is_empty() {
            return Err(Error::Infinity);
        }
        let messages: Vec<&[u8]> = terms.iter().map(|(_, message)| *message).collect();
        let hashes = V::Sig::hash_many(&messages, V::TAGS.proven);
        let terms: Vec<_> = terms.iter().map(|(key, _)| key).zip(&hashes).collect();
        keys.cache.check(&terms, &proof.signature.point)
    }

    fn verify_each(keys: Keys<'_, Self>, signed: &[(MemberIndex, &[u8])], proof: &Proof<V>) -> Result<()> {
        proof.signature.check()?;
        let multiple = |member: MemberIndex| {
            let key = point(keys, member).ok_or(Error::UnknownSigner { index: member.into() })?;
            Ok(multiples::<V::Key>(&[(proof.counts.get(member), key)]))
        };
        let multiples: Vec<_> = signed.iter().map(|(member, _)| multiple(*member)).collect::<Result<_>>()?;
        let messages: Vec<&[u8]> = signed.iter().map(|(_, message)| *message).collect();
        let hashes = V::Sig::hash_many(&messages, V::TAGS.proven);
        keys.cache.check(&multiples.iter().zip(&hashes).collect::<Vec<_>>(), &proof.signature.point)
    }

    fn verify_sum(
        keys: Keys<'_, Self>,
        claim: Claim<'_>,
        signatures: &[(MemberIndex, &Signature<V>)],
        search: bool,
    ) -> SumCheck<Proof<V>> {
        locate::verify_sum(keys.public, keys.cache, claim, signatures, search)
            .map(|signature| CountedProof { signature, counts: Counts::ones() })
    }

    /// Items with the same message share a pairing over their combined keys. For an item with a message of its own the
    /// hash is multiplied instead of the key.
    fn verify_many(
        keys: Keys<'_, Self>,
        items: &[(Claim<'_>, &Proof<V>)],
        entropy: Option<&[u8; 32]>,
    ) -> Result<()> {
        match items {
            [] => return Ok(()),
            [(claim, proof)] => return Self::verify_claims(keys, &[*claim], proof),
            _ => {}
        }
        for (_, proof) in items {
            proof.signature.check()?;
        }
        let mut coefficients = coefficients(entropy, |hasher| {
            for key in keys.public {
                hasher.update(key.as_bytes());
            }
            for (claim, proof) in items {
                hasher.update(&(claim.message.len() as u64).to_le_bytes()).update(claim.message);
                let mut w = Writer::new();
                w.count(claim.signers.len());
                claim.signers.iter().for_each(|signer| w.u16(signer));
                Self::encode_proof(proof, claim.signers, &mut w);
                hasher.update(&w.into_bytes());
            }
        });
        let bits = coefficients.bits();
        let scalars: Vec<u128> = items.iter().map(|_| coefficients.draw()).collect();
        let mut groups: BTreeMap<&[u8], (Vec<_>, Vec<_>)> = BTreeMap::new();
        for ((claim, proof), scalar) in items.iter().zip(&scalars) {
            let key = sum_of_keys(keys, claim.signers, &proof.counts)?;
            if V::Key::is_infinity(&key) {
                return Err(Error::Infinity);
            }
            let (sums, factors) = groups.entry(claim.message).or_default();
            sums.push(key);
            factors.push(*scalar);
        }
        let messages: Vec<&[u8]> = groups.keys().copied().collect();
        let hashes = V::Sig::hash_many(&messages, V::TAGS.proven);
        let terms: Vec<_> = groups
            .values()
            .zip(&hashes)
            .map(|((sums, factors), hash)| match sums.as_slice() {
                [sum] => (*sum, V::Sig::combine(&[hash], factors, bits)),
                _ => (V::Key::combine(&sums.iter().collect::<Vec<_>>(), factors, bits), *hash),
            })
            .filter(|(key, _)| !V::Key::is_infinity(key))
            .collect();
        let signatures: Vec<_> = items.iter().map(|(_, proof)| &proof.signature.point).collect();
        let signature = V::Sig::combine(&signatures, &scalars, bits);
        keys.cache.check(&terms.iter().map(|(key, hash)| (key, hash)).collect::<Vec<_>>(), &signature)
    }

    fn encode_proof(proof: &Proof<V>, signers: &SignerSet, w: &mut Writer) {
        proof.counts.encode(signers, w);
        proof.signature.encode_to(w);
    }

    fn decode_proof(r: &mut Reader<'_>, signers: &SignerSet) -> Result<Proof<V>> {
        let counts = Counts::decode(r, signers)?;
        Ok(CountedProof { counts, signature: Signature::decode_from(r, &())? })
    }

    fn proof_len(proof: &Proof<V>, signers: &SignerSet) -> usize {
        proof.counts.encoded_len(signers) + V::Sig::COMPRESSED_LEN
    }
}

impl<V: Plain> Additive for Counted<V> {
    fn add(signatures: &[&Signature<V>]) -> Result<Signature<V>> {
        finite(Signature::sum(signatures.iter().copied()))
    }

    fn subtract(from: &Signature<V>, parts: &[(u16, &Signature<V>)]) -> Result<Signature<V>> {
        let (times, points): (Vec<u128>, Vec<_>) =
            parts.iter().map(|(times, part)| (u128::from(*times), &part.point)).unzip();
        let gone = V::Sig::negate(&V::Sig::combine(&points, &times, bits_of(&times)));
        finite(Signature { point: V::Sig::sum(&[&from.point, &gone]) })
    }
}

impl<V: Plain> Vrf for Counted<V> {
    fn verify_unique<T>(
        key: &PublicKey<V>,
        message: &[u8],
        signature: &Signature<V>,
        accept: impl FnOnce(&[u8]) -> Result<T>,
    ) -> Result<T> {
        pairing::verify_unique(key, message, signature, accept)
    }
}

fn finite<V: Variant>(signature: Signature<V>) -> Result<Signature<V>> {
    if signature.is_infinity() { Err(Error::Infinity) } else { Ok(signature) }
}

/// Returns Σ countᵢ·keyᵢ. If most counts are 1, the sum of the signers' keys comes from the committee's cache and only
/// the keys with a count above 1 are added.
fn sum_of_keys<V: Plain>(
    keys: Keys<'_, Counted<V>>,
    signers: &SignerSet,
    counts: &Counts,
) -> Result<Affine<V::Key>> {
    if signers.is_empty() || signers.committee_len() as usize != keys.public.len() {
        return Err(Error::WrongContext { what: "signer set" });
    }
    if counts.all_ones() {
        return Ok(keys.cache.aggregate(keys.public, signers));
    }
    let absent = keys.public.len() - signers.len();
    let through_cache = absent.min(signers.len()) + counts.beyond().count() + 1;
    let counted = |(signer, count)| Some((count, point(keys, signer)?));
    if through_cache < signers.len() {
        let beyond = counts.beyond().filter(|(signer, _)| signers.contains(*signer));
        let beyond = multiples::<V::Key>(&beyond.filter_map(counted).collect::<Vec<_>>());
        Ok(V::Key::sum(&[&keys.cache.aggregate(keys.public, signers), &beyond]))
    } else {
        let all = signers.iter().map(|signer| (signer, counts.get(signer)));
        Ok(multiples::<V::Key>(&all.filter_map(counted).collect::<Vec<_>>()))
    }
}

/// Bits per digit into which counts are split. More bits would need more bucket sums than they save.
const DIGIT: u32 = 6;

/// Returns Σ countᵢ·pointᵢ, computed digit by digit from the most significant one: the points with the same digit are
/// summed in one batch addition, the sums are multiplied by their digits, and the result of the higher digits enters 2⁶
/// times. Counts below 64 have one digit.
fn multiples<G: Group>(counted: &[(u16, &G::Affine)]) -> G::Affine {
    let highest = counted.iter().map(|(count, _)| *count).max().unwrap_or(0);
    let mut sum = G::infinity();
    for shift in [2 * DIGIT, DIGIT, 0].into_iter().filter(|shift| highest >> shift > 0) {
        let higher = sum;
        let mut buckets: Vec<(u16, Vec<&G::Affine>)> =
            (0..=1 << DIGIT).map(|digit| (digit, Vec::new())).collect();
        for (count, point) in counted {
            let digit = count >> shift & ((1 << DIGIT) - 1);
            if let Some((_, points)) = buckets.get_mut(usize::from(digit)) {
                points.push(*point);
            }
        }
        if let (Some((_, points)), false) = (buckets.last_mut(), G::is_infinity(&higher)) {
            points.push(&higher);
        }
        buckets.retain(|(digit, points)| *digit > 0 && !points.is_empty());
        buckets.reverse();
        sum = G::ladder(&buckets);
    }
    sum
}

fn point<'a, V: Plain>(keys: Keys<'a, Counted<V>>, signer: MemberIndex) -> Option<&'a Affine<V::Key>> {
    keys.public.get(usize::from(signer)).map(PublicKey::point_ref)
}

/// Returns the number of bits of the largest scalar.
fn bits_of(scalars: &[u128]) -> usize {
    scalars.iter().max().map_or(1, |largest| (u128::BITS - (largest | 1).leading_zeros()) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bls::{MinPk, MinSig};
    use proptest::prelude::*;

    /// Checks [`multiples`] against a general multiplication.
    fn agree<V: Plain>(counts: &[u16]) {
        let key = |i: usize| V::public_key(&V::secret_from_bytes(&[i as u8 + 1; 32]).unwrap()).point();
        let points: Vec<_> = (0..counts.len()).map(key).collect();
        let counted: Vec<_> = counts.iter().copied().zip(&points).collect();
        let scalars: Vec<u128> = counts.iter().map(|count| u128::from(*count)).collect();
        let sum = V::Key::combine(&points.iter().collect::<Vec<_>>(), &scalars, bits_of(&scalars));
        assert_eq!(multiples::<V::Key>(&counted), sum, "{counts:?}");
    }

    #[test]
    fn multiples_carry_across_digits() {
        for counts in [&[][..], &[1], &[63], &[64], &[65], &[4_095, 4_096], &[65_535; 3], &[1, 64, 4_096]] {
            agree::<MinSig>(counts);
            agree::<MinPk>(counts);
        }
    }

    #[test]
    fn opposite_points_cancel_within_and_across_digits() {
        let point = MinSig::public_key(&MinSig::secret_from_bytes(&[7; 32]).unwrap()).point();
        let opposite = <MinSig as Variant>::Key::negate(&point);
        for counts in [(1, 1), (64, 64), (65_535, 65_535)] {
            let sum = multiples::<<MinSig as Variant>::Key>(&[(counts.0, &point), (counts.1, &opposite)]);
            assert!(<MinSig as Variant>::Key::is_infinity(&sum), "{counts:?}");
        }
        // 1 × 128 equals 2 × 64.
        let sum = multiples::<<MinSig as Variant>::Key>(&[(128, &point), (64, &opposite), (64, &opposite)]);
        assert!(<MinSig as Variant>::Key::is_infinity(&sum));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn multiples_equal_a_general_multiplication(
            counts in proptest::collection::vec(prop_oneof![1u16..20, 1u16..300, 1u16..=u16::MAX], 1..40),
        ) {
            agree::<MinSig>(&counts);
            agree::<MinPk>(&counts);
        }
    }
}
