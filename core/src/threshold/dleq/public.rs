use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use curve25519_dalek::ristretto::{RistrettoPoint, VartimeRistrettoPrecomputation};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::{Identity, VartimeMultiscalarMul, VartimePrecomputedMultiscalarMul};
use rand_core::TryCryptoRng;
use subtle::ConstantTimeEq;

use super::element::Element;
use super::keys::KeyShare;
use super::purpose::{Purpose, read_purpose, write_keys};
use super::share::{Instance, VerifiedShare};
use crate::committee::CommitteeId;
use crate::machine::MemberIndex;
use crate::threshold::index::{ShareIndex, Threshold};
use crate::threshold::lagrange::{self, IndexSet, invert_all};
use crate::threshold::sharing::{Polynomial, SecretScalar};
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// The public part of dealt keys: H = x·G and each member's Hᵢ = xᵢ·G. Decoding verifies that they lie on one
/// polynomial of the threshold's degree.
pub struct PublicKeys<P: Purpose> {
    committee: CommitteeId,
    threshold: Threshold,
    key: Element,
    members: Vec<Element>,
    tables: Option<VartimeRistrettoPrecomputation>,
    purpose: PhantomData<P>,
}

impl<P: Purpose> PublicKeys<P> {
    /// Deals a fresh key. **The process that runs this knows the key**: run it once, offline, and give each member
    /// only its own share. `threshold` needs f + 1 shares of n: f faulty members then know nothing, and n − f ≥ 2f +
    /// 1 honest ones suffice. Cost: n + 1 multiplications of the generator, n·t in the field.
    ///
    /// # Errors
    /// [`Error::Rng`] if the generator fails.
    pub fn deal<R: TryCryptoRng + ?Sized>(
        committee: CommitteeId,
        threshold: Threshold,
        rng: &mut R,
    ) -> Result<(Self, Vec<KeyShare<P>>)> {
        let secret = SecretScalar::random(rng)?;
        let polynomial = Polynomial::sharing(&secret, threshold, rng)?;
        let key = Element::from_point(RistrettoPoint::mul_base(secret.expose()))?;
        let shares = polynomial
            .shares(threshold.parties())
            .map(|share| KeyShare::new(committee, key, share.index, share.value))
            .collect::<Result<Vec<_>>>()?;
        let members = shares.iter().map(|share| *share.verification_key()).collect();
        Ok((Self { committee, threshold, key, members, tables: None, purpose: PhantomData }, shares))
    }

    /// Computes a table for each verification key, which makes verifying between n/8 and 46 shares at once somewhat
    /// cheaper; for other numbers it is not used, because it would not help. Memory: 64 points per member, which is
    /// 10,240 B with vector instructions and 7,680 B without; 1 MB for 100 members. Time: a quarter of a
    /// multiplication each.
    #[must_use]
    pub fn precomputed(mut self) -> Self {
        self.tables = Some(VartimeRistrettoPrecomputation::new(self.members.iter().map(Element::point)));
        self
    }

    /// Returns the committee that the keys were dealt for.
    pub fn committee(&self) -> CommitteeId {
        self.committee
    }

    /// Returns the threshold.
    pub fn threshold(&self) -> Threshold {
        self.threshold
    }

    /// Returns H, the encryption key.
    pub fn key(&self) -> &Element {
        &self.key
    }

    /// Returns the verification key Hᵢ of a member.
    pub fn verification_key(&self, member: MemberIndex) -> Option<&Element> {
        self.members.get(usize::from(member))
    }

    /// Combines the shares xᵢ·B of one instance to x·B: the first `needed` of them, ascending by member. Cost: a sum
    /// of t products, and the coefficients if the cache does not have this set.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a share of another instance, [`Error::DuplicateSigner`], [`Error::BelowQuorum`].
    pub(crate) fn combine(
        &self,
        instance: &Instance<P>,
        shares: &[VerifiedShare<P>],
        cache: &mut lagrange::Cache<Scalar>,
    ) -> Result<RistrettoPoint> {
        instance.belongs_to(self.committee, &self.key)?;
        for share in shares {
            share.belongs_to(instance)?;
        }
        let points = shares.iter().map(|share| (share.index(), *share.point()));
        self.interpolate(points.collect(), cache)
    }

    /// Combines points as [`combine`](PublicKeys::combine), but unverified ones: the result may be wrong.
    pub(super) fn interpolate(
        &self,
        mut points: Vec<(ShareIndex, Element)>,
        cache: &mut lagrange::Cache<Scalar>,
    ) -> Result<RistrettoPoint> {
        let needed = self.threshold.needed();
        points.sort_unstable_by_key(|(index, _)| *index);
        IndexSet::new(points.iter().map(|(index, _)| *index))?;
        if points.len() < usize::from(needed) {
            return Err(Error::BelowQuorum { signed: points.len() as u128, needed: needed.into() });
        }
        points.truncate(needed.into());
        let set = IndexSet::new(points.iter().map(|(index, _)| *index))?;
        let coefficients = cache.at_zero(&set);
        Ok(RistrettoPoint::vartime_multiscalar_mul(
            coefficients.iter(),
            points.iter().map(|(_, element)| element.point()),
        ))
    }

    pub(super) fn tables(&self) -> Option<&VartimeRistrettoPrecomputation> {
        self.tables.as_ref()
    }

    /// Checks that H, H₁, … Hₙ lie on one polynomial of degree below t.
    ///
    /// They do if and only if Σ vᵢ·m(i)·Hᵢ = 0 for every polynomial m of degree up to d = n − t, where vᵢ = 1/Π (i −
    /// j): the dual code. With m = Σ ρᵏ·xᵏ for a random ρ one sum checks them all, except with probability d/2²⁵²,
    /// and m(i) = ((ρi)^(d+1) − 1)/(ρi − 1) is fast to compute.
    fn on_one_polynomial(&self) -> Result<()> {
        let n = u64::from(self.threshold.parties());
        let d = n - u64::from(self.threshold.needed());
        let mut wide = [0; 64];
        domain::hasher(domain::DLEQ_KEYS).update(&self.encode()).finalize_xof().fill(&mut wide);
        let rho = Scalar::from_bytes_mod_order_wide(&wide);
        let mut factorials = Vec::with_capacity(self.members.len() + 1);
        let mut product = Scalar::ONE;
        factorials.push(product);
        for i in 1..=n {
            product *= Scalar::from(i);
            factorials.push(product);
        }
        let (mut above, mut below) = (Vec::new(), Vec::new());
        for ((i, up), down) in (0u64..).zip(&factorials).zip(factorials.iter().rev()) {
            let y = rho * Scalar::from(i);
            let sum = power(y, d + 1) - Scalar::ONE;
            above.push(if i % 2 == 0 { sum } else { -sum });
            below.push(up * down * (y - Scalar::ONE));
        }
        invert_all(&mut below);
        let scalars = above.iter().zip(&below).map(|(above, below)| above * below);
        let points = core::iter::once(&self.key).chain(&self.members).map(Element::point);
        // Pairs have a known length, which the sum requires.
        let (scalars, points): (Vec<Scalar>, Vec<&RistrettoPoint>) = scalars.zip(points).unzip();
        if RistrettoPoint::vartime_multiscalar_mul(scalars, points) == RistrettoPoint::identity() {
            Ok(())
        } else {
            Err(Error::BadCommittee {
                rule: "the verification keys do not lie on one polynomial; deal again",
            })
        }
    }
}

impl<P: Purpose> KeyShare<P> {
    /// Checks that the secret matches this member's verification key. Call it once on receipt: a mistake of the
    /// dealer would later produce wrong shares, for which this member would be blamed.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for keys other than these, [`Error::UnknownSigner`], [`Error::BadShare`].
    pub fn check(&self, keys: &PublicKeys<P>) -> Result<()> {
        if self.committee() != keys.committee() {
            return Err(Error::WrongContext { what: "committee" });
        }
        if self.key != *keys.key() {
            return Err(Error::WrongContext { what: "key" });
        }
        let member = self.member();
        let expected = keys.verification_key(member).ok_or(Error::UnknownSigner { index: member.into() })?;
        if expected.as_bytes().ct_eq(self.verification_key().as_bytes()).into() {
            Ok(())
        } else {
            Err(Error::BadShare { members: [member].into() })
        }
    }
}

fn power(base: Scalar, mut exponent: u64) -> Scalar {
    let (mut result, mut square) = (Scalar::ONE, base);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result *= square;
        }
        square *= square;
        exponent >>= 1;
    }
    result
}

/// Encoding: purpose 1 ‖ committee 32 ‖ key 32 ‖ needed u16 ‖ n u16 ‖ n × verification key 32.
impl<P: Purpose> Encode for PublicKeys<P> {
    fn encode_to(&self, w: &mut Writer) {
        write_keys::<P>(self.committee, &self.key, w);
        w.u16(self.threshold.needed());
        w.u16(self.threshold.parties());
        self.members.iter().for_each(|key| key.encode_to(w));
    }
}

/// Refuses keys that do not lie on one polynomial with [`Error::BadCommittee`]: their shares would verify but not
/// combine. Cost: one sum of n + 1 products.
impl<P: Purpose> Decode for PublicKeys<P> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        read_purpose::<P>(r)?;
        let committee = CommitteeId::decode_from(r, &())?;
        let key = Element::decode_from(r, "threshold key")?;
        let (needed, parties) = (r.u16()?, r.u16()?);
        let threshold = Threshold::new(needed, parties)?;
        let mut bytes = Reader::new(r.raw(32 * usize::from(parties))?);
        let members = (0..parties)
            .map(|_| Element::decode_from(&mut bytes, "verification key"))
            .collect::<Result<_>>()?;
        let keys = Self { committee, threshold, key, members, tables: None, purpose: PhantomData };
        keys.on_one_polynomial()?;
        Ok(keys)
    }
}

impl<P: Purpose> fmt::Debug for PublicKeys<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (needed, parties) = (self.threshold.needed(), self.threshold.parties());
        write!(f, "PublicKeys({}, {needed} of {parties}, {})", P::NAME, self.committee)
    }
}
