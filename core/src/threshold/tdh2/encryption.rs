use alloc::boxed::Box;
use core::fmt;

use curve25519_dalek::ristretto::{RistrettoBasepointTable, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use super::ciphertext::{Ciphertext, Header, Label, payload_hash, wrap};
use super::keys::{PublicKeys, Tdh2};
use super::payload::seal;
use crate::committee::CommitteeId;
use crate::machine::MemberIndex;
use crate::threshold::Field;
use crate::threshold::dleq::{Element, Purpose, half};
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// The key for encrypting and for verifying ciphertexts: H and Ḡ, optionally with tables.
pub struct EncryptionKey {
    committee: CommitteeId,
    key: Element,
    g_bar: RistrettoPoint,
    tables: Option<Box<Tables>>,
}

struct Tables {
    key: RistrettoBasepointTable,
    g_bar: RistrettoBasepointTable,
}

impl EncryptionKey {
    /// Derives the encryption key of a committee from its public keys. Cost: a hash to the group, 0.4 multiplications.
    pub fn from_public_keys(keys: &PublicKeys) -> Self {
        Self::new(keys.committee(), *keys.key())
    }

    fn new(committee: CommitteeId, key: Element) -> Self {
        let mut wide = [0; 64];
        domain::hasher(domain::TDH2_GENERATOR).finalize_xof().fill(&mut wide);
        Self { committee, key, g_bar: RistrettoPoint::from_uniform_bytes(&wide), tables: None }
    }

    /// Computes tables for H and Ḡ, with which multiplications by them cost as much as those by G: three of the five
    /// of an encryption, one of a verification. Memory: 61,440 B. Time: about 80 multiplications, amortised after
    /// about fifty ciphertexts.
    #[must_use]
    pub fn precomputed(mut self) -> Self {
        let table = RistrettoBasepointTable::create;
        let tables = Tables { key: table(self.key.point()), g_bar: table(&self.g_bar) };
        self.tables = Some(Box::new(tables));
        self
    }

    /// Returns the committee whose members decrypt.
    pub fn committee(&self) -> CommitteeId {
        self.committee
    }

    /// Returns H.
    pub fn key(&self) -> &Element {
        &self.key
    }

    /// Encrypts at most [`MAX_PLAINTEXT`](super::MAX_PLAINTEXT) bytes. The proof covers epoch and proposer, so no
    /// other member can propose the ciphertext, and not in another epoch. Cost: two multiplications of G, two of Ḡ,
    /// one of H; the cipher and a hash over the payload.
    ///
    /// # Errors
    /// [`Error::TooLarge`], [`Error::Rng`].
    pub fn encrypt<R: TryCryptoRng + ?Sized>(
        &self,
        epoch: u64,
        proposer: MemberIndex,
        plaintext: &[u8],
        rng: &mut R,
    ) -> Result<Ciphertext> {
        let mut wrapped_key = Zeroizing::new([0; 32]);
        rng.try_fill_bytes(&mut *wrapped_key).map_err(|_| Error::Rng)?;
        let r = Zeroizing::new(<Scalar as Field>::random(rng)?);
        let s = Zeroizing::new(<Scalar as Field>::random(rng)?);

        let payload = seal(&wrapped_key, plaintext)?;
        let label = Label { committee: self.committee, epoch, proposer, payload: payload_hash(&payload) };

        let half_r = Zeroizing::new(half(&r));
        // The commitments w = s·G and w̄ = s·Ḡ are hashed as their doubles, which avoids halving s.
        let [u, u_bar, w, w_bar] = Element::doubled(&[
            RistrettoPoint::mul_base(&half_r),
            self.times_g_bar(&half_r),
            RistrettoPoint::mul_base(&s),
            self.times_g_bar(&s),
        ])?;
        // Encoded separately, because batch encoding leaves intermediate values on the heap.
        let secret = Zeroizing::new(self.times_key(&r));
        let wrapped = *wrap(&u, Zeroizing::new(secret.compress()).as_bytes(), &wrapped_key);

        let mut header = Header { wrapped, u, u_bar, e: 0, f: Scalar::ZERO, label };
        header.e = header.challenge(&self.key, w.as_bytes(), w_bar.as_bytes());
        header.f = *s + *r * Scalar::from(header.e);
        Ok(Ciphertext { header, payload })
    }

    /// Multiplies in constant time.
    pub(super) fn times_g_bar(&self, scalar: &Scalar) -> RistrettoPoint {
        match &self.tables {
            Some(tables) => scalar * &tables.g_bar,
            None => scalar * self.g_bar,
        }
    }

    fn times_key(&self, scalar: &Scalar) -> RistrettoPoint {
        match &self.tables {
            Some(tables) => scalar * &tables.key,
            None => scalar * self.key.point(),
        }
    }
}

/// Encoding: purpose 1 ‖ committee 32 ‖ H 32: all that a client needs.
impl Encode for EncryptionKey {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(Tdh2::NUMBER);
        self.committee.encode_to(w);
        self.key.encode_to(w);
    }
}

impl Decode for EncryptionKey {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        if r.u8()? != Tdh2::NUMBER {
            return Err(Error::WrongContext { what: "purpose" });
        }
        let committee = CommitteeId::decode_from(r, &())?;
        Ok(Self::new(committee, Element::decode_from(r, "threshold key")?))
    }
}

impl fmt::Debug for EncryptionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tables = if self.tables.is_some() { ", with tables" } else { "" };
        write!(f, "EncryptionKey({:?} of {}{tables})", self.key, self.committee)
    }
}
