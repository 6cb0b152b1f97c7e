//! Batch verification of proofs: Σ ρᵢ·(A₁ + c·Hᵢ − z·G) + σᵢ·(A₂ + c·U − z·B) = 0 for random ρᵢ and σᵢ. This holds
//! exactly if every proof holds, except with probability 2⁻¹²⁸.

use alloc::vec;
use alloc::vec::Vec;

use curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT;
use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::{Identity, VartimeMultiscalarMul, VartimePrecomputedMultiscalarMul};

use super::element::Element;
use super::public::PublicKeys;
use super::purpose::Purpose;
use super::share::{Challenge, Instance, Share};
use crate::scheme::{coefficients, memo};
use crate::{Error, Result};

/// Returns true if tables of the keys pay off. Each key in a table has a cost, used or not; and with many shares
/// there are enough points for a faster method without tables.
fn tables_pay(shares: usize, parties: u16) -> bool {
    shares < 47 && 8 * shares >= parties.into()
}

/// The proofs of shares of one instance.
pub(super) struct Batch<'a, P: Purpose> {
    keys: &'a PublicKeys<P>,
    base: &'a RistrettoPoint,
    items: Vec<Item<'a, P>>,
}

struct Item<'a, P: Purpose> {
    share: &'a Share<P>,
    key: &'a Element,
    challenge: Challenge,
    c: Scalar,
    // Positive, so that they stay short: a negative number is as long as the order.
    rho: Scalar,
    sigma: Scalar,
}

impl<P: Purpose> Item<'_, P> {
    fn is_known(&self) -> bool {
        memo::is_valid(memo::DLEQ, &[self.challenge.as_bytes(), self.share.z.as_bytes()])
    }

    fn remember(&self) {
        memo::remember(memo::DLEQ, &[self.challenge.as_bytes(), self.share.z.as_bytes()]);
    }
}

impl<'a, P: Purpose> Batch<'a, P> {
    /// # Errors
    /// [`Error::UnknownSigner`].
    pub(super) fn new(
        keys: &'a PublicKeys<P>,
        instance: &'a Instance<P>,
        shares: &'a [Share<P>],
    ) -> Result<Self> {
        let key = |share: &Share<P>| {
            let unknown = Error::UnknownSigner { index: share.member().into() };
            keys.verification_key(share.member()).ok_or(unknown)
        };
        let keyed = shares.iter().map(|share| Ok((share, key(share)?))).collect::<Result<Vec<_>>>()?;
        let challenges: Vec<_> = keyed.iter().map(|(share, key)| share.challenge(instance, key)).collect();
        let mut coefficients = coefficients(None, |hasher| {
            for (share, challenge) in shares.iter().zip(&challenges) {
                // The challenge binds everything but z.
                hasher.update(challenge.as_bytes()).update(share.z.as_bytes());
            }
        });
        let items = keyed.into_iter().zip(challenges).map(|((share, key), challenge)| Item {
            share,
            key,
            c: challenge.scalar(),
            challenge,
            rho: coefficients.draw().into(),
            sigma: coefficients.draw().into(),
        });
        Ok(Self { keys, base: instance.base.point(), items: items.collect() })
    }

    /// Returns the positions of the wrong proofs, ascending.
    pub(super) fn wrong(&self) -> Vec<usize> {
        let mut wrong = Vec::new();
        self.search(0, &self.items, &mut wrong);
        wrong
    }

    fn search(&self, first: usize, items: &[Item<'_, P>], wrong: &mut Vec<usize>) {
        if items.iter().all(Item::is_known) {
            return;
        }
        if self.are_valid(items) {
            return items.iter().for_each(Item::remember);
        }
        if items.len() == 1 {
            wrong.push(first);
            return;
        }
        let (left, right) = items.split_at(items.len() / 2);
        self.search(first, left, wrong);
        self.search(first + left.len(), right, wrong);
    }

    fn are_valid(&self, items: &[Item<'_, P>]) -> bool {
        let (mut on_base, mut on_generator) = (Scalar::ZERO, Scalar::ZERO);
        let (mut scalars, mut points) =
            (Vec::with_capacity(4 * items.len() + 2), Vec::with_capacity(4 * items.len() + 2));
        let parties = self.keys.threshold().parties();
        let tables = self.keys.tables().filter(|_| tables_pay(items.len(), parties));
        let mut on_keys =
            vec![Scalar::ZERO; if tables.is_some() { self.keys.threshold().parties().into() } else { 0 }];
        for item in items {
            let share = item.share;
            on_generator += item.rho * share.z;
            on_base += item.sigma * share.z;
            let on_key = item.rho * item.c;
            match on_keys.get_mut(usize::from(share.member())) {
                // A member may occur more than once.
                Some(sum) => *sum += on_key,
                None => {
                    scalars.push(on_key);
                    points.push(item.key.point());
                }
            }
            scalars.extend([item.sigma * item.c, item.rho, item.sigma]);
            points.extend([share.point.point(), share.a1.point(), share.a2.point()]);
        }
        scalars.extend([-on_generator, -on_base]);
        points.extend([&RISTRETTO_BASEPOINT_POINT, self.base]);
        let sum = match tables {
            Some(tables) => tables.vartime_mixed_multiscalar_mul(on_keys, scalars, points),
            None => RistrettoPoint::vartime_multiscalar_mul(scalars, points),
        };
        sum == RistrettoPoint::identity()
    }
}
