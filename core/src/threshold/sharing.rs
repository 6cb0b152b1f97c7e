use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;
use subtle::{Choice, ConstantTimeEq};

use super::group::{Field, Group};
use super::index::{ShareIndex, Threshold};
use super::lagrange;
use crate::{Error, Result};

/// A secret scalar. It stays at one heap address until it is dropped and wiped; it cannot be cloned, printed or
/// serialised, and compares in constant time.
pub struct SecretScalar<F: Field>(Box<F>);

impl<F: Field> SecretScalar<F> {
    /// Takes ownership of a number. The caller must wipe remaining copies.
    pub fn new(value: F) -> Self {
        Self(Box::new(value))
    }

    /// Generates a uniform secret.
    ///
    /// # Errors
    /// [`Error::Rng`] if the generator fails.
    pub fn random<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self> {
        F::random(rng).map(Self::new)
    }

    /// Returns the number for arithmetic. A caller that copies it must wipe the copy.
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
    /// Index of the party.
    pub index: ShareIndex,
    /// Value of the polynomial at the index.
    pub value: SecretScalar<F>,
}

/// Omits the value.
impl<F: Field> fmt::Debug for SecretShare<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretShare").field("index", &self.index).finish_non_exhaustive()
    }
}

/// A secret polynomial of degree below the threshold: Shamir's sharing of its constant term. Wiped when dropped.
pub struct Polynomial<F: Field> {
    // Constant term first.
    coefficients: Vec<F>,
}

impl<F: Field> Polynomial<F> {
    /// Shares `secret` with this threshold: draws a random polynomial with `secret` as its constant term.
    ///
    /// # Errors
    /// [`Error::Rng`] if the generator fails.
    pub fn sharing<R: TryCryptoRng + ?Sized>(
        secret: &SecretScalar<F>,
        threshold: Threshold,
        rng: &mut R,
    ) -> Result<Self> {
        let needed = usize::from(threshold.needed());
        // Allocate the full length at once: a growing vector leaves copies behind.
        let mut polynomial = Self { coefficients: Vec::with_capacity(needed) };
        polynomial.coefficients.push(*secret.expose());
        for _ in 1..needed {
            polynomial.coefficients.push(F::random(rng)?);
        }
        Ok(polynomial)
    }

    /// Shares zero. Added to other shares, it hides everything but their secret.
    ///
    /// # Errors
    /// [`Error::Rng`] if the generator fails.
    pub fn zero_sharing<R: TryCryptoRng + ?Sized>(threshold: Threshold, rng: &mut R) -> Result<Self> {
        Self::sharing(&SecretScalar::new(F::ZERO), threshold, rng)
    }

    /// Returns the share at an index, by Horner's rule in constant time. Cost: `needed` multiplications in the field.
    pub fn share(&self, index: ShareIndex) -> SecretShare<F> {
        let at = index.scalar::<F>();
        let mut value = SecretScalar::new(F::ZERO);
        for coefficient in self.coefficients.iter().rev() {
            *value.0 = *value.0 * at + *coefficient;
        }
        SecretShare { index, value }
    }

    /// Returns the shares of all parties in order.
    pub fn shares(&self, parties: u16) -> impl Iterator<Item = SecretShare<F>> + '_ {
        ShareIndex::all(parties).map(|index| self.share(index))
    }

    /// Returns each coefficient times the generator, constant term first. From these any observer can compute each
    /// share times the generator, but no share. Cost: one multiplication of the generator each.
    pub fn commitments<G: Group<Scalar = F>>(&self) -> Vec<G::Element> {
        self.coefficients.iter().map(G::base).collect()
    }
}

impl<F: Field> Drop for Polynomial<F> {
    fn drop(&mut self) {
        self.coefficients.iter_mut().for_each(zeroize::Zeroize::zeroize);
    }
}

/// Reconstructs the secret from at least `needed` shares; all are used. **The shares are not verified.** Cost: as
/// [`lagrange::at_zero`].
///
/// # Errors
/// [`Error::BelowQuorum`] for too few shares, [`Error::DuplicateSigner`], [`Error::UnknownSigner`].
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

    fn needed_shares_reconstruct_and_fewer_do_not<G: Group>() {
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
        // Two shares with a threshold of two: the call succeeds but yields another number.
        let shares: Vec<_> = polynomial.shares(2).collect();
        let found = reconstruct(Threshold::new(2, 5).unwrap(), &shares).unwrap();
        assert!(!bool::from(found.ct_eq(&secret)));
    }

    #[test]
    fn sharing_over_both_groups() {
        needed_shares_reconstruct_and_fewer_do_not::<Ristretto255>();
        needed_shares_reconstruct_and_fewer_do_not::<Secp256k1>();
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
    fn wrong_sets_are_refused_with_their_codes() {
        let threshold = Threshold::new(2, 3).unwrap();
        let polynomial = Polynomial::<Scalar>::zero_sharing(threshold, &mut SysRng).unwrap();
        let share = |member| polynomial.share(ShareIndex::from_member(member).unwrap());
        let refused = |shares: &[_]| reconstruct(threshold, shares).map(drop).unwrap_err();
        assert_eq!(refused(&[share(1), share(1)]), Error::DuplicateSigner { index: 1 });
        assert_eq!(refused(&[share(1), share(3)]), Error::UnknownSigner { index: 3 });
        assert_eq!(refused(&[share(2)]), Error::BelowQuorum { signed: 1, needed: 2 });
        assert!(ShareIndex::from_member(u16::MAX).is_err());
        for (needed, parties) in [(0, 3), (4, 3), (1, 1_025)] {
            assert_eq!(Threshold::new(needed, parties).unwrap_err().code(), "BAD_COMMITTEE");
        }
    }

    #[test]
    fn moving_a_secret_copies_only_its_address() {
        assert_eq!(size_of::<SecretScalar<Scalar>>(), size_of::<usize>());
    }

    #[test]
    fn shares_match_the_commitments() {
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
