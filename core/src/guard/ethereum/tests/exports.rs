//! What a history refuses is refused after an export and an import, too.

use std::vec::Vec;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::super::history::History;
use super::super::{Attestation, Block, Interchange, MAX_ATTESTATIONS, MAX_BLOCKS, ValidatorHistory};
use super::{KEY, ROOT, code, create};

const RANGE: u64 = 7;

fn moved(history: &History) -> History {
    let data = [history.export(KEY)].into();
    let json = Interchange { genesis_validators_root: ROOT, data }.to_json().unwrap();
    let mut copy = History::default();
    for history in Interchange::parse(json.as_bytes()).unwrap().data {
        copy.import(&history);
    }
    copy
}

/// Compares two histories at each block and each attestation of a small grid, and returns the number of messages that only
/// the copy refuses.
fn assert_copy_refuses(history: &History, copy: &History, low: u64, high: u64) -> usize {
    let mut stricter = 0;
    for root in [[1; 32], [2; 32]] {
        for slot in low..high {
            let (here, there) = (history.clone().block(slot, root), copy.clone().block(slot, root));
            assert!(here.is_ok() || there.is_err(), "block {slot} of {root:?}: {history:?}, {copy:?}");
            stricter += usize::from(here.is_ok() && there.is_err());
        }
        for (source, target) in
            (low..high).flat_map(|source| (source..high).map(move |target| (source, target)))
        {
            let here = history.clone().attestation(source, target, root);
            let there = copy.clone().attestation(source, target, root);
            assert!(here.is_ok() || there.is_err(), "{source} {target} {root:?}: {history:?}, {copy:?}");
            stricter += usize::from(here.is_ok() && there.is_err());
        }
    }
    stricter
}

fn random_import(rng: &mut StdRng) -> ValidatorHistory {
    let root = |rng: &mut StdRng| rng.random_bool(0.8).then(|| [rng.random_range(1..3); 32]);
    let blocks = rng.random_range(0..3);
    let attestations = rng.random_range(0..3);
    let signed_blocks =
        (0..blocks).map(|_| Block { slot: rng.random_range(0..RANGE), signing_root: root(rng) }).collect();
    let signed_attestations = (0..attestations)
        .map(|_| {
            let source_epoch = rng.random_range(0..RANGE);
            let target_epoch = rng.random_range(source_epoch..RANGE);
            Attestation { source_epoch, target_epoch, signing_root: root(rng) }
        })
        .collect();
    ValidatorHistory { pubkey: KEY, signed_blocks, signed_attestations }
}

#[test]
fn an_importer_refuses_what_the_exporter_refuses() {
    let mut rng = StdRng::seed_from_u64(3);
    let mut with_more = 0;
    for _ in 0..2_000 {
        let mut history = History::default();
        for _ in 0..rng.random_range(1..8) {
            let root = [rng.random_range(1..3); 32];
            match rng.random_range(0..8) {
                0..3 => drop(history.block(rng.random_range(0..RANGE), root)),
                3..6 => {
                    let source = rng.random_range(0..RANGE);
                    drop(history.attestation(source, rng.random_range(source..RANGE), root));
                }
                6 => history.import(&random_import(&mut rng)),
                _ if rng.random_bool(0.2) => {
                    history.begin_above(rng.random_range(0..RANGE), rng.random_range(0..RANGE));
                }
                _ => {}
            }
        }
        let copy = moved(&history);
        assert_copy_refuses(&history, &copy, 0, RANGE + 2);
        // A second move changes nothing.
        assert_eq!(copy.export(KEY), moved(&copy).export(KEY));
        let attestations = history.export(KEY).signed_attestations;
        assert!(
            attestations.is_sorted_by(|a, b| (a.target_epoch, a) < (b.target_epoch, b)),
            "{attestations:?}"
        );
        with_more += usize::from(attestations.len() > 2);
    }
    assert!(with_more > 100, "{with_more}");
}

/// The usual case: ascending messages, more than the window has. Above the watermark nothing more is refused.
#[test]
fn a_full_window_is_exported_as_it_is() {
    let mut history = History::default();
    let last = MAX_ATTESTATIONS as u64 + 5;
    for epoch in 0..=last {
        history.attestation(epoch, epoch + 1, [1; 32]).unwrap();
        history.block(epoch, [1; 32]).unwrap();
    }
    let exported = history.export(KEY);
    assert_eq!(exported.signed_attestations.len(), MAX_ATTESTATIONS + 1);
    assert_eq!(exported.signed_blocks.len(), MAX_BLOCKS + 1);
    assert_eq!(assert_copy_refuses(&history, &moved(&history), last - 8, last + 8), 0);
}

/// A watermark above recorded messages: another client signed up to slot 100, and exports only its last block.
#[test]
fn a_watermark_above_recorded_messages_is_exported() {
    let directories: Vec<_> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
    let mut here = create(directories[0].path());
    for slot in 10..=20 {
        here.record_block(&KEY, slot, [1; 32]).unwrap();
        here.record_attestation(&KEY, slot, slot + 1, [1; 32]).unwrap();
    }
    let mut elsewhere = create(directories[1].path());
    elsewhere.record_block(&KEY, 100, [2; 32]).unwrap();
    elsewhere.record_attestation(&KEY, 100, 101, [2; 32]).unwrap();
    here.import_interchange(elsewhere.export_interchange().unwrap().as_bytes()).unwrap();
    let mut next = create(directories[2].path());
    next.import_interchange(here.export_interchange().unwrap().as_bytes()).unwrap();
    for slot in [20, 21, 50, 99] {
        assert_eq!(code(next.record_block(&KEY, slot, [3; 32])), "CONTRADICTION");
        assert_eq!(code(next.record_attestation(&KEY, slot, slot + 1, [3; 32])), "CONTRADICTION");
    }
    next.record_block(&KEY, 101, [3; 32]).unwrap();
    next.record_attestation(&KEY, 101, 102, [3; 32]).unwrap();
}
