//! The transactions of this member's clients that are not committed.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use quorate::Result;
use quorate::merkle::Hash;
use quorate_protocol::batch::Batch;

use crate::epoch;
use crate::random::SeededRandom;

/// A transaction of a client's batch.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    batch: Arc<Batch>,
    place: usize,
}

impl Entry {
    fn id(&self) -> Option<&Hash> {
        self.batch.ids().get(self.place)
    }
}

impl AsRef<[u8]> for Entry {
    fn as_ref(&self) -> &[u8] {
        self.batch.transaction(self.place).unwrap_or_default()
    }
}

/// Transactions in the order in which clients submitted them, and the batches that wait for them.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// Transactions that are in no running proposal; some may be committed meanwhile.
    queue: VecDeque<Entry>,
    /// For each transaction that is not committed, the batches that wait for it.
    waiting: HashMap<Hash, Vec<u64>>,
    batches: BTreeMap<u64, Waiting>,
    bytes: usize,
}

#[derive(Debug)]
struct Waiting {
    batch: Arc<Batch>,
    /// Number of its transactions that are not committed.
    left: usize,
}

impl Pending {
    /// Number of transactions that are not committed.
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Bytes of the batches that wait.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Number of transactions that can be proposed, at most.
    pub(super) fn proposable(&self) -> usize {
        self.queue.len().min(self.waiting.len())
    }

    pub(super) fn contains_batch(&self, sequence: u64) -> bool {
        self.batches.contains_key(&sequence)
    }

    /// Adds a batch. Returns true if all of its transactions are committed.
    pub(super) fn add(&mut self, batch: Arc<Batch>, is_committed: impl Fn(&Hash) -> bool) -> bool {
        let sequence = batch.sequence();
        let mut left = 0;
        for (place, id) in batch.ids().iter().enumerate() {
            if is_committed(id) {
                continue;
            }
            left += 1;
            let waiting = self.waiting.entry(*id).or_default();
            if waiting.is_empty() {
                self.queue.push_back(Entry { batch: batch.clone(), place });
            }
            waiting.push(sequence);
        }
        if left > 0 {
            self.bytes += batch.bytes();
            self.batches.insert(sequence, Waiting { batch, left });
        }
        left == 0
    }

    /// Chooses transactions for a proposal: see [`epoch::Batch::choose`].
    pub(super) fn choose(
        &mut self,
        batch: usize,
        members: u16,
        max_bytes: usize,
        random: &mut SeededRandom,
    ) -> Result<Vec<Entry>> {
        let mut oldest = Vec::new();
        while oldest.len() < batch
            && let Some(entry) = self.queue.pop_front()
        {
            if entry.id().is_some_and(|id| self.waiting.contains_key(id)) {
                oldest.push(entry);
            }
        }
        let chosen = epoch::Batch::choose_places(&oldest, batch, members, max_bytes, random)?;
        let (mut next, mut taken) = (chosen.into_iter().peekable(), Vec::new());
        let mut left = Vec::new();
        for (place, entry) in oldest.into_iter().enumerate() {
            let is_chosen = next.next_if_eq(&place).is_some();
            if is_chosen { &mut taken } else { &mut left }.push(entry);
        }
        left.into_iter().rev().for_each(|entry| self.queue.push_front(entry));
        Ok(taken)
    }

    /// Takes the transactions of a recorded proposal out of the queue.
    pub(super) fn take(&mut self, ids: &[Hash]) -> Vec<Entry> {
        let ids: std::collections::HashSet<&Hash> = ids.iter().collect();
        let is_taken = |entry: &Entry| entry.id().is_some_and(|id| ids.contains(id));
        let (taken, left): (VecDeque<_>, VecDeque<_>) = self.queue.drain(..).partition(is_taken);
        self.queue = left;
        taken.into()
    }

    /// Puts transactions of a proposal back that its epoch did not decide, before newer ones.
    pub(super) fn put_back(&mut self, entries: Vec<Entry>) {
        for entry in entries.into_iter().rev() {
            if entry.id().is_some_and(|id| self.waiting.contains_key(id)) {
                self.queue.push_front(entry);
            }
        }
    }

    /// Notes that a transaction is committed, and adds the batches that waited for nothing else to `settled`.
    pub(super) fn commit(&mut self, id: &Hash, settled: &mut Vec<Arc<Batch>>) {
        for sequence in self.waiting.remove(id).unwrap_or_default() {
            let Some(waiting) = self.batches.get_mut(&sequence) else { continue };
            waiting.left = waiting.left.saturating_sub(1);
            if waiting.left == 0
                && let Some(Waiting { batch, .. }) = self.batches.remove(&sequence)
            {
                self.bytes = self.bytes.saturating_sub(batch.bytes());
                settled.push(batch);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(sequence: u64, transactions: &[&str]) -> Arc<Batch> {
        Arc::new(Batch::new(0, sequence, transactions).unwrap())
    }

    fn texts(entries: &[Entry]) -> Vec<&str> {
        entries.iter().map(|entry| std::str::from_utf8(entry.as_ref()).unwrap()).collect()
    }

    fn choose(pending: &mut Pending, number: usize) -> Vec<Entry> {
        pending.choose(number, 1, 1000, &mut SeededRandom::new([1; 32])).unwrap()
    }

    #[test]
    fn a_batch_is_settled_by_the_last_of_its_transactions() {
        let mut pending = Pending::default();
        let (first, second) = (batch(1, &["a", "b", "a"]), batch(2, &["b", "c"]));
        assert!(!pending.add(first.clone(), |_| false) && !pending.add(second.clone(), |_| false));
        assert_eq!((pending.len(), pending.proposable()), (3, 3), "each transaction is proposed once");
        let mut settled = Vec::new();
        pending.commit(&first.ids()[0], &mut settled);
        assert!(settled.is_empty() && pending.contains_batch(1));
        pending.commit(&first.ids()[1], &mut settled);
        assert!(settled.len() == 1 && settled[0] == first);
        let committed = batch(3, &["a"]);
        assert!(pending.add(committed, |id| *id == first.ids()[0]));
        pending.commit(&second.ids()[1], &mut settled);
        assert_eq!((settled.len(), pending.len(), pending.bytes()), (2, 0, 0));
        assert!(choose(&mut pending, 10).is_empty());
    }

    #[test]
    fn proposals_keep_the_order_and_come_back() {
        let mut pending = Pending::default();
        let all = batch(1, &["a", "b", "c", "d"]);
        pending.add(all.clone(), |_| false);
        let chosen = choose(&mut pending, 2);
        assert_eq!(texts(&chosen), ["a", "b"]);
        pending.commit(&all.ids()[0], &mut Vec::new());
        pending.put_back(chosen);
        assert_eq!(texts(&choose(&mut pending, 3)), ["b", "c", "d"]);
        let mut again = Pending::default();
        again.add(all.clone(), |_| false);
        assert_eq!(texts(&again.take(&all.ids()[1..3])), ["b", "c"]);
        assert_eq!(texts(&choose(&mut again, 9)), ["a", "d"]);
    }
}
