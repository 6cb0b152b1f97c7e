//! Execution with a real store, and the proofs for clients.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod chain;

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};

use chain::{Chain, committees, open};
use quorate::bls::MinSig;
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate_node::application::{
    Application, ApplicationError, Changes, Checker, ExecutionBlock, Found, Ledger, State,
};
use quorate_node::execution::{Event, Execution, Executor, Queries};
use quorate_node::handle::Digest;
use quorate_node::proof::{StateProof, TransactionProof};
use quorate_node::protocol::{Archive, Executed};
use quorate_node_jolteon::Jolteon;

/// A hand-made chain and its execution thread.
struct Run<S: Scheme> {
    chain: Chain<S>,
    execution: Execution<Jolteon<S>>,
    events: Receiver<Event>,
    queries: Queries<Jolteon<S>>,
    executed: Executed,
}

impl<S: Scheme> Run<S> {
    fn start(dir: &Path, chain: Option<Chain<S>>) -> Self {
        let executor = Executor::open(open::<S>(dir), Box::new(Ledger::default())).unwrap();
        let (sender, events) = channel();
        let (executed, queries) = (executor.executed(), executor.queries());
        let chain = chain.unwrap_or_else(|| Chain::new(executor.genesis_root()));
        let execution = Execution::start(executor, 4, move |event| sender.send(event).unwrap()).unwrap();
        Self { chain, execution, events, queries, executed }
    }

    /// Adds a block; delivers and executes its parent.
    fn block(&mut self, batches: &[&[&[u8]]]) {
        let batches = batches.iter().map(|batch| self.chain.batch(batch)).collect();
        self.chain.extend(batches, self.executed, 0);
        let height = self.chain.blocks.len() as u64 - 1;
        if height > self.executed.height {
            self.deliver(height);
        }
    }

    fn deliver(&mut self, height: u64) {
        assert!(self.execution.deliver(self.chain.delivery(height)));
        match self.events.recv().unwrap() {
            Event::Executed { executed, commit } => {
                assert_eq!((executed.height, commit.height), (height, height));
                self.executed = executed;
            }
            Event::Failed(e) => panic!("{e}"),
        }
    }

    fn stop(self) -> Chain<S> {
        self.execution.stop();
        self.chain
    }
}

fn ten_blocks<S: Scheme>(dir: &Path) -> Run<S> {
    let mut run = Run::<S>::start(dir, None);
    run.block(&[&[b"put alice 10", b"put bob 7", b"an opaque payload"]]);
    run.block(&[]);
    run.block(&[&[b"put alice 11"], &[b"delete bob", b"put carol 1", b"x", b"y", b"z"]]);
    for _ in 0..7 {
        run.block(&[]);
    }
    run
}

#[test]
fn a_pruned_chain_proves_what_it_keeps() {
    let dir = tempfile::tempdir().unwrap();
    let run = ten_blocks::<Ed25519>(dir.path());
    assert!(run.queries.block(0).unwrap().is_none());
    let chain = run.stop();
    let store = open::<Ed25519>(dir.path());
    while store.prune(4).unwrap() {}
    let oldest = store.oldest_height();
    assert_eq!(oldest, 5);
    drop(store);
    let run = Run::start(dir.path(), Some(chain));
    let queries = &run.queries;
    assert_eq!(queries.oldest_height(), oldest);
    for height in [1, oldest - 1] {
        let error = queries.block(height).unwrap_err();
        assert!(error.code() == "PRUNED" && error.to_string().contains("from height 5 on"), "{error}");
        assert_eq!(queries.commit(height).unwrap_err().code(), "PRUNED");
        assert_eq!(queries.root_proof(height).unwrap_err().code(), "PRUNED");
    }
    assert_eq!(queries.root_proof(0).unwrap_err().code(), "PRUNED", "the block that states it is pruned");
    assert_eq!(queries.transaction(id(b"put bob 7")).unwrap_err().code(), "PRUNED");
    assert!(queries.transaction(id(b"never sent")).unwrap().is_none());
    for height in oldest..=9 {
        assert_eq!(queries.block(height).unwrap().unwrap().height, height);
        queries.commit(height).unwrap().unwrap();
    }
    assert!(queries.block(10).unwrap().is_none());
    let committees = committees::<Ed25519>(4);
    for height in oldest..=7 {
        queries.root_proof(height).unwrap().unwrap().verify(&committees).unwrap();
    }
    for height in [9, u64::MAX] {
        assert!(queries.root_proof(height).unwrap().is_none());
    }
    let answer = queries.query(b"alice").unwrap().unwrap();
    let proof = StateProof::<Jolteon<Ed25519>>::decode(&answer.proof.unwrap(), &committees).unwrap();
    assert_eq!(proof.verify(&committees, b"alice").unwrap().1, Some(&b"11"[..]));
    run.stop();
}

fn id(transaction: &[u8]) -> Digest {
    Digest(quorate_jolteon::TRANSACTIONS.leaf(transaction))
}

fn every_transaction_is_proved<S: Scheme>() {
    let dir = tempfile::tempdir().unwrap();
    let run = ten_blocks::<S>(dir.path());
    let committees = committees::<S>(4);
    for batches in &run.chain.batches {
        for transaction in batches.iter().flat_map(|batch| batch.transactions()) {
            let view = run.queries.transaction(id(transaction)).unwrap().unwrap();
            assert_eq!(view.transaction, transaction);
            let proof = TransactionProof::<Jolteon<S>>::decode(&view.proof, &committees).unwrap();
            let proven = proof.verify(&committees).unwrap();
            assert_eq!((proven.id, proven.height, proven.position), (view.id, view.height, view.position));
            assert_eq!((proven.block, proven.batch), (view.block, view.batch));
            let json = proof.to_json().unwrap();
            assert_eq!(TransactionProof::from_json(&json, &committees).unwrap(), proof);
        }
    }
    assert!(run.queries.transaction(id(b"never sent")).unwrap().is_none());
    run.stop();
}

#[test]
fn every_transaction_is_proved_under_bls() {
    every_transaction_is_proved::<MinSig>();
}

#[test]
fn every_transaction_is_proved_under_ed25519() {
    every_transaction_is_proved::<Ed25519>();
}

/// Proof of the value of `key` from an idle chain.
fn state_proof<S: Scheme>(run: &mut Run<S>, key: &[u8]) -> StateProof<Jolteon<S>> {
    run.block(&[&[format!("put unrelated {}", run.executed.height).as_bytes()]]);
    for _ in 0..3 {
        run.block(&[]);
    }
    assert!(
        run.queries.root_proof(run.executed.height).unwrap().is_none(),
        "no block contains the newest state"
    );
    let answer = run.queries.query(key).unwrap().unwrap();
    assert_eq!(answer.height, run.executed.height);
    let proof = StateProof::decode(&answer.proof.unwrap(), &run.chain.committees).unwrap();
    let (at, value) = proof.verify(&run.chain.committees, key).unwrap();
    assert!(at < answer.height && at + 3 >= answer.height, "{at}");
    assert_eq!(value, answer.value.as_deref());
    proof
}

#[test]
fn presence_and_absence_are_proved() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = ten_blocks::<MinSig>(dir.path());
    let committees = committees::<MinSig>(4);
    for (key, value) in
        [(&b"alice"[..], Some(&b"11"[..])), (b"carol", Some(b"1")), (b"bob", None), (b"dave", None)]
    {
        let proof = state_proof(&mut run, key);
        assert_eq!(proof.verify(&committees, key).unwrap().1, value);
        assert!(proof.verify(&committees, b"eve").is_err());
        let bytes = proof.encode();
        assert_eq!(StateProof::decode(&bytes, &committees).unwrap(), proof);
    }
    assert!(run.queries.query(b"not a key").unwrap().is_none());
    // The first blocks contain the genesis state.
    let genesis = run.queries.root_proof(0).unwrap().unwrap();
    assert_eq!(genesis.verify(&committees).unwrap(), Ledger::default().restore(State::empty(), 0).unwrap());
    run.stop();
}

/// Checks that a change of any byte and any truncation is rejected.
fn no_other_bytes_are_accepted(bytes: &[u8], accepts: impl Fn(&[u8]) -> bool) {
    assert!(accepts(bytes));
    let mut changed = bytes.to_vec();
    for at in 0..bytes.len() {
        let flip = 1 << (at * 7 % 8);
        changed[at] ^= flip;
        assert!(!accepts(&changed), "byte {at} of {} can be changed", bytes.len());
        changed[at] ^= flip;
        assert!(!accepts(&bytes[..at]), "{at} bytes suffice");
    }
    changed.push(0);
    assert!(!accepts(&changed));
}

#[test]
fn a_transaction_proof_with_any_byte_changed_is_refused() {
    fn check<S: Scheme>() {
        let dir = tempfile::tempdir().unwrap();
        let run = ten_blocks::<S>(dir.path());
        let committees = committees::<S>(4);
        let proof = run.queries.transaction_proof(&id(b"x").0).unwrap().unwrap().encode();
        no_other_bytes_are_accepted(&proof, |bytes| {
            TransactionProof::<Jolteon<S>>::decode(bytes, &committees)
                .is_ok_and(|p| p.verify(&committees).is_ok())
        });
        run.stop();
    }
    check::<MinSig>();
    check::<Ed25519>();
}

#[test]
fn a_state_proof_with_any_byte_changed_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = ten_blocks::<Ed25519>(dir.path());
    let committees = committees::<Ed25519>(4);
    for key in [&b"alice"[..], b"bob"] {
        let proof = state_proof(&mut run, key).encode();
        no_other_bytes_are_accepted(&proof, |bytes| {
            StateProof::<Jolteon<Ed25519>>::decode(bytes, &committees)
                .is_ok_and(|p| p.verify(&committees, key).is_ok())
        });
    }
    run.stop();
}

#[test]
fn a_proof_of_another_committee_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let run = ten_blocks::<MinSig>(dir.path());
    let proof = run.queries.transaction_proof(&id(b"x").0).unwrap().unwrap();
    let mut other = committees::<MinSig>(4);
    other.voters = committees::<MinSig>(5).voters;
    assert!(proof.verify(&other).is_err());
    run.stop();
}

#[test]
fn a_restart_continues_from_the_executed_state() {
    let (steady, restarting) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let steady = ten_blocks::<Ed25519>(steady.path());
    let chain = Chain::new([0; 32]);
    let mut run = Run::<Ed25519>::start(restarting.path(), Some(chain));
    let mut next = Some(steady.chain);
    for height in 1..10 {
        run.chain = next.take().unwrap();
        run.deliver(height);
        // A repeated delivery, as after a restart, is skipped without an event.
        assert!(run.execution.deliver(run.chain.delivery(height)));
        if height == 5 {
            next = Some(run.stop());
            // The crash lost the index: the start completes it from the archive.
            std::fs::remove_dir_all(restarting.path().join("transactions")).unwrap();
            run = Run::start(restarting.path(), None);
            assert_eq!(run.executed.height, height);
        } else {
            next = Some(std::mem::replace(&mut run.chain, Chain::new([0; 32])));
        }
    }
    assert_eq!(run.executed, steady.executed);
    assert!(run.queries.transaction(id(b"put alice 10")).unwrap().is_some());
    run.stop();
    steady.execution.stop();
}

#[test]
fn a_crash_between_archive_and_state_repeats_the_block() {
    let dir = tempfile::tempdir().unwrap();
    let chain = ten_blocks::<Ed25519>(tempfile::tempdir().unwrap().path()).stop();
    let store = open::<Ed25519>(dir.path());
    Executor::open(store.clone(), Box::new(Ledger::default())).unwrap();
    let delivery = chain.delivery(1);
    store.append(&chain.records(1)).unwrap();
    store.archive(&delivery.block, &delivery.batches, &delivery.finality).unwrap();
    drop(store);
    let store = open::<Ed25519>(dir.path());
    assert_eq!(store.load().unwrap().len(), 2, "the block and its batch are still needed");
    drop(store);
    let mut run = Run::start(dir.path(), Some(chain));
    assert_eq!(run.executed.height, 0);
    run.deliver(1);
    run.deliver(2);
    run.stop();
}

#[test]
fn a_diverged_state_stops_the_node() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = Run::<Ed25519>::start(dir.path(), None);
    run.block(&[&[b"put a 1"]]);
    run.block(&[]);
    run.executed.state_root[0] ^= 1;
    run.block(&[]);
    run.chain.extend(vec![], run.executed, 0);
    assert!(run.execution.deliver(run.chain.delivery(3)));
    let Event::Failed(error) = run.events.recv().unwrap() else { panic!("execution continued") };
    assert!(error.to_string().contains("STATE DIVERGENCE"), "{error}");
    assert!(run.events.recv().is_err(), "no report follows");
    assert!(!run.execution.deliver(run.chain.delivery(3)));
    run.stop();
    // No change of the block was applied.
    assert_eq!(Run::<Ed25519>::start(dir.path(), None).executed.height, 2);
}

/// An application that restores the same entries with a different state root.
struct Changed(Ledger);

impl Application for Changed {
    fn checker(&self) -> std::sync::Arc<dyn Checker> {
        self.0.checker()
    }
    fn restore(&mut self, state: State, height: u64) -> Result<[u8; 32], ApplicationError> {
        self.0.restore(state, height).map(|_| [1; 32])
    }
    fn execute(
        &mut self,
        block: &ExecutionBlock<'_>,
        changes: &mut Changes,
    ) -> Result<[u8; 32], ApplicationError> {
        self.0.execute(block, changes)
    }
    fn query(&self, key: &[u8]) -> Result<Option<Found>, ApplicationError> {
        self.0.query(key)
    }
}

#[test]
fn an_application_that_restores_another_state_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    ten_blocks::<Ed25519>(dir.path()).stop();
    let error =
        Executor::open(open::<Ed25519>(dir.path()), Box::new(Changed(Ledger::default()))).err().unwrap();
    assert_eq!(error.code(), "APPLICATION");
    assert!(error.to_string().contains("height 9"), "{error}");
}

#[test]
fn a_state_of_an_earlier_version_is_upgraded() {
    let dir = tempfile::tempdir().unwrap();
    let chain = ten_blocks::<Ed25519>(dir.path()).stop();
    let store = open::<Ed25519>(dir.path());
    let root = store.state().executed().unwrap();
    let mut changes = Changes::default();
    store
        .state()
        .state()
        .visit(&[], |key, _| {
            if !matches!(key[0], b'e' | b's') {
                changes.delete(key);
            }
            Ok(())
        })
        .unwrap();
    assert!(changes.iter().next().is_some());
    store.state().write(&changes).unwrap();
    drop(store);
    let run = Run::start(dir.path(), Some(chain));
    assert_eq!(run.executed.height, root.unwrap().0);
    let found = run.queries.query(b"alice").unwrap().unwrap();
    assert_eq!(found.state_root, Digest(root.unwrap().1.application));
    run.stop();
}

#[test]
fn a_commit_event_describes_its_block() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = Run::<Ed25519>::start(dir.path(), None);
    for _ in 0..3 {
        run.chain.batch(&[b"uses up a number, so that number 5, of author 1, comes next but one"]);
    }
    let batches =
        [&[b"put a 1".as_slice(), b"12345"][..], &[b"z"]].map(|batch| run.chain.batch(batch)).to_vec();
    run.chain.extend(batches, run.executed, 0);
    run.chain.extend(vec![], run.executed, 0);
    assert!(run.execution.deliver(run.chain.delivery(1)));
    let Event::Executed { commit, .. } = run.events.recv().unwrap() else { panic!() };
    assert_eq!((commit.transactions, commit.bytes, &commit.own_batches), (3, 13, &vec![5]));
    let block = run.queries.block(1).unwrap().unwrap();
    assert_eq!((block.transactions, block.bytes, block.batches.len()), (3, 13, 2));
    assert_eq!(block.digest, commit.digest);
    assert_eq!(run.queries.query(b"a").unwrap().unwrap().state_root, commit.state_root);
    assert!(run.queries.block(2).unwrap().is_none());
    run.stop();
}
