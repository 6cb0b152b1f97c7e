//! Altered logs: the audit reports the entry and the offset of each change.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod test_log;

use std::time::Duration;

use proptest::prelude::*;
use quorate::machine::Time;
use quorate_audited_redis::REDIS;
use quorate_audited_redis::audit::{Expected, audit};
use quorate_audited_redis::config::SyncPolicy;
use quorate_audited_redis::frame::{SignatureScheme, SignedCommand};
use quorate_audited_redis::log::{Entry, HEADER, LogWriter, OVERHEAD, Scan, ScanStep};
use quorate_audited_redis::resp::encode_command;
use test_log::{dsig_signer, make_log, signed_body};

#[test]
fn an_unaltered_log_has_no_findings() {
    let original = make_log(24);
    let report = original.audit(&original.bytes);
    assert!(report.ok, "{:?}", report.findings);
    assert_eq!((report.entries, report.bytes, report.head.entry), (24, original.bytes.len() as u64, 24));
    assert_eq!(report.signers.iter().map(|signer| signer.commands).sum::<u64>(), 24);
}

#[test]
fn flipped_bytes_are_found_at_their_entry() {
    let original = make_log(8);
    for number in 1..=8 {
        let (start, end) = (original.starts[number - 1], original.starts[number]);
        let middle = (start..end).step_by(37);
        // Every field once: length, number, durable, received, signer, scheme, sequence, time, signature, hash.
        let fields = [0, 1, 2, 3, 4, 11, 12, 20, 30, 60, 61, 69, 77, 90].map(|at| start + at);
        for at in middle.chain(fields).chain([end - 33, end - 32, end - 1]) {
            for bit in [0x01, 0x80] {
                let mut bytes = original.bytes.clone();
                bytes[at] ^= bit;
                let found = original.found(&bytes);
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

/// Only the last entry may lack its hash, as after a kill of a server that computes it later.
#[test]
fn a_missing_hash_is_named_by_its_place() {
    let original = make_log(3);
    for number in 1..=3 {
        let (start, end) = (original.starts[number - 1], original.starts[number]);
        let mut bytes = original.bytes.clone();
        let fields = [&(number as u64).to_le_bytes()[..], &((end - start) as u32).to_le_bytes()].concat();
        bytes[end - 32..end].copy_from_slice(&[&fields[..], b"the hash comes later"].concat());
        for zeros in [0, 5000] {
            bytes.resize(original.bytes.len() + zeros, 0);
            let code = if number == 3 { "UNSEALED" } else { "ALTERED" };
            assert_eq!(original.found(&bytes), [(code, number as u64, start as u64)]);
        }
    }
}

#[test]
fn removed_swapped_and_duplicated_entries_are_named() {
    let original = make_log(8);
    assert_eq!(
        original.found(&original.with_entries(&[1, 2, 4, 5, 6, 7, 8])),
        [("GAP", 3, original.start(3))]
    );
    assert_eq!(original.found(&original.with_entries(&[1, 2, 6, 7, 8])), [("GAP", 3, original.start(3))]);
    assert!(original.audit(&original.with_entries(&[1, 2, 6, 7, 8])).findings[0].detail.contains("to 5"));
    assert_eq!(original.found(&original.with_entries(&[2, 3, 4, 5, 6, 7, 8])), [("GAP", 1, HEADER as u64)]);
    let behind_4 = original.start(3) + original.entry(4).len() as u64;
    assert_eq!(
        original.found(&original.with_entries(&[1, 2, 4, 3, 5, 6, 7, 8])),
        [("REORDERED", 3, behind_4)]
    );
    let far = HEADER as u64 + original.with_entries(&[1, 3, 4, 5, 6]).len() as u64 - HEADER as u64;
    assert_eq!(original.found(&original.with_entries(&[1, 3, 4, 5, 6, 2, 7, 8])), [("REORDERED", 2, far)]);
    assert_eq!(
        original.found(&original.with_entries(&[1, 2, 3, 3, 4, 5, 6, 7, 8])),
        [("DUPLICATE", 3, original.start(4))]
    );
    let end = original.bytes.len() as u64;
    assert_eq!(original.found(&original.with_entries(&[1, 2, 3, 4, 5, 6, 7, 8, 2])), [("DUPLICATE", 2, end)]);
    // Several changes in one log.
    let several = original.found(&original.with_entries(&[1, 3, 4, 6, 5, 8]));
    assert_eq!(
        several.iter().map(|(code, entry, _)| (*code, *entry)).collect::<Vec<_>>(),
        [("GAP", 2), ("REORDERED", 5), ("GAP", 7)]
    );
}

#[test]
fn truncation_is_found_at_its_position() {
    let original = make_log(4);
    for number in 1..=4 {
        for inside in [1, 3, 4, 20, 500, original.entry(number).len() - 1] {
            if inside < original.entry(number).len() {
                let cut = original.starts[number - 1] + inside;
                assert_eq!(
                    original.found(&original.bytes[..cut]),
                    [("CUT", number as u64, original.start(number))]
                );
            }
        }
    }
    // Truncation between entries is found only with the head of an earlier audit.
    let whole = original.audit(&original.bytes);
    let mut hash = [0; 32];
    hex::decode_to_slice(&whole.head.chain, &mut hash).unwrap();
    let shorter = original.with_entries(&[1, 2, 3]);
    assert!(original.audit(&shorter).ok);
    let head = |number, hash| Expected {
        clients: original.clients.clone(),
        head: Some((number, hash)),
        ..Expected::default()
    };
    let report = audit(&REDIS, &original.path(&shorter), &head(4, hash)).unwrap();
    assert_eq!((report.findings[0].code, report.findings[0].entry), ("HEAD", 4));
    assert!(audit(&REDIS, &original.path(&original.bytes), &head(4, hash)).unwrap().ok);
    assert!(!audit(&REDIS, &original.path(&original.bytes), &head(3, hash)).unwrap().ok);
    // A change of an entry before the head is found too.
    let mut second = [0; 32];
    second.copy_from_slice(&original.entry(2)[original.entry(2).len() - 32..]);
    assert!(audit(&REDIS, &original.path(&original.bytes), &head(2, second)).unwrap().ok);
    let all: Vec<_> = (1..=4).map(|number| original.signed(number)).collect();
    assert_eq!(
        audit(&REDIS, &original.path(&original.rewritten(&all)), &head(2, second)).unwrap().findings[0].code,
        "HEAD"
    );
    let other = Expected { store: Some([0; 32]), ..head(4, hash) };
    assert_eq!(audit(&REDIS, &original.path(&original.bytes), &other).unwrap().findings[0].code, "HEAD");
}

#[test]
fn removed_and_inserted_bytes_are_found_and_the_rest_is_read() {
    let original = make_log(8);
    let at = original.starts[3] + 100;
    let mut less = original.bytes.clone();
    less.drain(at..at + 10);
    let mut more = original.bytes.clone();
    more.splice(at..at, [7; 10]);
    for bytes in [less, more] {
        let report = original.audit(&bytes);
        let found: Vec<_> = report.findings.iter().map(|f| (f.code, f.entry, f.offset)).collect();
        assert_eq!(found, [("ALTERED", 4, original.start(4))]);
        // All other entries are read, and their signatures are valid.
        assert_eq!(report.signers.iter().map(|signer| signer.commands).sum::<u64>(), 7);
        assert_eq!(report.head.entry, 8);
    }
    let mut zeroed = original.bytes.clone();
    zeroed[original.starts[3]..original.starts[5]].fill(0);
    let report = original.audit(&zeroed);
    assert_eq!((report.findings[0].code, report.findings[0].entry), ("MALFORMED", 4));
    assert_eq!(report.signers.iter().map(|signer| signer.commands).sum::<u64>(), 6);
}

#[test]
fn recomputed_hashes_are_found_by_signatures_and_numbers() {
    let original = make_log(8);
    let all: Vec<_> = (1..=8).map(|number| original.signed(number)).collect();
    let codes = |entries: &[(usize, Vec<u8>)]| -> Vec<_> {
        original.found(&original.rewritten(entries)).iter().map(|(code, entry, _)| (*code, *entry)).collect()
    };
    assert_eq!(codes(&all), []);
    // A forged command.
    let mut forged = all.clone();
    let at = forged[4].1.len() - 3;
    forged[4].1[at] ^= 1;
    assert_eq!(codes(&forged), [("FORGED", 5)]);
    // A command attributed to another client.
    let mut stolen = all.clone();
    stolen[4].0 = 0;
    let found = codes(&stolen);
    assert_eq!(found[0], ("FORGED", 5));
    // A removed command.
    let mut dropped = all.clone();
    dropped.remove(4);
    assert_eq!(codes(&dropped), [("SEQUENCE_GAP", 6)]);
    // A command logged twice; commands logged out of order.
    let mut twice = all.clone();
    twice.push(all[1].clone());
    assert_eq!(codes(&twice), [("REPLAYED", 9)]);
    let mut moved = all.clone();
    moved.swap(2, 4);
    assert_eq!(codes(&moved), [("SEQUENCE_GAP", 3), ("REPLAYED", 5)]);
    // Not signed; signed for another store; signed by an unknown key.
    let mut unsigned = all.clone();
    let command = encode_command(&["FLUSHALL"]).unwrap();
    unsigned[7].1.clear();
    SignedCommand {
        scheme: SignatureScheme::None,
        sequence: 4,
        time: Time(1),
        signature: &[],
        command: &command,
    }
    .encode_to(&mut unsigned[7].1);
    assert_eq!(codes(&unsigned), [("UNSIGNED", 8)]);
    let mut other_store = all.clone();
    other_store[7].1 =
        signed_body(&[1; 32], &original.keys[0], &mut *dsig_signer(&original.keys[0]), 4, false, 1);
    assert_eq!(codes(&other_store), [("FORGED", 8)]);
    let expected = Expected {
        clients: original.clients[..1].to_vec(),
        store: Some(original.store),
        ..Expected::default()
    };
    let report = audit(&REDIS, &original.path(&original.bytes), &expected).unwrap();
    assert!(report.findings.len() == 4 && report.findings.iter().all(|found| found.code == "UNKNOWN_SIGNER"));
}

#[test]
fn the_fronts_fields_must_be_consistent() {
    let original = make_log(4);
    // Returns the findings for these values of `durable` and `received`, with recomputed hashes.
    let findings = |fields: [(u64, u64); 4]| {
        let (mut bytes, mut chain) = (
            original.bytes[..HEADER].to_vec(),
            Scan::open(&REDIS, &original.path(&original.bytes)).unwrap().first_chain(),
        );
        for (number, (durable, received)) in (1..).zip(fields) {
            let (client, body) = original.signed(number as usize);
            let signer = *original.clients[client].key.as_bytes();
            chain = Entry { number, durable, received, signer, body: &body }
                .encode_to(&REDIS, &chain, &mut bytes);
        }
        let expected = Expected {
            clients: original.clients.clone(),
            max_age: Some(Duration::from_millis(30)),
            ..Expected::default()
        };
        let report = audit(&REDIS, &original.path(&bytes), &expected).unwrap();
        report.findings.iter().map(|finding| (finding.code, finding.entry)).collect::<Vec<_>>()
    };
    let honest = [(0, 1001), (0, 1001), (2, 2000), (2, 31_002)];
    assert_eq!(findings(honest), []);
    assert_eq!(findings([honest[0], (0, 1000), honest[2], honest[3]]), [("CLOCK", 2)]);
    assert_eq!(findings([honest[0], honest[1], (3, 2000), (9, 31_002)]), [("DURABLE", 3), ("DURABLE", 4)]);
    assert_eq!(findings([honest[0], honest[1], honest[2], (3, 31_003)]), [("CLOCK", 4)]);
}

#[test]
fn a_file_full_of_apparent_entries_is_reported_as_unread() {
    let original = make_log(2);
    let entry = [&500_000u32.to_le_bytes()[..], &3u64.to_le_bytes()].concat();
    let bytes = [original.bytes.clone(), vec![0; 50], entry.repeat(100_000)].concat();
    let report = original.audit(&bytes);
    let codes: Vec<_> = report.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["CUT", "UNREAD"]);
    assert!(report.findings[1].offset < bytes.len() as u64);
    assert_eq!(report.entries, 2);
    // A front does not start with this log.
    let failure = LogWriter::open(&REDIS, &original.path(&bytes), SyncPolicy::Kill, |_| ()).unwrap_err();
    assert!(failure.message.contains("looks like entries"), "{failure}");
}

#[test]
fn a_file_that_is_not_a_log_is_refused() {
    let original = make_log(1);
    let expected = Expected { clients: original.clients.clone(), ..Expected::default() };
    for bytes in [&b""[..], b"QARLOG01", &[0; 100]] {
        assert_eq!(audit(&REDIS, &original.path(bytes), &expected).unwrap_err().code, "BAD_INPUT");
    }
    assert!(audit(&REDIS, &original.folder.path().join("nothing"), &expected).is_err());
}

#[test]
fn entries_match_the_specified_format() {
    let (mut bytes, body) = (Vec::new(), [9; 20]);
    let entry = Entry { number: 3, durable: 2, received: 5, signer: [6; 32], body: &body };
    let chain = entry.encode_to(&REDIS, &[1; 32], &mut bytes);
    assert_eq!(bytes.len(), OVERHEAD + 20);
    assert_eq!(bytes[..12], [108, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]);
    let mut hasher = blake3::Hasher::new_derive_key("quorate-v1-audited-redis-log");
    hasher.update(&[1; 32]).update(&bytes[..bytes.len() - 32]);
    assert_eq!((chain, &bytes[bytes.len() - 32..]), (*hasher.finalize().as_bytes(), &chain[..]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_change_is_found(at in 0.0..1.0f64, len in 0usize..60, with in proptest::collection::vec(any::<u8>(), 0..60)) {
        let original = make_log(3);
        let at = HEADER + ((original.bytes.len() - HEADER) as f64 * at) as usize;
        let mut bytes = original.bytes.clone();
        bytes.splice(at..(at + len).min(original.bytes.len()), with);
        let cut = original.starts.contains(&bytes.len()) && original.bytes.starts_with(&bytes);
        let report = original.audit(&bytes);
        prop_assert_eq!(report.ok, bytes == original.bytes || cut);
        if let Some(first) = report.findings.first() {
            // No entry before the change has a finding.
            let entry = original.starts.iter().filter(|start| **start <= at).count();
            prop_assert!(first.offset >= original.starts[entry - 1] as u64, "{:?}", first);
        }
        // A scan terminates.
        let mut scan = Scan::open(&REDIS, &original.path(&bytes)).unwrap();
        while let ScanStep::Entry(raw) = scan.step().unwrap() {
            let len = raw.len();
            scan.skip(len);
        }
    }
}
