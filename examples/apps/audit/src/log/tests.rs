use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use proptest::collection::vec;
use proptest::prelude::*;

use super::entry::unsealed_mark;
use super::*;
use crate::application::TEST;

/// Writes groups of entries with these bodies and returns the end offsets of all entries.
fn written(path: &Path, groups: &[Vec<Vec<u8>>]) -> Vec<u64> {
    let (mut log, recovered) = LogWriter::open(&TEST, path, SyncPolicy::Kill, |_| ()).unwrap();
    assert_eq!(recovered, Recovery::default());
    let mut ends = vec![HEADER as u64];
    for group in groups {
        let bodies = group.iter().map(|body| NewEntry { received: 5, signer: [7; 32], body });
        log.append(bodies).unwrap();
        for body in group {
            ends.push(ends.last().unwrap() + (OVERHEAD + body.len()) as u64);
        }
    }
    assert_eq!(fs::metadata(path).unwrap().len(), *ends.last().unwrap());
    ends
}

fn bodies(path: &Path) -> Result<(Vec<Vec<u8>>, Recovery), crate::failure::Failure> {
    let mut bodies = Vec::new();
    let (_, recovered) =
        LogWriter::open(&TEST, path, SyncPolicy::Kill, |entry| bodies.push(entry.body.to_vec()))?;
    Ok((bodies, recovered))
}

fn file() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    (folder, path)
}

#[test]
fn a_log_has_one_writer_and_continues_after_reopening() {
    let (_folder, path) = file();
    let (mut log, _) = LogWriter::open(&TEST, &path, SyncPolicy::Always, |_| ()).unwrap();
    let store = *log.store();
    assert!(
        LogWriter::open(&TEST, &path, SyncPolicy::Always, |_| ())
            .unwrap_err()
            .message
            .contains("another process")
    );
    let one = |body| NewEntry { received: 1, signer: [0; 32], body };
    assert_eq!(log.append([one(b"a"), one(b"b")]).unwrap(), 1);
    drop(log);
    let (mut log, recovered) = LogWriter::open(&TEST, &path, SyncPolicy::Always, |_| ()).unwrap();
    assert_eq!((*log.store(), recovered.entries, log.last()), (store, 2, 2));
    assert_eq!(log.append([one(b"c")]).unwrap(), 3);
    drop(log);
    assert_eq!(bodies(&path).unwrap().0, [b"a", b"b", b"c"]);
    fs::write(&path, "something else, and long enough to be a header").unwrap();
    assert_eq!(LogWriter::open(&TEST, &path, SyncPolicy::Always, |_| ()).unwrap_err().code, "BAD_INPUT");
}

#[test]
fn times_of_receipt_never_decrease() {
    let (_folder, path) = file();
    for received in [[5, 3], [4, 9]] {
        let (mut log, _) = LogWriter::open(&TEST, &path, SyncPolicy::Kill, |_| ()).unwrap();
        log.append(received.map(|received| NewEntry { received, signer: [0; 32], body: b"a" })).unwrap();
    }
    let mut times = Vec::new();
    drop(LogWriter::open(&TEST, &path, SyncPolicy::Kill, |entry| times.push(entry.received)).unwrap());
    assert_eq!(times, [5, 5, 5, 9]);
}

#[test]
fn durable_entries_are_never_treated_as_torn() {
    let (_folder, path) = file();
    let ends = written(&path, &[vec![vec![1; 50]], vec![vec![2; 50]], vec![vec![3; 50]]]);
    let whole = fs::read(&path).unwrap();
    for entry in [0, 1] {
        for at in [ends[entry], ends[entry] + 5, ends[entry] + 70, ends[entry + 1] - 1] {
            let mut bad = whole.clone();
            bad[at as usize] ^= 0x10;
            fs::write(&path, bad).unwrap();
            let failure = LogWriter::open(&TEST, &path, SyncPolicy::Kill, |_| ()).unwrap_err();
            assert_eq!(failure.code, "LOG_DAMAGED", "byte {at}");
            assert!(failure.message.contains(&format!("entry {}", entry + 1)), "{failure}");
        }
    }
    // A removed entry is damage too.
    fs::write(&path, [&whole[..ends[1] as usize], &whole[ends[2] as usize..]].concat()).unwrap();
    assert_eq!(LogWriter::open(&TEST, &path, SyncPolicy::Kill, |_| ()).unwrap_err().code, "LOG_DAMAGED");
}

#[test]
fn a_torn_tail_is_moved_to_another_file() {
    let (_folder, path) = file();
    let ends = written(&path, &[vec![vec![1; 50]], vec![vec![2; 50], vec![3; 50]]]);
    let whole = fs::read(&path).unwrap();
    // One page of the last group did not reach the disk, and a later page did.
    let mut bad = whole.clone();
    bad[ends[1] as usize + 8..ends[1] as usize + 60].fill(0);
    fs::write(&path, &bad).unwrap();
    let (left, recovered) = bodies(&path).unwrap();
    let (offset, bytes, aside) = recovered.torn.unwrap();
    assert_eq!((left.len(), offset, bytes), (1, ends[1], ends[3] - ends[1]));
    assert_eq!(fs::read(aside).unwrap(), bad[ends[1] as usize..]);
    assert_eq!(fs::metadata(&path).unwrap().len(), ends[1]);
}

/// Returns a hostile value that contains an entry which marks all entries as durable.
fn trap() -> Vec<u8> {
    let (previous, mut body) = ([3; 32], vec![3; 40]);
    Entry { number: 7, durable: u64::MAX, received: 1, signer: [0; 32], body: b"x" }
        .encode_to(&TEST, &previous, &mut body);
    body.extend([9; 50]);
    body
}

#[test]
fn a_torn_tail_crafted_to_look_damaged_can_be_put_aside() {
    let (_folder, path) = file();
    let ends = written(&path, &[vec![vec![1; 50]], vec![trap()]]);
    let whole = fs::read(&path).unwrap();
    let torn = &whole[..whole.len() - 1];
    fs::write(&path, torn).unwrap();
    let failure = LogWriter::open(&TEST, &path, SyncPolicy::Kill, |_| ()).unwrap_err();
    assert_eq!(failure.code, "LOG_DAMAGED");
    assert!(failure.message.contains("within the entry itself"), "{failure}");
    assert!(failure.message.contains(&format!("--put-aside {}", ends[1])), "{failure}");
    let aside = |offset| {
        let options = LogOptions { put_aside: Some(offset), ..LogOptions::new(SyncPolicy::Kill) };
        LogWriter::open_with(&TEST, &path, &options, |_| ())
    };
    for other in [ends[0], ends[1] + 1, 0] {
        assert_eq!(aside(other).unwrap_err().code, "BAD_INPUT");
    }
    assert_eq!(fs::read(&path).unwrap(), torn);
    let (log, recovered) = aside(ends[1]).unwrap();
    let (offset, bytes, file) = recovered.torn.unwrap();
    assert_eq!((log.last(), offset, bytes), (1, ends[1], ends[2] - 1 - ends[1]));
    assert_eq!(fs::read(file).unwrap(), torn[ends[1] as usize..]);
    drop(log);
    // Repeating the option loses nothing.
    assert!(aside(ends[1]).unwrap_err().message.contains("intact"));
    // Damage that no client caused is reported differently.
    fs::write(&path, &whole).unwrap();
    written_more(&path, 5);
    let mut bad = fs::read(&path).unwrap();
    bad[ends[0] as usize + 60] ^= 1;
    fs::write(&path, bad).unwrap();
    let failure = LogWriter::open(&TEST, &path, SyncPolicy::Kill, |_| ()).unwrap_err();
    assert!(failure.message.contains("on disk") && !failure.message.contains("within"), "{failure}");
}

fn written_more(path: &Path, count: u8) {
    let (mut log, _) = LogWriter::open(&TEST, path, SyncPolicy::Kill, |_| ()).unwrap();
    for body in 0..count {
        log.append([NewEntry { received: 5, signer: [7; 32], body: &[body; 30] }]).unwrap();
    }
}

#[test]
fn more_than_a_group_of_zeros_is_not_torn() {
    let (_folder, path) = file();
    written(&path, &[vec![vec![1; 50]]]);
    let mut long = fs::read(&path).unwrap();
    long.resize(long.len() + MAX_GROUP + 1, 0);
    fs::write(&path, long).unwrap();
    assert_eq!(LogWriter::open(&TEST, &path, SyncPolicy::Kill, |_| ()).unwrap_err().code, "LOG_DAMAGED");
}

/// Opens a log whose writer seals entries later.
fn reopened(path: &Path) -> Result<(LogWriter, Recovery, Vec<Vec<u8>>), crate::failure::Failure> {
    let options = LogOptions { seals_later: true, ..LogOptions::new(SyncPolicy::Kill) };
    let mut bodies = Vec::new();
    let (log, recovered) =
        LogWriter::open_with(&TEST, path, &options, |entry| bodies.push(entry.body.to_vec()))?;
    Ok((log, recovered, bodies))
}

#[test]
fn entries_sealed_later_yield_the_same_bytes() {
    let (_folder, path) = file();
    let (mut log, _) = LogWriter::open(&TEST, &path, SyncPolicy::Kill, |_| ()).unwrap();
    let empty = fs::read(&path).unwrap();
    let entry = |body| NewEntry { received: 5, signer: [7; 32], body };
    for body in [b"aaa", b"bbb", b"ccc"] {
        log.append([entry(body)]).unwrap();
    }
    drop(log);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &empty).unwrap();
    let mut log = reopened(&path).unwrap().0;
    assert_eq!(log.append_unsealed(entry(b"aaa")).unwrap(), 1);
    let (unsealed, sealed) = (HEADER + OVERHEAD + 3 - 32, HEADER + OVERHEAD + 3);
    let written = fs::read(&path).unwrap();
    assert_eq!(written[..unsealed], whole[..unsealed]);
    assert_eq!(written[unsealed..sealed], unsealed_mark(1, OVERHEAD + 3), "the hash is written later");
    log.seal().unwrap();
    assert!(holds(&path, &whole[..sealed]));
    assert!(fs::read(&path).unwrap().len() > whole.len(), "space is reserved");
    assert_eq!(log.append_unsealed(entry(b"bbb")).unwrap(), 2);
    // Both ways to write mix.
    assert_eq!(log.append([entry(b"ccc")]).unwrap(), 3);
    log.flush().unwrap();
    assert!(holds(&path, &whole));
    assert_eq!(log.append_unsealed(entry(b"ddd")).unwrap(), 4);
    log.flush().unwrap();
    log.flush().unwrap();
    assert_eq!(bodies(&path).err().unwrap().code, "BAD_INPUT", "the writer has the file");
    drop(log);
    assert_eq!(bodies(&path).unwrap().0.len(), 4);
    let closed = fs::read(&path).unwrap().len();
    assert_eq!(closed, whole.len() + OVERHEAD + 3, "nothing is reserved in a closed log");
}

/// Returns true if the file begins with these bytes and has only zeros behind them.
fn holds(path: &Path, bytes: &[u8]) -> bool {
    let file = fs::read(path).unwrap();
    file.strip_prefix(bytes).is_some_and(|rest| rest.iter().all(|byte| *byte == 0))
}

/// Returns the lengths of the entries of a log that ends without damage.
fn lengths(path: &Path) -> Vec<usize> {
    let (mut scan, mut lengths) = (Scan::open(&TEST, path).unwrap(), Vec::new());
    loop {
        let length = match scan.step().unwrap() {
            ScanStep::Entry(raw) => raw.len(),
            ScanStep::End => return lengths,
            ScanStep::Malformed | ScanStep::Truncated(_) => panic!("{}", scan.offset()),
        };
        lengths.push(length);
        scan.skip(length);
    }
}

#[test]
fn reserved_space_is_the_end_of_a_log() {
    let (_folder, path) = file();
    let ends = written(&path, &[vec![vec![1; 50]], vec![vec![2; 50]], vec![vec![3; 50]]]);
    let whole = fs::read(&path).unwrap();
    let all: Vec<usize> = ends.windows(2).map(|pair| (pair[1] - pair[0]) as usize).collect();
    let mark = unsealed_mark(3, OVERHEAD + 50);
    for zeros in [0, 1, 3, 4, 32, 5000, 1 << 20] {
        // The hash of the last entry is stored, in part or not.
        for stored in [32, 24, 16, 8, 0] {
            let mut killed = whole.clone();
            killed[ends[3] as usize - 32 + stored..].copy_from_slice(&mark[stored..]);
            killed.resize(killed.len() + zeros, 0);
            fs::write(&path, &killed).unwrap();
            assert_eq!(lengths(&path), all);
            let (log, recovered, bodies) = reopened(&path).unwrap();
            assert_eq!((log.last(), bodies.len(), recovered.torn), (3, 3, None), "{zeros} {stored}");
            drop(log);
            assert_eq!(fs::read(&path).unwrap(), whole, "{zeros} {stored}");
        }
    }
}

#[test]
fn only_the_last_entry_of_a_log_can_lack_its_hash() {
    let (_folder, path) = file();
    let ends = written(&path, &[vec![vec![1; 50]], vec![vec![2; 50]]]);
    let whole = fs::read(&path).unwrap();
    let mut bad = whole.clone();
    bad[ends[1] as usize - 32..ends[1] as usize].copy_from_slice(&unsealed_mark(1, OVERHEAD + 50));
    fs::write(&path, &bad).unwrap();
    let failure = reopened(&path).err().unwrap();
    assert!(
        failure.code == "LOG_DAMAGED" && failure.message.contains("although it was on disk"),
        "{failure}"
    );
    assert_eq!(fs::read(&path).unwrap(), bad);
    // An entry without a hash before bytes that are no entry is put aside with them.
    bad.truncate(ends[1] as usize);
    bad.extend([9; 70]);
    fs::write(&path, &bad).unwrap();
    let (log, recovered, bodies) = reopened(&path).unwrap();
    let (offset, bytes, _) = recovered.torn.unwrap();
    assert_eq!((log.last(), bodies.len(), offset, bytes), (0, 0, ends[0], (OVERHEAD + 50 + 70) as u64));
}

/// A hash that is missing vouches for nothing but itself.
#[test]
fn no_changed_length_or_number_is_completed() {
    let (_folder, path) = file();
    let ends = written(&path, &[vec![vec![1; 50]], vec![vec![2; 700]]]);
    let mut killed = fs::read(&path).unwrap();
    killed[ends[2] as usize - 32..].copy_from_slice(&unsealed_mark(2, OVERHEAD + 700));
    killed.resize(killed.len() + 100_000, 0);
    // Length and number.
    for bit in 0..96 {
        let mut bad = killed.clone();
        bad[ends[1] as usize + bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &bad).unwrap();
        if let Ok((log, recovered, bodies)) = reopened(&path) {
            assert_eq!((log.last(), bodies.len(), recovered.torn.is_some()), (1, 1, true), "bit {bit}");
        } else {
            assert_eq!(fs::read(&path).unwrap(), bad);
        }
    }
    // The end of the entry is missing, as if its last page was not on disk.
    for missing in [1, 12, 32, 33, 500, 760] {
        let mut bad = killed.clone();
        bad[ends[2] as usize - missing..ends[2] as usize].fill(0);
        fs::write(&path, &bad).unwrap();
        let (log, recovered, bodies) = reopened(&path).unwrap();
        assert_eq!((log.last(), bodies.len(), recovered.torn.is_some()), (1, 1, true), "{missing}");
    }
}

/// A log to which a writer appends meanwhile is not damaged.
#[test]
fn an_audit_of_a_growing_log_finds_no_damage() {
    let (_folder, path) = file();
    let mut log = reopened(&path).unwrap().0;
    let is_enough = Arc::new(AtomicBool::new(false));
    let ends = Arc::clone(&is_enough);
    let writer = std::thread::spawn(move || {
        let mut number = 0;
        while !ends.load(Ordering::SeqCst) {
            if number % 50 == 0 {
                std::thread::sleep(std::time::Duration::from_millis(3));
            }
            let body = vec![number as u8; 40 + number as usize % 900];
            log.append_unsealed(NewEntry { received: 5, signer: [7; 32], body: &body }).unwrap();
            log.seal().unwrap();
            number += 1;
        }
        number
    });
    let (mut audits, mut most) = (0, 0);
    while audits < 3 || most < 100 {
        let report = crate::audit::audit(&TEST, &path, &crate::audit::Expected::default()).unwrap();
        for code in ["ALTERED", "MALFORMED", "GAP", "REORDERED", "DUPLICATE", "UNREAD"] {
            let found = report.findings.iter().find(|finding| finding.code == code);
            assert!(found.is_none(), "audit {audits} of {} entries: {found:?}", report.entries);
        }
        assert!(report.entries >= most);
        (audits, most) = (audits + 1, report.entries);
    }
    is_enough.store(true, Ordering::SeqCst);
    let written: u64 = writer.join().unwrap();
    assert_eq!(reopened(&path).unwrap().1.entries, written);
}

/// A writer that is killed while it stores an entry leaves bytes behind a length of zero.
#[test]
fn an_entry_without_its_length_is_put_aside() {
    let (_folder, path) = file();
    let ends = written(&path, &[vec![vec![1; 50]], vec![vec![2; 50]]]);
    let mut killed = fs::read(&path).unwrap();
    killed[ends[1] as usize..ends[1] as usize + 4].fill(0);
    let last = killed.iter().rposition(|byte| *byte != 0).unwrap() as u64 + 1;
    killed.resize(killed.len() + 100_000, 0);
    fs::write(&path, &killed).unwrap();
    let (log, recovered, bodies) = reopened(&path).unwrap();
    let (offset, bytes, _) = recovered.torn.unwrap();
    assert_eq!((log.last(), bodies.len(), offset, bytes), (1, 1, ends[1], last - ends[1]));
}

/// A writer that syncs each entry reserves no space: zeros at the end of its log are what a power failure left.
#[test]
fn zeros_in_a_log_without_reserved_space_are_put_aside() {
    let (_folder, path) = file();
    let ends = written(&path, &[vec![vec![1; 50]]]);
    let mut bytes = fs::read(&path).unwrap();
    bytes.resize(bytes.len() + 700, 0);
    fs::write(&path, bytes).unwrap();
    let (left, recovered) = bodies(&path).unwrap();
    let (offset, bytes, _) = recovered.torn.unwrap();
    assert_eq!((left.len(), offset, bytes), (1, ends[1], 700));
}

#[test]
fn an_entry_without_its_hash_is_sealed_at_the_next_start() {
    let (_folder, path) = file();
    let ends = written(&path, &[vec![vec![1; 50]], vec![vec![2; 50]]]);
    let whole = fs::read(&path).unwrap();
    for cut in ends[1] + 1..ends[2] {
        fs::write(&path, &whole[..cut as usize]).unwrap();
        let (log, recovered, bodies) = reopened(&path).unwrap();
        // All but the hash, and any part of it: the command may have been executed.
        let kept = if cut >= ends[2] - 32 { 2 } else { 1 };
        assert_eq!(
            (log.last(), bodies.len(), recovered.torn.is_none()),
            (kept, kept as usize, kept == 2),
            "{cut}"
        );
        drop(log);
        assert_eq!(fs::read(&path).unwrap(), whole[..ends[kept as usize] as usize]);
    }
    // A wrong part of a hash, and a wrong number, are not completed.
    for at in [ends[2] - 20, ends[1] + 5] {
        let mut bad = whole[..ends[2] as usize - 10].to_vec();
        bad[at as usize] ^= 1;
        fs::write(&path, &bad).unwrap();
        assert_eq!(reopened(&path).unwrap().2.len(), 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_truncated_last_group_recovers_its_complete_entries(
        first in vec(vec(any::<u8>(), 0..60), 0..3),
        last in vec(vec(any::<u8>(), 0..60), 1..4),
        part in 0.0..1.0f64,
    ) {
        let (_folder, path) = file();
        let ends = written(&path, &[first.clone(), last.clone()]);
        let whole = fs::read(&path).unwrap();
        let from = ends[first.len()];
        let cut = from + ((ends.last().unwrap() - from) as f64 * part) as u64;
        fs::write(&path, &whole[..cut as usize]).unwrap();
        let kept = ends.iter().filter(|end| **end <= cut).count() - 1;
        let all: Vec<_> = first.iter().chain(&last).cloned().collect();
        let (left, recovered) = bodies(&path).unwrap();
        prop_assert_eq!(&left, &all[..kept]);
        prop_assert_eq!(recovered.torn.map(|(offset, bytes, _)| (offset, bytes)),
            (cut != ends[kept]).then(|| (ends[kept], cut - ends[kept])));
        // The log can be continued.
        let (mut log, _) = LogWriter::open(&TEST, &path, SyncPolicy::Kill, |_| ()).unwrap();
        prop_assert_eq!(log.append([NewEntry { received: 0, signer: [0; 32], body: b"x" }]).unwrap(), kept as u64 + 1);
    }

    #[test]
    fn garbage_after_the_header_is_moved_aside(rubbish in vec(any::<u8>(), 1..400)) {
        let (_folder, path) = file();
        written(&path, &[]);
        let mut bytes = fs::read(&path).unwrap();
        bytes.extend(&rubbish);
        fs::write(&path, bytes).unwrap();
        let (left, recovered) = bodies(&path).unwrap();
        prop_assert!(left.is_empty() && recovered.torn.is_some());
    }
}
