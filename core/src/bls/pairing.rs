//! The verification equation Π e(keyᵢ, H(messageᵢ)) = e(g, signature) in three settings: single keys, a committee with
//! precomputed data, and many proofs at once.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::ffi::Group;
use super::group::{Affine, Pair, Variant};
use super::keys::{PublicKey, Signature};
use crate::scheme::{Claim, SignerSet, coefficients};
use crate::wire::{Encode, Writer};
use crate::{Error, Result};

/// Data precomputed from a committee's keys for verification.
#[derive(Clone, Debug)]
pub struct Cache<V: Variant> {
    negated: Vec<Affine<V::Key>>,
    full: Affine<V::Key>,
    prepared_full: V::Prepared,
    prepared_generator: V::Prepared,
}

impl<V: Variant> Cache<V> {
    pub(super) fn new(keys: &[PublicKey<V>]) -> Result<Self> {
        let full = PublicKey::sum(keys.iter());
        if V::Key::is_infinity(&full) {
            return Err(Error::Infinity);
        }
        Ok(Self {
            negated: keys.iter().map(|key| V::Key::negate(key.point_ref())).collect(),
            full,
            prepared_full: V::prepare(&full),
            prepared_generator: V::prepare(&V::Key::generator()),
        })
    }

    /// Checks that Π e(keyᵢ, hashᵢ) = e(g, signature).
    #[cfg(feature = "gossip")]
    pub(super) fn check(&self, terms: &[Pair<'_, V>], signature: &Affine<V::Sig>) -> Result<()> {
        let right = V::pairings(&[], &[(&self.prepared_generator, signature)]);
        if V::pairings(terms, &[]).equals(&right) { Ok(()) } else { Err(Error::bad_signature()) }
    }

    /// Returns the aggregate key of some signers, computed in one batch addition: the full aggregate minus the absent
    /// keys, or the sum of the present keys, whichever takes fewer. Cost: `min(absent, present)` additions.
    pub(super) fn aggregate(&self, keys: &[PublicKey<V>], signers: &SignerSet) -> Affine<V::Key> {
        let absent = signers.complement();
        let points: Vec<&Affine<V::Key>> = if absent.len() < signers.len() {
            let negated = absent.iter().filter_map(|i| self.negated.get(usize::from(i)));
            core::iter::once(&self.full).chain(negated).collect()
        } else {
            signers.iter().filter_map(|i| keys.get(usize::from(i))).map(PublicKey::point_ref).collect()
        };
        V::Key::sum(&points)
    }
}

/// Verifies one signature over pairs of a key and a message. Cost: a hash and a pairing per pair, one more pairing, one
/// subgroup check.
pub(super) fn verify<V: Variant>(terms: &[(Affine<V::Key>, &[u8])], signature: &Signature<V>) -> Result<()> {
    if terms.is_empty() || terms.iter().any(|(key, _)| V::Key::is_infinity(key)) {
        return Err(Error::Infinity);
    }
    signature.check()?;
    let messages: Vec<&[u8]> = terms.iter().map(|(_, message)| *message).collect();
    let hashes = V::Sig::hash_many(&messages, V::TAGS.0);
    equation::<V>(&terms.iter().map(|(key, _)| key).zip(&hashes).collect::<Vec<_>>(), &signature.point)
}

/// Verifies a signature of one key after `judge` accepted its bytes. `judge` sees only signatures in the subgroup.
pub(super) fn verify_unique<V: Variant, T>(
    key: &PublicKey<V>,
    message: &[u8],
    signature: &Signature<V>,
    judge: impl FnOnce(&[u8]) -> Result<T>,
) -> Result<T> {
    signature.check()?;
    let judged = judge(&signature.to_bytes())?;
    let hash = V::Sig::hash(message, V::TAGS.0);
    equation::<V>(&[(key.point_ref(), &hash)], &signature.point).map(|()| judged)
}

/// Verifies a proof of possession: a signature over the bytes of the key under a separate tag.
pub(super) fn verify_possession<V: Variant>(key: &PublicKey<V>, possession: &Signature<V>) -> Result<()> {
    let check = || {
        possession.check()?;
        let hash = V::Sig::hash(key.as_bytes(), V::TAGS.1);
        equation::<V>(&[(key.point_ref(), &hash)], &possession.point)
    };
    check().map_err(|_| Error::BadPossession)
}

/// Checks the equation with e(g, signature) moved to the left side by negating the generator, so that all Miller loops
/// share one squaring chain.
fn equation<V: Variant>(terms: &[Pair<'_, V>], signature: &Affine<V::Sig>) -> Result<()> {
    let generator = V::Key::negate(&V::Key::generator());
    let terms: Vec<_> = terms.iter().copied().chain([(&generator, signature)]).collect();
    if V::pairings(&terms, &[]).equals(&V::pairings(&[], &[])) { Ok(()) } else { Err(Error::bad_signature()) }
}

/// Verifies claims of committee members against one signature.
pub(super) fn verify_claims<V: Variant>(
    keys: &[PublicKey<V>],
    cache: &Cache<V>,
    claims: &[Claim<'_>],
    signature: &Signature<V>,
) -> Result<()> {
    signature.check()?;
    let messages: Vec<&[u8]> = claims.iter().map(|claim| claim.message).collect();
    let hashes = V::Sig::hash_many(&messages, V::TAGS.0);
    let sets: Vec<_> = claims.iter().map(|claim| claim.signers).zip(&hashes).collect();
    check_sets::<V>(keys, cache, &sets, &signature.point)
}

/// Verifies many signatures by one random linear combination. Claims with the same signers share a pairing.
///
/// Each signature gets its own subgroup check first: the cofactor of G1 has small factors, and a combination misses
/// points of small order.
pub(super) fn verify_many<V: Variant>(
    keys: &[PublicKey<V>],
    cache: &Cache<V>,
    items: &[(Claim<'_>, &Signature<V>)],
    entropy: Option<&[u8; 32]>,
) -> Result<()> {
    for (_, signature) in items {
        signature.check()?;
    }
    let mut coefficients = coefficients(entropy, |hasher| {
        for key in keys {
            hasher.update(key.as_bytes());
        }
        for (claim, signature) in items {
            hasher.update(&(claim.message.len() as u64).to_le_bytes()).update(claim.message);
            let mut w = Writer::new();
            w.count(claim.signers.len());
            claim.signers.iter().for_each(|i| w.u16(i));
            signature.encode_to(&mut w);
            hasher.update(&w.into_bytes());
        }
    });
    let bits = coefficients.bits();
    let scalars: Vec<u128> = items.iter().map(|_| coefficients.draw()).collect();
    let messages: Vec<&[u8]> = items.iter().map(|(claim, _)| claim.message).collect();
    let hashes = V::Sig::hash_many(&messages, V::TAGS.0);

    let mut groups: BTreeMap<_, (Vec<_>, Vec<_>)> = BTreeMap::new();
    for (((claim, _), hash), scalar) in items.iter().zip(&hashes).zip(&scalars) {
        let (points, factors) = groups.entry(claim.signers).or_default();
        points.push(hash);
        factors.push(*scalar);
    }
    let (sets, hashes): (Vec<_>, Vec<_>) = groups
        .into_iter()
        .map(|(signers, (points, factors))| (signers, V::Sig::combine(&points, &factors, bits)))
        .unzip();
    let signatures: Vec<_> = items.iter().map(|(_, signature)| &signature.point).collect();
    let signature = V::Sig::combine(&signatures, &scalars, bits);
    check_sets::<V>(keys, cache, &sets.into_iter().zip(&hashes).collect::<Vec<_>>(), &signature)
}

/// Checks the equation over the aggregate keys of the signer sets.
///
/// Colluding members can choose keys that sum to infinity, each with a proof of possession. A signature of only these
/// members is refused, as the standard requires. If the proof has further signer sets, the factor of such a set is 1, as
/// in the standard's `AggregateVerify`, which pairs each key separately. If the whole proof were refused, colluders that
/// name one value could invalidate every timeout certificate.
fn check_sets<V: Variant>(
    keys: &[PublicKey<V>],
    cache: &Cache<V>,
    sets: &[(&SignerSet, &Affine<V::Sig>)],
    signature: &Affine<V::Sig>,
) -> Result<()> {
    let (mut loose, mut full) = (Vec::new(), Vec::new());
    for (signers, hash) in sets {
        if signers.is_empty() || signers.committee_len() as usize != keys.len() {
            return Err(Error::WrongContext { what: "signer set" });
        }
        if signers.len() == keys.len() {
            full.push((&cache.prepared_full, *hash));
            continue;
        }
        let key = cache.aggregate(keys, signers);
        if !V::Key::is_infinity(&key) {
            loose.push((key, *hash));
        }
    }
    if loose.is_empty() && full.is_empty() {
        return Err(Error::Infinity);
    }
    let terms: Vec<_> = loose.iter().map(|(key, hash)| (key, *hash)).collect();
    let left = V::pairings(&terms, &full);
    let right = V::pairings(&[], &[(&cache.prepared_generator, signature)]);
    if left.equals(&right) { Ok(()) } else { Err(Error::bad_signature()) }
}
