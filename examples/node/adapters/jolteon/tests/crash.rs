//! The store after processes are killed during writes, and on a full disk.
//!
//! A child process appends records and prints the durable ones. The parent kills it and checks the store.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod chain;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use chain::{Voter, batch, open};
use quorate::ed25519::Ed25519;
use quorate_jolteon::{BatchDigest, Record};
use quorate_node::protocol::Archive;

/// Serializes the tests: between fork and exec, a child process holds the parent's open files and locks.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn a_killed_process_loses_no_acknowledged_record() {
    let _alone = ALONE.lock().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let (mut voted, mut stored) = (0, 0);
    for round in 0..6u64 {
        let mut child = writer(dir.path(), "", &format!("{voted} {stored}"));
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut seen = 0;
        for line in lines {
            let line = line.unwrap();
            match line.split_once(' ') {
                Some(("voted", n)) => voted = n.parse().unwrap(),
                Some(("stored", n)) => stored = n.parse().unwrap(),
                _ => continue,
            }
            seen += 1;
            if seen == 40 + 23 * round {
                child.kill().unwrap();
            }
        }
        child.wait().unwrap();
        (voted, stored) = check(dir.path(), voted, stored);
    }
    assert!(voted > 100 && stored > 50, "{voted} {stored}");
}

#[cfg(unix)]
#[test]
fn a_full_disk_stops_the_writer_without_partial_writes() {
    let _alone = ALONE.lock().unwrap();
    let dir = tempfile::tempdir().unwrap();
    drop(open::<Ed25519>(dir.path()));
    // The limit is 80 MB per file: only the segment file reaches it.
    let child = writer(dir.path(), "trap '' XFSZ; ulimit -f 163840; ", "0 0");
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let last = |word: &str| {
        let numbers = text.lines().filter_map(|line| line.strip_prefix(word)?.trim().parse().ok());
        numbers.max().unwrap_or(0)
    };
    assert!(text.contains("refused once, then always"), "{text}");
    assert!(last("stored") > 10);
    check(dir.path(), last("voted"), last("stored"));
}

/// Checks that the store has at least these records. Returns the newest view and sequence number in it.
fn check(dir: &Path, voted: u64, stored: u64) -> (u64, u64) {
    let store = open::<Ed25519>(dir);
    let (mut view, mut newest, mut batches) = (0, 0, BTreeSet::new());
    for record in store.load().unwrap() {
        match record {
            Record::VoteGuard(record) => view = record.view(),
            Record::Batch(batch) => {
                newest = newest.max(batch.sequence());
                batches.insert(batch.digest());
            }
            other => panic!("{other:?}"),
        }
    }
    // One more record of each kind may be durable without having been printed.
    assert!(view == voted || view == voted + 1, "{view} {voted}");
    assert!(newest == stored || newest == stored + 1, "{newest} {stored}");
    let all: BTreeSet<BatchDigest> = (1..=newest).map(|n| sized(n).digest()).collect();
    assert_eq!(batches, all);
    (view, newest)
}

fn sized(sequence: u64) -> Arc<quorate_jolteon::Batch> {
    batch(sequence, 200 + sequence % 7 * 150, 512)
}

fn writer(dir: &Path, limits: &str, from: &str) -> Child {
    let me = std::env::current_exe().unwrap();
    let run = format!("{limits}exec \"{}\" --exact child_writes --ignored --nocapture", me.display());
    Command::new("sh")
        .args(["-c", &run])
        .env("STORE_TEST_DIR", dir)
        .env("STORE_TEST_FROM", from)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Two threads write until they are killed or refused: one writes votes, the other batches.
#[test]
#[ignore = "the child process of other tests"]
fn child_writes() {
    let Some(dir) = std::env::var_os("STORE_TEST_DIR") else { return };
    let from = std::env::var("STORE_TEST_FROM").unwrap();
    let (voted, stored) = from.split_once(' ').unwrap();
    let (voted, stored): (u64, u64) = (voted.parse().unwrap(), stored.parse().unwrap());
    let store = open::<Ed25519>(Path::new(&dir));
    let print = |text: String| {
        let mut out = std::io::stdout().lock();
        // The parent may have ended.
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
    };
    print(String::new());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut voter = Voter::new();
            for view in voted + 1.. {
                if store.append(&[Record::VoteGuard(voter.vote(view))]).is_err() {
                    break;
                }
                print(format!("voted {view}"));
            }
        });
        scope.spawn(|| {
            for sequence in stored + 1..stored + 2000 {
                if store.append(&[Record::Batch(sized(sequence))]).is_err() {
                    assert!(store.append(&[Record::Batch(sized(1))]).is_err());
                    assert!(store.append(&[Record::VoteGuard(Voter::new().vote(u64::MAX))]).is_err());
                    print("refused once, then always".into());
                    break;
                }
                print(format!("stored {sequence}"));
            }
        });
    });
}
