use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use curve25519_dalek::ristretto::{RistrettoPoint, VartimeRistrettoPrecomputation};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::{Identity, VartimeMultiscalarMul, VartimePrecomputedMultiscalarMul};
use rand_core::TryCryptoRng;

use super::batch;
use super::element::Element;
use super::evidence::{ShareFault, WrongShare};
use super::keys::{KeyShare, Purpose, read_purpose, write_keys};
use super::share::{Checked, Instance, Share, VerifiedShare};
use crate::committee::CommitteeId;
use crate::machine::MemberIndex;
use crate::threshold::lagrange::{self, IndexSet, invert_all};
use crate::threshold::{Polynomial, SecretScalar, ShareIndex, Threshold};
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// What everybody knows of dealt keys: H = x·G and each member's Hᵢ = xᵢ·G. They were checked to lie on one polynomial
/// of the threshold's degree.
pub struct PublicKeys<P: Purpose> {
    committee: CommitteeId,
    threshold: Threshold,
    key: Element,
    members: Vec<Element>,
    tables: Option<VartimeRistrettoPrecomputation>,
    purpose: PhantomData<P>,
}

impl<P: Purpose> PublicKeys<P> {
    /// Deals a fresh key. **Whoever runs this knows the key**, so run it once, away from the network, and give each
    /// member its share alone. `threshold` needs f + 1 shares of n: f faulty ones then know nothing, and n − f ≥ 2f + 1
    /// honest ones suffice. Cost: n + 1 multiplications of the generator, n·t in the field.
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
        let key = Element::of(RistrettoPoint::mul_base(secret.expose()))?;
        let shares = polynomial
            .shares(threshold.parties())
            .map(|share| KeyShare::new(committee, key, share.index, share.value))
            .collect::<Result<Vec<_>>>()?;
        let members = shares.iter().map(|share| *share.verification_key()).collect();
        Ok((Self { committee, threshold, key, members, tables: None, purpose: PhantomData }, shares))
    }

    /// Computes a table for each verification key, which makes checking between n/8 and 46 shares at once somewhat
    /// cheaper; it is not used for fewer or more, where it would not help. Memory: 64 points per member, which is 10,240 B with vector instructions and 7,680 B without; 1 MB for
    /// 100 members. Time: a quarter of a multiplication each.
    #[must_use]
    pub fn precomputed(mut self) -> Self {
        self.tables = Some(VartimeRistrettoPrecomputation::new(self.members.iter().map(Element::point)));
        self
    }

    /// For which committee they were dealt.
    pub fn committee(&self) -> CommitteeId {
        self.committee
    }

    /// How many shares of how many are needed.
    pub fn threshold(&self) -> Threshold {
        self.threshold
    }

    /// H, under which all encrypt.
    pub fn key(&self) -> &Element {
        &self.key
    }

    /// Hᵢ.
    pub fn verification_key(&self, member: MemberIndex) -> Option<&Element> {
        self.members.get(usize::from(member))
    }

    /// Checks one share. Cost: one sum of six products, 1.5 multiplications.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the instance belongs to other keys, [`Error::UnknownSigner`], [`Error::BadShare`].
    pub fn verify_share(&self, instance: &Instance<P>, share: &Share<P>) -> Result<VerifiedShare<P>> {
        instance.belongs_to(self.committee, &self.key)?;
        self.threshold.check(share.index)?;
        let checked = self.verify_shares(instance, core::slice::from_ref(share))?;
        let bad = Error::BadShare { members: [share.member()].into() };
        checked.verified.into_iter().next().ok_or(bad)
    }

    /// Checks many shares of one instance with one sum. If that is not zero, halves are checked until every wrong share is
    /// found. Indices may repeat. Cost per share: four products of a sum, of which two by 128 bits, 0.6 of a
    /// multiplication; for each wrong one of n about 2·log₂ n small sums more.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the instance belongs to other keys, [`Error::UnknownSigner`]. Wrong shares are no error:
    /// they are among [`Checked::faults`].
    pub fn verify_shares(&self, instance: &Instance<P>, shares: &[Share<P>]) -> Result<Checked<P>> {
        instance.belongs_to(self.committee, &self.key)?;
        let items = batch::Batch::new(self, instance, shares)?;
        let wrong = items.wrong();
        let (mut verified, mut faults) = (Vec::with_capacity(shares.len()), Vec::new());
        let mut wrong = wrong.into_iter().peekable();
        for (place, share) in shares.iter().enumerate() {
            if wrong.next_if_eq(&place).is_some() {
                faults.push(self.fault(instance, share));
            } else {
                verified.push(VerifiedShare::assume(share, instance));
            }
        }
        Ok(Checked { verified, faults })
    }

    fn fault(&self, instance: &Instance<P>, share: &Share<P>) -> ShareFault<P> {
        let evidence = WrongShare::new(instance, share);
        match evidence.verify(self) {
            Ok(_) => ShareFault::Proven(Box::new(evidence)),
            Err(_) => ShareFault::Forged { share: Box::new(*share) },
        }
    }

    /// x·B from the shares xᵢ·B of one instance: the first `needed` of them, ascending by member. Cost: a sum of t
    /// products, and the coefficients if this set is new to the cache.
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

    /// As [`combine`](PublicKeys::combine), of points that nobody checked: the result is anything.
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

    /// Fails unless H, H₁, … Hₙ lie on one polynomial of degree below t.
    ///
    /// They do if and only if Σ vᵢ·m(i)·Hᵢ = 0 for every polynomial m of degree up to d = n − t, where vᵢ =
    /// 1/Π (i − j): the code's dual. With m = Σ ρᵏ·xᵏ for a random ρ one sum checks them all, but for a chance of d/2²⁵²,
    /// and m(i) = ((ρi)^(d+1) − 1)/(ρi − 1) is quickly computed.
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
        // Pairs have a known length, which the sum insists on.
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

/// purpose 1 ‖ committee 32 ‖ key 32 ‖ needed u16 ‖ n u16 ‖ n × verification key 32.
impl<P: Purpose> Encode for PublicKeys<P> {
    fn encode_to(&self, w: &mut Writer) {
        write_keys::<P>(self.committee, &self.key, w);
        w.u16(self.threshold.needed());
        w.u16(self.threshold.parties());
        self.members.iter().for_each(|key| key.encode_to(w));
    }
}

/// Refuses keys that do not lie on one polynomial with [`Error::BadCommittee`]: shares of them would verify and combine to
/// nothing. Cost: one sum of n + 1 products.
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
