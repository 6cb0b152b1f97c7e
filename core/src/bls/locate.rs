//! Location of the only bad signature among many on one message.
//!
//! The error of a signature is Eᵢ = e(keyᵢ, H) / e(g, σᵢ), which is the neutral element if and only if the signature is
//! good. With weights 1, 2, 3, … let a = Π Eᵢ and b = Π Eᵢ^weightᵢ. If only one signature is bad, b is a raised to the
//! weight of that signature, so a search through a, a², a³, … finds it. This is the exponentiation method of Law and
//! Matt, *Finding Invalid Signatures in Pairing-Based Batches* (2007), for one invalid signature. It costs two products
//! of pairings; bisection takes one or two per level.

use alloc::vec::Vec;

use super::ffi::{Group, Target};
use super::group::{Affine, Variant};
use super::keys::{PublicKey, Signature};
use crate::machine::MemberIndex;

/// Bits of a weight. Weights are positions, at most the number of members of a committee.
const WEIGHT_BITS: usize = 16;

/// Returns the signer of the bad signature if exactly one is bad. It finds neither signatures outside the subgroup nor
/// several bad ones.
pub(super) fn locate<V: Variant>(
    keys: &[PublicKey<V>],
    message: &[u8],
    signatures: &[(MemberIndex, &Signature<V>)],
) -> Option<MemberIndex> {
    let keys: Vec<_> = signatures
        .iter()
        .map(|(index, _)| keys.get(usize::from(*index)).map(PublicKey::point_ref))
        .collect::<Option<_>>()?;
    let points: Vec<_> = signatures.iter().map(|(_, signature)| &signature.point).collect();
    let weights: Vec<u128> = (1..).take(signatures.len()).collect();
    let hash = V::Sig::hash(message, V::TAGS.proven);

    let generator = V::Key::generator();
    let error = |key: Affine<V::Key>, signature: Affine<V::Sig>| {
        V::pairings(&[(&key, &hash), (&generator, &V::Sig::negate(&signature))], &[]).final_exp()
    };
    let plain = error(V::Key::sum(&keys), V::Sig::sum(&points));
    let weighted =
        error(V::Key::combine(&keys, &weights, WEIGHT_BITS), V::Sig::combine(&points, &weights, WEIGHT_BITS));
    find_power(&plain, &weighted, signatures.len()).and_then(|i| Some(signatures.get(i)?.0))
}

/// Returns the i for which `base` raised to i + 1 is `power`.
fn find_power(base: &Target, power: &Target, max: usize) -> Option<usize> {
    let mut candidate = *base;
    for i in 0..max {
        if candidate.equals_finished(power) {
            return Some(i);
        }
        candidate = candidate.product(base);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bls::{MinPk, MinSig};
    use crate::scheme::Scheme;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    fn finds_the_only_bad_one<V>()
    where
        V: Variant + Scheme<PublicKey = PublicKey<V>, Signature = Signature<V>>,
    {
        let mut rng = StdRng::seed_from_u64(5);
        let secrets: Vec<_> = (0..9).map(|_| V::generate(&mut rng).unwrap()).collect();
        let keys: Vec<_> = secrets.iter().map(V::public_key).collect();
        let good: Vec<_> = secrets.iter().map(|secret| V::sign(secret, b"m")).collect();
        let bad: Vec<_> = secrets.iter().map(|secret| V::sign(secret, b"other")).collect();
        // Members 1 to 8 signed; the culprits signed another message.
        let located = |culprits: &[u16]| {
            let pick =
                |i: u16| if culprits.contains(&i) { &bad[usize::from(i)] } else { &good[usize::from(i)] };
            let signatures: Vec<_> = (1..9).map(|i| (i, pick(i))).collect();
            locate::<V>(&keys, b"m", &signatures)
        };
        for culprit in 1..9 {
            assert_eq!(located(&[culprit]), Some(culprit));
        }
        assert_eq!(located(&[2, 7]), None);
    }

    #[test]
    fn finds_the_only_bad_signature_in_both_variants() {
        finds_the_only_bad_one::<MinSig>();
        finds_the_only_bad_one::<MinPk>();
    }
}
