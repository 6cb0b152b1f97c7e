use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use quorate::machine::Time;
use quorate::merkle::Hash;
use quorate_jolteon::{Batch, BatchBuilder, Command, OwnBatchState};

use super::clock::Clock;
use super::inbox::Inbox;
use crate::application::Checker;
use crate::config::MempoolConfig;
use crate::handle::{Digest, Refusal, Ticket};
use crate::metrics::{CodeLabel, MempoolMetrics};

/// When a refused client may try again: about one batch delay.
const RETRY_AFTER: Duration = Duration::from_millis(100);

/// Transactions on their way into batches: admission control, the open batch, and what is not committed yet.
pub(super) struct Ingest {
    checker: Arc<dyn Checker>,
    max_transaction: usize,
    limits: MempoolConfig,
    clock: Clock,
    inbox: Arc<Inbox>,
    metrics: MempoolMetrics,
    state: Mutex<State>,
    /// When the open batch is to be sealed, in the machine's microseconds; `u64::MAX` while it is empty.
    deadline: AtomicU64,
    congested: AtomicBool,
    lagging: AtomicBool,
    syncing: AtomicBool,
    stopping: AtomicBool,
}

struct State {
    builder: BatchBuilder,
    /// Identifiers of all transactions that were taken and are not committed.
    pending: HashSet<Hash>,
    bytes: usize,
    /// Sealed and not committed, by the number they are sealed under now.
    sealed: BTreeMap<u64, Sealed>,
    /// Numbers of batches that the machine did not take; sealed anew when it has room.
    refused: VecDeque<u64>,
    /// The number on the tickets, for batches that are sealed under another one and not yet reported.
    renamed: BTreeMap<u64, u64>,
}

struct Sealed {
    batch: Arc<Batch>,
    /// The number that is on the tickets.
    ticketed: u64,
}

impl Ingest {
    pub(super) fn new(
        builder: BatchBuilder,
        checker: Arc<dyn Checker>,
        max_transaction: usize,
        limits: MempoolConfig,
        clock: Clock,
        inbox: Arc<Inbox>,
        metrics: MempoolMetrics,
    ) -> Self {
        Self {
            checker,
            max_transaction,
            limits,
            clock,
            inbox,
            metrics,
            state: Mutex::new(State {
                builder,
                pending: HashSet::new(),
                bytes: 0,
                sealed: BTreeMap::new(),
                refused: VecDeque::new(),
                renamed: BTreeMap::new(),
            }),
            deadline: AtomicU64::new(u64::MAX),
            congested: AtomicBool::new(false),
            lagging: AtomicBool::new(false),
            syncing: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
        }
    }

    /// Takes transactions in, or says why not; the answers are in the same order.
    pub(super) fn submit(&self, transactions: Vec<Bytes>) -> Vec<Result<Ticket, Refusal>> {
        if let Some(refusal) = self.closed() {
            self.count_refused(&refusal, transactions.len());
            return vec![Err(refusal); transactions.len()];
        }
        // All that needs no lock is done before it is taken.
        let checked: Vec<Result<Bytes, Refusal>> =
            transactions.into_iter().map(|t| self.check(&t).map(|()| t)).collect();
        let ids = quorate_jolteon::TRANSACTIONS.leaves(checked.iter().flatten());
        let (answers, batches, opened) = self.place(checked, ids);
        for batch in batches {
            self.metrics.batches.inc();
            self.inbox.command(Command::Seal(batch));
        }
        if opened {
            self.inbox.poke();
        }
        let accepted = answers.iter().filter(|a| a.is_ok()).count();
        self.metrics.accepted.inc_by(accepted as u64);
        for refusal in answers.iter().filter_map(|a| a.as_ref().err()) {
            self.count_refused(refusal, 1);
        }
        answers
    }

    /// When the open batch is to be sealed.
    pub(super) fn deadline(&self) -> Option<Time> {
        Some(self.deadline.load(Ordering::Acquire)).filter(|d| *d != u64::MAX).map(Time)
    }

    /// Seals the open batch if its time has come.
    pub(super) fn seal_due(&self, now: Time) {
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return;
        }
        let mut state = self.lock();
        if state.builder.deadline().is_some_and(|deadline| now >= deadline) {
            let batch = state.builder.seal();
            let batch = state.sealed(batch, None);
            self.note_deadline(&state);
            drop(state);
            self.hand_over(batch);
        }
    }

    /// The machine says what became of a batch.
    pub(super) fn own_batch(&self, sequence: u64, outcome: OwnBatchState) {
        let mut state = self.lock();
        match outcome {
            OwnBatchState::Certified => {}
            OwnBatchState::Committed => {
                state.committed(sequence);
                self.note_pending(&state);
                drop(state);
                self.seal_refused();
            }
            OwnBatchState::Refused => {
                if state.sealed.contains_key(&sequence) {
                    state.refused.push_back(sequence);
                }
            }
        }
    }

    /// The number on the tickets of a batch that was committed as `sequence`.
    pub(super) fn ticketed(&self, sequence: u64) -> u64 {
        self.lock().renamed.remove(&sequence).unwrap_or(sequence)
    }

    pub(super) fn set_congested(&self, congested: bool) {
        self.congested.store(congested, Ordering::Relaxed);
        if !congested {
            self.seal_refused();
        }
    }

    /// Whether execution is behind the chain.
    pub(super) fn set_lagging(&self, lagging: bool) {
        self.lagging.store(lagging, Ordering::Relaxed);
    }

    pub(super) fn set_syncing(&self, syncing: bool) {
        self.syncing.store(syncing, Ordering::Relaxed);
    }

    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_congested(&self) -> bool {
        self.congested.load(Ordering::Relaxed) || self.lagging.load(Ordering::Relaxed)
    }

    pub(super) fn is_syncing(&self) -> bool {
        self.syncing.load(Ordering::Relaxed)
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Transactions taken and not committed, and their bytes.
    pub(super) fn pending(&self) -> (u64, u64) {
        let state = self.lock();
        (state.pending.len() as u64, state.bytes as u64)
    }

    fn closed(&self) -> Option<Refusal> {
        if self.is_stopping() {
            return Some(Refusal::ShuttingDown);
        }
        if self.is_syncing() {
            return Some(Refusal::Syncing);
        }
        self.is_congested().then_some(Refusal::Busy { retry_after: RETRY_AFTER })
    }

    fn check(&self, transaction: &[u8]) -> Result<(), Refusal> {
        if transaction.is_empty() {
            return Err(Refusal::Empty);
        }
        if transaction.len() > self.max_transaction {
            return Err(Refusal::TooLarge { limit: self.max_transaction });
        }
        self.checker
            .check(transaction)
            .map_err(|e| Refusal::Rejected { reason: format!("{}: {e}", e.code()) })
    }

    /// Places checked transactions; gives the answers, full batches, and whether a batch was opened.
    fn place(
        &self,
        checked: Vec<Result<Bytes, Refusal>>,
        ids: Vec<Hash>,
    ) -> (Vec<Result<Ticket, Refusal>>, Vec<Arc<Batch>>, bool) {
        let now = self.clock.now();
        let mut ids = ids.into_iter();
        let mut batches = Vec::new();
        let mut state = self.lock();
        let idle = state.builder.deadline().is_none();
        let answers = checked
            .into_iter()
            .map(|checked| {
                let transaction = checked?;
                let id = ids.next().unwrap_or_default();
                state.place(&self.limits, transaction, id, now, &mut batches)
            })
            .collect();
        self.note_deadline(&state);
        self.note_pending(&state);
        (answers, batches, idle && state.builder.deadline().is_some())
    }

    /// Gives refused batches new numbers: the machine has room again.
    fn seal_refused(&self) {
        let mut state = self.lock();
        if state.refused.is_empty() {
            return;
        }
        let now = self.clock.now();
        let mut batches = Vec::new();
        while let Some(sequence) = state.refused.pop_front() {
            state.seal_anew(sequence, now, &mut batches);
        }
        self.note_deadline(&state);
        drop(state);
        batches.into_iter().for_each(|batch| self.hand_over(Some(batch)));
    }

    fn hand_over(&self, batch: Option<Arc<Batch>>) {
        if let Some(batch) = batch {
            self.metrics.batches.inc();
            self.inbox.command(Command::Seal(batch));
        }
    }

    fn note_deadline(&self, state: &State) {
        let deadline = state.builder.deadline().map_or(u64::MAX, |d| d.0);
        self.deadline.store(deadline, Ordering::Release);
    }

    fn note_pending(&self, state: &State) {
        self.metrics.pending_transactions.set(state.pending.len() as i64);
        self.metrics.pending_bytes.set(state.bytes as i64);
    }

    fn count_refused(&self, refusal: &Refusal, times: usize) {
        self.metrics.refused.get_or_create(&CodeLabel { code: refusal.code() }).inc_by(times as u64);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn place(
        &mut self,
        limits: &MempoolConfig,
        transaction: Bytes,
        id: Hash,
        now: Time,
        batches: &mut Vec<Arc<Batch>>,
    ) -> Result<Ticket, Refusal> {
        let full = self.bytes + transaction.len() > limits.max_pending_bytes
            || self.pending.len() >= limits.max_pending_transactions;
        if full {
            return Err(Refusal::Busy { retry_after: RETRY_AFTER });
        }
        if !self.pending.insert(id) {
            return Err(Refusal::Duplicate { id: Digest(id) });
        }
        let length = transaction.len();
        match self.builder.push(&transaction, id, now) {
            Ok(placed) => {
                self.bytes += length;
                batches.extend(self.sealed(Ok(placed.sealed), None));
                Ok(Ticket { id: Digest(id), batch_sequence: placed.sequence, position: placed.position })
            }
            Err(e) => {
                self.pending.remove(&id);
                Err(Refusal::Rejected { reason: e.to_string() })
            }
        }
    }

    /// Remembers a batch that was just sealed, so that its transactions are known to be pending.
    fn sealed(&mut self, batch: quorate::Result<Option<Batch>>, ticketed: Option<u64>) -> Option<Arc<Batch>> {
        match batch {
            Ok(batch) => {
                let batch = Arc::new(batch?);
                let ticketed = ticketed.unwrap_or(batch.sequence());
                if ticketed != batch.sequence() {
                    self.renamed.insert(batch.sequence(), ticketed);
                }
                self.sealed.insert(batch.sequence(), Sealed { batch: batch.clone(), ticketed });
                Some(batch)
            }
            Err(error) => {
                // Only when 2^48 numbers are used up.
                tracing::error!(%error, "a batch cannot be sealed");
                None
            }
        }
    }

    fn committed(&mut self, sequence: u64) {
        let Some(Sealed { batch, .. }) = self.sealed.remove(&sequence) else {
            // A batch from before a restart.
            return;
        };
        for id in batch.ids() {
            self.pending.remove(id);
        }
        self.bytes = self.bytes.saturating_sub(batch.bytes() - 4 * batch.len());
    }

    /// Seals the transactions of a refused batch under a new number, as they are.
    fn seal_anew(&mut self, sequence: u64, now: Time, batches: &mut Vec<Arc<Batch>>) {
        let Some(Sealed { batch, ticketed }) = self.sealed.remove(&sequence) else {
            return;
        };
        self.renamed.remove(&sequence);
        // What waits keeps the number that is on its tickets.
        let open = self.builder.seal();
        batches.extend(self.sealed(open, None));
        for (transaction, id) in batch.transactions().zip(batch.ids()) {
            if let Ok(placed) = self.builder.push(transaction, *id, now) {
                batches.extend(self.sealed(Ok(placed.sealed), Some(ticketed)));
            }
        }
        let rest = self.builder.seal();
        batches.extend(self.sealed(rest, Some(ticketed)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::application::Rejection;
    use quorate_jolteon::Parameters;

    struct Bench {
        ingest: Ingest,
        inbox: Arc<Inbox>,
    }

    impl Bench {
        fn new(limits: MempoolConfig) -> Self {
            let parameters = Parameters { batch_bytes: 100, ..Parameters::default() };
            let checker = |t: &[u8]| match t.first() {
                Some(b'!') => Err(Rejection::new("LOUD", "do not shout")),
                _ => Ok(()),
            };
            let inbox = Arc::new(Inbox::default());
            let ingest = Ingest::new(
                BatchBuilder::new(2, 10, &parameters),
                Arc::new(checker),
                50,
                limits,
                Clock::start(),
                inbox.clone(),
                MempoolMetrics::default(),
            );
            Self { ingest, inbox }
        }

        fn submit(&self, transactions: &[&[u8]]) -> Vec<Result<Ticket, Refusal>> {
            self.ingest.submit(transactions.iter().map(|t| Bytes::copy_from_slice(t)).collect())
        }

        fn sealed(&self) -> Vec<Arc<Batch>> {
            let taken = self.inbox.take(Some(Duration::ZERO));
            let batch = |command| match command {
                Command::Seal(batch) => batch,
                other => panic!("{other:?}"),
            };
            taken.commands.into_iter().map(batch).collect()
        }
    }

    fn codes(answers: &[Result<Ticket, Refusal>]) -> Vec<&'static str> {
        answers.iter().map(|a| a.as_ref().map_or_else(Refusal::code, |_| "OK")).collect()
    }

    #[test]
    fn each_gets_its_answer_in_order() {
        let bench = Bench::new(MempoolConfig::default());
        let answers = bench.submit(&[b"a", b"", b"!", &[0; 51], b"b", b"a"]);
        assert_eq!(codes(&answers), ["OK", "EMPTY", "REJECTED", "TOO_LARGE", "OK", "DUPLICATE"]);
        assert_eq!(answers[2].clone().unwrap_err().to_string().matches("LOUD: do not shout").count(), 1);
        let ticket = answers[4].clone().unwrap();
        assert_eq!((ticket.batch_sequence, ticket.position), (10, 1));
        assert_eq!(bench.ingest.pending(), (2, 2));
    }

    #[test]
    fn tickets_say_where_transactions_went() {
        let bench = Bench::new(MempoolConfig::default());
        let transactions: Vec<Vec<u8>> = (0..30u8).map(|i| vec![i + b'a'; 20]).collect();
        let answers = bench.submit(&transactions.iter().map(Vec::as_slice).collect::<Vec<_>>());
        bench.ingest.seal_due(Time(u64::MAX));
        assert_eq!(bench.ingest.deadline(), None);
        let batches = bench.sealed();
        for (transaction, answer) in transactions.iter().zip(answers) {
            let Ticket { id, batch_sequence, position } = answer.unwrap();
            let batch = batches.iter().find(|b| b.sequence() == batch_sequence).unwrap();
            assert_eq!(batch.transaction(position as usize), Some(&transaction[..]));
            assert_eq!(batch.ids()[position as usize], id.0);
        }
        for batch in &batches {
            bench.ingest.own_batch(batch.sequence(), OwnBatchState::Committed);
        }
        assert_eq!(bench.ingest.pending(), (0, 0));
        assert_eq!(
            codes(&bench.submit(&[&transactions[0]])),
            ["OK"],
            "a committed transaction may come again"
        );
    }

    #[test]
    fn a_batch_is_sealed_when_its_time_has_come_and_not_before() {
        let bench = Bench::new(MempoolConfig::default());
        bench.submit(&[b"a"]);
        let deadline = bench.ingest.deadline().unwrap();
        bench.ingest.seal_due(Time(deadline.0 - 1));
        assert!(bench.sealed().is_empty());
        bench.ingest.seal_due(deadline);
        assert_eq!(bench.sealed().len(), 1);
    }

    #[test]
    fn what_is_pending_is_bounded() {
        let bench = Bench::new(MempoolConfig { max_pending_bytes: 5, max_pending_transactions: 3 });
        assert_eq!(codes(&bench.submit(&[b"a", b"b", b"c", b"d"])), ["OK", "OK", "OK", "BUSY"]);
        bench.ingest.seal_due(Time(u64::MAX));
        bench.ingest.own_batch(10, OwnBatchState::Committed);
        assert_eq!(codes(&bench.submit(&[b"dd", b"eee", b"ffff"])), ["OK", "OK", "BUSY"]);
    }

    #[test]
    fn a_node_that_cannot_take_transactions_says_why() {
        let bench = Bench::new(MempoolConfig::default());
        bench.ingest.set_congested(true);
        assert_eq!(codes(&bench.submit(&[b"a", b"b"])), ["BUSY", "BUSY"]);
        bench.ingest.set_congested(false);
        bench.ingest.set_lagging(true);
        assert_eq!(codes(&bench.submit(&[b"a"])), ["BUSY"]);
        bench.ingest.set_syncing(true);
        assert_eq!(codes(&bench.submit(&[b"a"])), ["SYNCING"]);
        bench.ingest.stop();
        assert_eq!(codes(&bench.submit(&[b"a"])), ["SHUTTING_DOWN"]);
    }

    #[test]
    fn a_refused_batch_is_sealed_anew_and_keeps_its_tickets() {
        let bench = Bench::new(MempoolConfig::default());
        let first = bench.submit(&[b"a", b"b"])[1].clone().unwrap();
        bench.ingest.seal_due(Time(u64::MAX));
        let waiting = bench.submit(&[b"c"])[0].clone().unwrap();
        let refused = bench.sealed().pop().unwrap();
        bench.ingest.own_batch(refused.sequence(), OwnBatchState::Refused);
        assert!(bench.sealed().is_empty(), "not before there is room");
        bench.ingest.set_congested(false);
        let again = bench.sealed();
        assert_eq!(again[0].sequence(), waiting.batch_sequence);
        assert_eq!(again[1].ids(), refused.ids());
        assert_eq!(again[1].sequence(), 12);
        bench.ingest.own_batch(12, OwnBatchState::Committed);
        assert_eq!(bench.ingest.ticketed(12), first.batch_sequence);
        assert_eq!(bench.ingest.pending(), (1, 1));
    }
}
