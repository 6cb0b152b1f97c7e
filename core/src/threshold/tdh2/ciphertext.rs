use alloc::vec::Vec;
use core::fmt;

use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use zeroize::{Zeroize, Zeroizing};

use super::payload::{MAX_PLAINTEXT, OVERHEAD, Opened, open};
use super::{EncryptionKey, KeyShare, PublicKeys, Tdh2, VerifiedShare};
use crate::committee::CommitteeId;
use crate::machine::MemberIndex;
use crate::threshold::dleq::{Element, Instance, Share, challenge_bits, read_scalar};
use crate::threshold::lagrange;
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// Where a ciphertext belongs. It is under the ciphertext's proof: nobody can move a ciphertext to another place without
/// knowing what is in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label {
    /// Whose keys decrypt it.
    pub committee: CommitteeId,
    /// In which epoch of the protocol it is proposed.
    pub epoch: u64,
    /// Who proposes it.
    pub proposer: MemberIndex,
    /// The hash of the encrypted payload.
    pub payload: [u8; 32],
}

impl Label {
    /// Bytes of a label.
    pub const LEN: usize = 74;
}

/// committee 32 ‖ epoch u64 ‖ proposer u16 ‖ hash of the payload 32.
impl Encode for Label {
    fn encode_to(&self, w: &mut Writer) {
        self.committee.encode_to(w);
        w.u64(self.epoch);
        w.u16(self.proposer);
        w.raw(&self.payload);
    }
}

impl Decode for Label {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let committee = CommitteeId::decode_from(r, &())?;
        Ok(Self { committee, epoch: r.u64()?, proposer: r.u16()?, payload: r.array()? })
    }
}

/// A wrapped key with its proof and its label: all of a ciphertext but the payload. 234 bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    pub(super) wrapped: [u8; 32],
    pub(super) u: Element,
    pub(super) u_bar: Element,
    pub(super) e: u128,
    pub(super) f: Scalar,
    /// Where it belongs.
    pub label: Label,
}

impl Header {
    /// Bytes of a header.
    pub const LEN: usize = 160 + Label::LEN;

    /// The challenge of the proof, from the doubles of its commitments.
    pub(super) fn challenge(&self, key: &Element, w: &[u8; 32], w_bar: &[u8; 32]) -> u128 {
        let mut hasher = domain::hasher(domain::TDH2_VALIDITY);
        hasher.update(key.as_bytes()).update(&self.wrapped).update(&self.label.encode());
        hasher.update(self.u.as_bytes()).update(w).update(self.u_bar.as_bytes()).update(w_bar);
        challenge_bits(hasher.finalize().as_bytes())
    }

    /// Whether whoever made it knew r with u = r·G and ū = r·Ḡ: w = f·G − e·u and w̄ = f·Ḡ − e·ū lead to e again. All of it is
    /// public.
    fn is_valid(&self, key: &EncryptionKey) -> bool {
        let e = Scalar::from(self.e);
        let times_e = |of: &Element| {
            RistrettoPoint::vartime_double_scalar_mul_basepoint(&e, &-of.point(), &Scalar::ZERO)
        };
        // e is short, and f meets a table: two products apart from each other are faster than one sum.
        let w = RistrettoPoint::mul_base(&self.f) + times_e(&self.u);
        let w_bar = key.times_g_bar(&self.f) + times_e(&self.u_bar);
        match RistrettoPoint::double_and_compress_batch(&[w, w_bar]).as_slice() {
            [w, w_bar] => self.challenge(key.key(), w.as_bytes(), w_bar.as_bytes()) == self.e,
            _ => false,
        }
    }
}

/// c 32 ‖ u 32 ‖ ū 32 ‖ e 16 ‖ zero 16 ‖ f 32 ‖ label 74.
impl Encode for Header {
    fn encode_to(&self, w: &mut Writer) {
        w.raw(&self.wrapped);
        self.u.encode_to(w);
        self.u_bar.encode_to(w);
        w.u128(self.e);
        w.u128(0);
        w.raw(self.f.as_bytes());
        self.label.encode_to(w);
    }
}

/// Cost: two inverse square roots, a quarter of a multiplication.
impl Decode for Header {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let wrapped = r.array()?;
        let u = Element::decode_from(r, "u of a ciphertext")?;
        let u_bar = Element::decode_from(r, "u-bar of a ciphertext")?;
        let e = r.u128()?;
        if r.u128()? != 0 {
            return Err(Error::NonCanonical { what: "e of a ciphertext" });
        }
        let f = read_scalar(r, "f of a ciphertext")?;
        Ok(Self { wrapped, u, u_bar, e, f, label: Label::decode_from(r, &())? })
    }
}

/// What a proposer sends. Nothing of it is checked but that it is one.
#[derive(Clone, PartialEq, Eq)]
pub struct Ciphertext {
    pub(super) header: Header,
    pub(super) payload: Vec<u8>,
}

impl Ciphertext {
    /// The header, unchecked.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The encrypted payload, [`OVERHEAD`] bytes longer than the plain one.
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// Checks that this is a ciphertext for these keys, that `proposer` proposed it in this epoch (as far as the author
    /// says; who sent it is the link's word), that the payload is the label's, and that the proof holds. Cost: two
    /// multiplications by 128 bits, one of G and one of Ḡ, and a hash of the payload.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if it belongs elsewhere, [`Error::BadCiphertext`] if payload or proof are wrong.
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
        if label.payload != payload_hash(&self.payload) || !self.header.is_valid(key) {
            return Err(Error::BadCiphertext);
        }
        let mut hasher = domain::hasher(domain::TDH2_CIPHERTEXT);
        hasher.update(key.key().as_bytes()).update(&self.header.encode());
        let id = *hasher.finalize().as_bytes();
        let instance = Instance::new(key.committee(), key.key(), self.header.u, id);
        Ok(ValidCiphertext { ciphertext: self, instance })
    }
}

pub(super) fn payload_hash(payload: &[u8]) -> [u8; 32] {
    domain::hash(domain::TDH2_PAYLOAD, payload)
}

/// header 234 ‖ payload with its length as u32.
impl Encode for Ciphertext {
    fn encode_to(&self, w: &mut Writer) {
        self.header.encode_to(w);
        w.bytes(&self.payload);
    }
}

impl Decode for Ciphertext {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let header = Header::decode_from(r, &())?;
        let payload = r.bytes("payload of a ciphertext", MAX_PLAINTEXT + OVERHEAD)?;
        if payload.len() < OVERHEAD {
            return Err(Error::Malformed { what: "payload of a ciphertext" });
        }
        Ok(Self { header, payload: payload.to_vec() })
    }
}

impl fmt::Debug for Ciphertext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ciphertext").field(&self.header.label).field(&self.payload.len()).finish()
    }
}

/// A ciphertext that was checked: what shares are made of. There is no other way to get one than
/// [`Ciphertext::check`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValidCiphertext {
    ciphertext: Ciphertext,
    instance: Instance<Tdh2>,
}

impl ValidCiphertext {
    /// Where it belongs.
    pub fn label(&self) -> &Label {
        &self.ciphertext.header.label
    }

    /// What its shares are verified for.
    pub fn instance(&self) -> &Instance<Tdh2> {
        &self.instance
    }

    /// The ciphertext alone, which forgets that it was checked.
    pub fn into_inner(self) -> Ciphertext {
        self.ciphertext
    }

    /// Decrypts with verified shares, of which the first `needed` by member count. Cost: a sum of t products, the
    /// coefficients if this set of members is new to the cache, and the cipher.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a share of another ciphertext or for other keys, [`Error::DuplicateSigner`],
    /// [`Error::BelowQuorum`]; [`Error::BadCiphertext`] if the author encrypted nothing sensible: take it for empty, as
    /// everybody will.
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

    /// Opens the payload with what should be r·H.
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
    /// This member's part in a decryption. It stands for nothing but this ciphertext. Cost: two multiplications, one of the
    /// generator, three encodings.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the ciphertext was checked for other keys, [`Error::Rng`].
    pub fn decryption_share<R: rand_core::TryCryptoRng + ?Sized>(
        &self,
        ciphertext: &ValidCiphertext,
        rng: &mut R,
    ) -> Result<Share<Tdh2>> {
        self.prove(ciphertext.instance(), rng)
    }
}

/// Wraps and unwraps: key ⊕ hash of u ‖ r·H.
pub(super) fn wrap(u: &Element, secret: &[u8; 32], key: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    let mut hasher = domain::hasher(domain::TDH2_PAD);
    hasher.update(u.as_bytes()).update(secret);
    let mut pad = Zeroizing::new(*hasher.finalize().as_bytes());
    hasher.zeroize();
    pad.iter_mut().zip(key).for_each(|(pad, byte)| *pad ^= byte);
    pad
}
