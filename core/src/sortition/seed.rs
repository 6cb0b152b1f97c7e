use alloc::vec::Vec;
use core::fmt;

use crate::committee::{ChainId, Committee};
use crate::machine::MemberIndex;
use crate::scheme::{Vrf, read_suite};
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// The input of lotteries; each block yields the next seed. Members with equal chains up to a height have equal
/// seeds.
///
/// | bytes | field |
/// |---|---|
/// | 8 | height: number of proofs since the first seed |
/// | 32 | value |
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seed {
    height: u64,
    value: [u8; 32],
}

impl Seed {
    /// Length of an encoded seed in bytes.
    pub const LEN: usize = 40;

    /// Creates the first seed of a chain, from bytes that **no member controls and that were unknown when the keys
    /// were fixed**: a party that controls them decides which member proposes first.
    pub fn genesis(chain: ChainId, bytes: &[u8]) -> Self {
        let mut hasher = domain::hasher(domain::SORTITION_GENESIS);
        hasher.update(&chain.0).update(bytes);
        Self { height: 0, value: *hasher.finalize().as_bytes() }
    }

    /// Returns the height: the number of proofs since the first seed.
    pub fn height(&self) -> u64 {
        self.height
    }

    /// Returns the 32 bytes of the seed.
    pub fn value(&self) -> &[u8; 32] {
        &self.value
    }

    /// Returns the next seed: the hash of the proof. **The protocol decides which member must sign the proof**,
    /// usually the proposer of the block: compare [`signer`](SeedProof::signer). Cost: one subgroup check, one hash
    /// to the curve, two pairings.
    ///
    /// # Errors
    /// [`Error::UnknownSigner`], [`Error::NotInSubgroup`], [`Error::BadSignature`] naming the signer,
    /// [`Error::TooLarge`] after height 2⁶⁴ − 1.
    pub fn next<S: Vrf>(&self, proof: &SeedProof<S>, committee: &Committee<S>) -> Result<Self> {
        let limit = u64::MAX;
        let height = self.height.checked_add(1).ok_or(Error::TooLarge { what: "seed height", limit })?;
        let signer = proof.signer;
        let key = committee.key(signer).ok_or(Error::UnknownSigner { index: signer.into() })?;
        let hash = |bytes: &[u8]| Ok(domain::hash(domain::SORTITION_SEED, bytes));
        let value = S::verify_unique(key, &self.signed_bytes(committee), &proof.signature, hash)
            .map_err(|error| error.blame(signer))?;
        Ok(Self { height, value })
    }

    /// Returns the bytes that a proof signs: the domain [`SORTITION_PROOF`](domain::SORTITION_PROOF), the committee's
    /// id, the seed.
    fn signed_bytes<S: Vrf>(&self, committee: &Committee<S>) -> Vec<u8> {
        let mut w = Writer::with_capacity(domain::SORTITION_PROOF.len() + 32 + Self::LEN);
        w.raw(domain::SORTITION_PROOF.as_bytes());
        committee.id().encode_to(&mut w);
        self.encode_to(&mut w);
        w.into_bytes()
    }
}

impl Encode for Seed {
    fn encode_to(&self, w: &mut Writer) {
        w.u64(self.height);
        w.raw(&self.value);
    }
}

impl Decode for Seed {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(Self { height: r.u64()?, value: r.array()? })
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (head, _) = self.value.split_at(4);
        write!(f, "Seed({} {}…)", self.height, hex::encode(head))
    }
}

/// A member's signature on a [`Seed`], whose hash is the next seed. It is unique: the member can publish or withhold
/// it, but has no other choice. Until it is published only the member knows the next seed.
///
/// | bytes | field |
/// |---|---|
/// | 1 | suite |
/// | 2 | signer |
/// | 48 (MinSig), 96 (MinPk) | signature |
///
/// The detached form is the signature alone, for receivers that know the signer.
#[derive(Clone, PartialEq, Eq)]
pub struct SeedProof<S: Vrf> {
    signer: MemberIndex,
    signature: S::Signature,
}

impl<S: Vrf> SeedProof<S> {
    /// Creates a proof from its parts, without verification.
    pub fn new(signer: MemberIndex, signature: S::Signature) -> Self {
        Self { signer, signature }
    }

    /// Signs this member's proof for a seed. Cost: one multiplication, and one signature.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the key belongs to no member.
    pub fn sign(secret: &S::SecretKey, committee: &Committee<S>, seed: &Seed) -> Result<Self> {
        let signer =
            committee.position(&S::public_key(secret)).ok_or(Error::WrongContext { what: "signing key" })?;
        Ok(Self { signer, signature: S::sign(secret, &seed.signed_bytes(committee)) })
    }

    /// Returns the claimed signer.
    pub fn signer(&self) -> MemberIndex {
        self.signer
    }

    /// Returns the signature.
    pub fn signature(&self) -> &S::Signature {
        &self.signature
    }

    /// Writes the signature alone.
    pub fn encode_detached(&self, w: &mut Writer) {
        self.signature.encode_to(w);
    }

    /// Decodes the signature of a known member.
    ///
    /// # Errors
    /// Decoding errors.
    pub fn decode_detached(r: &mut Reader<'_>, signer: MemberIndex) -> Result<Self> {
        Ok(Self { signer, signature: S::Signature::decode_from(r, &())? })
    }
}

impl<S: Vrf> Encode for SeedProof<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(S::SUITE);
        w.u16(self.signer);
        self.encode_detached(w);
    }
}

impl<S: Vrf> Decode for SeedProof<S> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        read_suite::<S>(r)?;
        let signer = r.u16()?;
        Self::decode_detached(r, signer)
    }
}

impl<S: Vrf> fmt::Debug for SeedProof<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SeedProof(member {})", self.signer)
    }
}
