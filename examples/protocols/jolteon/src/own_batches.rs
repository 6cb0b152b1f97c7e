//! The uncommitted batches of this member: their acknowledgements, certificates and repetitions.

use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::Arc;

use quorate::certificate::{Suspects, Vote, VoteCollector, VoteFault};
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::{MemberIndex, Time};

use crate::batch::{Batch, BatchRef};
use crate::ids::{AVAILABLE, BatchDigest, Slot};
use crate::parameters::{FAILURE_LIMIT, Parameters};
use crate::sequence::{Inventory, WINDOW};

/// Maximum distance between an author's uncommitted batches. Below the chain's window, so that none falls out of it.
const MAX_SPAN: u64 = WINDOW - 16;

/// The batches of this member that are not committed.
pub(crate) struct OwnBatches {
    me: MemberIndex,
    /// The batches by number.
    batches: BTreeMap<u64, OwnBatch>,
    suspects: Suspects,
    congested: bool,
}

/// A batch of this member.
pub(crate) struct OwnBatch {
    pub(crate) batch: Arc<Batch>,
    collector: VoteCollector<Ed25519>,
    acknowledged: Vec<MemberIndex>,
    pub(crate) certificate: Option<BatchRef>,
    due: Time,
    wait: Duration,
}

impl OwnBatches {
    pub(crate) fn new(me: MemberIndex) -> Self {
        Self { me, batches: BTreeMap::new(), suspects: Suspects::new(), congested: false }
    }

    /// Number of batches.
    pub(crate) fn len(&self) -> usize {
        self.batches.len()
    }

    /// Returns true if a batch with this number may be disseminated now.
    pub(crate) fn has_room(&self, sequence: u64) -> bool {
        let lowest = self.batches.keys().next().copied().unwrap_or(sequence);
        sequence.abs_diff(lowest) < MAX_SPAN && !self.batches.contains_key(&sequence)
    }

    /// Starts to disseminate a stored batch. Returns false if too many are outstanding.
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
        let own = OwnBatch { batch, collector, acknowledged: Vec::new(), certificate: None, due, wait };
        self.batches.insert(slot.sequence, own);
        true
    }

    /// Counts an acknowledgement of a batch. Returns the batch's reference once a quorum has stored it.
    pub(crate) fn acknowledge(&mut self, vote: Vote<Ed25519>) -> (Option<BatchRef>, Vec<VoteFault<Ed25519>>) {
        let slot = Slot::from_view(vote.statement().view);
        let Some(own) = self.batches.get_mut(&slot.sequence) else { return (None, Vec::new()) };
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

    /// Removes, after a commit, the batches that the chain contains or excludes. Returns their numbers, each with true if
    /// the batch was committed.
    pub(crate) fn settle(
        &mut self,
        chain: &Inventory,
        is_committed: impl Fn(&BatchDigest) -> bool,
    ) -> Vec<(u64, bool)> {
        let mine = chain.author(self.me);
        let mut settled = Vec::new();
        self.batches.retain(|sequence, own| {
            let is_open = !mine.excludes(*sequence);
            if !is_open {
                settled.push((*sequence, is_committed(&own.batch.digest())));
            }
            is_open
        });
        settled
    }

    /// Returns the overdue batches, each with the members that have not acknowledged it.
    pub(crate) fn overdue(
        &mut self,
        now: Time,
        members: u16,
        parameters: &Parameters,
    ) -> Vec<(&OwnBatch, Vec<MemberIndex>)> {
        let me = self.me;
        let mut overdue = Vec::new();
        for own in self.batches.values_mut().filter(|own| own.due <= now) {
            own.wait = (own.wait * 2).min(parameters.retry * 16);
            own.due = now.plus(own.wait);
            let missing = (0..members).filter(|m| *m != me && !own.acknowledged.contains(m)).collect();
            overdue.push((&*own, missing));
        }
        overdue
    }

    /// Time at which the next batch becomes overdue.
    pub(crate) fn due(&self) -> Option<Time> {
        self.batches.values().map(|own| own.due).min()
    }

    /// Returns the batches that a member has not acknowledged.
    pub(crate) fn unacknowledged(&self, member: MemberIndex) -> impl Iterator<Item = &OwnBatch> {
        self.batches.values().filter(move |own| !own.acknowledged.contains(&member))
    }

    /// Returns the new state of congestion if it has changed since the last call.
    pub(crate) fn congestion(&mut self, parameters: &Parameters) -> Option<bool> {
        let limit = parameters.max_outstanding.min(MAX_SPAN as usize);
        let congested =
            if self.congested { self.batches.len() * 4 > limit * 3 } else { self.batches.len() >= limit };
        let changed = congested != self.congested;
        self.congested = congested;
        changed.then_some(congested)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::committees;

    #[test]
    fn own_batches_stay_within_the_window() {
        let identities = committees::<Ed25519>(4).identities;
        let mut own = OwnBatches::new(0);
        let mut seal = |sequence| {
            let batch = Arc::new(Batch::new(0, sequence, [[1; 100]]).unwrap());
            own.disseminate(batch, &identities, Time(0), Duration::ZERO)
        };
        assert!(seal(5) && !seal(5) && seal(5 + MAX_SPAN - 1) && !seal(5 + MAX_SPAN));
    }
}
