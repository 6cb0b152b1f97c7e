use std::time::Duration;

use super::*;
use crate::application::Rejection;
use quorate_protocol::batch::TRANSACTIONS;
use quorate_protocol::builder::BatchLimits;

struct Bench {
    ingest: Ingest,
    inbox: Arc<Inbox>,
}

impl Bench {
    fn new(limits: MempoolConfig) -> Self {
        let batch_limits = BatchLimits { bytes: 100, ..BatchLimits::default() };
        let checker = |t: &[u8]| match t.first() {
            Some(b'!') => Err(Rejection::new("LOUD", "do not shout")),
            _ => Ok(()),
        };
        let rejection = Box::new(|t: &[u8]| (t == b"?").then_some("NOT_ALLOWED: do not ask"));
        let inbox = Arc::new(Inbox::default());
        let ingest = Ingest::new(
            BatchBuilder::new(2, 10, batch_limits),
            Admission { tree: TRANSACTIONS, checker: Arc::new(checker), max_transaction: 50, rejection },
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
        let taken = self.inbox.take(Some(Duration::ZERO), &[]);
        let batch = |command| match command {
            Command::Submit(batch) => batch,
            other => panic!("{other:?}"),
        };
        taken.commands.into_iter().map(batch).collect()
    }
}

fn codes(answers: &[Result<Ticket, Refusal>]) -> Vec<&'static str> {
    answers.iter().map(|a| a.as_ref().map_or_else(Refusal::code, |_| "OK")).collect()
}

#[test]
fn answers_are_in_order() {
    let bench = Bench::new(MempoolConfig::default());
    let answers = bench.submit(&[b"a", b"", b"!", &[0; 51], b"b", b"a", b"?"]);
    assert_eq!(codes(&answers), ["OK", "EMPTY", "REJECTED", "TOO_LARGE", "OK", "DUPLICATE", "REJECTED"]);
    assert_eq!(answers[2].clone().unwrap_err().to_string().matches("LOUD: do not shout").count(), 1);
    let ticket = answers[4].clone().unwrap();
    assert_eq!((ticket.batch_sequence, ticket.position), (10, 1));
    assert_eq!(bench.ingest.pending(), (2, 2));
}

#[test]
fn tickets_name_batch_and_position() {
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
        "a committed transaction may be submitted again"
    );
}

#[test]
fn a_batch_is_sealed_when_it_is_due() {
    let bench = Bench::new(MempoolConfig::default());
    bench.submit(&[b"a"]);
    let deadline = bench.ingest.deadline().unwrap();
    bench.ingest.seal_due(Time(deadline.0 - 1));
    assert!(bench.sealed().is_empty());
    bench.ingest.seal_due(deadline);
    assert_eq!(bench.sealed().len(), 1);
}

#[test]
fn pending_transactions_are_bounded() {
    let bench = Bench::new(MempoolConfig { max_pending_bytes: 5, max_pending_transactions: 3 });
    assert_eq!(codes(&bench.submit(&[b"a", b"b", b"c", b"d"])), ["OK", "OK", "OK", "BUSY"]);
    bench.ingest.seal_due(Time(u64::MAX));
    bench.ingest.own_batch(10, OwnBatchState::Committed);
    assert_eq!(codes(&bench.submit(&[b"dd", b"eee", b"ffff"])), ["OK", "OK", "BUSY"]);
}

#[test]
fn refusals_name_their_reason() {
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
fn a_refused_batch_is_resealed_and_keeps_its_tickets() {
    let bench = Bench::new(MempoolConfig::default());
    let first = bench.submit(&[b"a", b"b"])[1].clone().unwrap();
    bench.ingest.seal_due(Time(u64::MAX));
    let waiting = bench.submit(&[b"c"])[0].clone().unwrap();
    let refused = bench.sealed().pop().unwrap();
    bench.ingest.own_batch(refused.sequence(), OwnBatchState::Refused);
    assert!(bench.sealed().is_empty(), "only after there is room");
    bench.ingest.set_congested(false);
    let again = bench.sealed();
    assert_eq!(again[0].sequence(), waiting.batch_sequence);
    assert_eq!(again[1].ids(), refused.ids());
    assert_eq!(again[1].sequence(), 12);
    bench.ingest.own_batch(12, OwnBatchState::Committed);
    assert_eq!(bench.ingest.ticket_number(12), first.batch_sequence);
    assert_eq!(bench.ingest.pending(), (1, 1));
}

#[test]
fn the_next_replica_receives_uncommitted_batches() {
    let bench = Bench::new(MempoolConfig::default());
    let mut tickets = Vec::new();
    for transaction in [b"a", b"b", b"c"] {
        tickets.push(bench.submit(&[transaction])[0].clone().unwrap().batch_sequence);
        bench.ingest.seal_due(Time(u64::MAX));
    }
    bench.ingest.own_batch(tickets[0], OwnBatchState::Committed);
    bench.ingest.own_batch(tickets[1], OwnBatchState::Refused);
    assert_eq!(bench.sealed().len(), 3);
    bench.ingest.set_congested(true);
    bench.ingest.start_epoch(false);
    let again: Vec<u64> = bench.sealed().iter().map(|batch| batch.sequence()).collect();
    assert_eq!(again, tickets[1..]);
    bench.ingest.seal_refused();
    assert!(bench.sealed().is_empty(), "batches are submitted once");
    assert_eq!(codes(&bench.submit(&[b"d"])), ["OK"], "the next replica has room");
    bench.ingest.start_epoch(true);
    assert_eq!(codes(&bench.submit(&[b"e"])), ["SYNCING"], "an observer accepts no transactions");
}
