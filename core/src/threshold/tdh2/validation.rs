use alloc::vec::Vec;

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use zeroize::Zeroize;

use super::ciphertext::{Ciphertext, Header, Label, payload_hash, wrap};
use super::encryption::EncryptionKey;
use super::keys::{KeyShare, PublicKeys, Tdh2, VerifiedShare};
use super::payload::{Opened, open};
use crate::machine::MemberIndex;
use crate::scheme::memo;
use crate::threshold::dleq::{Element, Instance, Share};
use crate::threshold::lagrange;
use crate::wire::{Encode, domain};
use crate::{Error, Result};

impl Header {
    /// Verifies the proof that the author knew r with u = r·G and ū = r·Ḡ: w = f·G − e·u and w̄ = f·Ḡ − e·ū must hash
    /// to e. All values are public.
    fn is_valid(&self, key: &EncryptionKey) -> bool {
        let e = Scalar::from(self.e);
        let times_e = |of: &Element| {
            RistrettoPoint::vartime_double_scalar_mul_basepoint(&e, &-of.point(), &Scalar::ZERO)
        };
        // e is short, and f is multiplied with a table: two separate products are faster than one sum.
        let w = RistrettoPoint::mul_base(&self.f) + times_e(&self.u);
        let w_bar = key.times_g_bar(&self.f) + times_e(&self.u_bar);
        match RistrettoPoint::double_and_compress_batch(&[w, w_bar]).as_slice() {
            [w, w_bar] => self.challenge(key.key(), w.as_bytes(), w_bar.as_bytes()) == self.e,
            _ => false,
        }
    }
}

impl Ciphertext {
    /// Verifies that this is a ciphertext for these keys and this epoch with the label's proposer (as claimed by the
    /// author; only the link authenticates the sender), that the payload matches the label, and the proof. Cost: two
    /// multiplications by 128 bits, one of G and one of Ḡ, and a hash of the payload.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another committee, epoch or proposer, [`Error::BadCiphertext`] for a wrong payload
    /// or proof.
    pub fn check(self, key: &EncryptionKey, epoch: u64, proposer: MemberIndex) -> Result<ValidCiphertext> {
        let label = &self.header.label;
        for (what, fits) in [
            ("committee", label.committee == key.committee()),
            ("epoch", label.epoch == epoch),
            ("proposer", label.proposer == proposer),
        ] {
            if !fits {
                return Err(Error::WrongContext { what });
            }
        }
        let encoded = self.header.encode();
        let statement = [key.key().as_bytes().as_slice(), &encoded];
        let is_valid = || memo::is_valid(memo::TDH2, &statement) || self.header.is_valid(key);
        if label.payload != payload_hash(&self.payload) || !is_valid() {
            return Err(Error::BadCiphertext);
        }
        memo::remember(memo::TDH2, &statement);
        let mut hasher = domain::hasher(domain::TDH2_CIPHERTEXT);
        hasher.update(key.key().as_bytes()).update(&encoded);
        let id = *hasher.finalize().as_bytes();
        let instance = Instance::new(key.committee(), key.key(), self.header.u, id);
        Ok(ValidCiphertext { ciphertext: self, instance })
    }
}

/// A verified ciphertext, for which shares may be made. Only [`Ciphertext::check`] creates one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValidCiphertext {
    ciphertext: Ciphertext,
    instance: Instance<Tdh2>,
}

impl ValidCiphertext {
    /// Returns the context of the ciphertext.
    pub fn label(&self) -> &Label {
        &self.ciphertext.header.label
    }

    /// Returns the instance that its shares are verified for.
    pub fn instance(&self) -> &Instance<Tdh2> {
        &self.instance
    }

    /// Returns the ciphertext, no longer marked as verified.
    pub fn into_inner(self) -> Ciphertext {
        self.ciphertext
    }

    /// Decrypts with the first `needed` verified shares, ascending by member. Cost: a sum of t products, the
    /// coefficients if the cache does not have this set of members, and the cipher.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a share of another ciphertext or under other keys, [`Error::DuplicateSigner`],
    /// [`Error::BelowQuorum`]; [`Error::BadCiphertext`] if the author's payload does not open: treat it as empty, as
    /// all correct members do.
    pub fn combine(
        &self,
        keys: &PublicKeys,
        shares: &[VerifiedShare],
        cache: &mut lagrange::Cache<Scalar>,
    ) -> Result<Vec<u8>> {
        match self.open(keys.combine(&self.instance, shares, cache)?) {
            Opened::Plaintext(plaintext) => Ok(plaintext),
            Opened::OtherKey | Opened::Broken => Err(Error::BadCiphertext),
        }
    }

    /// Opens the payload with the candidate for r·H.
    pub(super) fn open(&self, mut secret: RistrettoPoint) -> Opened {
        let header = &self.ciphertext.header;
        let mut encoded = secret.compress();
        let wrapped = wrap(&header.u, encoded.as_bytes(), &header.wrapped);
        secret.zeroize();
        encoded.zeroize();
        open(&wrapped, &self.ciphertext.payload)
    }
}

impl KeyShare {
    /// Makes this member's share of a decryption, valid for this ciphertext only. Cost: two multiplications, one of
    /// the generator, three encodings.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the ciphertext was verified for other keys, [`Error::Rng`].
    pub fn decryption_share<R: rand_core::TryCryptoRng + ?Sized>(
        &self,
        ciphertext: &ValidCiphertext,
        rng: &mut R,
    ) -> Result<Share<Tdh2>> {
        self.prove(ciphertext.instance(), rng)
    }
}
