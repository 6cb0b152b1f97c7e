//! Logs that somebody changed: every change is found, and named by entry and byte.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::path::PathBuf;
use std::time::Duration;

use proptest::prelude::*;
use quorate::dsig::SignerConfig;
use quorate::dsig::dynamic::SuiteId;
use quorate::ed25519::Ed25519;
use quorate::machine::Time;
use quorate::scheme::Scheme as _;
use quorate_audited_redis::audit::{Expected, Report, audit};
use quorate_audited_redis::config::{Known, Sync};
use quorate_audited_redis::frame::{Scheme, SignedCommand, message};
use quorate_audited_redis::keys::Key;
use quorate_audited_redis::log::{Entry, HEADER, LogWriter, OVERHEAD, Scan, Step, Written};
use quorate_audited_redis::resp::encode_command;
use quorate_audited_redis::suites::{AnySigner, signer};

/// A log of commands by two clients in turn, with DSig but for every fourth, which has EdDSA.
struct Made {
    folder: tempfile::TempDir,
    clients: Vec<Known>,
    keys: Vec<Key>,
    bytes: Vec<u8>,
    /// Where entry n begins, from entry 1 on; at last the end.
    starts: Vec<usize>,
    store: [u8; 32],
}

fn made(count: u64) -> Made {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let keys: Vec<_> = (0..2).map(|_| Key::generate().unwrap()).collect();
    let names = ["alice", "bob"];
    let clients = keys.iter().zip(names);
    let clients: Vec<_> =
        clients.map(|(key, name)| Known { name: name.into(), key: key.public().unwrap() }).collect();
    let mut signers: Vec<_> = keys.iter().map(dsig).collect();
    let (mut log, _) = LogWriter::open(&path, Sync::Kill, |_| ()).unwrap();
    let (store, mut starts) = (*log.store(), vec![HEADER]);
    for number in 1..=count {
        let (who, sequence) = ((number % 2) as usize, number.div_ceil(2));
        let body = body(&store, &keys[who], &mut *signers[who], sequence, number % 4 == 0, number);
        let signer = *clients[who].key.as_bytes();
        log.append([Written { received: number, signer, body: &body }]).unwrap();
        starts.push(starts.last().unwrap() + OVERHEAD + body.len());
    }
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes.len(), *starts.last().unwrap());
    Made { folder, clients, keys, bytes, starts, store }
}

fn dsig(key: &Key) -> Box<dyn AnySigner> {
    let config = SignerConfig { log2_batch: 4, low_water: 64, lifetime: Duration::from_secs(600) };
    let mut signer = signer(SuiteId::WotsBlake3, key.secret_key().unwrap(), config).unwrap();
    while let Some(work) = signer.plan(Time(1)).unwrap() {
        signer.add(work().unwrap()).unwrap();
    }
    signer
}

fn body(
    store: &[u8; 32],
    key: &Key,
    dsig: &mut dyn AnySigner,
    sequence: u64,
    eddsa: bool,
    value: u64,
) -> Vec<u8> {
    let command = encode_command(&["SET", "key", &value.to_string()]).unwrap();
    let (time, mut body) = (Time(1000 + sequence), Vec::new());
    let message = message(store, sequence, time, &command);
    let (scheme, signature) = if eddsa {
        (Scheme::Eddsa, Ed25519::sign(&key.secret_key().unwrap(), &message).to_bytes().to_vec())
    } else {
        (Scheme::Dsig, dsig.sign(&message, Time(1)).unwrap())
    };
    SignedCommand { scheme, sequence, time, signature: &signature, command: &command }.encode_to(&mut body);
    body
}

impl Made {
    fn entry(&self, number: usize) -> &[u8] {
        &self.bytes[self.starts[number - 1]..self.starts[number]]
    }

    fn start(&self, number: usize) -> u64 {
        self.starts[number - 1] as u64
    }

    /// A log of these entries, as bytes.
    fn of(&self, entries: &[usize]) -> Vec<u8> {
        let mut bytes = self.bytes[..HEADER].to_vec();
        entries.iter().for_each(|number| bytes.extend_from_slice(self.entry(*number)));
        bytes
    }

    fn path(&self, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join("tampered");
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn audit(&self, bytes: &[u8]) -> Report {
        let expected = Expected { clients: self.clients.clone(), ..Expected::default() };
        audit(&self.path(bytes), &expected).unwrap()
    }

    fn found(&self, bytes: &[u8]) -> Vec<(&'static str, u64, u64)> {
        let report = self.audit(bytes);
        assert_eq!(report.ok, report.findings.is_empty());
        report.findings.iter().map(|finding| (finding.code, finding.entry, finding.offset)).collect()
    }

    /// What a front would do that has the file and no scruples: new numbers and new hashes for these entries.
    fn rewritten(&self, entries: &[(usize, Vec<u8>)]) -> Vec<u8> {
        let path = self.folder.path().join("rewritten");
        let _ = std::fs::remove_file(&path);
        std::fs::write(&path, &self.bytes[..HEADER]).unwrap();
        let (mut log, _) = LogWriter::open(&path, Sync::Kill, |_| ()).unwrap();
        for (who, body) in entries {
            let signer = *self.clients[*who].key.as_bytes();
            log.append([Written { received: 1, signer, body }]).unwrap();
        }
        std::fs::read(&path).unwrap()
    }

    /// Who asked, and the signed command.
    fn signed(&self, number: usize) -> (usize, Vec<u8>) {
        let entry = self.entry(number);
        (number % 2, entry[OVERHEAD - 32..entry.len() - 32].to_vec())
    }
}

#[test]
fn an_untouched_log_is_whole() {
    let made = made(24);
    let report = made.audit(&made.bytes);
    assert!(report.ok, "{:?}", report.findings);
    assert_eq!((report.entries, report.bytes, report.head.entry), (24, made.bytes.len() as u64, 24));
    assert_eq!(report.signers.iter().map(|signer| signer.commands).sum::<u64>(), 24);
}

#[test]
fn flipped_bytes_are_found_where_they_are() {
    let made = made(8);
    for number in 1..=8 {
        let (start, end) = (made.starts[number - 1], made.starts[number]);
        let middle = (start..end).step_by(37);
        // Every field once: length, number, durable, received, signer, scheme, sequence, time, signature, hash.
        let fields = [0, 1, 2, 3, 4, 11, 12, 20, 30, 60, 61, 69, 77, 90].map(|at| start + at);
        for at in middle.chain(fields).chain([end - 33, end - 32, end - 1]) {
            for bit in [0x01, 0x80] {
                let mut bytes = made.bytes.clone();
                bytes[at] ^= bit;
                let found = made.found(&bytes);
                let place = (number as u64, start as u64);
                assert_eq!(found.len(), 1, "byte {at} of {start}..{end}: {found:?}");
                let (code, entry, offset) = found[0];
                assert_eq!((entry, offset), place, "byte {at}: {found:?}");
                let expected: &[&str] =
                    if at < start + 4 { &["ALTERED", "MALFORMED", "CUT"] } else { &["ALTERED"] };
                assert!(expected.contains(&code), "byte {at}: {found:?}");
            }
        }
    }
}

#[test]
fn entries_that_are_dropped_swapped_or_doubled_are_named() {
    let made = made(8);
    assert_eq!(made.found(&made.of(&[1, 2, 4, 5, 6, 7, 8])), [("GAP", 3, made.start(3))]);
    assert_eq!(made.found(&made.of(&[1, 2, 6, 7, 8])), [("GAP", 3, made.start(3))]);
    assert!(made.audit(&made.of(&[1, 2, 6, 7, 8])).findings[0].detail.contains("to 5"));
    assert_eq!(made.found(&made.of(&[2, 3, 4, 5, 6, 7, 8])), [("GAP", 1, HEADER as u64)]);
    let behind_4 = made.start(3) + made.entry(4).len() as u64;
    assert_eq!(made.found(&made.of(&[1, 2, 4, 3, 5, 6, 7, 8])), [("REORDERED", 3, behind_4)]);
    let far = HEADER as u64 + made.of(&[1, 3, 4, 5, 6]).len() as u64 - HEADER as u64;
    assert_eq!(made.found(&made.of(&[1, 3, 4, 5, 6, 2, 7, 8])), [("REORDERED", 2, far)]);
    assert_eq!(made.found(&made.of(&[1, 2, 3, 3, 4, 5, 6, 7, 8])), [("DUPLICATE", 3, made.start(4))]);
    let end = made.bytes.len() as u64;
    assert_eq!(made.found(&made.of(&[1, 2, 3, 4, 5, 6, 7, 8, 2])), [("DUPLICATE", 2, end)]);
    // Several at once.
    let several = made.found(&made.of(&[1, 3, 4, 6, 5, 8]));
    assert_eq!(
        several.iter().map(|(code, entry, _)| (*code, *entry)).collect::<Vec<_>>(),
        [("GAP", 2), ("REORDERED", 5), ("GAP", 7)]
    );
}

#[test]
fn a_log_that_is_cut_is_cut_where_it_is() {
    let made = made(4);
    for number in 1..=4 {
        for inside in [1, 3, 4, 20, 500, made.entry(number).len() - 1] {
            if inside < made.entry(number).len() {
                let cut = made.starts[number - 1] + inside;
                assert_eq!(made.found(&made.bytes[..cut]), [("CUT", number as u64, made.start(number))]);
            }
        }
    }
    // Between entries nothing shows it but the head of an earlier audit.
    let whole = made.audit(&made.bytes);
    let mut hash = [0; 32];
    hex::decode_to_slice(&whole.head.chain, &mut hash).unwrap();
    let shorter = made.of(&[1, 2, 3]);
    assert!(made.audit(&shorter).ok);
    let head = |number, hash| Expected {
        clients: made.clients.clone(),
        head: Some((number, hash)),
        ..Expected::default()
    };
    let report = audit(&made.path(&shorter), &head(4, hash)).unwrap();
    assert_eq!((report.findings[0].code, report.findings[0].entry), ("HEAD", 4));
    assert!(audit(&made.path(&made.bytes), &head(4, hash)).unwrap().ok);
    assert!(!audit(&made.path(&made.bytes), &head(3, hash)).unwrap().ok);
    // Nor may an earlier one be another than it was.
    let mut second = [0; 32];
    second.copy_from_slice(&made.entry(2)[made.entry(2).len() - 32..]);
    assert!(audit(&made.path(&made.bytes), &head(2, second)).unwrap().ok);
    let anew: Vec<_> = (1..=4).map(|number| made.signed(number)).collect();
    assert_eq!(audit(&made.path(&made.rewritten(&anew)), &head(2, second)).unwrap().findings[0].code, "HEAD");
    let other = Expected { store: Some([0; 32]), ..head(4, hash) };
    assert_eq!(audit(&made.path(&made.bytes), &other).unwrap().findings[0].code, "HEAD");
}

#[test]
fn bytes_that_are_taken_out_or_put_in_are_found_and_the_rest_is_still_read() {
    let made = made(8);
    let at = made.starts[3] + 100;
    let mut less = made.bytes.clone();
    less.drain(at..at + 10);
    let mut more = made.bytes.clone();
    more.splice(at..at, [7; 10]);
    for bytes in [less, more] {
        let report = made.audit(&bytes);
        let found: Vec<_> = report.findings.iter().map(|f| (f.code, f.entry, f.offset)).collect();
        assert_eq!(found, [("ALTERED", 4, made.start(4))]);
        // All others were read and their signatures hold.
        assert_eq!(report.signers.iter().map(|signer| signer.commands).sum::<u64>(), 7);
        assert_eq!(report.head.entry, 8);
    }
    let mut zeroed = made.bytes.clone();
    zeroed[made.starts[3]..made.starts[5]].fill(0);
    let report = made.audit(&zeroed);
    assert_eq!((report.findings[0].code, report.findings[0].entry), ("MALFORMED", 4));
    assert_eq!(report.signers.iter().map(|signer| signer.commands).sum::<u64>(), 6);
}

#[test]
fn who_makes_all_hashes_anew_is_found_by_the_signatures_and_numbers() {
    let made = made(8);
    let all: Vec<_> = (1..=8).map(|number| made.signed(number)).collect();
    let codes = |entries: &[(usize, Vec<u8>)]| -> Vec<_> {
        made.found(&made.rewritten(entries)).iter().map(|(code, entry, _)| (*code, *entry)).collect()
    };
    assert_eq!(codes(&all), []);
    // Another command in a client's mouth.
    let mut forged = all.clone();
    let at = forged[4].1.len() - 3;
    forged[4].1[at] ^= 1;
    assert_eq!(codes(&forged), [("FORGED", 5)]);
    // One client's command as another's.
    let mut stolen = all.clone();
    stolen[4].0 = 0;
    let found = codes(&stolen);
    assert_eq!(found[0], ("FORGED", 5));
    // A client's command left out.
    let mut dropped = all.clone();
    dropped.remove(4);
    assert_eq!(codes(&dropped), [("SEQUENCE_GAP", 6)]);
    // Executed twice; executed in another order than asked for.
    let mut twice = all.clone();
    twice.push(all[1].clone());
    assert_eq!(codes(&twice), [("REPLAYED", 9)]);
    let mut moved = all.clone();
    moved.swap(2, 4);
    assert_eq!(codes(&moved), [("SEQUENCE_GAP", 3), ("REPLAYED", 5)]);
    // Never signed; signed for another store; by nobody known.
    let mut unsigned = all.clone();
    let command = encode_command(&["FLUSHALL"]).unwrap();
    unsigned[7].1.clear();
    SignedCommand { scheme: Scheme::None, sequence: 4, time: Time(1), signature: &[], command: &command }
        .encode_to(&mut unsigned[7].1);
    assert_eq!(codes(&unsigned), [("UNSIGNED", 8)]);
    let mut elsewhere = all.clone();
    elsewhere[7].1 = body(&[1; 32], &made.keys[0], &mut *dsig(&made.keys[0]), 4, false, 1);
    assert_eq!(codes(&elsewhere), [("FORGED", 8)]);
    let expected =
        Expected { clients: made.clients[..1].to_vec(), store: Some(made.store), ..Expected::default() };
    let report = audit(&made.path(&made.bytes), &expected).unwrap();
    assert!(report.findings.len() == 4 && report.findings.iter().all(|found| found.code == "UNKNOWN_SIGNER"));
}

#[test]
fn what_the_front_says_of_an_entry_must_be_possible() {
    let made = made(4);
    // Hashes made anew over whatever the front likes to say.
    let saying = |said: [(u64, u64); 4]| {
        let (mut bytes, mut chain) =
            (made.bytes[..HEADER].to_vec(), Scan::open(&made.path(&made.bytes)).unwrap().first_chain());
        for (number, (durable, received)) in (1..).zip(said) {
            let (who, body) = made.signed(number as usize);
            let signer = *made.clients[who].key.as_bytes();
            chain = Entry { number, durable, received, signer, body: &body }.encode_to(&chain, &mut bytes);
        }
        let expected = Expected {
            clients: made.clients.clone(),
            max_age: Some(Duration::from_millis(30)),
            ..Expected::default()
        };
        let report = audit(&made.path(&bytes), &expected).unwrap();
        report.findings.iter().map(|finding| (finding.code, finding.entry)).collect::<Vec<_>>()
    };
    let honest = [(0, 1001), (0, 1001), (2, 2000), (2, 31_002)];
    assert_eq!(saying(honest), []);
    assert_eq!(saying([honest[0], (0, 1000), honest[2], honest[3]]), [("CLOCK", 2)]);
    assert_eq!(saying([honest[0], honest[1], (3, 2000), (9, 31_002)]), [("DURABLE", 3), ("DURABLE", 4)]);
    assert_eq!(saying([honest[0], honest[1], honest[2], (3, 31_003)]), [("CLOCK", 4)]);
}

#[test]
fn a_file_in_which_everything_looks_like_entries_is_given_up_and_said_to_be() {
    let made = made(2);
    let entry = [&500_000u32.to_le_bytes()[..], &3u64.to_le_bytes()].concat();
    let bytes = [made.bytes.clone(), vec![0; 50], entry.repeat(100_000)].concat();
    let report = made.audit(&bytes);
    let codes: Vec<_> = report.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["MALFORMED", "UNREAD"]);
    assert!(report.findings[1].offset < bytes.len() as u64);
    assert_eq!(report.entries, 2);
    // No front starts on it either.
    let failure = LogWriter::open(&made.path(&bytes), Sync::Kill, |_| ()).unwrap_err();
    assert!(failure.message.contains("looks like entries"), "{failure}");
}

#[test]
fn a_file_that_is_no_log_is_said_to_be_none() {
    let made = made(1);
    let expected = Expected { clients: made.clients.clone(), ..Expected::default() };
    for bytes in [&b""[..], b"QARLOG01", &[0; 100]] {
        assert_eq!(audit(&made.path(bytes), &expected).unwrap_err().code, "BAD_INPUT");
    }
    assert!(audit(&made.folder.path().join("nothing"), &expected).is_err());
}

#[test]
fn entries_are_what_the_format_says() {
    let (mut bytes, body) = (Vec::new(), [9; 20]);
    let entry = Entry { number: 3, durable: 2, received: 5, signer: [6; 32], body: &body };
    let chain = entry.encode_to(&[1; 32], &mut bytes);
    assert_eq!(bytes.len(), OVERHEAD + 20);
    assert_eq!(bytes[..12], [108, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]);
    let mut hasher = blake3::Hasher::new_derive_key("quorate-v1-audited-redis-log");
    hasher.update(&[1; 32]).update(&bytes[..bytes.len() - 32]);
    assert_eq!((chain, &bytes[bytes.len() - 32..]), (*hasher.finalize().as_bytes(), &chain[..]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_is_changed_is_found(at in 0.0..1.0f64, len in 0usize..60, with in proptest::collection::vec(any::<u8>(), 0..60)) {
        let made = made(3);
        let at = HEADER + ((made.bytes.len() - HEADER) as f64 * at) as usize;
        let mut bytes = made.bytes.clone();
        bytes.splice(at..(at + len).min(made.bytes.len()), with);
        let cut = made.starts.contains(&bytes.len()) && made.bytes.starts_with(&bytes);
        let report = made.audit(&bytes);
        prop_assert_eq!(report.ok, bytes == made.bytes || cut);
        if let Some(first) = report.findings.first() {
            // Nothing before the change is accused.
            let entry = made.starts.iter().filter(|start| **start <= at).count();
            prop_assert!(first.offset >= made.starts[entry - 1] as u64, "{:?}", first);
        }
        // And a scan ends.
        let mut scan = Scan::open(&made.path(&bytes)).unwrap();
        while let Step::Entry(raw) = scan.step().unwrap() {
            let len = raw.len();
            scan.skip(len);
        }
    }
}
