use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::num::NonZeroU16;

use rand_core::TryCryptoRng;
use subtle::{Choice, ConstantTimeEq};

use super::group::{Field, Group};
use super::lagrange;
use crate::machine::MemberIndex;
use crate::{Error, Result};

/// The most parties that a secret is shared among. Lagrange coefficients cost t² and decoding n², so that the limit
/// keeps what a message can cost to a fraction of a second.
pub const MAX_PARTIES: u16 = 1_024;

/// Where a party's share lies on the polynomial: 1 to 65,535. Zero, where the secret lies, is no index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ShareIndex(NonZeroU16);

impl ShareIndex {
    /// The index of a member of a committee, one above its place.
    ///
    /// # Errors
    /// [`Error::UnknownSigner`] for 65,535, which no committee has.
    pub fn of_member(member: MemberIndex) -> Result<Self> {
        let one_above = member.checked_add(1).and_then(NonZeroU16::new);
        one_above.map(Self).ok_or(Error::UnknownSigner { index: member.into() })
    }

    /// The member whose index it is.
    pub fn member(self) -> MemberIndex {
        self.0.get() - 1
    }

    /// 1 to 65,535.
    pub fn get(self) -> u16 {
        self.0.get()
    }

    /// As a number of the field.
    pub fn scalar<F: Field>(self) -> F {
        F::from_u64(self.0.get().into())
    }

    /// The indices of the first `parties` members.
    pub fn all(parties: u16) -> impl Iterator<Item = Self> {
        (1..=parties).filter_map(NonZeroU16::new).map(Self)
    }
}

/// How many of how many: any `needed` of `parties` shares give the secret, and fewer say nothing about it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Threshold {
    needed: u16,
    parties: u16,
}

impl Threshold {
    /// # Errors
    /// [`Error::BadCommittee`] unless 1 ≤ needed ≤ parties ≤ [`MAX_PARTIES`].
    pub fn new(needed: u16, parties: u16) -> Result<Self> {
        if parties > MAX_PARTIES {
            return Err(Error::BadCommittee { rule: "a secret is shared among at most 1,024 parties" });
        }
        if needed == 0 || needed > parties {
            return Err(Error::BadCommittee { rule: "a threshold is at least 1 and at most the parties" });
        }
        Ok(Self { needed, parties })
    }

    /// From numbers that a [`Tolerance`](super::Tolerance) keeps in bounds.
    pub(super) fn trusted(needed: u16, parties: u16) -> Self {
        Self { needed, parties }
    }

    /// How many shares give the secret.
    pub fn needed(self) -> u16 {
        self.needed
    }

    /// How many shares there are.
    pub fn parties(self) -> u16 {
        self.parties
    }

    /// Fails unless an index is one of the parties'.
    ///
    /// # Errors
    /// [`Error::UnknownSigner`].
    pub fn check(self, index: ShareIndex) -> Result<()> {
        if index.get() <= self.parties {
            Ok(())
        } else {
            Err(Error::UnknownSigner { index: index.member().into() })
        }
    }
}

/// A secret number. It stays in one place on the heap until it is dropped, which wipes it; it can neither be cloned
/// nor printed nor serialised, and is compared in constant time.
pub struct SecretScalar<F: Field>(Box<F>);

impl<F: Field> SecretScalar<F> {
    /// Takes a number over. What the caller has left of it is the caller's to wipe.
    pub fn new(value: F) -> Self {
        Self(Box::new(value))
    }

    /// A uniform secret.
    ///
    /// # Errors
    /// [`Error::Rng`] if the generator fails.
    pub fn random<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self> {
        F::random(rng).map(Self::new)
    }

    /// The number itself, for arithmetic. Whoever copies it must wipe the copy.
    pub fn expose(&self) -> &F {
        &self.0
    }
}

impl<F: Field> Drop for SecretScalar<F> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<F: Field> ConstantTimeEq for SecretScalar<F> {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.0.ct_eq(&other.0)
    }
}

/// One party's share of a secret.
pub struct SecretShare<F: Field> {
    /// Whose.
    pub index: ShareIndex,
    /// The polynomial's value there.
    pub value: SecretScalar<F>,
}

/// Without the value.
impl<F: Field> fmt::Debug for SecretShare<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretShare").field("index", &self.index).finish_non_exhaustive()
    }
}

/// A secret polynomial of degree below the threshold: Shamir's sharing of its constant term. It wipes itself.
pub struct Polynomial<F: Field> {
    // Constant term first.
    coefficients: Vec<F>,
}

impl<F: Field> Polynomial<F> {
    /// Shares `secret` among `needed` and more: a random polynomial with this constant term.
    ///
    /// # Errors
    /// [`Error::Rng`] if the generator fails.
    pub fn sharing<R: TryCryptoRng + ?Sized>(
        secret: &SecretScalar<F>,
        threshold: Threshold,
        rng: &mut R,
    ) -> Result<Self> {
        let needed = usize::from(threshold.needed());
        // The full length at once: a vector that grows leaves copies behind.
        let mut polynomial = Self { coefficients: Vec::with_capacity(needed) };
        polynomial.coefficients.push(*secret.expose());
        for _ in 1..needed {
            polynomial.coefficients.push(F::random(rng)?);
        }
        Ok(polynomial)
    }

    /// Shares zero. Added to other shares, it hides all that they say beside their secret.
    ///
    /// # Errors
    /// [`Error::Rng`] if the generator fails.
    pub fn zero_sharing<R: TryCryptoRng + ?Sized>(threshold: Threshold, rng: &mut R) -> Result<Self> {
        Self::sharing(&SecretScalar::new(F::ZERO), threshold, rng)
    }

    /// The share at an index, by Horner's rule in constant time. Cost: `needed` multiplications in the field.
    pub fn share(&self, index: ShareIndex) -> SecretShare<F> {
        let at = index.scalar::<F>();
        let mut value = SecretScalar::new(F::ZERO);
        for coefficient in self.coefficients.iter().rev() {
            *value.0 = *value.0 * at + *coefficient;
        }
        SecretShare { index, value }
    }

    /// The shares of all parties, in their order.
    pub fn shares(&self, parties: u16) -> impl Iterator<Item = SecretShare<F>> + '_ {
        ShareIndex::all(parties).map(|index| self.share(index))
    }

    /// Each coefficient times the generator, constant term first: from these everybody can compute each share times
    /// the generator, and nobody a share. Cost: one multiplication of the generator each.
    pub fn commitments<G: Group<Scalar = F>>(&self) -> Vec<G::Element> {
        self.coefficients.iter().map(G::base).collect()
    }
}

impl<F: Field> Drop for Polynomial<F> {
    fn drop(&mut self) {
        self.coefficients.iter_mut().for_each(zeroize::Zeroize::zeroize);
    }
}

/// The secret from shares, of which there must be at least `needed`; all are used. **Nothing tells whether they are
/// right.** Cost: as [`lagrange::at_zero`].
///
/// # Errors
/// [`Error::BelowQuorum`] for too few, [`Error::DuplicateSigner`], [`Error::UnknownSigner`].
pub fn reconstruct<F: Field>(threshold: Threshold, shares: &[SecretShare<F>]) -> Result<SecretScalar<F>> {
    let mut sorted: Vec<&SecretShare<F>> = shares.iter().collect();
    sorted.sort_by_key(|share| share.index);
    let set = lagrange::IndexSet::new(sorted.iter().map(|share| share.index))?;
    if set.len() < usize::from(threshold.needed()) {
        return Err(Error::BelowQuorum { signed: set.len() as u128, needed: threshold.needed().into() });
    }
    set.iter().try_for_each(|index| threshold.check(index))?;
    let mut secret = SecretScalar::new(F::ZERO);
    for (coefficient, share) in lagrange::at_zero::<F>(&set).into_iter().zip(sorted) {
        *secret.0 += coefficient * *share.value.expose();
    }
    Ok(secret)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threshold::{Ristretto255, Secp256k1};
    use curve25519_dalek::scalar::Scalar;
    use getrandom::SysRng;

    fn any_set_of_needed_shares_gives_the_secret_and_fewer_do_not<G: Group>() {
        let threshold = Threshold::new(3, 5).unwrap();
        let secret = SecretScalar::<G::Scalar>::random(&mut SysRng).unwrap();
        let polynomial = Polynomial::sharing(&secret, threshold, &mut SysRng).unwrap();
        for mask in 0u16..32 {
            let shares: Vec<_> = ShareIndex::all(5)
                .filter(|i| mask >> i.member() & 1 == 1)
                .map(|i| polynomial.share(i))
                .collect();
            match reconstruct(threshold, &shares) {
                Ok(found) => assert!(shares.len() >= 3 && bool::from(found.ct_eq(&secret))),
                Err(error) => {
                    assert!(shares.len() < 3);
                    assert_eq!(error.code(), "BELOW_QUORUM");
                }
            }
        }
        // Two shares under a threshold of two: the right call with the wrong threshold gives another number.
        let shares: Vec<_> = polynomial.shares(2).collect();
        let found = reconstruct(Threshold::new(2, 5).unwrap(), &shares).unwrap();
        assert!(!bool::from(found.ct_eq(&secret)));
    }

    #[test]
    fn sharing_over_both_groups() {
        any_set_of_needed_shares_gives_the_secret_and_fewer_do_not::<Ristretto255>();
        any_set_of_needed_shares_gives_the_secret_and_fewer_do_not::<Secp256k1>();
    }

    #[test]
    fn a_sharing_of_zero_changes_shares_and_not_the_secret() {
        let threshold = Threshold::new(2, 3).unwrap();
        let secret = SecretScalar::<Scalar>::random(&mut SysRng).unwrap();
        let shares = Polynomial::sharing(&secret, threshold, &mut SysRng).unwrap();
        let zeros = Polynomial::zero_sharing(threshold, &mut SysRng).unwrap();
        let masked: Vec<_> = shares
            .shares(3)
            .zip(zeros.shares(3))
            .map(|(a, b)| {
                assert!(!bool::from(b.value.ct_eq(&SecretScalar::new(Scalar::ZERO))));
                SecretShare { index: a.index, value: SecretScalar::new(a.value.expose() + b.value.expose()) }
            })
            .collect();
        assert!(bool::from(reconstruct(threshold, &masked).unwrap().ct_eq(&secret)));
    }

    #[test]
    fn wrong_sets_are_refused_by_name() {
        let threshold = Threshold::new(2, 3).unwrap();
        let polynomial = Polynomial::<Scalar>::zero_sharing(threshold, &mut SysRng).unwrap();
        let share = |member| polynomial.share(ShareIndex::of_member(member).unwrap());
        let refused = |shares: &[_]| reconstruct(threshold, shares).map(drop).unwrap_err();
        assert_eq!(refused(&[share(1), share(1)]), Error::DuplicateSigner { index: 1 });
        assert_eq!(refused(&[share(1), share(3)]), Error::UnknownSigner { index: 3 });
        assert_eq!(refused(&[share(2)]), Error::BelowQuorum { signed: 1, needed: 2 });
        assert!(ShareIndex::of_member(u16::MAX).is_err());
        for (needed, parties) in [(0, 3), (4, 3), (1, 1_025)] {
            assert_eq!(Threshold::new(needed, parties).unwrap_err().code(), "BAD_COMMITTEE");
        }
    }

    #[test]
    fn a_secret_is_an_address_so_that_moving_it_copies_nothing_of_it() {
        assert_eq!(size_of::<SecretScalar<Scalar>>(), size_of::<usize>());
    }

    #[test]
    fn shares_lie_where_the_commitments_say() {
        let threshold = Threshold::new(3, 4).unwrap();
        let secret = SecretScalar::<Scalar>::random(&mut SysRng).unwrap();
        let polynomial = Polynomial::sharing(&secret, threshold, &mut SysRng).unwrap();
        let commitments = polynomial.commitments::<Ristretto255>();
        for share in polynomial.shares(4) {
            let at: Scalar = share.index.scalar();
            let terms: Vec<_> =
                [Scalar::ONE, at, at * at].into_iter().zip(commitments.iter().copied()).collect();
            assert_eq!(Ristretto255::base(share.value.expose()), Ristretto255::public_sum(&terms));
        }
    }
}
