//! The log of the audited Redis at the start of a front.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use quorate::wire::domain;
use quorate_audited_redis::REDIS;
use quorate_audited_redis::audit::{Expected, Report, audit};
use quorate_audited_redis::config::{KnownClient, SyncPolicy};
use quorate_audited_redis::failure::Failure;
use quorate_audited_redis::log::{Entry, HEADER, LogOptions, LogWriter, NewEntry, OVERHEAD, Recovery};
use quorate_audited_redis::proof;
use tempfile::TempDir;

use super::{BODIES, KEY, NOW, STORE, proofs};
use crate::mutate::Rng;

/// A log of arbitrary bytes: a start accepts whole entries only, loses no byte, and leaves nothing for the next start to
/// repair. An auditor accepts the same entries, and only signed commands have proofs.
pub(crate) fn any(bytes: &[u8]) {
    let (_folder, path) = file(bytes);
    let before = audited(&path);
    for entry in 1..=BODIES.len() as u64 {
        if let Ok(proof) = proof::prove(&REDIS, &path, entry) {
            assert!(proofs().any(|known| known == proof), "entry {entry} was never signed");
        }
    }
    sealed_later(bytes);
    let Ok((entries, recovered)) = opened(&path) else {
        assert_eq!(fs::read(&path).unwrap_or_default(), bytes, "a log that is refused was changed");
        return;
    };
    check_no_byte_is_lost(&path, &recovered, bytes);
    assert_eq!(
        chained(bytes, &entries),
        fs::read(&path).unwrap_or_default(),
        "the accepted entries are not a chain"
    );
    check_repaired(&path, entries.len() as u64);
    // Zeros at the end are torn for the front, which reserves no space; an auditor does not know that.
    let seen = before.map(|report| (report.head.entry, damage(&report).next(), report.reserved > 0));
    match recovered.torn {
        None => assert_eq!(seen, Ok((entries.len() as u64, None, false))),
        Some(_) => {
            assert!(seen.is_ok_and(|(_, damaged, zeros)| damaged.is_some() || zeros), "no damage was found")
        }
    }
}

/// The same start by a writer that reserves space and computes hashes later: what it leaves is whole, for it and for an
/// auditor.
fn sealed_later(bytes: &[u8]) {
    let (_folder, path) = file(bytes);
    let options = LogOptions { seals_later: true, ..LogOptions::new(SyncPolicy::Kill) };
    let Ok((log, recovered)) = LogWriter::open_with(&REDIS, &path, &options, |_| ()) else {
        assert_eq!(fs::read(&path).unwrap_or_default(), bytes, "a log that is refused was changed");
        return;
    };
    let last = log.last();
    drop(log);
    let kept = fs::read(&path).unwrap_or_default().len() as u64;
    assert!(recovered.torn.is_none_or(|(offset, ..)| offset == kept), "the torn part is still in the log");
    let report = audited(&path);
    assert!(report.is_ok_and(|report| report.head.entry == last && damage(&report).next().is_none()));
}

/// Seeds of [`any`]: entries in groups, the last with all others in its value.
pub(crate) fn any_seeds() -> Vec<Vec<u8>> {
    let (mut log, mut seeds) = (header(), vec![header()]);
    for (group, first) in BODIES.chunks(2).zip((1..).step_by(2)) {
        log = grown(&log, first, group);
        seeds.push(log.clone());
    }
    let inner = log.get(HEADER..).unwrap_or_default().to_vec();
    seeds.push(grown(&log, BODIES.len() as u64 + 1, &[inner]));
    seeds
}

/// A log that is written and then damaged as the bytes choose. A start yields only written entries, drops none that a later
/// entry calls durable, and does not report a truncated log as damaged; an auditor names the first wrong entry.
pub(crate) fn damaged(bytes: &[u8]) {
    let (groups, damages) = plan(bytes);
    let (_folder, path) = file(&header());
    let Ok((mut log, _)) = LogWriter::open(&REDIS, &path, SyncPolicy::Kill, |_| ()) else { return };
    let (mut ends, mut bodies) = (vec![HEADER], Vec::new());
    for group in groups {
        let group = group.into_iter().map(|body| body.unwrap_or_else(|| fs::read(&path).unwrap_or_default()));
        let group: Vec<_> = group.collect();
        let written = group.iter().map(|body| NewEntry { received: 5, signer: [7; 32], body });
        assert!(log.append(written).is_ok());
        for body in &group {
            ends.push(ends.last().copied().unwrap_or_default() + OVERHEAD + body.len());
        }
        bodies.push(group);
    }
    drop(log);
    let whole = fs::read(&path).unwrap_or_default();
    let (found, touched) = apply(&whole, &damages);
    assert!(fs::write(&path, &found).is_ok());

    let all: Vec<_> = bodies.concat();
    let first = whole.iter().zip(&found).position(|(a, b)| a != b).unwrap_or(found.len());
    // Unchanged entries before the first changed one.
    let kept = ends.iter().filter(|end| **end <= first).count().saturating_sub(1);
    let report = audited(&path);
    if let ([Damage::Flip(..)], Ok(report), true) = (&damages[..], &report, first >= REDIS.log_magic.len()) {
        assert_eq!(damage(report).next(), Some(kept as u64 + 1), "the audit reports another entry");
    }
    match opened(&path) {
        Ok((entries, recovered)) => {
            assert!(first >= HEADER || kept == 0);
            let entries: Vec<_> = entries.into_iter().map(|entry| entry.body).collect();
            assert_eq!(Some(&entries[..]), all.get(..kept), "unwritten entries, or not all written entries");
            check_no_byte_is_lost(&path, &recovered, &found);
            let evidence = evidence(&bodies, &ends, kept, found.len(), &touched);
            assert_eq!(evidence, None, "entry {} was dropped silently", kept + 1);
            check_repaired(&path, kept as u64);
        }
        Err(failure) => {
            let is_log = found.len() >= HEADER && first >= REDIS.log_magic.len();
            assert_eq!(failure.code, if is_log { "LOG_DAMAGED" } else { "BAD_INPUT" }, "{failure}");
            assert_eq!(fs::read(&path).unwrap_or_default(), found, "a log that is refused was changed");
            let only_cut = damages.iter().all(|damage| matches!(damage, Damage::Cut(_)));
            assert!(!is_log || !only_cut, "{failure}");
        }
    }
}

/// Seeds of [`damaged`].
pub(crate) fn damaged_seeds() -> Vec<Vec<u8>> {
    let mut rng = Rng::new(1);
    let damages = [vec![], vec![0], vec![1], vec![2], vec![0, 1], vec![0, 0]];
    let seed = |kinds: &Vec<u8>| {
        let mut seed = vec![3, 1, 0, 0, 2, 60, 255, 30, 1, 5, 90, 40];
        kinds.iter().for_each(|kind| seed.extend([*kind, rng.bits() as u8, rng.bits() as u8, 0x10]));
        seed
    };
    damages.iter().cycle().take(30).map(seed).collect()
}

/// Damage to a file, at a position in 65,536ths of its length.
enum Damage {
    Flip(u16, u8),
    Cut(u16),
    /// This number of bytes is zero: a page that did not reach the disk.
    Nought(u16, u8),
}

/// Groups of bodies, of which `None` is the present log, and the damage.
type Plan = (Vec<Vec<Option<Vec<u8>>>>, Vec<Damage>);

fn plan(bytes: &[u8]) -> Plan {
    let mut rest = bytes.iter().copied();
    let mut next = || rest.next().unwrap_or_default();
    let body = |len: u8| (len < 250).then(|| vec![len; usize::from(len)]);
    let groups = (0..1 + next() % 4).map(|_| next() % 4).collect::<Vec<_>>();
    let groups = groups.into_iter().map(|count| (0..=count).map(|_| body(next())).collect()).collect();
    let damages = (0..3).map_while(|_| {
        let [kind, high, low, value] = [rest.next()?, rest.next()?, rest.next()?, rest.next()?];
        let place = u16::from_be_bytes([high, low]);
        Some(match kind % 3 {
            0 => Damage::Flip(place, value.max(1)),
            1 => Damage::Cut(place),
            _ => Damage::Nought(place, value),
        })
    });
    (groups, damages.collect())
}

/// The damaged bytes, and the damaged range.
fn apply(whole: &[u8], damages: &[Damage]) -> (Vec<u8>, Vec<Range<usize>>) {
    let (mut bytes, mut touched) = (whole.to_vec(), Vec::new());
    for damage in damages {
        let place = |place: &u16| usize::from(*place) * bytes.len() / 65_536;
        let range = match damage {
            Damage::Flip(at, _) => place(at)..place(at) + 1,
            Damage::Nought(at, len) => place(at)..place(at) + usize::from(*len),
            Damage::Cut(at) => {
                bytes.truncate(place(at));
                continue;
            }
        };
        let part = bytes.get_mut(range.clone()).into_iter().flatten();
        match damage {
            Damage::Flip(_, value) => part.for_each(|byte| *byte ^= value),
            _ => part.for_each(|byte| *byte = 0),
        }
        touched.push(range);
    }
    (bytes, touched)
}

/// A whole entry after the accepted ones that a scan finds, and that states that the first entry that was not accepted
/// was on disk.
fn evidence(
    groups: &[Vec<Vec<u8>>],
    ends: &[usize],
    kept: usize,
    len: usize,
    touched: &[Range<usize>],
) -> Option<usize> {
    let untouched = |range: Range<usize>| {
        range.end <= len && touched.iter().all(|bad| bad.end <= range.start || range.end <= bad.start)
    };
    // The offset of entry `at`, from 0: the end of the previous one.
    let range = |at: usize| Some(*ends.get(at)?..*ends.get(at + 1)?);
    let mut durable = 0;
    let durables = groups.iter().flat_map(|group| {
        let before = durable;
        durable += group.len();
        group.iter().map(move |_| before)
    });
    durables.enumerate().skip(kept + 1).find_map(|(at, durable)| {
        let (entry, next) = (range(at)?, range(at + 1));
        let is_bound = untouched(entry.start - 32..entry.start) || next.is_some_and(untouched);
        (durable > kept && untouched(entry) && is_bound).then_some(at + 1)
    })
}

fn file(bytes: &[u8]) -> (Option<TempDir>, PathBuf) {
    let folder = tempfile::tempdir().ok();
    let path = folder.as_ref().map(|folder| folder.path().join("log")).unwrap_or_default();
    assert!(fs::write(&path, bytes).is_ok(), "no temporary file");
    (folder, path)
}

fn header() -> Vec<u8> {
    [&REDIS.log_magic[..], &STORE].concat()
}

/// An entry that a start accepts.
struct AcceptedEntry {
    numbers: [u64; 3],
    signer: [u8; 32],
    body: Vec<u8>,
}

fn opened(path: &Path) -> Result<(Vec<AcceptedEntry>, Recovery), Failure> {
    let mut entries = Vec::new();
    let visit = |entry: &Entry<'_>| {
        let numbers = [entry.number, entry.durable, entry.received];
        entries.push(AcceptedEntry { numbers, signer: entry.signer, body: entry.body.to_vec() });
    };
    let (log, recovered) = LogWriter::open(&REDIS, path, SyncPolicy::Kill, visit)?;
    assert_eq!((log.last(), recovered.entries), (entries.len() as u64, log.last()));
    Ok((entries, recovered))
}

/// Checks that a start saves exactly the bytes that it removes.
fn check_no_byte_is_lost(path: &Path, recovered: &Recovery, bytes: &[u8]) {
    let mut all = fs::read(path).unwrap_or_default();
    if let Some((offset, len, aside)) = &recovered.torn {
        assert_eq!((*offset, *len), (all.len() as u64, (bytes.len() - all.len()) as u64));
        all.extend(fs::read(aside).unwrap_or_default());
    }
    assert_eq!(all, bytes, "bytes were lost");
}

/// Checks that a repaired log needs no further repair, and accepts entries.
fn check_repaired(path: &Path, last: u64) {
    for number in [last, last + 1] {
        let again = LogWriter::open(&REDIS, path, SyncPolicy::Kill, |_| ());
        assert!(
            again.as_ref().is_ok_and(|(log, recovered)| log.last() == number && recovered.torn.is_none())
        );
        let one = [NewEntry { received: 9, signer: [7; 32], body: b"one more" }];
        assert!(again.is_ok_and(|(mut log, _)| log.append(one).is_ok_and(|entry| entry == number + 1)));
    }
}

/// The log of these entries, with a header.
fn chained(header: &[u8], entries: &[AcceptedEntry]) -> Vec<u8> {
    let header = header.get(..HEADER).unwrap_or_default();
    let (mut log, mut chain) = (header.to_vec(), first_chain(header));
    for (place, AcceptedEntry { numbers: [number, durable, received], signer, body }) in (1..).zip(entries) {
        assert_eq!(*number, place, "entries are numbered without gaps");
        let (number, durable, received) = (*number, *durable, *received);
        chain =
            Entry { number, durable, received, signer: *signer, body }.encode_to(&REDIS, &chain, &mut log);
    }
    log
}

/// A log with another group.
fn grown(log: &[u8], first: u64, group: &[Vec<u8>]) -> Vec<u8> {
    let mut log = log.to_vec();
    for (number, body) in (first..).zip(group) {
        let chain = if number == 1 { first_chain(&log) } else { *log.last_chunk().unwrap_or(&[0; 32]) };
        let (durable, received, signer) = (first - 1, NOW.0, *KEY.as_bytes());
        Entry { number, durable, received, signer, body }.encode_to(&REDIS, &chain, &mut log);
    }
    log
}

fn first_chain(header: &[u8]) -> [u8; 32] {
    *domain::hasher(domain::AUDITED_REDIS_LOG).update(header).finalize().as_bytes()
}

fn audited(path: &Path) -> Result<Report, Failure> {
    let clients = vec![KnownClient { name: "alice".to_owned(), key: KEY.clone() }];
    audit(&REDIS, path, &Expected { clients, ..Expected::default() })
}

/// The entries whose bytes, numbers or hashes are wrong, regardless of their signatures.
fn damage(report: &Report) -> impl Iterator<Item = u64> {
    const CODES: [&str; 8] =
        ["ALTERED", "MALFORMED", "CUT", "UNSEALED", "GAP", "REORDERED", "DUPLICATE", "UNREAD"];
    report.findings.iter().filter(|finding| CODES.contains(&finding.code)).map(|finding| finding.entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_hold_whole_and_damaged_logs() {
        for (seed, entries) in any_seeds().iter().zip([0, 2, 4, 5]) {
            let (_folder, path) = file(seed);
            let report = audited(&path).unwrap();
            assert_eq!((report.entries, damage(&report).next()), (entries, None));
            assert!(entries > 4 || report.ok, "{:?}", report.findings);
        }
        let (groups, damages) = plan(&damaged_seeds()[5]);
        assert_eq!((groups.concat().len(), damages.len()), (7, 2));
    }
}
