//! The journal on the system's disk.

use std::boxed::Box;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::vec;
use std::vec::Vec;

use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::certificate::{Kind, Statement};
use crate::committee::{ChainId, Committee};
use crate::guard::{ExternalKey, GuardRecord, JournalFile, JournaledGuard, MonotonicCounter, Spend};
use crate::scheme::toy::Toy;
use crate::scheme::{Scheme, VerifiedKey};
use crate::{Error, Result};

type Journaled = JournaledGuard<Toy>;

const CHAIN: ChainId = ChainId([1; 32]);

fn secret(seed: u64) -> <Toy as Scheme>::SecretKey {
    Toy::generate(&mut StdRng::seed_from_u64(seed)).unwrap()
}

fn committee() -> Committee<Toy> {
    Committee::new(CHAIN, 0, vec![(VerifiedKey::from_secret(&secret(7)), 1)]).unwrap()
}

fn sign(guard: &mut Journaled, view: u64, value: u8) -> Result<()> {
    let committee = committee();
    guard.sign(&committee, committee.statement(Kind::new(1), view, [value; 32])).map(drop)
}

fn code<T>(result: Result<T>) -> &'static str {
    result.err().map_or("", |error| error.code())
}

#[test]
fn a_journal_survives_restarts() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("key");
    assert_eq!(code(Journaled::open(&path, secret(7), CHAIN)), "JOURNAL_MISSING");
    assert!(!path.exists(), "opening creates nothing");
    let mut guard = Journaled::create(&path, secret(7), CHAIN).unwrap();
    for view in 1..=20 {
        sign(&mut guard, view, 1).unwrap();
    }
    guard.sign_timeout(&committee(), Kind::new(2), 20, 3).unwrap();
    assert_eq!(code(Journaled::open(&path, secret(7), CHAIN)), "JOURNAL_IN_USE");
    assert_eq!(code(Journaled::create(&path, secret(7), CHAIN)), "JOURNAL_IN_USE");
    drop(guard);
    assert_eq!(code(Journaled::create(&path, secret(7), CHAIN)), "JOURNAL_EXISTS");
    assert_eq!(code(Journaled::open(&path, secret(8), CHAIN)), "WRONG_CONTEXT");
    assert_eq!(code(Journaled::open(&path, secret(7), ChainId([2; 32]))), "WRONG_CONTEXT");
    let mut guard = Journaled::open(&path, secret(7), CHAIN).unwrap();
    assert_eq!((guard.last(Kind::new(1)), guard.last(Kind::new(2))), (Some((0, 20)), Some((0, 20))));
    assert_eq!(code(sign(&mut guard, 20, 2)), "CONTRADICTION");
    sign(&mut guard, 20, 1).unwrap();
    let file = read(&path);
    assert_eq!((file.records().len(), file.is_torn(), file.floor()), (2, false, 0));
    assert_eq!(JournalFile::decode(&file.encode()).unwrap(), file);
}

/// A key in a token that is absent for its first signatures.
struct Token {
    public: <Toy as Scheme>::PublicKey,
    absent: usize,
    asked: Arc<AtomicUsize>,
}

impl ExternalKey<Toy> for Token {
    fn public_key(&self) -> &<Toy as Scheme>::PublicKey {
        &self.public
    }

    fn sign(
        &mut self,
        committee: &Committee<Toy>,
        statement: &Statement,
    ) -> Result<<Toy as Scheme>::Signature> {
        if self.asked.fetch_add(1, Ordering::Relaxed) < self.absent {
            return Err(Error::KeyFailed { key: "voting".into(), reason: "the token is absent".into() });
        }
        Ok(Toy::sign(&secret(7), &statement.signed_bytes(&committee.id())))
    }
}

#[test]
fn the_journal_decides_before_an_external_key_is_asked() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("key");
    let asked = Arc::new(AtomicUsize::new(0));
    let count = || asked.load(Ordering::Relaxed);
    let token = |absent| {
        let public = Toy::public_key(&secret(7));
        Box::new(Token { public, absent, asked: asked.clone() })
    };
    assert_eq!(code(Journaled::open_external(&path, token(0), CHAIN)), "JOURNAL_MISSING");
    let mut guard = Journaled::create_external(&path, token(1), CHAIN).unwrap();
    let before = read(&path);
    assert_eq!(code(sign(&mut guard, 5, 1)), "KEY_FAILED");
    assert_eq!((guard.last(Kind::new(1)), read(&path)), (None, before), "nothing is recorded");
    sign(&mut guard, 5, 2).unwrap();
    assert_eq!(count(), 2);
    assert_eq!(code(sign(&mut guard, 5, 1)), "CONTRADICTION");
    drop(guard);
    assert_eq!(code(Journaled::create_external(&path, token(0), CHAIN)), "JOURNAL_EXISTS");
    let mut guard = Journaled::open_external(&path, token(0), CHAIN).unwrap();
    assert_eq!(code(sign(&mut guard, 5, 1)), "CONTRADICTION");
    assert_eq!(count(), 2, "the key was not asked for a contradiction");
    drop(guard);
    let mut guard = Journaled::recover_external(&path, token(0), CHAIN, 9).unwrap();
    assert_eq!(code(sign(&mut guard, 9, 1)), "CONTRADICTION");
    sign(&mut guard, 10, 1).unwrap();
    assert_eq!(count(), 3);
}

fn read(directory: &Path) -> JournalFile {
    JournalFile::decode(&std::fs::read(directory.join("guard.journal")).unwrap()).unwrap()
}

#[test]
fn a_repeated_vote_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut guard = Journaled::create(dir.path(), secret(7), CHAIN).unwrap();
    sign(&mut guard, 1, 1).unwrap();
    let before = read(dir.path());
    sign(&mut guard, 1, 1).unwrap();
    assert_eq!(read(dir.path()), before);
}

#[test]
fn presignatures_are_spent_durably() {
    let dir = tempfile::tempdir().unwrap();
    let spend = |index, digest| Spend { key: [3; 32], epoch: 1, index, digest: [digest; 32] };
    let mut guard = Journaled::create(dir.path(), secret(7), CHAIN).unwrap();
    guard.spend(&spend(4, 1)).unwrap();
    assert_eq!(code(guard.spend(&spend(4, 2))), "CONTRADICTION");
    guard.reserve(&[3; 32], 1, 5_000).unwrap();
    let kinds: Vec<_> = read(dir.path()).records().iter().map(|record| record.kind().number()).collect();
    assert_eq!(kinds, [0, 1]);
    // A durable reservation covers it.
    guard.spend(&spend(5_001, 1)).unwrap();
    assert_eq!(read(dir.path()).records().len(), 2);
    guard.close_epoch(&[3; 32], 1).unwrap();
    drop(guard);
    drop(Journaled::open(dir.path(), secret(7), CHAIN).unwrap());
    let records = read(dir.path()).records().to_vec();
    assert_eq!(records.iter().map(GuardRecord::kind).collect::<Vec<_>>(), [GuardRecord::CLOSED_EPOCH]);
}

/// A counter that fails at some value.
struct Failing(std::sync::Arc<std::sync::atomic::AtomicU64>, u64);

impl MonotonicCounter for Failing {
    type Error = &'static str;

    fn read(&mut self) -> Result<u64, &'static str> {
        Ok(self.0.load(std::sync::atomic::Ordering::SeqCst))
    }

    fn advance(&mut self, value: u64) -> Result<(), &'static str> {
        if value >= self.1 {
            return Err("the counter is gone");
        }
        self.0.fetch_max(value, std::sync::atomic::Ordering::SeqCst);
        Ok(())
    }
}

#[test]
fn a_counter_shows_that_a_directory_is_an_old_copy() {
    let (dir, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let value = std::sync::Arc::<std::sync::atomic::AtomicU64>::default();
    let counter = || Failing(value.clone(), 6 << 8);
    let mut guard = Journaled::create_with_counter(dir.path(), secret(7), CHAIN, counter()).unwrap();
    sign(&mut guard, 1, 1).unwrap();
    std::fs::copy(dir.path().join("guard.journal"), copy.path().join("guard.journal")).unwrap();
    sign(&mut guard, 5, 1).unwrap();
    // The record is durable, and the counter is not: the vote does not leave.
    let failed = sign(&mut guard, 6, 1).unwrap_err();
    assert!(matches!(&failed, Error::JournalFailed { operation: "advancing the counter", .. }), "{failed}");
    assert_eq!(code(sign(&mut guard, 7, 1)), "JOURNAL_FAILED");
    let mut old = Journaled::open_with_counter(copy.path(), secret(7), CHAIN, counter()).unwrap();
    assert!(old.is_stale());
    assert_eq!(code(sign(&mut old, 5, 2)), "CONTRADICTION");
    drop(guard);
    let guard = Journaled::open_with_counter(dir.path(), secret(7), CHAIN, counter()).unwrap();
    assert!(!guard.is_stale());
    assert_eq!(value.load(std::sync::atomic::Ordering::SeqCst) >> 8, 5);
}

#[test]
fn records_of_a_forked_process_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut guard = Journaled::create(dir.path(), secret(7), CHAIN).unwrap();
    guard.pretend_fork();
    assert_eq!(code(sign(&mut guard, 1, 1)), "JOURNAL_IN_USE");
}

fn sign_kind(guard: &mut Journaled, kind: u8, view: u64) -> Result<()> {
    let committee = committee();
    guard.sign(&committee, committee.statement(Kind::new(kind), view, [1; 32])).map(drop)
}

#[test]
fn kinds_ascend_by_themselves_after_a_recovery() {
    let dir = tempfile::tempdir().unwrap();
    let mut guard = Journaled::recover(dir.path(), secret(7), CHAIN, 10).unwrap();
    sign_kind(&mut guard, 2, 20).unwrap();
    sign_kind(&mut guard, 1, 11).unwrap();
    assert_eq!(code(sign_kind(&mut guard, 1, 10)), "CONTRADICTION");
    assert_eq!(code(sign_kind(&mut guard, 2, 19)), "CONTRADICTION");
    // A counter shows a lost record only if all kinds ascend together.
    drop(guard);
    let counter = Failing(std::sync::Arc::default(), u64::MAX);
    let mut guard = Journaled::open_with_counter(dir.path(), secret(7), CHAIN, counter).unwrap();
    assert_eq!(code(sign_kind(&mut guard, 1, 20)), "CONTRADICTION");
    sign_kind(&mut guard, 1, 21).unwrap();
}

#[test]
fn a_view_without_mark_never_becomes_a_floor() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("key");
    const TOO_HIGH: u64 = 1 << 56;
    for view in [TOO_HIGH - 1, TOO_HIGH, u64::MAX] {
        assert_eq!(code(Journaled::recover(&path, secret(7), CHAIN, view)), "TOO_LARGE");
        assert!(!path.exists(), "nothing changed");
    }
    let value = std::sync::Arc::<std::sync::atomic::AtomicU64>::default();
    let counter = || Failing(value.clone(), u64::MAX);
    // Without counter such a view is signed; with one it is not, nor repeated, and the counter does not rise.
    let mut guard = Journaled::create(&path, secret(7), CHAIN).unwrap();
    sign_kind(&mut guard, 1, TOO_HIGH).unwrap();
    drop(guard);
    let mut guard = Journaled::open_with_counter(&path, secret(7), CHAIN, counter()).unwrap();
    assert_eq!(code(sign_kind(&mut guard, 1, TOO_HIGH)), "TOO_LARGE");
    assert_eq!(code(sign_kind(&mut guard, 2, TOO_HIGH)), "TOO_LARGE");
    drop(guard);
    assert_eq!(value.load(std::sync::atomic::Ordering::SeqCst), 0);
    let (other, highest) = (dir.path().join("other"), TOO_HIGH - 2);
    let mut guard = Journaled::create_with_counter(&other, secret(7), CHAIN, counter()).unwrap();
    assert_eq!(code(sign_kind(&mut guard, 1, TOO_HIGH)), "TOO_LARGE");
    sign_kind(&mut guard, 1, 5).unwrap();
    drop(guard);
    let mut guard = Journaled::recover(&other, secret(7), CHAIN, highest).unwrap();
    assert_eq!(code(sign_kind(&mut guard, 1, TOO_HIGH)), "TOO_LARGE");
    assert_eq!(code(sign_kind(&mut guard, 1, highest)), "CONTRADICTION");
    sign_kind(&mut guard, 1, highest + 1).unwrap();
}

#[test]
fn a_full_journal_refuses_records_and_stays_usable() {
    let dir = tempfile::tempdir().unwrap();
    let spend = |index| Spend { key: [3; 32], epoch: 1, index, digest: [1; 32] };
    let mut guard = Journaled::create(dir.path(), secret(7), CHAIN).unwrap();
    guard.set_capacity(6);
    sign(&mut guard, 1, 1).unwrap();
    for index in 0..5 {
        guard.spend(&spend(index)).unwrap();
    }
    for _ in 0..2 {
        assert_eq!(code(guard.spend(&spend(5))), "TOO_LARGE");
        assert_eq!(code(guard.reserve(&[3; 32], 1, 5_000)), "TOO_LARGE");
        // Refused again: it was not kept in memory as if it were durable.
        assert_eq!(code(sign_kind(&mut guard, 2, 1)), "TOO_LARGE");
    }
    // A known kind needs no place.
    for view in 2..10 {
        sign(&mut guard, view, 1).unwrap();
        assert!(read(dir.path()).records().len() <= 6);
    }
    guard.close_epoch(&[3; 32], 1).unwrap();
    sign_kind(&mut guard, 2, 1).unwrap();
    drop(guard);
    let guard = Journaled::open(dir.path(), secret(7), CHAIN).unwrap();
    assert_eq!((guard.last(Kind::new(1)), guard.last(Kind::new(2))), (Some((0, 9)), Some((0, 1))));
}

#[test]
fn the_directory_does_not_follow_the_working_directory() {
    // Nothing is created: the working directory of a test is shared.
    let error = Journaled::open(Path::new("no-such-directory"), secret(7), CHAIN).err().unwrap();
    let Error::JournalMissing { path } = error else { panic!("{error}") };
    assert!(Path::new(&path).is_absolute(), "{path}");
}
