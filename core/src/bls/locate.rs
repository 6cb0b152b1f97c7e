//! Verification of the sum of many signatures on one message, which finds the only bad one.
//!
//! The error of a signature is Eᵢ = e(keyᵢ, H) / e(g, σᵢ), which is 1 if and only if the signature is good. The sum is
//! verified by a = Π Eᵢ. If that is not 1, weights 1, 2, 3, … give b = Π Eᵢ^weightᵢ. If only one signature is bad, b is a
//! raised to the weight of that signature, so a search through the powers of a finds it. This is the exponentiation method
//! of Law and Matt, *Finding Invalid Signatures in Pairing-Based Batches* (2007), for one invalid signature.
//!
//! Several bad signatures can point at a good one, so the result is checked: a = Eᵢ shows that signature i is bad, and that
//! the other errors have the product a / Eᵢ = 1. Like every sum, that of the others then needs to be in the subgroup and its
//! key finite; with the first sum it is, σᵢ is too, so that all these equations hold between elements of the subgroup.
//!
//! Each of a, b and Eᵢ costs a product of two pairings; a bisection needs one or two per level, and one for each good part.

use alloc::vec::Vec;

use super::ffi::{Group, Target};
use super::group::{Affine, Variant};
use super::keys::{PublicKey, Signature};
use super::pairing::Cache;
use crate::machine::MemberIndex;
use crate::scheme::{Claim, SumCheck};

/// Verifies that the signatures, one by each of the claim's signers, have a good sum. If not, and if `search` is true,
/// tries to find the only bad signature. It finds neither signatures outside the subgroup nor several bad ones.
pub(super) fn verify_sum<V: Variant>(
    keys: &[PublicKey<V>],
    cache: &Cache<V>,
    claim: Claim<'_>,
    signatures: &[(MemberIndex, &Signature<V>)],
    search: bool,
) -> SumCheck<Signature<V>> {
    if usize::from(claim.signers.committee_len()) != keys.len() || claim.signers.len() != signatures.len() {
        return SumCheck::Bad;
    }
    let sum = Signature::sum(signatures.iter().map(|(_, signature)| *signature));
    if sum.check().is_err() {
        return SumCheck::Bad;
    }
    let key = cache.aggregate(keys, claim.signers);
    if V::Key::is_infinity(&key) {
        return SumCheck::Bad;
    }
    let hash = V::Sig::hash(claim.message, V::TAGS.proven);
    let error = if claim.signers.len() == keys.len() {
        cache.error(&[], &[&hash], &sum.point)
    } else {
        cache.error(&[(&key, &hash)], &[], &sum.point)
    };
    if error.is_one() {
        return SumCheck::Good(sum);
    }
    let failed = FailedSum { keys, cache, hash, signatures, key, sum, error };
    search.then(|| failed.only_bad_one()).flatten().unwrap_or(SumCheck::Bad)
}

/// A bad sum, with what its verification computed.
struct FailedSum<'a, V: Variant> {
    keys: &'a [PublicKey<V>],
    cache: &'a Cache<V>,
    hash: Affine<V::Sig>,
    signatures: &'a [(MemberIndex, &'a Signature<V>)],
    /// Sum of the signers' keys.
    key: Affine<V::Key>,
    sum: Signature<V>,
    /// The error of the sum.
    error: Target,
}

impl<V: Variant> FailedSum<'_, V> {
    fn only_bad_one(&self) -> Option<SumCheck<Signature<V>>> {
        let (signer, bad) = *self.signatures.get(self.candidate()?)?;
        let key = self.key_of(signer)?;
        let others = Signature { point: V::Sig::sum(&[&self.sum.point, &V::Sig::negate(&bad.point)]) };
        let others_key = V::Key::sum(&[&self.key, &V::Key::negate(key)]);
        if others.check().is_err() || V::Key::is_infinity(&others_key) {
            return None;
        }
        (self.error_of(key, &bad.point) == self.error).then_some(SumCheck::OneBad { signer, others })
    }

    /// The place of the bad signature, if it is the only one.
    fn candidate(&self) -> Option<usize> {
        let keys: Vec<_> =
            self.signatures.iter().map(|(signer, _)| self.key_of(*signer)).collect::<Option<_>>()?;
        let points: Vec<_> = self.signatures.iter().map(|(_, signature)| &signature.point).collect();
        let weights: Vec<u128> = (1..).take(points.len()).collect();
        let bits = points.len().checked_ilog2()? as usize + 1;
        let weighted =
            self.error_of(&V::Key::combine(&keys, &weights, bits), &V::Sig::combine(&points, &weights, bits));
        exponent(&self.error, &weighted, points.len())?.checked_sub(1)
    }

    fn error_of(&self, key: &Affine<V::Key>, signature: &Affine<V::Sig>) -> Target {
        self.cache.error(&[(key, &self.hash)], &[], signature)
    }

    fn key_of(&self, signer: MemberIndex) -> Option<&Affine<V::Key>> {
        self.keys.get(usize::from(signer)).map(PublicKey::point_ref)
    }
}

/// Returns the exponent from 1 to `max` to which `base` has to be raised to be `power`. Cost: about 2·√max
/// multiplications (baby steps, giant steps).
fn exponent(base: &Target, power: &Target, max: usize) -> Option<usize> {
    let step = max.isqrt() + 1;
    let baby: Vec<Target> =
        core::iter::successors(Some(*base), |power| Some(power.product(base))).take(step).collect();
    let giant = baby.last()?.inverse();
    let mut rest = *power;
    for steps in 0..=max / step {
        if let Some(i) = baby.iter().position(|baby| *baby == rest) {
            return Some(steps * step + i + 1).filter(|exponent| *exponent <= max);
        }
        rest = rest.product(&giant);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::ffi::G2;
    use super::*;
    use crate::bls::{MinPk, MinSig};
    use crate::scheme::{Scheme, SignerSet};
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    struct Votes<V: Variant> {
        keys: Vec<PublicKey<V>>,
        cache: Cache<V>,
        good: Vec<Signature<V>>,
        bad: Vec<Signature<V>>,
    }

    impl<V> Votes<V>
    where
        V: Variant + Scheme<PublicKey = PublicKey<V>, Signature = Signature<V>, Proof = Signature<V>>,
    {
        fn new(n: u16) -> Self {
            let mut rng = StdRng::seed_from_u64(5);
            let secrets: Vec<_> = (0..n).map(|_| V::generate(&mut rng).unwrap()).collect();
            let sign = |message: &[u8]| secrets.iter().map(|secret| V::sign(secret, message)).collect();
            let keys: Vec<_> = secrets.iter().map(V::public_key).collect();
            Self { cache: Cache::new(&keys).unwrap(), keys, good: sign(b"m"), bad: sign(b"other") }
        }

        /// Verifies the sum of the signatures of these members.
        fn verify<'a>(
            &'a self,
            signers: &[u16],
            pick: impl Fn(u16) -> &'a Signature<V>,
        ) -> SumCheck<Signature<V>> {
            let set = SignerSet::from_members(self.keys.len() as u16, signers.iter().copied()).unwrap();
            let signatures: Vec<_> = signers.iter().map(|i| (*i, pick(*i))).collect();
            let claim = Claim { message: b"m", signers: &set };
            assert_eq!(
                matches!(verify_sum(&self.keys, &self.cache, claim, &signatures, false), SumCheck::Good(_)),
                self.plain(signers, &signatures)
            );
            verify_sum(&self.keys, &self.cache, claim, &signatures, true)
        }

        /// The same by the plain equation.
        fn plain(&self, signers: &[u16], signatures: &[(u16, &Signature<V>)]) -> bool {
            let sum = Signature::sum(signatures.iter().map(|(_, signature)| *signature));
            let key = PublicKey::sum(signers.iter().map(|i| &self.keys[usize::from(*i)]));
            super::super::pairing::verify::<V>(&[(key, b"m")], V::TAGS.proven, &sum).is_ok()
        }

        /// Members from 1 sign, but the culprits sign another message.
        fn with_culprits(&self, n: u16, culprits: &[u16]) -> SumCheck<Signature<V>> {
            let pick = |i: u16| if culprits.contains(&i) { &self.bad } else { &self.good };
            self.verify(&(1..=n).collect::<Vec<_>>(), |i| &pick(i)[usize::from(i)])
        }
    }

    fn finds_the_only_bad_one<V>()
    where
        V: Variant + Scheme<PublicKey = PublicKey<V>, Signature = Signature<V>, Proof = Signature<V>>,
    {
        let votes = Votes::<V>::new(20);
        for n in [2, 5, 7, 8, 16, 19] {
            assert!(matches!(votes.with_culprits(n, &[]), SumCheck::Good(_)));
            for culprit in 1..=n {
                let SumCheck::OneBad { signer, others } = votes.with_culprits(n, &[culprit]) else {
                    panic!("culprit {culprit} of {n} was not found");
                };
                assert_eq!(signer, culprit);
                let rest = (1..=n).filter(|i| *i != culprit);
                assert_eq!(others, Signature::sum(rest.map(|i| &votes.good[usize::from(i)])));
            }
        }
        assert!(matches!(votes.with_culprits(8, &[2, 7]), SumCheck::Bad));
        // All members sign, with prepared keys.
        let all: Vec<u16> = (0..20).collect();
        assert!(matches!(votes.verify(&all, |i| &votes.good[usize::from(i)]), SumCheck::Good(_)));
        let one_bad =
            votes.verify(&all, |i| if i == 3 { &votes.bad[3] } else { &votes.good[usize::from(i)] });
        assert!(matches!(one_bad, SumCheck::OneBad { signer: 3, .. }));
    }

    #[test]
    fn finds_the_only_bad_signature_in_both_variants() {
        finds_the_only_bad_one::<MinSig>();
        finds_the_only_bad_one::<MinPk>();
    }

    /// Two bad signatures with the same error point at the member between them.
    fn frames_no_one<V>()
    where
        V: Variant + Scheme<PublicKey = PublicKey<V>, Signature = Signature<V>, Proof = Signature<V>>,
    {
        let votes = Votes::<V>::new(10);
        let shift = V::Sig::hash(b"shift", b"test");
        let shifted = |i: usize| Signature::<V> { point: V::Sig::sum(&[&votes.good[i].point, &shift]) };
        let (first, third) = (shifted(1), shifted(3));
        let result = votes.verify(&(1..9).collect::<Vec<_>>(), |i| match i {
            1 => &first,
            3 => &third,
            i => &votes.good[usize::from(i)],
        });
        assert!(matches!(result, SumCheck::Bad));
    }

    #[test]
    fn two_culprits_cannot_frame_a_member() {
        frames_no_one::<MinSig>();
        frames_no_one::<MinPk>();
    }

    #[test]
    fn a_sum_outside_the_subgroup_is_bad() {
        let votes = Votes::<MinPk>::new(10);
        let outside = (1u16..).find_map(|x| {
            let mut bytes = [0; 96];
            bytes[0] = 0x80;
            bytes[94..].copy_from_slice(&x.to_be_bytes());
            G2::uncompress(&bytes, "point").ok().filter(|point| !G2::in_subgroup(point))
        });
        let moved = Signature { point: G2::sum(&[&votes.good[4].point, &outside.unwrap()]) };
        let result = votes.verify(&(1..9).collect::<Vec<_>>(), |i| match i {
            4 => &moved,
            i => &votes.good[usize::from(i)],
        });
        assert!(matches!(result, SumCheck::Bad));
    }

    #[test]
    fn every_exponent_is_found_and_no_other() {
        let generator = G2::generator();
        let point = MinSig::pairings(&[(&generator, &super::super::ffi::G1::generator())], &[]).final_exp();
        let power = |n: usize| (1..n).fold(point, |power, _| power.product(&point));
        for max in 1..12 {
            for wanted in 1..=max {
                assert_eq!(exponent(&point, &power(wanted), max), Some(wanted));
            }
            assert_eq!(exponent(&point, &power(max + 1), max), None);
            assert_eq!(exponent(&point, &Target::one(), max), None);
        }
    }
}
