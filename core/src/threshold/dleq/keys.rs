use core::fmt;

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use rand_core::TryCryptoRng;
use zeroize::{Zeroize, Zeroizing};

use super::element::{Element, half, read_scalar};
use super::purpose::{Purpose, read_purpose};
use super::share::{Instance, Share};
use crate::committee::CommitteeId;
use crate::machine::MemberIndex;
use crate::scheme::memo;
use crate::threshold::index::ShareIndex;
use crate::threshold::sharing::SecretScalar;
use crate::wire::{Decode, Reader, domain};
use crate::{Error, Result};

/// A member's secret xᵢ with its context, made by the dealer. It is never copied, printed or compared in variable
/// time, and is wiped when dropped.
pub struct KeyShare<P: Purpose> {
    committee: CommitteeId,
    pub(super) key: Element,
    index: ShareIndex,
    secret: SecretScalar<Scalar>,
    public: Element,
    purpose: core::marker::PhantomData<P>,
}

impl<P: Purpose> KeyShare<P> {
    /// Length of [`to_bytes`](KeyShare::to_bytes).
    pub const LEN: usize = 99;

    pub(super) fn new(
        committee: CommitteeId,
        key: Element,
        index: ShareIndex,
        secret: SecretScalar<Scalar>,
    ) -> Result<Self> {
        let public = Element::from_point(RistrettoPoint::mul_base(secret.expose()))?;
        Ok(Self { committee, key, index, secret, public, purpose: core::marker::PhantomData })
    }

    /// Returns the member that holds the share.
    pub fn member(&self) -> MemberIndex {
        self.index.member()
    }

    /// Returns the committee that the share was dealt for.
    pub fn committee(&self) -> CommitteeId {
        self.committee
    }

    /// Returns the public xᵢ·G.
    pub fn verification_key(&self) -> &Element {
        &self.public
    }

    /// Encodes the share, to be kept as secret as a signing key: purpose 1 ‖ committee 32 ‖ key 32 ‖ member u16 ‖
    /// secret 32.
    pub fn to_bytes(&self) -> Zeroizing<[u8; 99]> {
        let mut bytes = Zeroizing::new([0; 99]);
        let secret = Zeroizing::new(self.secret.expose().to_bytes());
        let fields: [&[u8]; 5] = [
            &[P::NUMBER],
            &self.committee.0,
            self.key.as_bytes(),
            &self.member().to_le_bytes(),
            secret.as_slice(),
        ];
        for (to, from) in bytes.iter_mut().zip(fields.into_iter().flatten()) {
            *to = *from;
        }
        bytes
    }

    /// Decodes the encoding of [`to_bytes`](KeyShare::to_bytes). Call [`check`](KeyShare::check) next.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another purpose, [`Error::Infinity`] for a secret of zero, and decoding errors.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut r = Reader::new(bytes);
        read_purpose::<P>(&mut r)?;
        let committee = CommitteeId::decode_from(&mut r, &())?;
        let key = Element::decode_from(&mut r, "threshold key")?;
        let index = ShareIndex::from_member(r.u16()?)?;
        let secret = Zeroizing::new(read_scalar(&mut r, "secret share")?);
        r.finish()?;
        Self::new(committee, key, index, SecretScalar::new(*secret))
    }

    /// Returns xᵢ·B with its proof. Cost: two multiplications, one of the generator, three encodings.
    ///
    /// k is a hash of the secret, the statement, and fresh random bytes: if the generator repeats itself, two
    /// different proofs still have different k, and the same proof reveals nothing new.
    pub(crate) fn prove<R: TryCryptoRng + ?Sized>(
        &self,
        instance: &Instance<P>,
        rng: &mut R,
    ) -> Result<Share<P>> {
        instance.belongs_to(self.committee, &self.key)?;
        let k = self.nonce(instance, rng)?;
        let (half_x, half_k) = (Zeroizing::new(half(self.secret.expose())), Zeroizing::new(half(&k)));
        let on_base = |scalar: &Scalar| instance.base.point() * scalar;
        let [point, a1, a2] =
            Element::doubled(&[on_base(&half_x), RistrettoPoint::mul_base(&half_k), on_base(&half_k)])?;
        let mut share = Share::new(self.index, point, a1, a2, Scalar::ZERO);
        let challenge = share.challenge(instance, &self.public);
        share.z = *k + challenge.scalar() * self.secret.expose();
        memo::remember(memo::DLEQ, &[challenge.as_bytes(), share.z.as_bytes()]);
        Ok(share)
    }

    fn nonce<R: TryCryptoRng + ?Sized>(
        &self,
        instance: &Instance<P>,
        rng: &mut R,
    ) -> Result<Zeroizing<Scalar>> {
        let mut fresh = Zeroizing::new([0; 32]);
        rng.try_fill_bytes(&mut *fresh).map_err(|_| Error::Rng)?;
        let secret = Zeroizing::new(self.secret.expose().to_bytes());
        let mut hasher = domain::hasher(domain::DLEQ_NONCE);
        hasher.update(&*secret).update(&*fresh).update(&[P::NUMBER]);
        hasher.update(instance.base.as_bytes()).update(&instance.context);
        let mut wide = Zeroizing::new([0; 64]);
        let mut output = hasher.finalize_xof();
        output.fill(&mut *wide);
        output.zeroize();
        hasher.zeroize();
        Ok(Zeroizing::new(Scalar::from_bytes_mod_order_wide(&wide)))
    }
}

/// Omits the secret.
impl<P: Purpose> fmt::Debug for KeyShare<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyShare({}, member {} of {})", P::NAME, self.member(), self.committee)
    }
}
