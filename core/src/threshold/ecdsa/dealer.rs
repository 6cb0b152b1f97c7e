use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use super::curve::Curve;
use super::deal::{Deal, OPENINGS, Opening};
use super::key::GroupKey;
use super::presignature::{Presignatures, Public, Secrets};
use super::tag::Plan;
use crate::committee::CommitteeId;
use crate::machine::MemberIndex;
use crate::merkle::Hash;
use crate::threshold::group::{Field, Group};
use crate::threshold::index::ShareIndex;
use crate::threshold::sharing::{Polynomial, SecretScalar};
use crate::threshold::tolerance::Tolerance;
use crate::{Error, Result};

/// Generates a key and deals presignatures. This is the paper's mode (section II.D), with its limitation:
///
/// **The dealer knows the key.** It can sign anything alone, and so can an attacker who compromises it, during the
/// deal or later. It sees every presignature, so it can compute the key from any signature even after deleting the
/// key. Run it offline, deal for as many epochs as needed, seal each party's file, and wipe the machine. The parties
/// fully trust the dealer; they detect its mistakes, not its malice.
///
/// A presignature is R = k⁻¹·G for a random k, and for each party a share of k, a share of χ = k·x and a share of
/// zero, all with the threshold that the [`Plan`] has for its index. The sharing of zero makes the parties' values of
/// s a random polynomial, which reveals nothing but its value at zero, the signature.
pub struct TrustedDealer<G: Curve> {
    secret: SecretScalar<G::Scalar>,
    key: Arc<GroupKey<G>>,
}

/// One party's presignatures dealt so far.
struct PartyMaterial<G: Curve> {
    secrets: Vec<Secrets<G>>,
    leaves: Vec<Hash>,
}

impl<G: Curve> TrustedDealer<G> {
    /// Generates a new key for a committee.
    ///
    /// # Errors
    /// [`Error::Rng`] if the generator fails.
    pub fn new<R: TryCryptoRng + ?Sized>(
        committee: CommitteeId,
        tolerance: Tolerance,
        rng: &mut R,
    ) -> Result<Self> {
        // Excludes zero, whose probability is negligible.
        let (secret, _) = invertible::<G, R>(rng)?;
        Ok(Self::from_secret(committee, tolerance, secret))
    }

    /// Restores the dealer of a stored key, to deal for further epochs.
    ///
    /// # Errors
    /// [`Error::NonCanonical`] for a number not below the group's order, [`Error::Malformed`] for zero.
    pub fn from_bytes(committee: CommitteeId, tolerance: Tolerance, secret: &[u8; 32]) -> Result<Self> {
        let number = G::Scalar::from_bytes(secret);
        let secret = SecretScalar::new(number.ok_or(Error::NonCanonical { what: "secret threshold key" })?);
        if *secret.expose() == G::Scalar::ZERO {
            return Err(Error::Malformed { what: "secret threshold key" });
        }
        Ok(Self::from_secret(committee, tolerance, secret))
    }

    /// Returns the secret key.
    pub fn to_bytes(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.secret.expose().to_bytes())
    }

    /// Returns the public key.
    pub fn key(&self) -> &Arc<GroupKey<G>> {
        &self.key
    }

    /// Deals the presignatures of one epoch and returns those of each party, in the parties' order. **Never deal an
    /// epoch twice**: parties would hold two presignatures under one tag, which do not combine. Cost for each
    /// presignature and party: three multiplications of the generator and 3t multiplications in the field. Memory:
    /// 150 bytes for each.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a plan with another number of parties, [`Error::TooLarge`], [`Error::Rng`].
    pub fn deal<R: TryCryptoRng + ?Sized>(
        &self,
        epoch: u64,
        plan: Plan,
        rng: &mut R,
    ) -> Result<Vec<Presignatures<G>>> {
        let parties = self.key.tolerance().parties();
        plan.check(parties)?;
        let count = plan.count() as usize;
        let mut nonces = Vec::with_capacity(count);
        let empty =
            |_| PartyMaterial { secrets: Vec::with_capacity(count), leaves: Vec::with_capacity(count) };
        let mut parties_material: Vec<PartyMaterial<G>> = (0..parties).map(empty).collect();
        let slot = self.key.slot(epoch, 0);
        for index in 0..plan.count() {
            let nonce = self.deal_one(plan, index, &mut parties_material, rng)?;
            nonces.push((nonce, G::r(&slot, &nonce)));
        }
        let roots = parties_material.iter().map(|hand| OPENINGS.root(&hand.leaves)).collect();
        let deal = Arc::new(Deal { key: self.key.id(), epoch, plan, roots });
        let nonces: Arc<[_]> = nonces.into();
        let party = |(member, hand): (MemberIndex, PartyMaterial<G>)| {
            let public = Public { nonces: nonces.clone(), leaves: hand.leaves };
            Presignatures::new(self.key.clone(), deal.clone(), member, public, hand.secrets)
        };
        Ok((0..parties).zip(parties_material).map(party).collect())
    }

    fn deal_one<R: TryCryptoRng + ?Sized>(
        &self,
        plan: Plan,
        index: u32,
        parties_material: &mut [PartyMaterial<G>],
        rng: &mut R,
    ) -> Result<G::Nonce> {
        let agreement = plan.agreement(index).ok_or(Error::Exhausted)?;
        let threshold = self.key.tolerance().threshold_of(agreement);
        let (k, inverse) = invertible::<G, R>(rng)?;
        let chi = SecretScalar::new(*k.expose() * *self.secret.expose());
        let sharings = [
            Polynomial::sharing(&k, threshold, rng)?,
            Polynomial::sharing(&chi, threshold, rng)?,
            Polynomial::zero_sharing(threshold, rng)?,
        ];
        // R, then K̄, X̄ and Ē of each party: a·R = (a/k)·G, and G is the faster base.
        let mut elements = Vec::with_capacity(1 + 3 * parties_material.len());
        elements.push(G::base(inverse.expose()));
        for (party, hand) in ShareIndex::all(threshold.parties()).zip(&mut *parties_material) {
            let mut secrets = Secrets(Box::new([G::Scalar::ZERO; 3]));
            for (secret, sharing) in secrets.0.iter_mut().zip(&sharings) {
                *secret = *sharing.share(party).value.expose();
                let exponent = SecretScalar::new(*secret * *inverse.expose());
                elements.push(G::base(exponent.expose()));
            }
            hand.secrets.push(secrets);
        }
        let encoded = G::encode_all(&elements);
        let (nonce, openings) = encoded.split_at_checked(G::ELEMENT_LEN).unwrap_or_default();
        let nonce =
            G::Nonce::try_from(nonce).map_err(|_| Error::Malformed { what: "nonce of a presignature" })?;
        for (hand, opening) in parties_material.iter_mut().zip(openings.chunks(3 * G::ELEMENT_LEN)) {
            hand.leaves.push(Opening::<G>::leaf(&nonce, opening));
        }
        Ok(nonce)
    }

    fn from_secret(committee: CommitteeId, tolerance: Tolerance, secret: SecretScalar<G::Scalar>) -> Self {
        let element = G::base(secret.expose());
        Self { secret, key: Arc::new(GroupKey::new(committee, tolerance, element)) }
    }
}

type Pair<F> = (SecretScalar<F>, SecretScalar<F>);

/// Generates a nonzero random number, and its inverse.
fn invertible<G: Group, R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Pair<G::Scalar>> {
    loop {
        let number = SecretScalar::<G::Scalar>::random(rng)?;
        if let Some(inverse) = number.expose().invert() {
            return Ok((number, SecretScalar::new(inverse)));
        }
    }
}
