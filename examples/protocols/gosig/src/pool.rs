//! The pool: pending transactions, and the identifiers of recently committed ones.
//!
//! Its size is bounded in total and for each member that brings transactions: a member that floods a pool fills only its own
//! share.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use quorate::machine::MemberIndex;
use quorate::merkle::Hash;

use crate::digests::PayloadDigest;
use crate::membership::MAX_CHANGES;
use crate::parameters::Parameters;
use crate::payload::{Payload, Transaction};

/// Number of identifiers of committed transactions that are remembered, so that a late copy does not count as new.
const REMEMBERED_IDS: usize = 1 << 18;
/// Approximate memory that a transaction takes besides its bytes. Without it, a pool of tiny transactions would take many
/// times its limit.
pub(crate) const OVERHEAD: usize = 256;

/// State of the pool. See the [module](self).
pub(crate) struct Pool {
    pending: BTreeMap<Hash, Pending>,
    /// Identifiers by place, oldest first.
    order: BTreeMap<u64, Hash>,
    next: u64,
    bytes: usize,
    brought: BTreeMap<MemberIndex, usize>,
    committed: BTreeSet<Hash>,
    committed_order: VecDeque<Hash>,
    own: BTreeMap<PayloadDigest, SubmittedPayload>,
    owners: BTreeMap<Hash, Vec<PayloadDigest>>,
}

struct Pending {
    transaction: Transaction,
    place: u64,
    /// Member that brought it; `None` for a transaction of this member's clients.
    from: Option<MemberIndex>,
}

/// A payload of this member's clients.
struct SubmittedPayload {
    sequence: Option<u64>,
    /// Number of its transactions that are not committed.
    left: usize,
}

/// Submitted payloads whose transactions are all committed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Settled {
    /// Numbers of those submitted in this run.
    pub(crate) sequences: Vec<u64>,
    /// Digests of all of them.
    pub(crate) payloads: Vec<PayloadDigest>,
}

impl Pool {
    pub(crate) fn new(committed: impl IntoIterator<Item = Hash>) -> Self {
        let mut pool = Self {
            pending: BTreeMap::new(),
            order: BTreeMap::new(),
            next: 0,
            bytes: 0,
            brought: BTreeMap::new(),
            committed: BTreeSet::new(),
            committed_order: VecDeque::new(),
            own: BTreeMap::new(),
            owners: BTreeMap::new(),
        };
        committed.into_iter().for_each(|id| pool.remember(id));
        pool
    }

    /// Returns the number of pending transactions.
    pub(crate) fn len(&self) -> usize {
        self.pending.len()
    }

    /// Bytes of the pending transactions, each with its length.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the memory that counts against the limit of the pool.
    pub(crate) fn footprint(&self) -> usize {
        self.bytes + OVERHEAD * self.pending.len()
    }

    /// Returns the number of pending transactions of this member's clients.
    pub(crate) fn outstanding(&self) -> usize {
        self.own.values().map(|own| own.left).sum()
    }

    /// Returns all pending transactions in no particular order.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Transaction> {
        self.pending.values().map(|pending| &pending.transaction)
    }

    /// Returns true if a transaction is in a recently committed block.
    pub(crate) fn is_committed(&self, id: &Hash) -> bool {
        self.committed.contains(id)
    }

    /// Returns true if a transaction is pending or committed.
    pub(crate) fn is_known(&self, id: &Hash) -> bool {
        self.pending.contains_key(id) || self.is_committed(id)
    }

    /// Adds a transaction that a peer brings. Returns false if it is known or there is no room for it.
    pub(crate) fn add(
        &mut self,
        from: MemberIndex,
        transaction: Transaction,
        parameters: &Parameters,
    ) -> bool {
        let room = OVERHEAD + transaction.encoded_len();
        let brought = self.brought.get(&from).copied().unwrap_or(0);
        let fits = brought + room <= parameters.max_peer_bytes
            && self.footprint() + room <= parameters.max_pool_bytes;
        if self.is_known(&transaction.id()) || !fits {
            return false;
        }
        self.brought.insert(from, brought + room);
        self.insert(transaction, Some(from));
        true
    }

    /// Returns true if there is room for a payload of this member's clients.
    pub(crate) fn has_room(&self, payload: &Payload, parameters: &Parameters) -> bool {
        self.footprint() + payload.bytes() + OVERHEAD * payload.len() <= parameters.max_pool_bytes
    }

    /// Adds a payload of this member's clients. Returns its new transactions, which are to be forwarded, and the
    /// identifiers of those that are committed already.
    pub(crate) fn submit(
        &mut self,
        sequence: Option<u64>,
        payload: &Payload,
    ) -> (Vec<Transaction>, Vec<Hash>) {
        let (mut new, mut committed) = (Vec::new(), Vec::new());
        let mut named = BTreeSet::new();
        for transaction in payload.transactions() {
            let id = transaction.id();
            if self.is_committed(&id) {
                committed.push(id);
                continue;
            }
            if named.insert(id) {
                self.owners.entry(id).or_default().push(payload.digest());
            }
            if !self.pending.contains_key(&id) {
                self.insert(transaction.clone(), None);
                new.push(transaction.clone());
            }
        }
        self.own.insert(payload.digest(), SubmittedPayload { sequence, left: named.len() });
        (new, committed)
    }

    /// Returns true if a payload was submitted here and is pending.
    pub(crate) fn is_own(&self, payload: &PayloadDigest) -> bool {
        self.own.contains_key(payload)
    }

    /// Attaches the driver's number to a pending payload that was restored from the records: the driver outlived the replica
    /// that accepted it, and submits it again. Returns false if the payload is not pending or has a number.
    pub(crate) fn attach_sequence(&mut self, payload: &PayloadDigest, sequence: u64) -> bool {
        let own = self.own.get_mut(payload).filter(|own| own.sequence.is_none());
        own.map(|own| own.sequence = Some(sequence)).is_some()
    }

    /// Removes and returns the submitted payloads that have no pending transactions. That is also the case right after
    /// [`submit`](Self::submit) if all transactions were committed before.
    pub(crate) fn take_settled(&mut self) -> Settled {
        let mut settled = Settled::default();
        self.own.retain(|digest, own| {
            if own.left == 0 {
                settled.sequences.extend(own.sequence);
                settled.payloads.push(*digest);
            }
            own.left > 0
        });
        settled
    }

    /// Returns the oldest transactions within both limits, and with at most [`MAX_CHANGES`] that have the form of a change; at
    /// least one if any is pending.
    pub(crate) fn oldest(&self, max_bytes: usize, max_count: usize) -> Vec<Transaction> {
        let (mut bytes, mut changes, mut taken) = (0, 0, Vec::new());
        for pending in self.order.values().filter_map(|id| self.pending.get(id)) {
            if pending.transaction.is_change() {
                if changes >= MAX_CHANGES {
                    continue;
                }
                changes += 1;
            }
            bytes += pending.transaction.encoded_len();
            if taken.len() >= max_count || (bytes > max_bytes && !taken.is_empty()) {
                break;
            }
            taken.push(pending.transaction.clone());
        }
        taken
    }

    /// Removes the transactions of a committed block. Returns the submitted payloads that this completes.
    pub(crate) fn commit(&mut self, payload: &Payload) -> Settled {
        for id in payload.ids() {
            self.remove(id);
            self.remember(*id);
            for digest in self.owners.remove(id).unwrap_or_default() {
                if let Some(own) = self.own.get_mut(&digest) {
                    own.left -= 1;
                }
            }
        }
        self.take_settled()
    }

    fn insert(&mut self, transaction: Transaction, from: Option<MemberIndex>) {
        let (id, place) = (transaction.id(), self.next);
        self.next += 1;
        self.bytes += transaction.encoded_len();
        self.order.insert(place, id);
        self.pending.insert(id, Pending { transaction, place, from });
    }

    fn remove(&mut self, id: &Hash) {
        let Some(Pending { transaction, place, from }) = self.pending.remove(id) else { return };
        self.order.remove(&place);
        self.bytes -= transaction.encoded_len();
        if let Some(brought) = from.and_then(|from| self.brought.get_mut(&from)) {
            *brought -= OVERHEAD + transaction.encoded_len();
        }
    }

    fn remember(&mut self, id: Hash) {
        if self.committed.insert(id) {
            self.committed_order.push_back(id);
        }
        while self.committed_order.len() > REMEMBERED_IDS {
            if let Some(old) = self.committed_order.pop_front() {
                self.committed.remove(&old);
            }
        }
    }
}

/// Transactions to forward, each with the member that brought it.
#[derive(Default)]
pub(crate) struct Outbox {
    queued: Vec<(Option<MemberIndex>, Transaction)>,
}

impl Outbox {
    pub(crate) fn push(&mut self, from: Option<MemberIndex>, transaction: Transaction) {
        self.queued.push((from, transaction));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queued.is_empty()
    }

    /// Takes all transactions, in messages of about `max_bytes` bytes. Each transaction goes to the first `fanout` of the peers
    /// that did not bring it. Transactions are batched because a message costs more than the few transactions in it.
    pub(crate) fn take(
        &mut self,
        peers: &[MemberIndex],
        fanout: usize,
        max_bytes: usize,
    ) -> Vec<(MemberIndex, Vec<Transaction>)> {
        let queued = std::mem::take(&mut self.queued);
        let mut messages = Vec::new();
        for (place, peer) in peers.iter().enumerate() {
            let (mut bytes, mut list) = (0, Vec::new());
            for (from, transaction) in &queued {
                let before = peers.iter().take(place).filter(|before| Some(**before) != *from).count();
                if *from == Some(*peer) || before >= fanout {
                    continue;
                }
                if bytes + transaction.encoded_len() > max_bytes && !list.is_empty() {
                    messages.push((*peer, std::mem::take(&mut list)));
                    bytes = 0;
                }
                bytes += transaction.encoded_len();
                list.push(transaction.clone());
            }
            if !list.is_empty() {
                messages.push((*peer, list));
            }
        }
        messages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::CHANGE_PREFIX;

    fn transaction(byte: u8) -> Transaction {
        Transaction::new(vec![byte; 6]).unwrap()
    }

    fn payload(bytes: &[u8]) -> Payload {
        Payload::new(bytes.iter().map(|byte| transaction(*byte)).collect()).unwrap()
    }

    #[test]
    fn a_transaction_is_added_once_and_not_after_its_commit() {
        let parameters = Parameters::default();
        let mut pool = Pool::new([transaction(9).id()]);
        assert!(!pool.add(1, transaction(9), &parameters), "committed before the start");
        assert!(pool.add(1, transaction(1), &parameters) && !pool.add(2, transaction(1), &parameters));
        assert_eq!((pool.len(), pool.bytes()), (1, 10));
        assert_eq!(pool.commit(&payload(&[1, 2])), Settled::default());
        assert_eq!((pool.len(), pool.bytes()), (0, 0));
        assert!(!pool.add(1, transaction(1), &parameters) && !pool.add(1, transaction(2), &parameters));
    }

    #[test]
    fn a_member_that_floods_fills_only_its_own_share() {
        let room = OVERHEAD + transaction(1).encoded_len();
        let parameters =
            Parameters { max_peer_bytes: 2 * room, max_pool_bytes: 4 * room, ..Parameters::default() };
        let mut pool = Pool::new([]);
        assert!(pool.add(1, transaction(1), &parameters) && pool.add(1, transaction(2), &parameters));
        assert!(!pool.add(1, transaction(3), &parameters) && pool.add(2, transaction(3), &parameters));
        assert!(pool.add(2, transaction(4), &parameters) && !pool.add(3, transaction(5), &parameters));
        assert!(!pool.has_room(&payload(&[6]), &parameters));
        pool.commit(&payload(&[1]));
        assert!(pool.has_room(&payload(&[6]), &parameters) && pool.add(1, transaction(5), &parameters));
    }

    #[test]
    fn a_restored_payload_takes_one_sequence_number() {
        let mut pool = Pool::new([]);
        pool.submit(None, &payload(&[1]));
        pool.submit(Some(3), &payload(&[2]));
        let mut attach = |bytes, sequence| pool.attach_sequence(&payload(bytes).digest(), sequence);
        assert!(!attach(&[3], 1) && !attach(&[2], 2), "not pending, and already numbered");
        assert!(attach(&[1], 7) && !attach(&[1], 8));
        let mut settled = pool.commit(&payload(&[1, 2])).sequences;
        settled.sort_unstable();
        assert_eq!(settled, [3, 7]);
    }

    #[test]
    fn payloads_settle_with_their_last_transaction() {
        let mut pool = Pool::new([transaction(5).id()]);
        let (new, committed) = pool.submit(Some(7), &payload(&[1, 2, 2, 5]));
        assert_eq!((new.len(), committed), (2, vec![transaction(5).id()]));
        let (new, _) = pool.submit(None, &payload(&[2, 3]));
        assert_eq!((new.len(), pool.outstanding()), (1, 4));
        assert_eq!(pool.commit(&payload(&[1])), Settled::default());
        let first = Settled { sequences: vec![7], payloads: vec![payload(&[1, 2, 2, 5]).digest()] };
        assert_eq!(pool.commit(&payload(&[2])), first);
        let second = Settled { sequences: vec![], payloads: vec![payload(&[2, 3]).digest()] };
        assert_eq!(pool.commit(&payload(&[3])), second);
        drop(pool.submit(Some(8), &payload(&[1, 3])));
        assert_eq!(pool.take_settled().sequences, [8], "all committed before");
        assert_eq!((pool.outstanding(), pool.len()), (0, 0));
    }

    #[test]
    fn the_oldest_go_first_and_one_always_fits() {
        let mut pool = Pool::new([]);
        drop(pool.submit(None, &payload(&[3, 1, 2])));
        assert_eq!(pool.oldest(5, 9), [transaction(3)]);
        assert_eq!(pool.oldest(20, 9), [transaction(3), transaction(1)]);
        assert_eq!(pool.oldest(100, 2).len(), 2);
    }

    #[test]
    fn a_block_gets_a_limited_number_of_changes() {
        let mut pool = Pool::new([]);
        let change = |i: usize| Transaction::new([CHANGE_PREFIX, &i.to_le_bytes()].concat()).unwrap();
        let pending: Vec<_> = (0..MAX_CHANGES + 5).map(change).chain([transaction(1)]).collect();
        drop(pool.submit(None, &Payload::new(pending).unwrap()));
        let taken = Payload::new(pool.oldest(1 << 20, 1000)).unwrap();
        assert_eq!((taken.len(), taken.changes()), (MAX_CHANGES + 1, MAX_CHANGES));
    }

    #[test]
    fn forwarded_transactions_are_batched_and_not_sent_back() {
        let fill = |outbox: &mut Outbox| {
            for (from, byte) in [(None, 1), (Some(4), 2), (None, 3), (None, 5)] {
                outbox.push(from, transaction(byte));
            }
        };
        let mut outbox = Outbox::default();
        fill(&mut outbox);
        let first = |messages: &[(MemberIndex, Vec<Transaction>)]| -> Vec<(MemberIndex, Vec<u8>)> {
            messages.iter().map(|(to, list)| (*to, list.iter().map(|t| t.bytes()[0]).collect())).collect()
        };
        let messages = outbox.take(&[4, 7, 8], 2, 1000);
        assert_eq!(first(&messages), [(4, vec![1, 3, 5]), (7, vec![1, 2, 3, 5]), (8, vec![2])]);
        assert!(outbox.is_empty() && outbox.take(&[1], 1, 1000).is_empty());
        fill(&mut outbox);
        let messages = outbox.take(&[7], 2, 20);
        assert_eq!(first(&messages), [(7, vec![1, 2]), (7, vec![3, 5])], "split at the size limit");
    }
}
