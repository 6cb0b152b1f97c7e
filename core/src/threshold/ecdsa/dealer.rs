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
use crate::threshold::sharing::{Polynomial, SecretScalar, ShareIndex};
use crate::threshold::tolerance::Tolerance;
use crate::{Error, Result};

/// Makes a key and deals presignatures of it. This is the paper's mode (section II.D), and its limit:
///
/// **The dealer knows the key.** It can sign anything alone, and whoever breaks into it, while it deals or later, can
/// too. It sees every presignature, so it can compute the key from any signature even after it has forgotten the key.
/// Run it offline, deal for as many epochs as are needed, seal each party's file, and wipe the machine. Parties trust it
/// for everything; they catch its mistakes, not its malice.
///
/// A presignature is R = k⁻¹·G for a random k, and for each party a share of k, a share of χ = k·x and a share of zero,
/// all of the threshold that the [`Plan`] has for its index. The sharing of zero makes the parties' s values a random
/// polynomial, of which only the value at zero, the signature, says anything.
pub struct TrustedDealer<G: Curve> {
    secret: SecretScalar<G::Scalar>,
    key: Arc<GroupKey<G>>,
}

/// What one party has got so far.
struct Hand<G: Curve> {
    secrets: Vec<Secrets<G>>,
    leaves: Vec<Hash>,
}

impl<G: Curve> TrustedDealer<G> {
    /// A new key for a committee.
    ///
    /// # Errors
    /// [`Error::Rng`] if the generator fails.
    pub fn new<R: TryCryptoRng + ?Sized>(
        committee: CommitteeId,
        tolerance: Tolerance,
        rng: &mut R,
    ) -> Result<Self> {
        // Zero is no key; it comes up never.
        let (secret, _) = invertible::<G, R>(rng)?;
        Ok(Self::of(committee, tolerance, secret))
    }

    /// The dealer of a key that was written down, to deal for further epochs.
    ///
    /// # Errors
    /// [`Error::NonCanonical`] for a number from the group's order on, [`Error::Malformed`] for zero.
    pub fn from_bytes(committee: CommitteeId, tolerance: Tolerance, secret: &[u8; 32]) -> Result<Self> {
        let number = G::Scalar::from_bytes(secret);
        let secret = SecretScalar::new(number.ok_or(Error::NonCanonical { what: "secret threshold key" })?);
        if *secret.expose() == G::Scalar::ZERO {
            return Err(Error::Malformed { what: "secret threshold key" });
        }
        Ok(Self::of(committee, tolerance, secret))
    }

    /// The secret key itself.
    pub fn to_bytes(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.secret.expose().to_bytes())
    }

    /// The public key.
    pub fn key(&self) -> &Arc<GroupKey<G>> {
        &self.key
    }

    /// Deals the presignatures of one epoch, to each party its own, in the parties' order. **Never deal an epoch twice**:
    /// parties would hold two presignatures under one tag, which do not combine. Cost for each presignature and party:
    /// three multiplications of the generator and 3t multiplications in the field. Memory: 150 bytes for each.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a plan of another number of parties, [`Error::TooLarge`], [`Error::Rng`].
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
        let empty = |_| Hand { secrets: Vec::with_capacity(count), leaves: Vec::with_capacity(count) };
        let mut hands: Vec<Hand<G>> = (0..parties).map(empty).collect();
        let slot = self.key.slot(epoch, 0);
        for index in 0..plan.count() {
            let nonce = self.deal_one(plan, index, &mut hands, rng)?;
            nonces.push((nonce, G::r(&slot, &nonce)));
        }
        let roots = hands.iter().map(|hand| OPENINGS.root(&hand.leaves)).collect();
        let deal = Arc::new(Deal { key: self.key.id(), epoch, plan, roots });
        let nonces: Arc<[_]> = nonces.into();
        let party = |(member, hand): (MemberIndex, Hand<G>)| {
            let public = Public { nonces: nonces.clone(), leaves: hand.leaves };
            Presignatures::new(self.key.clone(), deal.clone(), member, public, hand.secrets)
        };
        Ok((0..parties).zip(hands).map(party).collect())
    }

    fn deal_one<R: TryCryptoRng + ?Sized>(
        &self,
        plan: Plan,
        index: u32,
        hands: &mut [Hand<G>],
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
        let mut elements = Vec::with_capacity(1 + 3 * hands.len());
        elements.push(G::base(inverse.expose()));
        for (party, hand) in ShareIndex::all(threshold.parties()).zip(&mut *hands) {
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
        for (hand, opening) in hands.iter_mut().zip(openings.chunks(3 * G::ELEMENT_LEN)) {
            hand.leaves.push(Opening::<G>::leaf(&nonce, opening));
        }
        Ok(nonce)
    }

    fn of(committee: CommitteeId, tolerance: Tolerance, secret: SecretScalar<G::Scalar>) -> Self {
        let element = G::base(secret.expose());
        Self { secret, key: Arc::new(GroupKey::new(committee, tolerance, element)) }
    }
}

type Pair<F> = (SecretScalar<F>, SecretScalar<F>);

/// A random number other than zero, and one divided by it.
fn invertible<G: Group, R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Pair<G::Scalar>> {
    loop {
        let number = SecretScalar::<G::Scalar>::random(rng)?;
        if let Some(inverse) = number.expose().invert() {
            return Ok((number, SecretScalar::new(inverse)));
        }
    }
}
