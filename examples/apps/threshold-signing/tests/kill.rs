//! No presignature signs two messages, whichever process is killed at whichever time: the tests collect all replies
//! that ever left a party.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use quorate::machine::MemberIndex;
use quorate_threshold_signing::coordinator::{Coordinator, SigningOptions};
use quorate_threshold_signing::evidence::verify_attestation;
use quorate_threshold_signing::protocol::{RefusalReason, Reply};
use support::TestGroup;

/// Digest that each presignature of each party was spent on. Two digests of one presignature would reveal the key.
#[derive(Default)]
struct Seen {
    spent: BTreeMap<(usize, u64, u32), [u8; 32]>,
    shares: u64,
    contradictions: u64,
    exhausted: u64,
}

impl Seen {
    /// Returns true if each kind of reply occurred often enough for the test to be worth something.
    fn is_enough(&self) -> bool {
        self.spent.len() >= 50 && self.contradictions >= 50 && self.exhausted > 0
    }

    fn add(&mut self, setup: &TestGroup, party: usize, index: u32, reply: &Reply) {
        match reply {
            Reply::Share(share) => {
                assert_eq!((usize::from(share.member()), share.index()), (party, index));
                verify_attestation(
                    &setup.group,
                    party as MemberIndex,
                    &share.attested_bytes(),
                    share.attestation(),
                )
                .unwrap();
                let place = (party, share.epoch(), index);
                let before = self.spent.insert(place, *share.digest());
                assert!(
                    before.is_none_or(|before| before == *share.digest()),
                    "TWO MESSAGES under one presignature: party {party}, index {index}"
                );
                self.shares += 1;
            }
            Reply::Refused(refusal) => match refusal.reason {
                RefusalReason::Contradiction => self.contradictions += 1,
                RefusalReason::Exhausted => self.exhausted += 1,
                other => panic!("party {party}: {other:?}"),
            },
            other => panic!("party {party}: {other:?}"),
        }
    }
}

/// A requester asks a party for shares under presignatures that the other requester uses too, while parties are
/// killed and restarted.
async fn ask_for_both(
    setup: Arc<TestGroup>,
    seen: Arc<Mutex<Seen>>,
    requester: &str,
    party: usize,
    stop: Arc<AtomicBool>,
) {
    let (mut link, mut step) = (None, 0u32);
    while !stop.load(Ordering::Relaxed) {
        let Some(open) = &mut link else {
            match setup.connect(requester, party).await {
                Ok(connected) => link = Some(connected),
                Err(_) => tokio::time::sleep(Duration::from_millis(2)).await,
            }
            continue;
        };
        // Mostly forward, sometimes back to earlier indexes, also across restarts of the party.
        step += 1;
        let back = if step.is_multiple_of(2) { getrandom::u32().unwrap() % 20 } else { 0 };
        // Parties that reserve blocks are asked across blocks, because each run of the process burns one.
        let stride = if party.is_multiple_of(2) { 1 } else { 97 };
        let at = (step / 4).saturating_sub(back) * stride % setup.public.count();
        let message = format!("{requester} {at}");
        match open.sign(at, message.as_bytes()).await {
            Ok(reply) => seen.lock().unwrap().add(&setup, party, at, &reply),
            Err(_) => link = None,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_presignature_signs_two_messages_across_kills() {
    let setup = Arc::new(TestGroup::new(4, 3_000));
    let seen = Arc::new(Mutex::new(Seen::default()));
    let (begin, stop) = (Instant::now(), Arc::new(AtomicBool::new(false)));
    // Two parties record each presignature, two reserve blocks.
    let kills = Arc::new(AtomicU64::new(0));
    let killers: Vec<_> = (0..4_usize)
        .map(|party| {
            let (setup, kills, stop) = (setup.clone(), kills.clone(), stop.clone());
            std::thread::spawn(move || {
                let more: &[&str] = if party.is_multiple_of(2) { &[] } else { &["--reserve"] };
                while !stop.load(Ordering::Relaxed) {
                    let mut running = setup.start(party, more);
                    let life = Duration::from_millis(u64::from(getrandom::u32().unwrap() % 400));
                    std::thread::sleep(life);
                    running.kill();
                    kills.fetch_add(1, Ordering::Relaxed);
                }
                // The last start, for the final requests.
                setup.start(party, more)
            })
        })
        .collect();
    let requester_keys: Vec<_> = (0..4)
        .flat_map(|party| ["client", "rival"].map(|requester| (party, requester)))
        .map(|(party, requester)| {
            tokio::spawn(ask_for_both(setup.clone(), seen.clone(), requester, party, stop.clone()))
        })
        .collect();
    // A busy machine takes longer until enough has happened.
    let is_enough = || kills.load(Ordering::Relaxed) >= 12 && seen.lock().unwrap().is_enough();
    while begin.elapsed() < Duration::from_secs(10)
        || begin.elapsed() < Duration::from_secs(300) && !is_enough()
    {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    stop.store(true, Ordering::Relaxed);
    for asker in requester_keys {
        asker.await.unwrap();
    }
    let _running: Vec<_> = killers.into_iter().map(|killer| killer.join().unwrap()).collect();

    // All recorded presignatures are requested again with both messages: no party signs the other message.
    let mut again = 0;
    let sent = seen.lock().unwrap().spent.clone();
    for party in 0..4 {
        let mut link = setup.connect("rival", party).await.unwrap();
        for (_, _, index) in sent.keys().filter(|(p, _, _)| *p == party) {
            for requester in ["client", "rival"] {
                let reply = link.sign(*index, format!("{requester} {index}").as_bytes()).await.unwrap();
                again += u64::from(matches!(reply, Reply::Share(_)));
                seen.lock().unwrap().add(&setup, party, *index, &reply);
            }
        }
    }
    let seen = seen.lock().unwrap();
    let kills = kills.load(Ordering::Relaxed);
    println!(
        "{kills} kills; {} shares of {} presignatures, {} contradictions and {} burnt or lost refused; {again} repeated",
        seen.shares,
        seen.spent.len(),
        seen.contradictions,
        seen.exhausted
    );
    assert!(kills >= 12 && seen.is_enough());
    // Parties that record each presignature give its share again.
    assert!(again > 0);
}

#[tokio::test]
async fn an_abort_spends_presignatures_that_may_have_been_sent() {
    let points = [
        ("made:1", false),
        ("made:3", false),
        ("recorded:1", false),
        ("recorded:3", false),
        ("sent:1", false),
        ("sent:3", false),
        ("reserved:1", true),
        ("made:1", true),
        ("recorded:3", true),
        ("sent:3", true),
    ];
    // Each crash point has its own party.
    let setup = TestGroup::new(points.len(), 1_030);
    for (party, (point, reserve)) in points.into_iter().enumerate() {
        let mut seen = Seen::default();
        let more: &[&str] = if reserve { &["--reserve"] } else { &[] };
        let mut command = setup.party(party, more);
        command.env("THRESHOLD_SIGNING_ABORT", point);
        let mut running = setup.started(party, command);
        let mut link = setup.connect("client", party).await.unwrap();
        let mut ended_at = None;
        for index in 0..5 {
            match link.sign(index, b"first").await {
                Ok(reply) => seen.add(&setup, party, index, &reply),
                Err(_) => {
                    ended_at = Some(index);
                    break;
                }
            }
        }
        let ended_at = ended_at.unwrap_or_else(|| panic!("{point} is not reached"));
        assert!(!running.0.wait().unwrap().success(), "{point}");

        let _running = setup.start(party, more);
        let mut link = setup.connect("rival", party).await.unwrap();
        for index in 0..5 {
            let before = seen.spent.contains_key(&(party, 1, index));
            let other = link.sign(index, b"second").await.unwrap();
            seen.add(&setup, party, index, &other);
            let same = link.sign(index, b"first").await.unwrap();
            seen.add(&setup, party, index, &same);
            let refused = |reply: &Reply| match reply {
                Reply::Refused(refusal) => Some(refusal.reason),
                _ => None,
            };
            let outcome = (refused(&other), refused(&same));
            if reserve {
                let burnt = (Some(RefusalReason::Exhausted), Some(RefusalReason::Exhausted));
                assert_eq!(outcome, burnt, "{point}, {index}: the whole block is burnt");
            } else if before || point.starts_with("recorded") && index == ended_at {
                assert_eq!(outcome, (Some(RefusalReason::Contradiction), None), "{point}, {index}");
            } else {
                // Nothing was sent, and nothing is durable.
                assert_eq!(outcome, (None, Some(RefusalReason::Contradiction)), "{point}, {index}");
            }
        }
        if reserve {
            seen.add(&setup, party, 1_024, &link.sign(1_024, b"behind the block").await.unwrap());
            assert!(seen.spent.contains_key(&(party, 1, 1_024)));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signing_continues_while_parties_are_killed_in_turn() {
    let setup = Arc::new(TestGroup::new(4, 2_000));
    let (stop, kills) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let mut running = setup.start_all();
    let killer = {
        let (setup, stop, kills) = (setup.clone(), stop.clone(), kills.clone());
        std::thread::spawn(move || {
            for party in (0..4).cycle() {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                running[party].kill();
                std::thread::sleep(Duration::from_millis(30));
                running[party] = setup.start(party, &[]);
                std::thread::sleep(Duration::from_millis(50));
                kills.fetch_add(1, Ordering::Relaxed);
            }
        })
    };
    let identity = setup.keys("client").identity().unwrap();
    let mut coordinator = Coordinator::new(setup.group.clone(), setup.public.clone(), identity).unwrap();
    let options = SigningOptions { timeout: Duration::from_secs(120), ..SigningOptions::default() };
    let (mut indexes, begin) = (BTreeSet::new(), Instant::now());
    let mut number = 0;
    while kills.load(Ordering::Relaxed) < 20 || indexes.len() < 10 {
        assert!(begin.elapsed() < Duration::from_secs(300), "{} messages, {kills:?} kills", indexes.len());
        number += 1;
        let message = format!("message {number}");
        let signed = coordinator.sign(message.as_bytes(), options).await.unwrap();
        setup.public.key.verify_message(message.as_bytes(), &signed.signature).unwrap();
        assert!(indexes.insert(signed.index), "presignature {} twice", signed.index);
        assert!(coordinator.faults().is_empty());
        // Without the pause a fast machine would spend all presignatures.
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    stop.store(true, Ordering::Relaxed);
    killer.join().unwrap();
    println!("{} messages signed while {kills:?} processes were killed", indexes.len());
}
