//! Uncommitted batches: stored, certified and own ones.
//!
//! A member acknowledges at most one batch per slot, and only in slots that the committed chain still admits. Two
//! quorums share an honest member, so at most one batch per slot is ever certified. Storage is bounded per author by
//! the window of slots and by bytes, so an author that floods the others excludes only itself.

use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::Arc;

use quorate::certificate::{Certificate, Suspects, Vote, VoteCollector, VoteFault};
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::{MemberIndex, Time};

use crate::batch::{Batch, BatchRef};
use crate::ids::{AVAILABLE, BatchDigest, Slot};
use crate::parameters::{FAILURE_LIMIT, Parameters};
use crate::sequence::{Inventory, WINDOW};

/// Maximum distance between an author's uncommitted batches. Below the chain's window, so that none falls out of it.
const MAX_SPAN: u64 = WINDOW - 16;
/// Maximum size in bytes of the references in an own block. References of large committees are long.
const MAX_PAYLOAD_BYTES: usize = 1 << 20;

pub(crate) struct Mempool {
    me: MemberIndex,
    stored: BTreeMap<BatchDigest, Arc<Batch>>,
    /// The batch acknowledged in each slot.
    slots: BTreeMap<Slot, BatchDigest>,
    bytes: Vec<usize>,
    /// Certified batches in order of arrival.
    certified: BTreeMap<u64, BatchRef>,
    arrivals: BTreeMap<Slot, u64>,
    arrived: u64,
    own: BTreeMap<u64, Own>,
    suspects: Suspects,
    congested: bool,
}

/// A batch of this member.
pub(crate) struct Own {
    pub(crate) batch: Arc<Batch>,
    collector: VoteCollector<Ed25519>,
    acknowledged: Vec<MemberIndex>,
    pub(crate) certificate: Option<BatchRef>,
    due: Time,
    wait: Duration,
}

/// Result of storing a received batch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    /// The batch is new and was stored.
    New,
    /// The batch was already stored.
    Known,
    /// Its slot holds another batch or is too old, or its author has reached a limit.
    Refused,
}

impl Mempool {
    pub(crate) fn new(me: MemberIndex, members: u16) -> Self {
        Self {
            me,
            stored: BTreeMap::new(),
            slots: BTreeMap::new(),
            bytes: vec![0; members.into()],
            certified: BTreeMap::new(),
            arrivals: BTreeMap::new(),
            arrived: 0,
            own: BTreeMap::new(),
            suspects: Suspects::new(),
            congested: false,
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

    /// Number of own batches that are not committed.
    pub(crate) fn outstanding(&self) -> usize {
        self.own.len()
    }

    /// Stores a received batch, so that it can be acknowledged.
    pub(crate) fn store(&mut self, batch: &Arc<Batch>, chain: &Inventory, parameters: &Parameters) -> Stored {
        let slot = batch.header().slot;
        if !chain.admits(slot) {
            return Stored::Refused;
        }
        match self.slots.get(&slot) {
            Some(digest) if *digest == batch.digest() && self.stored.contains_key(digest) => {
                return Stored::Known;
            }
            Some(digest) if *digest != batch.digest() => return Stored::Refused,
            _ => {}
        }
        let first = Slot { sequence: 0, ..slot };
        let last = Slot { sequence: u64::MAX, ..slot };
        let full = self
            .bytes
            .get(usize::from(slot.author))
            .is_none_or(|b| b + batch.bytes() > parameters.max_author_bytes);
        if full || self.slots.range(first..=last).count() >= 2 * WINDOW as usize {
            return Stored::Refused;
        }
        self.slots.insert(slot, batch.digest());
        self.keep(batch.clone());
        Stored::New
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

    /// Returns true if an own batch with this number may be disseminated now.
    pub(crate) fn has_room(&self, sequence: u64) -> bool {
        let lowest = self.own.keys().next().copied().unwrap_or(sequence);
        sequence.abs_diff(lowest) < MAX_SPAN && !self.own.contains_key(&sequence)
    }

    /// Starts to disseminate an own stored batch. Returns false if too many are outstanding.
    pub(crate) fn disseminate(
        &mut self,
        batch: Arc<Batch>,
        identities: &Arc<Committee<Ed25519>>,
        due: Time,
        wait: Duration,
    ) -> bool {
        let (slot, digest) = (batch.header().slot, batch.digest());
        if !self.has_room(slot.sequence) {
            return false;
        }
        let statement = crate::ids::availability(slot, identities, digest);
        let collector = VoteCollector::new(identities.clone(), AVAILABLE, statement.view)
            .with_batch_threshold(2)
            .with_failure_limit(FAILURE_LIMIT);
        let own = Own { batch, collector, acknowledged: Vec::new(), certificate: None, due, wait };
        self.own.insert(slot.sequence, own);
        true
    }

    /// Counts an acknowledgement of an own batch. Returns the batch's reference once a quorum has stored it.
    pub(crate) fn acknowledge(&mut self, vote: Vote<Ed25519>) -> (Option<BatchRef>, Vec<VoteFault<Ed25519>>) {
        let slot = Slot::from_view(vote.statement().view);
        let Some(own) = self.own.get_mut(&slot.sequence) else { return (None, Vec::new()) };
        if slot.author != self.me
            || own.batch.digest().0 != vote.statement().digest
            || own.certificate.is_some()
        {
            return (None, Vec::new());
        }
        let signer = vote.signer();
        let collected = own.collector.add(vote, &mut self.suspects);
        if collected.faults.is_empty() && !own.acknowledged.contains(&signer) {
            own.acknowledged.push(signer);
        }
        let certificate = collected.certificate.map(|certificate| certificate.into_inner());
        let header = *own.batch.header();
        own.certificate = certificate.map(|certificate| BatchRef { header, certificate });
        (own.certificate.clone(), collected.faults)
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
        let admitted = self.certified.values().filter(|batch| chain.note(batch.header.slot));
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
        let mut forgotten = Vec::new();
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
                forgotten.push(digest);
            }
        }
        let mine = chain.author(self.me);
        let done: Vec<u64> = self.own.keys().filter(|sequence| mine.excludes(**sequence)).copied().collect();
        let mut own = Vec::new();
        for sequence in done {
            if let Some(batch) = self.own.remove(&sequence) {
                own.push((sequence, is_committed(&batch.batch.digest())));
            }
        }
        (own, forgotten)
    }

    /// Returns the overdue own batches, each with the members that have not acknowledged it.
    pub(crate) fn overdue(
        &mut self,
        now: Time,
        members: u16,
        parameters: &Parameters,
    ) -> Vec<(&Own, Vec<MemberIndex>)> {
        let me = self.me;
        let mut overdue = Vec::new();
        for own in self.own.values_mut().filter(|own| own.due <= now) {
            own.wait = (own.wait * 2).min(parameters.retry * 16);
            own.due = now.plus(own.wait);
            let missing = (0..members).filter(|m| *m != me && !own.acknowledged.contains(m)).collect();
            overdue.push((&*own, missing));
        }
        overdue
    }

    /// Time at which the next own batch becomes overdue.
    pub(crate) fn due(&self) -> Option<Time> {
        self.own.values().map(|own| own.due).min()
    }

    /// Returns the own batches that a member has not acknowledged.
    pub(crate) fn unacknowledged(&self, member: MemberIndex) -> impl Iterator<Item = &Own> {
        self.own.values().filter(move |own| !own.acknowledged.contains(&member))
    }

    /// Returns the new state of congestion if it has changed since the last call.
    pub(crate) fn congestion(&mut self, parameters: &Parameters) -> Option<bool> {
        let limit = parameters.max_outstanding.min(MAX_SPAN as usize);
        let congested = if self.congested { self.own.len() * 4 > limit * 3 } else { self.own.len() >= limit };
        let changed = congested != self.congested;
        self.congested = congested;
        changed.then_some(congested)
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
        assert_eq!(mempool.store(&batch(1, 1, 1), &chain, &parameters), Stored::New);
        assert_eq!(mempool.store(&batch(1, 1, 1), &chain, &parameters), Stored::Known);
        assert_eq!(mempool.store(&batch(1, 1, 2), &chain, &parameters), Stored::Refused);
        let taken =
            (2..40).filter(|s| mempool.store(&batch(1, *s, 0), &chain, &parameters) == Stored::New).count();
        assert_eq!(taken, 8, "104 bytes each");
        assert_eq!(
            mempool.store(&batch(2, 1, 1), &chain, &parameters),
            Stored::New,
            "others are not affected"
        );
        chain.note(Slot { author: 1, sequence: 100 });
        let (_, forgotten) = mempool.settle(&chain, &[]);
        assert_eq!(forgotten.len(), 9);
        assert_eq!(mempool.store(&batch(1, 2, 2), &chain, &parameters), Stored::Refused);
        assert_eq!(mempool.store(&batch(1, 99, 2), &chain, &parameters), Stored::New);
    }

    #[test]
    fn restart_restores_every_slot_regardless_of_limits() {
        let parameters = Parameters { max_author_bytes: 150, ..Parameters::default() };
        let (mut mempool, chain) = (Mempool::new(0, 4), Inventory::new(4));
        let batches = [batch(1, 1, 1), batch(1, 2, 1)];
        batches.iter().for_each(|batch| mempool.restore(batch, &chain));
        assert!(batches.iter().all(|b| mempool.store(b, &chain, &parameters) == Stored::Known));
        assert_eq!(mempool.store(&batch(1, 2, 2), &chain, &Parameters::default()), Stored::Refused);
    }

    #[test]
    fn quorum_certifies_own_batch_and_commit_removes_it() {
        let identities = committees::<Ed25519>(4).identities;
        let parameters = Parameters::default();
        let mut mempool = Mempool::new(0, 4);
        let mut chain = Inventory::new(4);
        let own = batch(0, 1, 1);
        assert_eq!(mempool.store(&own, &chain, &parameters), Stored::New);
        assert!(mempool.disseminate(own.clone(), &identities, Time(10), parameters.retry));
        let statement = crate::ids::availability(own.header().slot, &identities, own.digest());
        let mut reference = None;
        for member in 0..3 {
            assert!(reference.is_none());
            let vote = Vote::sign_unguarded(&secret::<Ed25519>(member), &identities, statement).unwrap();
            reference = mempool.acknowledge(vote).0;
        }
        let reference = reference.unwrap();
        assert!(reference.is_consistent() && reference.certificate.check(&identities).is_ok());
        assert_eq!(mempool.overdue(Time(9), 4, &parameters).len(), 0);
        assert_eq!(mempool.overdue(Time(10), 4, &parameters)[0].1, [3]);
        assert!(mempool.certify(reference.clone(), &chain) && mempool.knows(&reference));
        assert!(!mempool.certify(reference.clone(), &chain));
        assert_eq!(mempool.select(&chain, 10).as_slice(), std::slice::from_ref(&reference));
        chain.note(own.header().slot);
        assert_eq!(mempool.select(&chain, 10), []);
        assert_eq!(mempool.settle(&chain, &[reference]), (vec![(1, true)], Vec::new()));
        assert!(mempool.batch(&own.digest()).is_some(), "until it is delivered");
        mempool.release(&own.digest());
        assert_eq!((mempool.pending(), mempool.outstanding(), mempool.bytes[0]), (0, 0, 0));
    }

    #[test]
    fn own_batches_stay_within_the_window() {
        let identities = committees::<Ed25519>(4).identities;
        let mut mempool = Mempool::new(0, 4);
        let mut seal =
            |sequence| mempool.disseminate(batch(0, sequence, 1), &identities, Time(0), Duration::ZERO);
        assert!(seal(5) && !seal(5) && seal(5 + MAX_SPAN - 1) && !seal(5 + MAX_SPAN));
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
