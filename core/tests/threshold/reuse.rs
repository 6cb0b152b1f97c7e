use std::collections::{BTreeMap, BTreeSet};

use quorate::Error;
use quorate::guard::GuardRecord;
use quorate::threshold::Class;
use quorate::threshold::ecdsa::{Curve, Plan, Presignatures, Tag};

use super::harness::{MESSAGE, Party, dealer, guard, rng};

const PLAN: Plan = Plan::Agreement { parties: 4, rounds: 2 };

/// Point at which a process stops.
#[derive(Clone, Copy, Debug)]
enum Crash {
    /// The share is made, and nothing is written.
    BeforeTheRecord,
    /// The record is durable, and the share is not sent.
    BeforeTheShare,
    /// The share is sent.
    After,
}

struct CrashTest<G: Curve> {
    file: Vec<u8>,
    secret: [u8; 32],
    disk: Vec<GuardRecord>,
    party: Party<G>,
    /// Digest that each presignature signed, as seen by observers.
    sent: BTreeMap<(u64, u32), [u8; 32]>,
}

impl<G: Curve> CrashTest<G> {
    fn new(file: Vec<u8>) -> Self {
        let party = Party::new(Presignatures::from_bytes(&file).unwrap());
        Self { secret: party.secret, file, disk: Vec::new(), party, sent: BTreeMap::new() }
    }

    fn restart(&mut self) {
        self.party = Party::new(Presignatures::from_bytes(&self.file).unwrap());
        self.party.guard = guard(&self.secret, self.disk.iter().rev().copied());
    }

    fn sign<C: Class>(&mut self, tag: Tag<C>, message: &[u8], crash: Option<Crash>) -> quorate::Result<()> {
        let signed = self.party.presignatures.take(tag)?.sign(&mut self.party.guard, message)?;
        if !matches!(crash, Some(Crash::BeforeTheRecord)) {
            self.disk.extend(signed.record);
            if !matches!(crash, Some(Crash::BeforeTheShare)) {
                let share = signed.share;
                let before = self.sent.insert((share.epoch(), share.index()), *share.digest());
                assert!(
                    before.is_none_or(|before| before == *share.digest()),
                    "one presignature, two messages"
                );
            }
        }
        if crash.is_some() {
            self.restart();
        }
        Ok(())
    }
}

fn file<G: Curve>(epoch: u64) -> Vec<u8> {
    dealer::<G>(4, 1).deal(epoch, PLAN, &mut rng(epoch)).unwrap()[1].to_bytes().unwrap().to_vec()
}

/// Mistake 2, at every point at which a process can stop, in two views and two epochs.
pub(crate) fn no_crash_makes_a_presignature_sign_twice<G: Curve>() {
    let files = [7, 8].map(file::<G>);
    for crash in [Crash::BeforeTheRecord, Crash::BeforeTheShare, Crash::After] {
        for (epoch, file) in [7, 8].into_iter().zip(&files) {
            let tags = |round| PLAN.promotion(epoch, round, 2, 3).unwrap();
            for crash_at in 0..2u16 {
                let mut test = CrashTest::<G>::new(file.clone());
                for round in 0..2 {
                    test.sign(tags(round), b"first", (round == crash_at).then_some(crash)).unwrap();
                }
                // A share that never left may be made anew for any message; one that may have left may not.
                let other = test.sign(tags(crash_at), b"second", Some(Crash::After));
                match crash {
                    Crash::BeforeTheRecord => other.unwrap(),
                    _ => assert_eq!(other.unwrap_err().code(), "CONTRADICTION"),
                }
                test.restart();
                let same = test.sign(tags(crash_at), b"first", None);
                match crash {
                    Crash::BeforeTheRecord => assert_eq!(same.unwrap_err().code(), "CONTRADICTION"),
                    _ => same.unwrap(),
                }
                test.restart();
                let other_view = test.sign(tags(1 - crash_at), b"second", None);
                assert_eq!(other_view.is_err(), crash_at == 1 || test.sent.len() == 2);
            }
        }
    }
}

pub(crate) fn a_block_is_burnt_by_a_crash<G: Curve>() {
    let mut test = CrashTest::<G>::new(file::<G>(7));
    let key = test.party.presignatures.key().id().0;
    let tags: Vec<_> = (0..4).map(|member| PLAN.prbc(7, member).unwrap()).collect();
    test.sign(tags[0], MESSAGE, None).unwrap();
    assert_eq!(test.disk.len(), 1);

    let reservation = test.party.guard.reserve(&key, 7, 0).unwrap();
    // Until the reservation is durable, each share still needs its own record.
    test.sign(tags[1], MESSAGE, None).unwrap();
    assert_eq!(test.disk.len(), 2);
    test.disk.push(reservation);
    test.party.guard.confirm(&reservation).unwrap();
    assert_eq!(test.party.guard.reserve(&key, 7, 900), Ok(reservation), "the same block");
    test.sign(tags[2], MESSAGE, None).unwrap();
    assert_eq!(test.disk.len(), 3, "no record of its own");
    // Within the process the guard refuses a second use, even of a copy of the presignature.
    test.party.presignatures = Presignatures::from_bytes(&test.file).unwrap();
    assert_eq!(test.sign(tags[2], b"second", None).unwrap_err().code(), "CONTRADICTION");
    test.sign(tags[2], MESSAGE, None).unwrap_err();
    test.party.presignatures = Presignatures::from_bytes(&test.file).unwrap();
    test.sign(tags[2], MESSAGE, None).unwrap();

    test.restart();
    // Presignatures without a record are lost, spent or not; those with a record can be sent again.
    assert_eq!(test.sign(tags[2], MESSAGE, None).unwrap_err(), Error::Exhausted);
    assert_eq!(test.sign(tags[3], MESSAGE, None).unwrap_err(), Error::Exhausted);
    assert_eq!(test.party.guard.reserve(&key, 7, 1_023), Err(Error::Exhausted));
    test.sign(tags[0], MESSAGE, None).unwrap();
    test.sign(tags[1], MESSAGE, None).unwrap();
    // The next block is a different one, and so is the same block of another epoch.
    assert!(test.party.guard.reserve(&key, 7, 1_024).is_ok());
    assert!(test.party.guard.reserve(&key, 8, 0).is_ok());
}

pub(crate) fn closed_epochs_stay_closed<G: Curve>() {
    let mut test = CrashTest::<G>::new(file::<G>(7));
    let tag = PLAN.completion(7, 1).unwrap();
    test.sign(PLAN.completion(7, 0).unwrap(), MESSAGE, None).unwrap();
    let (file, mut guard) = (test.file.clone(), guard(&test.secret, test.disk.clone()));
    let left = std::mem::replace(&mut test.party.presignatures, Presignatures::from_bytes(&file).unwrap());
    test.disk.push(left.destroy(&mut guard));
    test.restart();
    assert_eq!(test.sign(tag, MESSAGE, None).unwrap_err(), Error::Exhausted);
    // A compacted journal says the same in one record.
    let compact: Vec<_> = test.party.guard.records().collect();
    assert_eq!(compact.len(), 1);
    test.disk = compact;
    test.restart();
    assert_eq!(test.sign(tag, MESSAGE, None).unwrap_err(), Error::Exhausted);
    // The next epoch is open.
    let mut next = CrashTest::<G>::new(self::file::<G>(8));
    next.disk = test.disk;
    next.restart();
    next.sign(PLAN.completion(8, 1).unwrap(), MESSAGE, None).unwrap();
}

pub(crate) fn a_presignature_can_be_taken_once<G: Curve>() {
    let mut test = CrashTest::<G>::new(file::<G>(7));
    let tag = PLAN.prbc(7, 3).unwrap();
    drop(test.party.presignatures.take(tag).unwrap());
    assert_eq!(test.party.presignatures.take(tag).map(drop), Err(Error::Exhausted));
    assert_eq!(test.party.presignatures.left() as u32, PLAN.count() - 1);
    // Neither from another epoch, nor under the tag of another plan.
    let elsewhere = PLAN.prbc(8, 0).unwrap();
    assert_eq!(test.party.presignatures.take(elsewhere).map(drop).unwrap_err().code(), "WRONG_CONTEXT");
    let other_plan = Plan::Agreed { count: 100 }.agreed(7, 4).unwrap();
    assert_eq!(test.party.presignatures.take(other_plan).map(drop).unwrap_err().code(), "WRONG_CONTEXT");
    let beyond = Plan::Agreed { count: 1_000 }.agreed(7, 999).unwrap();
    assert_eq!(test.party.presignatures.take(beyond).map(drop).unwrap_err(), Error::Exhausted);
}

pub(crate) fn two_epochs_and_all_their_tags_have_distinct_nonces<G: Curve>() {
    let mut nonces = BTreeSet::new();
    for epoch in [7, 8] {
        let file = file::<G>(epoch);
        let each = G::ELEMENT_LEN + 128;
        let head = file.len() - PLAN.count() as usize * each;
        nonces.extend(file[head..].chunks(each).map(|entry| entry[..G::ELEMENT_LEN].to_vec()));
    }
    assert_eq!(nonces.len() as u32, 2 * PLAN.count());
}
