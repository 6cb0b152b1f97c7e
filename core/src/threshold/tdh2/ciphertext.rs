use alloc::vec::Vec;
use core::fmt;

use curve25519_dalek::scalar::Scalar;
use zeroize::{Zeroize, Zeroizing};

use super::payload::{MAX_PLAINTEXT, OVERHEAD};
use crate::committee::CommitteeId;
use crate::machine::MemberIndex;
use crate::threshold::dleq::{Element, challenge_bits, read_scalar};
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// The context of a ciphertext, covered by its proof: a ciphertext cannot be moved to another context without
/// knowledge of its content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label {
    /// Committee whose keys decrypt it.
    pub committee: CommitteeId,
    /// Epoch of the protocol in which it is proposed.
    pub epoch: u64,
    /// Proposing member.
    pub proposer: MemberIndex,
    /// Hash of the encrypted payload.
    pub payload: [u8; 32],
}

impl Label {
    /// Length of an encoded label in bytes.
    pub const LEN: usize = 74;
}

/// Encoding: committee 32 ‖ epoch u64 ‖ proposer u16 ‖ hash of the payload 32.
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

/// A wrapped key with its proof and label: a ciphertext without its payload. 234 bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    pub(super) wrapped: [u8; 32],
    pub(super) u: Element,
    pub(super) u_bar: Element,
    pub(super) e: u128,
    pub(super) f: Scalar,
    /// Context of the ciphertext.
    pub label: Label,
}

impl Header {
    /// Length of an encoded header in bytes.
    pub const LEN: usize = 160 + Label::LEN;

    /// Returns the challenge of the proof, from the doubles of its commitments.
    pub(super) fn challenge(&self, key: &Element, w: &[u8; 32], w_bar: &[u8; 32]) -> u128 {
        let mut hasher = domain::hasher(domain::TDH2_VALIDITY);
        hasher.update(key.as_bytes()).update(&self.wrapped).update(&self.label.encode());
        hasher.update(self.u.as_bytes()).update(w).update(self.u_bar.as_bytes()).update(w_bar);
        challenge_bits(hasher.finalize().as_bytes())
    }
}

/// Encoding: c 32 ‖ u 32 ‖ ū 32 ‖ e 16 ‖ zero 16 ‖ f 32 ‖ label 74.
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

/// A proposed ciphertext. Decoding checks the format only.
#[derive(Clone, PartialEq, Eq)]
pub struct Ciphertext {
    pub(super) header: Header,
    pub(super) payload: Vec<u8>,
}

impl Ciphertext {
    /// Returns the header, unverified.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the encrypted payload, which is [`OVERHEAD`] bytes longer than the plaintext.
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }
}

pub(super) fn payload_hash(payload: &[u8]) -> [u8; 32] {
    domain::hash(domain::TDH2_PAYLOAD, payload)
}

/// Encoding: header 234 ‖ payload with its length as u32.
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

/// Wraps or unwraps a key: key ⊕ hash of u ‖ r·H.
pub(super) fn wrap(u: &Element, secret: &[u8; 32], key: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    let mut hasher = domain::hasher(domain::TDH2_PAD);
    hasher.update(u.as_bytes()).update(secret);
    let mut pad = Zeroizing::new(*hasher.finalize().as_bytes());
    hasher.zeroize();
    pad.iter_mut().zip(key).for_each(|(pad, byte)| *pad ^= byte);
    pad
}
