use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use core::marker::PhantomData;

use super::signature::Signature;
use super::suite::Suite;
use super::verifier::Known;
use crate::ed25519::PublicKey;
use crate::{Error, Result};

/// A signature in a log, whose it is and of what.
pub struct Entry<'a, S: Suite> {
    /// The key that should have signed.
    pub signer: &'a PublicKey,
    /// What it should have signed.
    pub message: &'a [u8],
    /// The signature.
    pub signature: &'a Signature<S>,
}

/// Verifies many signatures, as in a log, without any background traffic: one Ed25519 verification per batch of keys,
/// and every node of a batch's tree is hashed once. It knows no signers beforehand; whom to trust is the caller's.
pub struct Auditor<S: Suite> {
    roots: usize,
    known: BTreeMap<Name, Known>,
    order: VecDeque<Name>,
    suite: PhantomData<S>,
}

/// Signer, root and size: what says which key an index means.
type Name = ([u8; 32], [u8; 32], u8);

impl<S: Suite> Auditor<S> {
    /// An auditor that remembers so many batches, at least one; the oldest gives way. Memory: about 12 kB each.
    pub fn new(roots: usize) -> Self {
        Self { roots: roots.max(1), known: BTreeMap::new(), order: VecDeque::new(), suite: PhantomData }
    }

    /// Verifies the next signature of a log. Cost: one BLAKE3 of the message, about 102 chain steps in suites 1 to 3;
    /// the hashes of its path that are not known; one Ed25519 verification if its batch is not.
    ///
    /// # Errors
    /// [`Error::BadSignature`] exactly if [`Signature::verify`] refuses it; [`Error::OneTimeReuse`] if its key signed
    /// something else before, in a batch that is remembered.
    pub fn check(&mut self, signer: &PublicKey, message: &[u8], signature: &Signature<S>) -> Result<()> {
        let digest = signature.digest(message);
        let leaf = signature.leaf(&digest).ok_or_else(Error::bad_signature)?;
        let name = (*signer.as_bytes(), signature.root, signature.log2);
        if let Some(known) = self.known.get_mut(&name) {
            if !known.matches(signature) {
                // The same keys under another Ed25519 signature.
                signature.verify(signer, message)?;
                return known.note(signature.index, &digest);
            }
            return known.admit(signature, leaf, &digest);
        }
        let mut known = Known::of_root(signature);
        known.admit(signature, leaf, &digest)?;
        signature.verify_root(signer)?;
        self.known.insert(name, known);
        self.order.push_back(name);
        if self.order.len() > self.roots {
            self.order.pop_front().and_then(|oldest| self.known.remove(&oldest));
        }
        Ok(())
    }
}

/// The most batches that `verify_all` remembers.
pub(super) const ROOTS: usize = 1024;

/// Verifies signatures together, in their order: one outcome each, that of an [`Auditor`] of 1,024 batches. Whoever
/// must find every reuse in a log of more takes one of as many. Cost: for each signature about 102 chain steps in
/// suites 1 to 3, for each batch of keys one Ed25519 verification. Memory: about 12 kB for each batch, at most 12 MB;
/// what an attacker sends for it is a signature.
pub fn verify_all<S: Suite>(entries: &[Entry<'_, S>]) -> Vec<Result<()>> {
    let mut auditor = Auditor::new(entries.len().min(ROOTS));
    entries.iter().map(|entry| auditor.check(entry.signer, entry.message, entry.signature)).collect()
}
