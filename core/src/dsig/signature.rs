use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use super::block::{Context, block};
use super::cell::KeySalt;
use super::one_time::{OneTimeScheme, SignatureBytes};
use super::suite::DsigSuite;
use super::tree::{self, MAX_LOG2, Siblings, Tree};
use crate::ed25519::PublicKey;
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// A self-contained signature, verifiable with the signer's public key alone.
pub struct Signature<S: DsigSuite> {
    pub(super) log2: u8,
    pub(super) index: u16,
    pub(super) root: [u8; 32],
    pub(super) salt: KeySalt,
    pub(super) nonce: [u8; 16],
    pub(super) eddsa: [u8; 64],
    pub(super) siblings: Siblings,
    pub(super) one_time: <S::OneTime as OneTimeScheme>::Signature,
}

impl<S: DsigSuite> Signature<S> {
    /// Length of an encoded signature in bytes: 360 plus the one-time signature.
    pub const LEN: usize = 360 + S::OneTime::SIGNATURE_LEN;

    /// Returns the root of the key's batch.
    pub fn root(&self) -> &[u8; 32] {
        &self.root
    }

    /// Returns the index of the key in its batch.
    pub fn index(&self) -> u16 {
        self.index
    }

    /// Verifies the signature without prior state. Cost: one Ed25519 verification, about 102 chain steps in suites 1
    /// to 3.
    ///
    /// # Errors
    /// [`Error::BadSignature`].
    pub fn verify(&self, signer: &PublicKey, message: &[u8]) -> Result<()> {
        let leaf = self.leaf(&self.digest(message)).ok_or_else(Error::bad_signature)?;
        if tree::climb(leaf, self.index, self.log2, &self.siblings) != self.root {
            return Err(Error::bad_signature());
        }
        self.verify_root(signer)
    }

    /// Returns a zeroed signature to be filled in.
    #[inline]
    pub(super) fn blank() -> Self {
        Self {
            log2: 0,
            index: 0,
            root: [0; 32],
            salt: KeySalt::default(),
            nonce: [0; 16],
            eddsa: [0; 64],
            siblings: Siblings::default(),
            one_time: <S::OneTime as OneTimeScheme>::Signature::zeros(S::OneTime::SIGNATURE_LEN),
        }
    }

    pub(super) fn verify_root(&self, signer: &PublicKey) -> Result<()> {
        verify_root::<S>(signer, self.log2, &self.root, &self.eddsa)
    }

    /// Returns the digest that the one-time key signs. It is unpredictable before the signature is published, because
    /// the nonce is secret until then.
    pub(super) fn digest(&self, message: &[u8]) -> [u8; 64] {
        digest(&self.root, self.index, &self.nonce, message)
    }

    /// Returns the leaf of the key under which the one-time signature is valid.
    pub(super) fn leaf(&self, digest: &[u8; 64]) -> Option<[u8; 32]> {
        S::OneTime::recover(digest, &self.salt, self.one_time.bytes())
    }
}

const MESSAGE: Context = Context::new(domain::DSIG_MESSAGE);

pub(super) fn digest(root: &[u8; 32], index: u16, nonce: &[u8; 16], message: &[u8]) -> [u8; 64] {
    if message.len() <= 64 - 50 {
        // Assembled in registers before it is written: reading more bytes than the last store wrote stalls the
        // processor.
        let nonce = u128::from_le_bytes(*nonce);
        let (front, back) = (u128::from(index) | nonce << 16, nonce >> 112 | number(message) << 16);
        let (block, _) = block(&[root, &front.to_le_bytes(), &back.to_le_bytes()]);
        return MESSAGE.extended(&block, 50 + message.len(), 0);
    }
    let index = index.to_le_bytes();
    if let Some(digest) = MESSAGE.few_blocks(&[root, &index, nonce, message]) {
        return digest;
    }
    let mut out = [0; 64];
    MESSAGE.hasher().update(root).update(&index).update(nonce).update(message).finalize_xof().fill(&mut out);
    out
}

/// Reads at most 16 bytes as a little-endian integer.
fn number(bytes: &[u8]) -> u128 {
    let sum = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u128::from(*byte));
    match bytes.split_first_chunk() {
        Some((head, tail)) => u128::from(u64::from_le_bytes(*head)) | sum(tail) << 64,
        None => sum(bytes),
    }
}

/// Returns the message of a batch's Ed25519 signature.
pub(super) fn batch_bytes<S: DsigSuite>(log2: u8, signer: &[u8; 32], root: &[u8; 32]) -> Vec<u8> {
    [domain::DSIG_BATCH.as_bytes(), &[S::NUMBER, log2], signer, root].concat()
}

pub(super) fn verify_root<S: DsigSuite>(
    signer: &PublicKey,
    log2: u8,
    root: &[u8; 32],
    eddsa: &[u8; 64],
) -> Result<()> {
    signer.verify_strict(&batch_bytes::<S>(log2, signer.as_bytes(), root), eddsa)
}

impl<S: DsigSuite> Encode for Signature<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(S::NUMBER);
        w.u8(self.log2);
        w.u16(self.index);
        w.u32(0);
        w.raw(&self.root);
        w.raw(&self.salt);
        w.u32(0);
        w.raw(&self.nonce);
        w.raw(&self.eddsa);
        for sibling in &self.siblings {
            w.raw(sibling);
        }
        w.raw(self.one_time.bytes());
    }

    fn encode(&self) -> Vec<u8> {
        let mut w = Writer::with_capacity(Self::LEN);
        self.encode_to(&mut w);
        w.into_bytes()
    }
}

impl<S: DsigSuite> Decode for Signature<S> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let log2 = header::<S>(r)?;
        let index = r.u16()?;
        if index >= 1 << log2 {
            return Err(Error::Malformed { what: "DSig signature: index outside of its batch" });
        }
        zero(r)?;
        let (root, salt) = (r.array()?, r.array()?);
        zero(r)?;
        let (nonce, eddsa) = (r.array()?, r.array()?);
        let mut siblings = Siblings::default();
        for (level, sibling) in (0u8..).zip(&mut siblings) {
            *sibling = r.array()?;
            if level >= log2 && *sibling != [0; 32] {
                return Err(Error::NonCanonical { what: "DSig signature: siblings above the root" });
            }
        }
        let bytes = r.raw(S::OneTime::SIGNATURE_LEN)?;
        let mut one_time = <S::OneTime as OneTimeScheme>::Signature::zeros(bytes.len());
        one_time.bytes_mut().copy_from_slice(bytes);
        Ok(Self { log2, index, root, salt, nonce, eddsa, siblings, one_time })
    }
}

impl<S: DsigSuite> Clone for Signature<S> {
    fn clone(&self) -> Self {
        Self { one_time: self.one_time.clone(), ..*self }
    }
}

impl<S: DsigSuite> PartialEq for Signature<S> {
    fn eq(&self, other: &Self) -> bool {
        let head = |s: &Self| (s.log2, s.index, s.root, s.salt, s.nonce, s.eddsa, s.siblings);
        head(self) == head(other) && self.one_time == other.one_time
    }
}

impl<S: DsigSuite> Eq for Signature<S> {}

impl<S: DsigSuite> fmt::Debug for Signature<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = hex::encode(self.root.get(..6).unwrap_or_default());
        write!(f, "Signature({}, {root}…, {})", S::NAME, self.index)
    }
}

/// The public keys of a batch, sent before any of them signs. The receiver computes root and paths from these leaves.
/// 68 bytes plus 32 per key.
#[derive(Clone, PartialEq, Eq)]
pub struct Announcement<S: DsigSuite> {
    pub(super) log2: u8,
    pub(super) eddsa: [u8; 64],
    pub(super) leaves: Vec<[u8; 32]>,
    pub(super) suite: PhantomData<S>,
}

impl<S: DsigSuite> Announcement<S> {
    /// Returns the number of announced keys.
    pub fn keys(&self) -> usize {
        self.leaves.len()
    }

    /// Verifies the Ed25519 signature and returns the root. Cost: 127 hashes, one Ed25519 verification.
    ///
    /// # Errors
    /// [`Error::BadSignature`].
    pub fn verify(&self, signer: &PublicKey) -> Result<[u8; 32]> {
        Ok(self.tree(signer)?.root())
    }

    pub(super) fn tree(&self, signer: &PublicKey) -> Result<Tree> {
        let tree = Tree::new(self.log2, self.leaves.clone())
            .ok_or(Error::Malformed { what: "DSig announcement: number of leaves" })?;
        verify_root::<S>(signer, self.log2, &tree.root(), &self.eddsa)?;
        Ok(tree)
    }
}

impl<S: DsigSuite> Encode for Announcement<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(S::NUMBER);
        w.u8(self.log2);
        w.u16(0);
        w.raw(&self.eddsa);
        for leaf in &self.leaves {
            w.raw(leaf);
        }
    }
}

impl<S: DsigSuite> Decode for Announcement<S> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let log2 = header::<S>(r)?;
        if r.u16()? != 0 {
            return Err(Error::NonCanonical { what: "DSig: reserved bytes" });
        }
        let eddsa = r.array()?;
        let leaves = (0..1u32 << log2).map(|_| r.array()).collect::<Result<_>>()?;
        Ok(Self { log2, eddsa, leaves, suite: PhantomData })
    }
}

impl<S: DsigSuite> fmt::Debug for Announcement<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Announcement({}, {} keys)", S::NAME, self.leaves.len())
    }
}

fn header<S: DsigSuite>(r: &mut Reader<'_>) -> Result<u8> {
    r.expect_u8("suite", S::NUMBER)?;
    match r.u8()? {
        log2 if log2 <= MAX_LOG2 => Ok(log2),
        _ => Err(Error::Malformed { what: "DSig: size of the batch" }),
    }
}

fn zero(r: &mut Reader<'_>) -> Result<()> {
    if r.u32()? == 0 { Ok(()) } else { Err(Error::NonCanonical { what: "DSig: reserved bytes" }) }
}
