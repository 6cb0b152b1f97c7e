//! Uncommitted batches: stored and certified ones, and those of this member.
//!
//! A member acknowledges at most one batch per slot, and only in slots that the committed chain still admits. Two
//! quorums share an honest member, so at most one batch per slot is ever certified. Storage is bounded per author by
//! the window of slots and by bytes, so an author that floods the others excludes only itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quorate::Error;
use quorate::certificate::Certificate;
use quorate::committee::Committee;
use quorate::ed25519::{Ed25519, Signature};
use quorate::machine::MemberIndex;

use crate::batch::{Batch, BatchRef};
use crate::ids::{BatchDigest, Slot};
use crate::own_batches::OwnBatches;
use crate::parameters::Parameters;
use crate::sequence::{Inventory, WINDOW};

/// Maximum size in bytes of the references in an own block. References of large committees are long.
const MAX_PAYLOAD_BYTES: usize = 1 << 20;

pub(crate) struct Mempool {
    me: MemberIndex,
    stored: BTreeMap<BatchDigest, Arc<Batch>>,
    /// The batch acknowledged in each slot.
    slots: BTreeMap<Slot, BatchDigest>,
    /// The acknowledgements of this member since its start.
    acknowledgements: BTreeMap<Slot, Signature>,
    /// Memory of the stored batches, by author.
    bytes: Vec<usize>,
    /// Certified batches in order of arrival.
    certified: BTreeMap<u64, CertifiedBatch>,
    arrivals: BTreeMap<Slot, u64>,
    arrived: u64,
    /// Members that sent an invalid certificate of a batch.
    distrusted: BTreeSet<MemberIndex>,
    pub(crate) own: OwnBatches,
}

struct CertifiedBatch {
    batch: BatchRef,
    checked: Checked,
}

/// What is known about the certificate of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    /// All its signatures are valid.
    Verified,
    /// It was not verified. It came from this member.
    Unverified(MemberIndex),
}

/// Result of storing a received batch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum StoreOutcome {
    /// The batch is new and was stored.
    Stored,
    /// The batch was already stored.
    Duplicate,
    /// Its slot holds another batch or is too old, or its author has reached a limit.
    Refused,
}

impl Mempool {
    pub(crate) fn new(me: MemberIndex, members: u16) -> Self {
        Self {
            me,
            stored: BTreeMap::new(),
            slots: BTreeMap::new(),
            acknowledgements: BTreeMap::new(),
            bytes: vec![0; members.into()],
            certified: BTreeMap::new(),
            arrivals: BTreeMap::new(),
            arrived: 0,
            distrusted: BTreeSet::new(),
            own: OwnBatches::new(me),
        }
    }

    /// Returns a stored batch.
    pub(crate) fn batch(&self, digest: &BatchDigest) -> Option<&Arc<Batch>> {
        self.stored.get(digest)
    }

    /// Number of certified batches that are not committed.
    pub(crate) fn pending(&self) -> usize {
        self.certified.len()
    }

    /// Stores a received batch, so that it can be acknowledged.
    pub(crate) fn store(
        &mut self,
        batch: &Arc<Batch>,
        chain: &Inventory,
        parameters: &Parameters,
    ) -> StoreOutcome {
        let slot = batch.header().slot;
        if !chain.admits(slot) {
            return StoreOutcome::Refused;
        }
        match self.slots.get(&slot) {
            Some(digest) if *digest == batch.digest() && self.stored.contains_key(digest) => {
                return StoreOutcome::Duplicate;
            }
            Some(digest) if *digest != batch.digest() => return StoreOutcome::Refused,
            _ => {}
        }
        let first = Slot { sequence: 0, ..slot };
        let last = Slot { sequence: u64::MAX, ..slot };
        let full = self
            .bytes
            .get(usize::from(slot.author))
            .is_none_or(|b| b + batch.footprint() > parameters.max_author_bytes);
        if full || self.slots.range(first..=last).count() >= 2 * WINDOW as usize {
            return StoreOutcome::Refused;
        }
        self.slots.insert(slot, batch.digest());
        self.keep(batch.clone());
        StoreOutcome::Stored
    }

    /// Restores a batch from the records without checking the limits, because its slot may have been acknowledged.
    pub(crate) fn restore(&mut self, batch: &Arc<Batch>, chain: &Inventory) {
        let slot = batch.header().slot;
        if chain.admits(slot) && *self.slots.entry(slot).or_insert(batch.digest()) == batch.digest() {
            self.keep(batch.clone());
        }
    }

    /// Stores a batch referenced by a block, in any slot.
    pub(crate) fn keep(&mut self, batch: Arc<Batch>) {
        let (author, bytes) = (usize::from(batch.author()), batch.footprint());
        if self.stored.insert(batch.digest(), batch).is_none()
            && let Some(total) = self.bytes.get_mut(author)
        {
            *total += bytes;
        }
    }

    /// Removes a delivered batch.
    pub(crate) fn release(&mut self, digest: &BatchDigest) {
        if let Some(batch) = self.stored.remove(digest)
            && let Some(total) = self.bytes.get_mut(usize::from(batch.author()))
        {
            *total = total.saturating_sub(batch.footprint());
        }
    }

    /// Remembers this member's acknowledgement of a batch that it stores.
    pub(crate) fn acknowledged(&mut self, slot: Slot, acknowledgement: Signature) {
        self.acknowledgements.insert(slot, acknowledgement);
    }

    /// Returns the batch if this member stores it as that of its slot.
    pub(crate) fn acknowledged_batch(&self, batch: &BatchRef) -> Option<&Arc<Batch>> {
        let acknowledged = self.slots.get(&batch.header.slot).filter(|digest| **digest == batch.digest())?;
        self.stored.get(acknowledged)
    }

    /// Returns true if a certificate contains this member's own acknowledgement of the batch. The member sent it when the batch
    /// was durable, and no other member can make it.
    pub(crate) fn has_own_acknowledgement(&self, batch: &BatchRef) -> bool {
        let slot = &batch.header.slot;
        let own = self.acknowledgements.get(slot).filter(|_| self.slots.get(slot) == Some(&batch.digest()));
        let signed = batch.certificate.proof().iter().find(|(signer, _)| *signer == self.me);
        signed.zip(own).is_some_and(|((_, signature), own)| signature == own)
    }

    /// Returns what is known about this certified batch with exactly this certificate.
    pub(crate) fn known(&self, batch: &BatchRef) -> Option<Checked> {
        let known = self.arrivals.get(&batch.header.slot).and_then(|arrival| self.certified.get(arrival));
        known.filter(|known| known.batch == *batch).map(|known| known.checked)
    }

    /// Returns true if certificates of a member's own batches need not be verified at once: it sent no invalid one, and few are
    /// unverified.
    pub(crate) fn trusts(&self, author: MemberIndex) -> bool {
        let slots = Slot { author, sequence: 0 }..=Slot { author, sequence: u64::MAX };
        let known = self.arrivals.range(slots).filter_map(|(_, arrival)| self.certified.get(arrival));
        let unverified = known.filter(|known| known.checked != Checked::Verified).count();
        !self.distrusted.contains(&author) && unverified < WINDOW as usize
    }

    /// Returns what is known about the certificate in a slot.
    pub(crate) fn checked(&self, slot: &Slot) -> Option<Checked> {
        self.arrivals.get(slot).and_then(|arrival| self.certified.get(arrival)).map(|known| known.checked)
    }

    /// Records a certified batch. A verified certificate replaces one that was not.
    pub(crate) fn certify(&mut self, batch: BatchRef, checked: Checked, chain: &Inventory) {
        let slot = batch.header.slot;
        if !chain.admits(slot) {
            return;
        }
        let arrival = match self.arrivals.get(&slot) {
            None => {
                self.arrived += 1;
                self.arrived
            }
            Some(arrival)
                if checked == Checked::Verified && self.checked(&slot) != Some(Checked::Verified) =>
            {
                *arrival
            }
            Some(_) => return,
        };
        self.arrivals.insert(slot, arrival);
        self.certified.insert(arrival, CertifiedBatch { batch, checked });
    }

    /// Verifies the certificates that were not verified, in one batch verification. Returns the members that sent invalid ones,
    /// which it [distrusts](Self::distrust), with the errors.
    pub(crate) fn verify(
        &mut self,
        batches: &[BatchRef],
        identities: &Committee<Ed25519>,
    ) -> Vec<(MemberIndex, Error)> {
        let unverified: Vec<(BatchRef, MemberIndex)> = batches
            .iter()
            .filter_map(|batch| match self.known(batch)? {
                Checked::Verified => None,
                Checked::Unverified(sender) => Some((batch.clone(), sender)),
            })
            .collect();
        let certificates = unverified.iter().map(|(batch, _)| batch.certificate.clone()).collect();
        let results = Certificate::verify_batch_derived(identities, certificates);
        let mut invalid = Vec::new();
        for ((batch, sender), result) in unverified.into_iter().zip(results) {
            let Some(arrival) = self.arrivals.get(&batch.header.slot).copied() else { continue };
            match result {
                Ok(_) => {
                    self.certified.insert(arrival, CertifiedBatch { batch, checked: Checked::Verified });
                }
                Err(error) => invalid.push((sender, error)),
            }
        }
        invalid.iter().for_each(|(sender, _)| self.distrust(*sender));
        invalid
    }

    /// Removes the batches of a member that sent an invalid certificate, except those whose certificates were verified. From now
    /// on its certificates are verified at once.
    pub(crate) fn distrust(&mut self, sender: MemberIndex) {
        self.distrusted.insert(sender);
        self.certified.retain(|_, known| known.checked != Checked::Unverified(sender));
        self.arrivals.retain(|_, arrival| self.certified.contains_key(arrival));
    }

    /// Returns the oldest certified batches that a chain still admits, as the payload of a block.
    pub(crate) fn select(&self, chain: &Inventory, limit: usize) -> Vec<BatchRef> {
        let mut chain = chain.clone();
        let mut bytes = 0;
        let fits = |batch: &&BatchRef| {
            bytes += batch.encoded_len();
            bytes <= MAX_PAYLOAD_BYTES
        };
        let batches = self.certified.values().map(|known| &known.batch);
        let admitted = batches.filter(|batch| chain.include(batch.header.slot));
        admitted.take(limit).take_while(fits).cloned().collect()
    }

    /// Returns the oldest certified batches.
    pub(crate) fn oldest(&self, limit: usize) -> Vec<BatchRef> {
        self.certified.values().take(limit).map(|known| known.batch.clone()).collect()
    }

    /// Removes, after a commit, the batches that the chain contains or excludes. Returns the removed own batches, each
    /// with true if it was committed, and the stored batches that can never be committed.
    pub(crate) fn settle(
        &mut self,
        chain: &Inventory,
        committed: &[BatchRef],
    ) -> (Vec<(u64, bool)>, Vec<BatchDigest>) {
        for slot in self.arrivals.keys().filter(|slot| !chain.admits(**slot)).copied().collect::<Vec<_>>() {
            if let Some(arrival) = self.arrivals.remove(&slot) {
                self.certified.remove(&arrival);
            }
        }
        let is_committed = |digest: &BatchDigest| committed.iter().any(|batch| batch.digest() == *digest);
        let mut pruned = Vec::new();
        let gone: Vec<(Slot, BatchDigest)> = self
            .slots
            .iter()
            .filter(|(slot, _)| !chain.admits(**slot))
            .map(|(slot, d)| (*slot, *d))
            .collect();
        for (slot, digest) in gone {
            self.slots.remove(&slot);
            self.acknowledgements.remove(&slot);
            if !is_committed(&digest) {
                self.release(&digest);
                pruned.push(digest);
            }
        }
        (self.own.settle(chain, is_committed), pruned)
    }
}

/// Verifies the certificates of all batches referenced by a block in one batch verification.
pub(crate) fn check_certificates(
    identities: &Committee<Ed25519>,
    certificates: Vec<Certificate<Ed25519>>,
) -> quorate::Result<()> {
    match certificates.as_slice() {
        [] => Ok(()),
        [one] => one.check(identities),
        _ => Certificate::verify_batch_derived(identities, certificates)
            .into_iter()
            .try_for_each(|r| r.map(drop)),
    }
}

#[cfg(test)]
mod tests;
