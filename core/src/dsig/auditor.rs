use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use core::marker::PhantomData;

use super::signature::Signature;
use super::suite::DsigSuite;
use super::verifier::KnownBatch;
use crate::ed25519::PublicKey;
use crate::{Error, Result};

/// A signature in a log, with its signer and message.
pub struct Entry<'a, S: DsigSuite> {
    /// Key of the expected signer.
    pub signer: &'a PublicKey,
    /// The expected message.
    pub message: &'a [u8],
    /// The signature.
    pub signature: &'a Signature<S>,
}

/// Verifies many signatures, as in a log, without announcements.
///
/// It needs one Ed25519 verification per batch of keys, and hashes every node of a batch's tree once. It has no set of
/// known signers; the caller decides which to trust.
pub struct Auditor<S: DsigSuite> {
    roots: usize,
    known: BTreeMap<BatchId, KnownBatch>,
    order: VecDeque<BatchId>,
    suite: PhantomData<S>,
}

/// Identifies the batch of an index: signer, root and log2 of its size.
type BatchId = ([u8; 32], [u8; 32], u8);

impl<S: DsigSuite> Auditor<S> {
    /// Creates an auditor that stores `roots` batches, at least one, and evicts the oldest. Memory: about 12 kB each.
    pub fn new(roots: usize) -> Self {
        Self { roots: roots.max(1), known: BTreeMap::new(), order: VecDeque::new(), suite: PhantomData }
    }

    /// Verifies the next signature of a log. Cost: one BLAKE3 of the message, about 102 chain steps in suites 1 to 3;
    /// the hashes of its path that are not known yet; one Ed25519 verification if its batch is not known.
    ///
    /// # Errors
    /// [`Error::BadSignature`] exactly if [`Signature::verify`] refuses it; [`Error::OneTimeReuse`] if its key signed
    /// another message before, in a batch that is still stored.
    pub fn check(&mut self, signer: &PublicKey, message: &[u8], signature: &Signature<S>) -> Result<()> {
        let digest = signature.digest(message);
        let leaf = signature.leaf(&digest).ok_or_else(Error::bad_signature)?;
        let id = (*signer.as_bytes(), signature.root, signature.log2);
        if let Some(known) = self.known.get_mut(&id) {
            if !known.matches(signature) {
                // The same keys under another Ed25519 signature.
                signature.verify(signer, message)?;
                return known.note(signature.index, &digest);
            }
            return known.admit(signature, leaf, &digest);
        }
        let mut known = KnownBatch::unverified(signature);
        known.admit(signature, leaf, &digest)?;
        signature.verify_root(signer)?;
        self.known.insert(id, known);
        self.order.push_back(id);
        if self.order.len() > self.roots {
            self.order.pop_front().and_then(|oldest| self.known.remove(&oldest));
        }
        Ok(())
    }
}

/// Maximum number of batches that `verify_all` stores.
pub(super) const MAX_BATCHES: usize = 1024;

/// Verifies signatures in order and returns one result each, as an [`Auditor`] of 1,024 batches does.
///
/// To find every reuse in a log of more batches, use an [`Auditor`] of that size. Cost: about 102 chain steps per
/// signature in suites 1 to 3, one Ed25519 verification per batch of keys. Memory: about 12 kB per batch, at most 12
/// MB; an attacker must send one signature per batch to cause it.
pub fn verify_all<S: DsigSuite>(entries: &[Entry<'_, S>]) -> Vec<Result<()>> {
    let mut auditor = Auditor::new(entries.len().min(MAX_BATCHES));
    entries.iter().map(|entry| auditor.check(entry.signer, entry.message, entry.signature)).collect()
}
