//! Transactions that wait to be ordered, and what is remembered of those that were.
//!
//! Bounded in all, and for each member who brings some: whoever floods a pool fills its own share only.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use quorate::machine::MemberIndex;
use quorate::merkle::Hash;

use crate::digests::PayloadDigest;
use crate::parameters::Parameters;
use crate::payload::{Payload, Transaction};

/// So many identifiers of committed transactions are remembered, so that a late copy is not taken for a new one.
const REMEMBERED_IDS: usize = 1 << 18;
/// What a transaction takes up here besides its bytes, about. Were it not counted, a pool of tiny ones would hold many
/// times what it may.
pub(crate) const OVERHEAD: usize = 256;

/// See the [module](self).
pub(crate) struct Pool {
    waiting: BTreeMap<Hash, Waiting>,
    /// Oldest first.
    order: BTreeMap<u64, Hash>,
    next: u64,
    bytes: usize,
    brought: BTreeMap<MemberIndex, usize>,
    committed: BTreeSet<Hash>,
    committed_order: VecDeque<Hash>,
    own: BTreeMap<PayloadDigest, Own>,
    owners: BTreeMap<Hash, Vec<PayloadDigest>>,
}

struct Waiting {
    transaction: Transaction,
    place: u64,
    /// Who brought it; `None` for one of this member's clients'.
    from: Option<MemberIndex>,
}

/// A payload that was submitted here.
struct Own {
    sequence: Option<u64>,
    left: usize,
}

/// What a commit means to those who submitted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Settled {
    /// Payloads of this run of which all is committed now.
    pub(crate) sequences: Vec<u64>,
    /// All such payloads.
    pub(crate) payloads: Vec<PayloadDigest>,
}

impl Pool {
    pub(crate) fn new(known: impl IntoIterator<Item = Hash>) -> Self {
        let mut pool = Self {
            waiting: BTreeMap::new(),
            order: BTreeMap::new(),
            next: 0,
            bytes: 0,
            brought: BTreeMap::new(),
            committed: BTreeSet::new(),
            committed_order: VecDeque::new(),
            own: BTreeMap::new(),
            owners: BTreeMap::new(),
        };
        known.into_iter().for_each(|id| pool.remember(id));
        pool
    }

    /// How many transactions wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Bytes of those that wait.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How much of the room that there is they take up.
    pub(crate) fn held(&self) -> usize {
        self.bytes + OVERHEAD * self.waiting.len()
    }

    /// How many of this member's clients' wait.
    pub(crate) fn outstanding(&self) -> usize {
        self.own.values().map(|own| own.left).sum()
    }

    /// All that wait, in no order.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Transaction> {
        self.waiting.values().map(|waiting| &waiting.transaction)
    }

    /// Whether a transaction is in a block that was committed lately.
    pub(crate) fn is_committed(&self, id: &Hash) -> bool {
        self.committed.contains(id)
    }

    /// Takes a transaction from a peer; false if it is known, or there is no room for it.
    pub(crate) fn add(
        &mut self,
        from: MemberIndex,
        transaction: Transaction,
        parameters: &Parameters,
    ) -> bool {
        let room = OVERHEAD + transaction.encoded_len();
        let brought = self.brought.get(&from).copied().unwrap_or(0);
        let fits =
            brought + room <= parameters.max_peer_bytes && self.held() + room <= parameters.max_pool_bytes;
        if self.waiting.contains_key(&transaction.id()) || self.is_committed(&transaction.id()) || !fits {
            return false;
        }
        self.brought.insert(from, brought + room);
        self.insert(transaction, Some(from));
        true
    }

    /// Whether there is room for a payload of this member's clients.
    pub(crate) fn has_room(&self, payload: &Payload, parameters: &Parameters) -> bool {
        self.held() + payload.bytes() + OVERHEAD * payload.len() <= parameters.max_pool_bytes
    }

    /// Takes a payload of this member's clients. Returns those of its transactions that are to be passed on, and those
    /// that are committed already.
    pub(crate) fn submit(
        &mut self,
        sequence: Option<u64>,
        payload: &Payload,
    ) -> (Vec<Transaction>, Vec<Hash>) {
        let (mut new, mut known) = (Vec::new(), Vec::new());
        let mut named = BTreeSet::new();
        for transaction in payload.transactions() {
            let id = transaction.id();
            if self.is_committed(&id) {
                known.push(id);
                continue;
            }
            if named.insert(id) {
                self.owners.entry(id).or_default().push(payload.digest());
            }
            if !self.waiting.contains_key(&id) {
                self.insert(transaction.clone(), None);
                new.push(transaction.clone());
            }
        }
        self.own.insert(payload.digest(), Own { sequence, left: named.len() });
        (new, known)
    }

    /// Whether a payload was submitted here and waits.
    pub(crate) fn is_own(&self, payload: &PayloadDigest) -> bool {
        self.own.contains_key(payload)
    }

    /// Gives a payload that waits the driver's number for it, if it has none: the records have brought it back, and the
    /// driver, who outlived the replica that took it, submits it again. False if it has one or does not wait.
    pub(crate) fn adopt(&mut self, payload: &PayloadDigest, sequence: u64) -> bool {
        let own = self.own.get_mut(payload).filter(|own| own.sequence.is_none());
        own.map(|own| own.sequence = Some(sequence)).is_some()
    }

    /// Payloads of which nothing waits any more: what [`submit`](Self::submit) was told of was all committed before.
    pub(crate) fn settle(&mut self) -> Settled {
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

    /// The oldest transactions, as many as fit.
    pub(crate) fn oldest(&self, max_bytes: usize, max_count: usize) -> Vec<Transaction> {
        let (mut bytes, mut taken) = (0, Vec::new());
        for waiting in self.order.values().filter_map(|id| self.waiting.get(id)) {
            bytes += waiting.transaction.encoded_len();
            if taken.len() >= max_count || (bytes > max_bytes && !taken.is_empty()) {
                break;
            }
            taken.push(waiting.transaction.clone());
        }
        taken
    }

    /// A block with this payload is committed.
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
        self.settle()
    }

    fn insert(&mut self, transaction: Transaction, from: Option<MemberIndex>) {
        let (id, place) = (transaction.id(), self.next);
        self.next += 1;
        self.bytes += transaction.encoded_len();
        self.order.insert(place, id);
        self.waiting.insert(id, Waiting { transaction, place, from });
    }

    fn remove(&mut self, id: &Hash) {
        let Some(Waiting { transaction, place, from }) = self.waiting.remove(id) else { return };
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

/// Transactions that are to be passed on, with who brought them.
#[derive(Default)]
pub(crate) struct Outbox {
    waiting: Vec<(Option<MemberIndex>, Transaction)>,
}

impl Outbox {
    pub(crate) fn push(&mut self, from: Option<MemberIndex>, transaction: Transaction) {
        self.waiting.push((from, transaction));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// All of them, in messages of about that many bytes: each to the first `fanout` of the peers who did not bring it.
    /// All at once, because a message costs more than the few transactions in it.
    pub(crate) fn take(
        &mut self,
        peers: &[MemberIndex],
        fanout: usize,
        max_bytes: usize,
    ) -> Vec<(MemberIndex, Vec<Transaction>)> {
        let waiting = std::mem::take(&mut self.waiting);
        let mut messages = Vec::new();
        for (place, peer) in peers.iter().enumerate() {
            let (mut bytes, mut list) = (0, Vec::new());
            for (from, transaction) in &waiting {
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

    fn transaction(byte: u8) -> Transaction {
        Transaction::new(vec![byte; 6]).unwrap()
    }

    fn payload(bytes: &[u8]) -> Payload {
        Payload::new(bytes.iter().map(|byte| transaction(*byte)).collect()).unwrap()
    }

    #[test]
    fn a_transaction_is_taken_once_and_not_after_it_was_committed() {
        let parameters = Parameters::default();
        let mut pool = Pool::new([transaction(9).id()]);
        assert!(!pool.add(1, transaction(9), &parameters), "known from before");
        assert!(pool.add(1, transaction(1), &parameters) && !pool.add(2, transaction(1), &parameters));
        assert_eq!((pool.len(), pool.bytes()), (1, 10));
        assert_eq!(pool.commit(&payload(&[1, 2])), Settled::default());
        assert_eq!((pool.len(), pool.bytes()), (0, 0));
        assert!(!pool.add(1, transaction(1), &parameters) && !pool.add(1, transaction(2), &parameters));
    }

    #[test]
    fn whoever_floods_fills_its_own_share() {
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
    fn what_the_records_brought_back_takes_the_number_of_who_submits_it_again_once() {
        let mut pool = Pool::new([]);
        pool.submit(None, &payload(&[1]));
        pool.submit(Some(3), &payload(&[2]));
        let mut adopt = |bytes, sequence| pool.adopt(&payload(bytes).digest(), sequence);
        assert!(!adopt(&[3], 1) && !adopt(&[2], 2), "one that is not there, one that has a number");
        assert!(adopt(&[1], 7) && !adopt(&[1], 8));
        let mut settled = pool.commit(&payload(&[1, 2])).sequences;
        settled.sort_unstable();
        assert_eq!(settled, [3, 7]);
    }

    #[test]
    fn submitted_payloads_are_settled_when_their_last_transaction_is_committed() {
        let mut pool = Pool::new([transaction(5).id()]);
        let (new, known) = pool.submit(Some(7), &payload(&[1, 2, 2, 5]));
        assert_eq!((new.len(), known), (2, vec![transaction(5).id()]));
        let (new, _) = pool.submit(None, &payload(&[2, 3]));
        assert_eq!((new.len(), pool.outstanding()), (1, 4));
        assert_eq!(pool.commit(&payload(&[1])), Settled::default());
        let first = Settled { sequences: vec![7], payloads: vec![payload(&[1, 2, 2, 5]).digest()] };
        assert_eq!(pool.commit(&payload(&[2])), first);
        let second = Settled { sequences: vec![], payloads: vec![payload(&[2, 3]).digest()] };
        assert_eq!(pool.commit(&payload(&[3])), second);
        drop(pool.submit(Some(8), &payload(&[1, 3])));
        assert_eq!(pool.settle().sequences, [8], "nothing of it is new");
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
    fn what_is_passed_on_goes_in_one_message_to_each_and_not_back() {
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
        assert_eq!(first(&messages), [(7, vec![1, 2]), (7, vec![3, 5])], "as much as a message holds");
    }
}
