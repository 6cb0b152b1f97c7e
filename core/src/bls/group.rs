use alloc::vec::Vec;

use super::ffi::{G1, G2, Group, Lines, Target};
use crate::scheme::sealed::Sealed;

/// An assignment of keys and signatures to the two groups: [`MinSig`] or [`MinPk`].
pub trait Variant:
    Sealed + Copy + Eq + Ord + core::hash::Hash + core::fmt::Debug + Send + Sync + 'static
{
    /// Group of the keys.
    #[doc(hidden)]
    type Key: Group;
    /// Group of the signatures.
    #[doc(hidden)]
    type Sig: Group;
    /// A key prepared for repeated pairings.
    #[doc(hidden)]
    type Prepared: Clone + core::fmt::Debug + Send + Sync;
    /// Suite byte and name of the scheme.
    #[doc(hidden)]
    const SUITE: (u8, &'static str);
    /// Suite byte and name of the scheme with counts, [`Counted`](super::Counted).
    #[doc(hidden)]
    #[cfg(feature = "gossip")]
    const COUNTED: (u8, &'static str);
    /// Domain separation tags.
    #[doc(hidden)]
    const TAGS: Tags;

    #[doc(hidden)]
    fn prepare(key: &Affine<Self::Key>) -> Self::Prepared;
    #[doc(hidden)]
    fn pairings(terms: &[Pair<'_, Self>], prepared: &[(&Self::Prepared, &Affine<Self::Sig>)]) -> Target;
}

/// The standard's domain separation tags for one assignment of the groups.
#[derive(Debug)]
pub struct Tags {
    pub(super) basic: &'static [u8],
    pub(super) augmented: &'static [u8],
    /// Signatures under the ciphersuite with proofs of possession.
    pub(super) proven: &'static [u8],
    /// The proofs of possession themselves.
    pub(super) possession: &'static [u8],
}

/// Arguments of a pairing: a key point and a signature point.
pub(super) type Pair<'a, V> = (&'a Affine<<V as Variant>::Key>, &'a Affine<<V as Variant>::Sig>);

/// An affine point of a group.
pub(super) type Affine<G> = <G as Group>::Affine;

/// Signatures in G1 (48 bytes), keys in G2 (96 bytes): suite 1.
///
/// This is the default, because a chain has many certificates and few keys.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MinSig {}

/// Keys in G1 (48 bytes), signatures in G2 (96 bytes): suite 2, the variant of Ethereum.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MinPk {}

impl Sealed for MinSig {}
impl Sealed for MinPk {}

impl Variant for MinSig {
    type Key = G2;
    type Sig = G1;
    /// Keys are the G2 argument in this variant; their line functions can be precomputed.
    type Prepared = Lines;

    const SUITE: (u8, &'static str) = (1, "bls-min-sig");
    #[cfg(feature = "gossip")]
    const COUNTED: (u8, &'static str) = (4, "bls-min-sig-counted");
    const TAGS: Tags = Tags {
        basic: b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_",
        augmented: b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_AUG_",
        proven: b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_POP_",
        possession: b"BLS_POP_BLS12381G1_XMD:SHA-256_SSWU_RO_POP_",
    };

    fn prepare(key: &Affine<G2>) -> Lines {
        Lines::new(key)
    }

    fn pairings(terms: &[Pair<'_, Self>], prepared: &[(&Lines, &Affine<G1>)]) -> Target {
        if prepared.is_empty() {
            return Target::miller(terms);
        }
        // With the lines of some terms all terms share one chain of squarings.
        let (terms, others) = terms.split_at(terms.len().min(MAX_LINES));
        let lines: Vec<Lines> = terms.iter().map(|(key, _)| Lines::new(key)).collect();
        let terms = lines.iter().zip(terms).map(|(lines, (_, point))| (lines, *point));
        let all: Vec<_> = terms.chain(prepared.iter().copied()).collect();
        Target::miller_lines(&all).product(&Target::miller(others))
    }
}

/// Greatest number of keys whose line functions are computed at once: 20 kB each.
const MAX_LINES: usize = 16;

impl Variant for MinPk {
    type Key = G1;
    type Sig = G2;
    /// The G2 argument is a hash or a signature, which changes each time: nothing can be precomputed.
    type Prepared = Affine<G1>;

    const SUITE: (u8, &'static str) = (2, "bls-min-pk");
    #[cfg(feature = "gossip")]
    const COUNTED: (u8, &'static str) = (5, "bls-min-pk-counted");
    const TAGS: Tags = Tags {
        basic: b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_NUL_",
        augmented: b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_AUG_",
        proven: b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_",
        possession: b"BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_",
    };

    fn prepare(key: &Affine<G1>) -> Affine<G1> {
        *key
    }

    fn pairings(terms: &[Pair<'_, Self>], prepared: &[(&Affine<G1>, &Affine<G2>)]) -> Target {
        let all: Vec<_> = terms.iter().chain(prepared).map(|(key, sig)| (*sig, *key)).collect();
        Target::miller(&all)
    }
}

#[cfg(test)]
mod tests {
    use super::super::ffi::Scalar;
    use super::*;

    #[test]
    fn known_lines_change_no_pairing() {
        let scalar = |seed: u8| Scalar::derive(&[seed; 32]);
        let keys: Vec<_> = (0..20).map(|i| G2::public_key(&scalar(i))).collect();
        let points: Vec<_> = (20..40).map(|i| G1::public_key(&scalar(i))).collect();
        let terms: Vec<_> = keys.iter().zip(&points).collect();
        let prepared: Vec<_> = keys.iter().map(MinSig::prepare).collect();
        let known: Vec<_> = prepared.iter().zip(&points).collect();
        for (with_lines, without) in [(0, 1), (1, 0), (1, 1), (2, 3), (1, MAX_LINES + 2), (20, 0)] {
            let all = &terms[..with_lines + without];
            let product = MinSig::pairings(&all[with_lines..], &known[..with_lines]);
            assert!(product.final_exp() == Target::miller(all).final_exp(), "{with_lines}, {without}");
        }
        let infinity = G1::infinity();
        assert!(MinSig::pairings(&[], &[(&prepared[0], &infinity)]).final_exp().is_one());
    }
}
