//! Finding the one bad signature among many on one message.
//!
//! The error of a signature is Eᵢ = e(keyᵢ, H) / e(g, σᵢ), the neutral element exactly if it is good. With weights
//! 1, 2, 3, … let a = Π Eᵢ and b = Π Eᵢ^weightᵢ. If only one signature is bad, b is a raised to its weight, so
//! counting up a, a², a³, … finds it: the exponentiation method of Law and Matt, *Finding Invalid Signatures in
//! Pairing-Based Batches* (2007), for one invalid signature. That costs two products of pairings where bisection
//! takes one or two per level.

use alloc::vec::Vec;

use super::ffi::{Group, Target};
use super::group::{Affine, Variant};
use super::keys::{PublicKey, Signature};
use crate::machine::MemberIndex;

/// Weights are positions, at most as many as a committee has members.
const WEIGHT_BITS: usize = 16;

/// Whose signature is bad if only one is. Signatures outside the subgroup, and several bad ones, are not found.
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
    let hash = V::Sig::hash(message, V::TAGS.0);

    let generator = V::Key::generator();
    let error = |key: Affine<V::Key>, signature: Affine<V::Sig>| {
        V::pairings(&[(&key, &hash), (&generator, &V::Sig::negate(&signature))], &[]).finished()
    };
    let plain = error(V::Key::sum(&keys), V::Sig::sum(&points));
    let weighted =
        error(V::Key::combine(&keys, &weights, WEIGHT_BITS), V::Sig::combine(&points, &weights, WEIGHT_BITS));
    find_power(&plain, &weighted, signatures.len()).and_then(|i| Some(signatures.get(i)?.0))
}

/// The i for which `base` raised to i + 1 is `power`.
fn find_power(base: &Target, power: &Target, most: usize) -> Option<usize> {
    let mut candidate = *base;
    for i in 0..most {
        if candidate.is(power) {
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
        // Members 1 to 8 signed; some of them something else.
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
    fn the_only_bad_signature_is_found_in_both_groups() {
        finds_the_only_bad_one::<MinSig>();
        finds_the_only_bad_one::<MinPk>();
    }
}
