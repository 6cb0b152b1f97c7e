//! Every operation of the disk fails in every way, every write stops at every byte, and the power is cut after it.

use std::boxed::Box;
use std::collections::BTreeMap;
use std::path::Path;
use std::vec;

use super::model::{Fault, ModelDisk, SURVIVALS, Survival};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::Error;
use crate::certificate::Kind;
use crate::committee::{ChainId, Committee};
use crate::guard::journal::store::JournalDirectory;
use crate::guard::{Guard, JournalFile, JournaledGuard};
use crate::scheme::toy::Toy;
use crate::scheme::{Scheme, VerifiedKey};

type Journaled = JournaledGuard<Toy>;
/// The value that left for a kind and a view.
type Released = BTreeMap<(u8, u64), u8>;

const CHAIN: ChainId = ChainId([1; 32]);

struct World {
    disk: ModelDisk,
    committee: Committee<Toy>,
    released: Released,
}

fn secret() -> <Toy as Scheme>::SecretKey {
    Toy::generate(&mut StdRng::seed_from_u64(7)).unwrap()
}

impl World {
    fn new() -> Self {
        let member = VerifiedKey::from_secret(&secret());
        let committee = Committee::new(CHAIN, 0, vec![(member, 1)]).unwrap();
        Self { disk: ModelDisk::default(), committee, released: Released::new() }
    }

    fn create(&self) -> crate::Result<Journaled> {
        Journaled::create_on(Box::new(self.disk.clone()), Path::new("d"), Guard::new(secret(), CHAIN), None)
    }

    fn open(&self) -> crate::Result<Journaled> {
        Journaled::open_on(Box::new(self.disk.clone()), Path::new("d"), Guard::new(secret(), CHAIN), None)
    }

    /// Signs a value, and checks it against the values that left.
    fn sign(&mut self, guard: &mut Journaled, kind: u8, view: u64, value: u8) -> crate::Result<()> {
        let statement = self.committee.statement(Kind::new(kind), view, [value; 32]);
        guard.sign(&self.committee, statement)?;
        let earlier = self.released.insert((kind, view), value);
        assert!(earlier.is_none_or(|earlier| earlier == value), "kind {kind}, view {view}: both left");
        Ok(())
    }

    /// A life of a process: it creates a journal, signs beyond one rewrite, starts again and signs on.
    fn live(&mut self, value: u8) -> crate::Result<()> {
        let mut guard = self.create()?;
        for view in 1..=3 {
            self.sign(&mut guard, 1, view, value)?;
            self.sign(&mut guard, 2, view, value)?;
        }
        drop(guard);
        let mut guard = self.open()?;
        for view in 4..=5 {
            self.sign(&mut guard, 1, view, value)?;
        }
        Ok(())
    }

    /// Opens the journal, or creates it if nothing has left. Then signs another value for every view.
    fn contradict(&mut self, value: u8) {
        let opened = match self.open() {
            Err(Error::JournalMissing { .. }) => {
                assert!(self.released.is_empty(), "votes left, and the journal is gone");
                self.create()
            }
            opened => opened,
        };
        let mut guard = opened.unwrap_or_else(|error| panic!("an honest key is stuck: {error}"));
        for view in 1..=6 {
            for kind in 1..=2 {
                // Refused, or it left neither before nor now.
                let _ = self.sign(&mut guard, kind, view, value);
            }
        }
        self.sign(&mut guard, 1, 100, value).unwrap();
        self.released.remove(&(1, 100));
    }
}

fn recover(world: &World, view: u64) -> crate::Result<Journaled> {
    Journaled::recover_on(Box::new(world.disk.clone()), Path::new("d"), Guard::new(secret(), CHAIN), view)
}

/// A recovery above a view, a damaged record, and a second recovery above a lower view.
fn recover_twice(world: &mut World) -> crate::Result<()> {
    drop(world.create()?);
    let mut guard = recover(world, 20)?;
    for kind in [1, 2, 3] {
        world.sign(&mut guard, kind, 21, 1)?;
    }
    drop(guard);
    // The record of kind 1.
    world.disk.edit("d/guard.journal", |bytes| bytes[150] ^= 1);
    let mut guard = recover(world, 5)?;
    world.sign(&mut guard, 2, 22, 1)
}

#[test]
fn an_interrupted_recovery_loses_nothing() {
    let mut world = World::new();
    recover_twice(&mut world).unwrap();
    let mut schedules = 0;
    for (at, len) in world.disk.operations().into_iter().enumerate() {
        for fault in faults_of(len) {
            for survival in SURVIVALS {
                let mut world = World::new();
                world.disk.set_fault(at, fault);
                assert!(recover_twice(&mut world).is_err(), "the fault at {at} has no effect: {fault:?}");
                world.disk.restart(survival);
                let has_signed = !world.released.is_empty();
                assert!(world.disk.has("d/guard.journal") || !has_signed, "the journal is gone");
                let mut guard = recover(&world, if has_signed { 5 } else { 20 }).unwrap();
                for view in 6..=20 {
                    assert!(world.sign(&mut guard, 4, view, 2).is_err(), "the earlier floor is lost");
                }
                for (kind, view) in [(2, 21), (3, 21), (2, 22), (2, 23), (3, 23)] {
                    let _ = world.sign(&mut guard, kind, view, 2);
                }
                schedules += 1;
            }
        }
    }
    assert!(schedules > 5_000, "{schedules}");
}

#[test]
fn a_recovery_keeps_every_journal() {
    let mut world = World::new();
    let mut guard = world.create().unwrap();
    world.sign(&mut guard, 1, 3, 1).unwrap();
    drop(guard);
    let before = world.disk.operations().len();
    drop(recover(&world, 10).unwrap());
    // The journal of another key, with an intact header, is refused also if a record of it is damaged.
    for edit in [0, 1] {
        world.disk.edit("d/guard.journal", |bytes| bytes[100] ^= edit);
        let other = Toy::generate(&mut StdRng::seed_from_u64(8)).unwrap();
        let disk = Box::new(world.disk.clone());
        let error =
            Journaled::recover_on(disk, Path::new("d"), Guard::new(other, CHAIN), 10).map(drop).unwrap_err();
        assert_eq!(error.code(), "WRONG_CONTEXT");
        assert!(!world.disk.has("d/guard.journal.aside-2"));
    }
    assert!(world.disk.operations().len() > before);
    // A journal that was set aside is a journal.
    world.disk.remove("d/guard.journal");
    let Err(Error::JournalExists { path }) = world.create().map(drop) else { panic!("created") };
    assert_eq!(path, "d/guard.journal.aside-1");
}

#[test]
fn a_journal_that_is_too_long_is_recovered() {
    let mut world = World::new();
    let mut guard = world.create().unwrap();
    world.sign(&mut guard, 1, 3, 1).unwrap();
    drop(guard);
    world.disk.edit("d/guard.journal", |bytes| bytes.extend([7; 96 * 10]));
    let binding = JournalFile::decode(&world.disk.content("d/guard.journal")[..192]).unwrap().binding();
    let disk = Box::new(world.disk.clone());
    let mut place = JournalDirectory::lock(disk, Path::new("d"), binding, false).unwrap();
    place.set_capacity(4);
    assert_eq!(place.load().unwrap_err().code(), "TOO_LARGE");
    assert_eq!(place.set_aside().unwrap().records().len(), 1);
    assert!(world.disk.has("d/guard.journal.aside-1"));
}

fn faults_of(len: Option<usize>) -> impl Iterator<Item = Fault> {
    let stops = (0..len.map_or(0, |len| len + 1)).flat_map(|at| [Fault::Stops(at), Fault::EndsAt(at)]);
    [Fault::Fails, Fault::FailsAfterwards, Fault::Ends].into_iter().chain(stops)
}

#[test]
fn no_fault_makes_a_key_sign_twice_or_stop() {
    let mut world = World::new();
    world.live(1).unwrap();
    let operations = world.disk.operations();
    assert!(operations.iter().flatten().count() >= 10, "{operations:?}");
    let mut schedules = 0;
    for (at, len) in operations.into_iter().enumerate() {
        for fault in faults_of(len) {
            for survival in SURVIVALS {
                let mut world = World::new();
                world.disk.set_fault(at, fault);
                assert!(world.live(1).is_err(), "the fault at {at} has no effect: {fault:?}");
                world.disk.restart(survival);
                world.contradict(2);
                schedules += 1;
            }
        }
    }
    assert!(schedules > 10_000, "{schedules}");
}

#[test]
fn records_that_the_system_lost_are_written_again() {
    let operations = {
        let mut world = World::new();
        world.live(1).unwrap();
        world.disk.operations()
    };
    for at in 0..operations.len() {
        for fault in [Fault::Fails, Fault::FailsAfterwards, Fault::Stops(40)] {
            let mut world = World::new();
            world.disk.set_fault(at, fault);
            let _ = world.live(1);
            // The same system goes on; the process starts again, and repeats its votes. Then the power is cut.
            if let Ok(mut guard) = world.open() {
                for view in 1..=6 {
                    for kind in 1..=2 {
                        let _ = world.sign(&mut guard, kind, view, 1);
                    }
                }
            }
            world.disk.restart(Survival::Nothing);
            world.contradict(2);
        }
    }
}

#[test]
fn nothing_is_signed_after_a_failure() {
    let mut world = World::new();
    let mut guard = world.create().unwrap();
    world.sign(&mut guard, 1, 1, 1).unwrap();
    world.disk.set_fault(world.disk.operations().len() + 1, Fault::Fails);
    let failed = world.sign(&mut guard, 1, 2, 1).unwrap_err();
    assert_eq!(failed.code(), "JOURNAL_FAILED");
    assert_eq!(failed.details()[0].0, "operation");
    assert!(failed.to_string().ends_with("open the journal again"), "{failed}");
    for (view, value) in [(1, 1), (2, 1), (2, 2), (3, 1)] {
        assert_eq!(world.sign(&mut guard, 1, view, value).unwrap_err().code(), "JOURNAL_FAILED");
    }
    assert_eq!(world.open().map(drop).unwrap_err().code(), "JOURNAL_IN_USE");
    drop(guard);
    let mut guard = world.open().unwrap();
    world.sign(&mut guard, 1, 3, 1).unwrap();
}

#[test]
fn a_torn_record_is_dropped_and_a_changed_one_reported() {
    let path = "d/guard.journal";
    let journal = || {
        let mut world = World::new();
        let mut guard = world.create().unwrap();
        for view in 1..=3 {
            world.sign(&mut guard, 1, view, 1).unwrap();
        }
        world
    };
    for cut in 1..96 {
        let world = journal();
        world.disk.edit(path, |bytes| bytes.truncate(bytes.len() - cut));
        assert_eq!(world.open().unwrap().last(Kind::new(1)), Some((0, 2)), "{cut}");
    }
    for at in 0..4 * 96 {
        let world = journal();
        world.disk.edit(path, |bytes| bytes[at] ^= 0x40);
        let error = world.open().map(drop).unwrap_err();
        let expected = Error::JournalDamaged { path: path.into(), offset: at as u64 / 96 * 96 };
        assert_eq!(error, expected);
        assert!(error.recovery().is_some_and(|text| error.to_string().ends_with(text)));
    }
    // A frame in another place, a repeated one, a missing one.
    for edit in [
        (|bytes| bytes[96..288].rotate_left(96)) as fn(&mut vec::Vec<u8>),
        |bytes| bytes.extend_from_within(288..384),
        |bytes| drop(bytes.drain(96..192)),
    ] {
        let world = journal();
        world.disk.edit(path, edit);
        assert_eq!(world.open().map(drop).unwrap_err().code(), "JOURNAL_DAMAGED");
    }
}

#[test]
fn a_damaged_journal_is_recovered_above_a_view() {
    let mut world = World::new();
    let mut guard = world.create().unwrap();
    for view in 1..=3 {
        world.sign(&mut guard, 1, view, 1).unwrap();
    }
    drop(guard);
    world.disk.edit("d/guard.journal", |bytes| bytes[200] ^= 1);
    let recover = |view| {
        Journaled::recover_on(Box::new(world.disk.clone()), Path::new("d"), Guard::new(secret(), CHAIN), view)
    };
    let guard = recover(10).unwrap();
    assert!(world.disk.has("d/guard.journal.aside-1"));
    assert_eq!(guard.last(Kind::new(1)), Some((0, 3)));
    drop(guard);
    // The floor is durable, and never falls.
    drop(recover(5).unwrap());
    assert!(world.disk.has("d/guard.journal.aside-2"));
    world.disk.restart(Survival::Nothing);
    let mut guard = world.open().unwrap();
    assert!(guard.is_stale());
    for view in [4, 10] {
        assert_eq!(world.sign(&mut guard, 1, view, 1).unwrap_err().code(), "CONTRADICTION");
    }
    world.sign(&mut guard, 1, 11, 1).unwrap();
    assert!(!guard.is_stale());
}
