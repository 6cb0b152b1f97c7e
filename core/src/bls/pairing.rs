//! The verification equation Π e(keyᵢ, H(messageᵢ)) = e(g, signature) in three settings: single keys, a committee with
//! precomputed data, and many proofs at once.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
#[cfg(feature = "group-sums")]
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use super::ciphersuite::Ciphersuite;
use super::ffi::{Group, Target};
use super::group::{Affine, Pair, Variant};
#[cfg(feature = "group-sums")]
use super::group_sums::GroupSums;
use super::keys::{PublicKey, Signature};
use crate::machine::MemberIndex;
use crate::scheme::{self, Claim, Scheme, SignerSet, coefficients};
use crate::wire::{Encode, Writer};
use crate::{Error, Result};

/// Data precomputed from a committee's keys for verification.
#[derive(Clone, Debug)]
pub struct Cache<V: Variant> {
    negated: Vec<Affine<V::Key>>,
    /// Sums of the negated keys, if the caller wants them. They are large, so copies of the committee share them.
    #[cfg(feature = "group-sums")]
    groups: Option<Arc<GroupSums<V::Key>>>,
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
            #[cfg(feature = "group-sums")]
            groups: None,
            full,
            prepared_full: V::prepare(&full),
            prepared_generator: V::prepare(&V::Key::generator()),
        })
    }

    /// Checks that Π e(keyᵢ, hashᵢ) = e(g, signature).
    #[cfg(feature = "gossip")]
    pub(super) fn check(&self, terms: &[Pair<'_, V>], signature: &Affine<V::Sig>) -> Result<()> {
        if self.error(terms, &[], signature).is_one() { Ok(()) } else { Err(Error::bad_signature()) }
    }

    /// Returns Π e(keyᵢ, hashᵢ) · Π e(full aggregate, fullⱼ) / e(g, signature), which is 1 if the signature is good.
    pub(super) fn error(
        &self,
        terms: &[Pair<'_, V>],
        full: &[&Affine<V::Sig>],
        signature: &Affine<V::Sig>,
    ) -> Target {
        let negated = V::Sig::negate(signature);
        let full = full.iter().map(|hash| (&self.prepared_full, *hash));
        let prepared: Vec<_> = full.chain([(&self.prepared_generator, &negated)]).collect();
        V::pairings(terms, &prepared).final_exp()
    }

    /// Precomputes the sums of groups of keys.
    #[cfg(feature = "group-sums")]
    pub(super) fn add_group_sums(&mut self) {
        if self.groups.is_none() {
            self.groups = Some(Arc::new(GroupSums::new(&self.negated)));
        }
    }

    /// The size in bytes of the sums of groups.
    #[cfg(feature = "group-sums")]
    pub(super) fn group_sums_size(&self) -> usize {
        self.groups.as_ref().map_or(0, |groups| groups.size())
    }

    /// Returns the aggregate key of some signers, computed in one batch addition: the full aggregate minus the absent
    /// keys, or the sum of the present keys, whichever takes fewer. Cost: `min(absent, present)` additions, and at most
    /// ⌈n/8⌉ with sums of groups.
    pub(super) fn aggregate(&self, keys: &[PublicKey<V>], signers: &SignerSet) -> Affine<V::Key> {
        let absent = self.negated_sums(&signers.complement());
        let points: Vec<&Affine<V::Key>> = if absent.len() < signers.len() {
            core::iter::once(&self.full).chain(absent).collect()
        } else {
            signers.iter().filter_map(|i| keys.get(usize::from(i))).map(PublicKey::point_ref).collect()
        };
        V::Key::sum(&points)
    }

    /// The points whose sum is that of the members' negated keys: one per member, or one per group with sums of groups.
    fn negated_sums(&self, members: &SignerSet) -> Vec<&Affine<V::Key>> {
        #[cfg(feature = "group-sums")]
        if let Some(groups) = &self.groups {
            return groups.terms(members);
        }
        members.iter().filter_map(|i| self.negated.get(usize::from(i))).collect()
    }
}

/// Verifies one signature over pairs of a key and a message. Cost: a hash and a pairing per pair, one more pairing, one
/// subgroup check.
pub(super) fn verify<V: Variant>(
    terms: &[(Affine<V::Key>, &[u8])],
    tag: &[u8],
    signature: &Signature<V>,
) -> Result<()> {
    if terms.is_empty() || terms.iter().any(|(key, _)| V::Key::is_infinity(key)) {
        return Err(Error::Infinity);
    }
    signature.check()?;
    let messages: Vec<&[u8]> = terms.iter().map(|(_, message)| *message).collect();
    let hashes = V::Sig::hash_many(&messages, tag);
    equation::<V>(&terms.iter().map(|(key, _)| key).zip(&hashes).collect::<Vec<_>>(), &signature.point)
}

/// Verifies a signature of one key after `accept` returned a value for its bytes. `accept` is called only for
/// signatures in the subgroup.
pub(super) fn verify_unique<V: Variant, T>(
    key: &PublicKey<V>,
    message: &[u8],
    signature: &Signature<V>,
    accept: impl FnOnce(&[u8]) -> Result<T>,
) -> Result<T> {
    signature.check()?;
    let accepted = accept(&signature.to_bytes())?;
    let hash = V::Sig::hash(message, V::TAGS.proven);
    equation::<V>(&[(key.point_ref(), &hash)], &signature.point).map(|()| accepted)
}

/// Verifies a proof of possession: a signature over the bytes of the key under a separate tag.
pub(super) fn verify_possession<V: Variant>(key: &PublicKey<V>, possession: &Signature<V>) -> Result<()> {
    let check = || {
        possession.check()?;
        let hash = V::Sig::hash(key.as_bytes(), V::TAGS.possession);
        equation::<V>(&[(key.point_ref(), &hash)], &possession.point)
    };
    check().map_err(|_| Error::BadPossession)
}

/// Checks the equation with e(g, signature) moved to the left side by negating the generator, so that all Miller loops
/// share one squaring chain.
fn equation<V: Variant>(terms: &[Pair<'_, V>], signature: &Affine<V::Sig>) -> Result<()> {
    let generator = V::Key::negate(&V::Key::generator());
    let terms: Vec<_> = terms.iter().copied().chain([(&generator, signature)]).collect();
    if V::pairings(&terms, &[]).final_exp().is_one() { Ok(()) } else { Err(Error::bad_signature()) }
}

/// A committee's keys in a scheme with this module's types.
type Keys<'a, V> = scheme::Keys<'a, V>;

/// A scheme whose keys, cache and ciphersuite are those of this module.
pub(super) trait Summed:
    Variant + Scheme<PublicKey = PublicKey<Self>, Cache = Cache<Self>, Ciphersuite = Ciphersuite>
{
}

impl<V> Summed for V where
    V: Variant + Scheme<PublicKey = PublicKey<V>, Cache = Cache<V>, Ciphersuite = Ciphersuite>
{
}

/// Verifies claims of committee members against one signature.
pub(super) fn verify_claims<V: Summed>(
    keys: Keys<'_, V>,
    claims: &[Claim<'_>],
    signature: &Signature<V>,
) -> Result<()> {
    signature.check()?;
    let mut terms = Vec::with_capacity(claims.len());
    for claim in claims {
        terms.extend(terms_of::<V>(keys, claim)?);
    }
    check_terms::<V>(keys, &terms, &signature.point)
}

/// Verifies the messages of single members against one signature.
pub(super) fn verify_each<V: Summed>(
    keys: Keys<'_, V>,
    signed: &[(MemberIndex, &[u8])],
    signature: &Signature<V>,
) -> Result<()> {
    signature.check()?;
    let terms = signed.iter().map(|(member, message)| term_of::<V>(keys, *member, message));
    check_terms::<V>(keys, &terms.collect::<Result<Vec<_>>>()?, &signature.point)
}

/// Verifies many signatures by one random linear combination. Claims with the same signers share a pairing.
///
/// Each signature gets its own subgroup check first: the cofactor of G1 has small factors, and a combination misses
/// points of small order.
pub(super) fn verify_many<V: Summed>(
    keys: Keys<'_, V>,
    items: &[(Claim<'_>, &Signature<V>)],
    entropy: Option<&[u8; 32]>,
) -> Result<()> {
    for (_, signature) in items {
        signature.check()?;
    }
    let tag = keys.ciphersuite.tag::<V>();
    let mut coefficients = coefficients(entropy, |hasher| {
        for key in keys.public {
            hasher.update(key.as_bytes());
        }
        hasher.update(&(tag.len() as u64).to_le_bytes()).update(tag);
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
    let mut terms = Vec::with_capacity(items.len());
    for ((claim, _), scalar) in items.iter().zip(&scalars) {
        terms.extend(terms_of::<V>(keys, claim)?.into_iter().map(|term| (term, *scalar)));
    }
    let messages: Vec<&[u8]> = terms.iter().map(|(term, _)| &*term.message).collect();
    let hashes = V::Sig::hash_many(&messages, tag);

    let mut groups: BTreeMap<_, (Vec<_>, Vec<_>)> = BTreeMap::new();
    for ((term, scalar), hash) in terms.iter().zip(&hashes) {
        let (points, factors) = groups.entry(term.signers).or_default();
        points.push(hash);
        factors.push(*scalar);
    }
    let (signers, hashes): (Vec<_>, Vec<_>) = groups
        .into_iter()
        .map(|(signers, (points, factors))| (signers, V::Sig::combine(&points, &factors, bits)))
        .unzip();
    let signatures: Vec<_> = items.iter().map(|(_, signature)| &signature.point).collect();
    let signature = V::Sig::combine(&signatures, &scalars, bits);
    check_hashes::<V>(keys, &signers.into_iter().zip(&hashes).collect::<Vec<_>>(), &signature)
}

/// Members whose keys are paired with one hash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Signers<'a> {
    Set(&'a SignerSet),
    One(MemberIndex),
}

/// Members and the bytes that each of them signed.
struct Term<'a> {
    signers: Signers<'a>,
    message: Cow<'a, [u8]>,
}

/// Returns the terms of a claim: one, or one per signer if each signs its own key with the message.
fn terms_of<'a, V: Summed>(keys: Keys<'_, V>, claim: &Claim<'a>) -> Result<Vec<Term<'a>>> {
    if claim.signers.is_empty() || claim.signers.committee_len() as usize != keys.public.len() {
        return Err(Error::WrongContext { what: "signer set" });
    }
    if keys.ciphersuite.is_augmented() {
        claim.signers.iter().map(|member| term_of::<V>(keys, member, claim.message)).collect()
    } else {
        Ok(vec![Term { signers: Signers::Set(claim.signers), message: claim.message.into() }])
    }
}

fn term_of<'a, V: Summed>(keys: Keys<'_, V>, member: MemberIndex, message: &'a [u8]) -> Result<Term<'a>> {
    let key = keys.public.get(usize::from(member)).ok_or(Error::UnknownSigner { index: member.into() })?;
    Ok(Term { signers: Signers::One(member), message: keys.ciphersuite.signed_bytes(key, message) })
}

fn check_terms<V: Summed>(keys: Keys<'_, V>, terms: &[Term<'_>], signature: &Affine<V::Sig>) -> Result<()> {
    let messages: Vec<&[u8]> = terms.iter().map(|term| &*term.message).collect();
    let hashes = V::Sig::hash_many(&messages, keys.ciphersuite.tag::<V>());
    let signers = terms.iter().map(|term| term.signers);
    check_hashes::<V>(keys, &signers.zip(&hashes).collect::<Vec<_>>(), signature)
}

/// Checks the equation over the aggregate keys of the signers of each hash.
///
/// Colluding members can choose keys that sum to infinity, each with a proof of possession. A signature of only these
/// members is refused, as the standard requires. If the proof has further signer sets, the factor of such a set is 1, as
/// in the standard's `AggregateVerify`, which pairs each key separately. If the whole proof were refused, colluders that
/// name one value could invalidate every timeout certificate.
fn check_hashes<V: Summed>(
    keys: Keys<'_, V>,
    hashes: &[(Signers<'_>, &Affine<V::Sig>)],
    signature: &Affine<V::Sig>,
) -> Result<()> {
    let (mut loose, mut full) = (Vec::new(), Vec::new());
    for (signers, hash) in hashes {
        let key = match signers {
            Signers::Set(set) if set.len() == keys.public.len() => {
                full.push(*hash);
                continue;
            }
            Signers::Set(set) => keys.cache.aggregate(keys.public, set),
            Signers::One(member) => {
                let key = keys.public.get(usize::from(*member));
                key.ok_or(Error::UnknownSigner { index: (*member).into() })?.point()
            }
        };
        if !V::Key::is_infinity(&key) {
            loose.push((key, *hash));
        }
    }
    if loose.is_empty() && full.is_empty() {
        return Err(Error::Infinity);
    }
    let terms: Vec<_> = loose.iter().map(|(key, hash)| (key, *hash)).collect();
    if keys.cache.error(&terms, &full, signature).is_one() { Ok(()) } else { Err(Error::bad_signature()) }
}
