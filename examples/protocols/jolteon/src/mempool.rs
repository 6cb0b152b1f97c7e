//! Uncommitted batches: stored and certified ones, and those of this member.
//!
//! A member acknowledges at most one batch per slot, and only in slots that the committed chain still admits. Two
//! quorums share an honest member, so at most one batch per slot is ever certified. Storage is bounded per author by
//! the window of slots and by bytes, so an author that floods the others excludes only itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate::certificate::Certificate;
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;

use crate::batch::{Batch, BatchRef};
use crate::ids::{BatchDigest, Slot};
use crate::own_batches::OwnBatches;
use crate::parameters::Parameters;
use crate::sequence::{Inventory, WINDOW};

/// Maximum size in bytes of the references in an own block. References of large committees are long.
const MAX_PAYLOAD_BYTES: usize = 1 << 20;

pub(crate) struct Mempool {
    stored: BTreeMap<BatchDigest, Arc<Batch>>,
    /// The batch acknowledged in each slot.
    slots: BTreeMap<Slot, BatchDigest>,
    bytes: Vec<usize>,
    /// Certified batches in order of arrival.
    certified: BTreeMap<u64, BatchRef>,
    arrivals: BTreeMap<Slot, u64>,
    arrived: u64,
    pub(crate) own: OwnBatches,
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
            stored: BTreeMap::new(),
            slots: BTreeMap::new(),
            bytes: vec![0; members.into()],
            certified: BTreeMap::new(),
            arrivals: BTreeMap::new(),
            arrived: 0,
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
            .is_none_or(|b| b + batch.bytes() > parameters.max_author_bytes);
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
        let (author, bytes) = (usize::from(batch.author()), batch.bytes());
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
            *total = total.saturating_sub(batch.bytes());
        }
    }

    /// Returns true if exactly this certified batch is known, so that its certificate need not be verified again.
    pub(crate) fn knows(&self, batch: &BatchRef) -> bool {
        let known = self.arrivals.get(&batch.header.slot).and_then(|arrival| self.certified.get(arrival));
        known == Some(batch)
    }

    /// Records a certified batch whose certificate was verified. Returns true if it is new.
    pub(crate) fn certify(&mut self, batch: BatchRef, chain: &Inventory) -> bool {
        let slot = batch.header.slot;
        if !chain.admits(slot) || self.arrivals.contains_key(&slot) {
            return false;
        }
        self.arrived += 1;
        self.arrivals.insert(slot, self.arrived);
        self.certified.insert(self.arrived, batch);
        true
    }

    /// Returns the oldest certified batches that a chain still admits, as the payload of a block.
    pub(crate) fn select(&self, chain: &Inventory, limit: usize) -> Vec<BatchRef> {
        let mut chain = chain.clone();
        let mut bytes = 0;
        let fits = |batch: &&BatchRef| {
            bytes += batch.encoded_len();
            bytes <= MAX_PAYLOAD_BYTES
        };
        let admitted = self.certified.values().filter(|batch| chain.include(batch.header.slot));
        admitted.take(limit).take_while(fits).cloned().collect()
    }

    /// Returns the oldest certified batches, to be announced again.
    pub(crate) fn oldest(&self, limit: usize) -> impl Iterator<Item = &BatchRef> {
        self.certified.values().take(limit)
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
mod tests {
    use quorate::certificate::Vote;
    use quorate::machine::Time;

    use super::*;
    use crate::testing::{certify, committees, secret};

    fn batch(author: u16, sequence: u64, byte: u8) -> Arc<Batch> {
        Arc::new(Batch::new(author, sequence, [[byte; 100]]).unwrap())
    }

    fn certified(batch: &Batch) -> BatchRef {
        let identities = committees::<Ed25519>(4).identities;
        let statement = crate::ids::availability(batch.header().slot, &identities, batch.digest());
        BatchRef { header: *batch.header(), certificate: certify(&identities, statement) }
    }

    #[test]
    fn store_enforces_slot_window_and_byte_limit() {
        let parameters = Parameters { max_author_bytes: 1000, ..Parameters::default() };
        let mut mempool = Mempool::new(0, 4);
        let mut chain = Inventory::new(4);
        assert_eq!(mempool.store(&batch(1, 1, 1), &chain, &parameters), StoreOutcome::Stored);
        assert_eq!(mempool.store(&batch(1, 1, 1), &chain, &parameters), StoreOutcome::Duplicate);
        assert_eq!(mempool.store(&batch(1, 1, 2), &chain, &parameters), StoreOutcome::Refused);
        let taken = (2..40)
            .filter(|s| mempool.store(&batch(1, *s, 0), &chain, &parameters) == StoreOutcome::Stored)
            .count();
        assert_eq!(taken, 8, "104 bytes each");
        assert_eq!(
            mempool.store(&batch(2, 1, 1), &chain, &parameters),
            StoreOutcome::Stored,
            "others are not affected"
        );
        chain.include(Slot { author: 1, sequence: 100 });
        let (_, pruned) = mempool.settle(&chain, &[]);
        assert_eq!(pruned.len(), 9);
        assert_eq!(mempool.store(&batch(1, 2, 2), &chain, &parameters), StoreOutcome::Refused);
        assert_eq!(mempool.store(&batch(1, 99, 2), &chain, &parameters), StoreOutcome::Stored);
    }

    #[test]
    fn restart_restores_every_slot_regardless_of_limits() {
        let parameters = Parameters { max_author_bytes: 150, ..Parameters::default() };
        let (mut mempool, chain) = (Mempool::new(0, 4), Inventory::new(4));
        let batches = [batch(1, 1, 1), batch(1, 2, 1)];
        batches.iter().for_each(|batch| mempool.restore(batch, &chain));
        assert!(batches.iter().all(|b| mempool.store(b, &chain, &parameters) == StoreOutcome::Duplicate));
        assert_eq!(mempool.store(&batch(1, 2, 2), &chain, &Parameters::default()), StoreOutcome::Refused);
    }

    #[test]
    fn quorum_certifies_own_batch_and_commit_removes_it() {
        let identities = committees::<Ed25519>(4).identities;
        let parameters = Parameters::default();
        let mut mempool = Mempool::new(0, 4);
        let mut chain = Inventory::new(4);
        let own = batch(0, 1, 1);
        assert_eq!(mempool.store(&own, &chain, &parameters), StoreOutcome::Stored);
        assert!(mempool.own.disseminate(own.clone(), &identities, Time(10), parameters.retry));
        let statement = crate::ids::availability(own.header().slot, &identities, own.digest());
        let mut reference = None;
        for member in 0..3 {
            assert!(reference.is_none());
            let vote = Vote::sign_unguarded(&secret::<Ed25519>(member), &identities, statement).unwrap();
            reference = mempool.own.acknowledge(vote).0;
        }
        let reference = reference.unwrap();
        assert!(reference.is_consistent() && reference.certificate.check(&identities).is_ok());
        assert_eq!(mempool.own.overdue(Time(9), 4, &parameters).len(), 0);
        assert_eq!(mempool.own.overdue(Time(10), 4, &parameters)[0].1, [3]);
        assert!(mempool.certify(reference.clone(), &chain) && mempool.knows(&reference));
        assert!(!mempool.certify(reference.clone(), &chain));
        assert_eq!(mempool.select(&chain, 10).as_slice(), std::slice::from_ref(&reference));
        chain.include(own.header().slot);
        assert_eq!(mempool.select(&chain, 10), []);
        assert_eq!(mempool.settle(&chain, &[reference]), (vec![(1, true)], Vec::new()));
        assert!(mempool.batch(&own.digest()).is_some(), "until it is delivered");
        mempool.release(&own.digest());
        assert_eq!((mempool.pending(), mempool.own.len(), mempool.bytes[0]), (0, 0, 0));
    }

    #[test]
    fn payload_takes_oldest_batches_first_and_no_slot_twice() {
        let chain = Inventory::new(4);
        let mut mempool = Mempool::new(0, 4);
        let batches = [batch(1, 2, 1), batch(2, 1, 1), batch(1, 1, 1)];
        batches.iter().for_each(|batch| assert!(mempool.certify(certified(batch), &chain)));
        let payload = mempool.select(&chain, 2);
        assert_eq!(
            payload.iter().map(BatchRef::digest).collect::<Vec<_>>(),
            [batches[0].digest(), batches[1].digest()]
        );
        assert_eq!(mempool.select(&chain, 9).len(), 3);
        let other = certified(&batch(1, 2, 9));
        assert!(!mempool.knows(&other) && !mempool.certify(other, &chain));
    }
}
