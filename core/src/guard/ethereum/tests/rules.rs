use std::vec::Vec;
use std::{format, fs, vec};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::super::{Block, Interchange, MAX_ATTESTATIONS, MAX_KEYS, SlashingProtection, ValidatorHistory};
use super::{KEY, ROOT, code, create};
use crate::bls::{Ciphersuite, MinPk};
use crate::committee::ChainId;
use crate::guard::{JournalFile, JournaledGuard};
use crate::scheme::Scheme;

#[test]
fn only_known_keys_sign() {
    let directory = tempfile::tempdir().unwrap();
    let secret = MinPk::secret_from_bytes(&[7; 32]).unwrap();
    let public = MinPk::public_key(&secret);
    let mut protection = create(directory.path());
    assert_eq!(code(protection.sign_block(&secret, 1, [1; 32])), "WRONG_CONTEXT");
    assert_eq!(code(protection.sign_attestation(&secret, 1, 2, [1; 32])), "WRONG_CONTEXT");
    assert_eq!(code(protection.add_key(&[1; 47])), "MALFORMED");
    protection.add_key(public.as_bytes()).unwrap();
    let block = protection.sign_block(&secret, 1, [1; 32]).unwrap();
    Ciphersuite::ProofOfPossession.verify(&public, &[1; 32], &block).unwrap();
    assert!(protection.sign_block(&secret, 1, [1; 32]).unwrap() == block);
    assert_eq!(code(protection.sign_block(&secret, 1, [2; 32])), "CONTRADICTION");
    // Adding it again forgets nothing; another key is not affected.
    protection.add_key(public.as_bytes()).unwrap();
    assert_eq!(code(protection.sign_block(&secret, 1, [2; 32])), "CONTRADICTION");
    protection.record_block(&KEY, 1, [2; 32]).unwrap();
    protection.sign_attestation(&secret, 1, 2, [1; 32]).unwrap();
    assert_eq!(code(protection.sign_attestation(&secret, 3, 2, [1; 32])), "MALFORMED");
    assert_eq!(protection.keys().count(), 2);
}

#[test]
fn a_journal_belongs_to_one_chain_and_purpose() {
    let directory = tempfile::tempdir().unwrap();
    let secret = || MinPk::secret_from_bytes(&[7; 32]).unwrap();
    drop(create(directory.path()));
    assert_eq!(code(SlashingProtection::create(directory.path(), ROOT)), "JOURNAL_EXISTS");
    assert_eq!(code(SlashingProtection::open(directory.path(), [5; 32])), "WRONG_CONTEXT");
    let guard = JournaledGuard::<MinPk>::open(directory.path(), secret(), ChainId(ROOT));
    assert_eq!(code(guard), "WRONG_CONTEXT");
    let other = tempfile::tempdir().unwrap();
    drop(JournaledGuard::<MinPk>::create(other.path(), secret(), ChainId(ROOT)).unwrap());
    assert_eq!(code(SlashingProtection::open(other.path(), ROOT)), "WRONG_CONTEXT");
    let protection = SlashingProtection::open(directory.path(), ROOT).unwrap();
    assert_eq!(code(SlashingProtection::open(directory.path(), ROOT)), "JOURNAL_IN_USE");
    assert_eq!(protection.keys().collect::<Vec<_>>(), [&KEY]);
}

#[test]
fn old_messages_become_watermarks() {
    let directory = tempfile::tempdir().unwrap();
    let mut protection = create(directory.path());
    for epoch in 0..MAX_ATTESTATIONS as u64 + 100 {
        protection.record_attestation(&KEY, epoch, epoch + 2, [1; 32]).unwrap();
        protection.record_block(&KEY, epoch, [1; 32]).unwrap();
    }
    let expected = protection.export_interchange().unwrap();
    drop(protection);
    let mut protection = SlashingProtection::open(directory.path(), ROOT).unwrap();
    assert_eq!(protection.export_interchange().unwrap(), expected);
    let exported = Interchange::parse(expected.as_bytes()).unwrap();
    // The watermark is the last message without a place, exported without root.
    let history = &exported.data[0];
    assert_eq!(history.signed_attestations.len(), MAX_ATTESTATIONS + 1);
    assert_eq!(
        (history.signed_attestations[0].target_epoch, history.signed_attestations[0].signing_root),
        (101, None)
    );
    for (source, target) in [(0, 2), (50, 700), (98, 300), (99, 101)] {
        assert_eq!(code(protection.record_attestation(&KEY, source, target, [1; 32])), "CONTRADICTION");
    }
    protection.record_attestation(&KEY, 100, 102, [1; 32]).unwrap();
    assert_eq!(code(protection.record_block(&KEY, 3, [1; 32])), "CONTRADICTION");
    // Long rewritten journals stay short.
    let journal = JournalFile::decode(&fs::read(directory.path().join("guard.journal")).unwrap()).unwrap();
    assert!(journal.records().len() < 700, "{}", journal.records().len());
}

/// Random messages in small ranges, over restarts and exports: what is signed is never slashable, and what is refused is
/// slashable or at a watermark.
#[test]
fn signed_messages_never_contradict_each_other() {
    let mut rng = StdRng::seed_from_u64(1);
    let (mut signed_count, mut refused_count) = (0, 0);
    for _ in 0..60 {
        let directory = tempfile::tempdir().unwrap();
        let mut protection = create(directory.path());
        let mut signed: Vec<(u64, u64, u8)> = Vec::new();
        for _ in 0..40 {
            if rng.random_range(0..10) == 0 {
                drop(protection);
                protection = SlashingProtection::open(directory.path(), ROOT).unwrap();
            }
            let source = rng.random_range(0..12u64);
            let (target, root) = (source + rng.random_range(0..6u64), rng.random_range(0..2u8));
            let slashable = signed.iter().any(|(s, t, r)| {
                (*t == target && (*s, *r) != (source, root))
                    || (*s < source && target < *t)
                    || (source < *s && *t < target)
            });
            let outcome = protection.record_attestation(&KEY, source, target, [root; 32]);
            assert_eq!(outcome.is_err(), slashable, "{signed:?}, then {source} {target} {root}");
            refused_count += usize::from(slashable);
            if outcome.is_ok() {
                signed_count += 1;
                signed.push((source, target, root));
            }
        }
    }
    assert!(signed_count > 200 && refused_count > 200, "{signed_count} {refused_count}");
}

#[test]
fn a_damaged_journal_begins_above_an_epoch() {
    let directory = tempfile::tempdir().unwrap();
    let mut protection = create(directory.path());
    protection.record_attestation(&KEY, 3, 4, [1; 32]).unwrap();
    drop(protection);
    let path = directory.path().join("guard.journal");
    let mut bytes = fs::read(&path).unwrap();
    // The record of the key.
    bytes[100] ^= 1;
    fs::write(&path, bytes).unwrap();
    assert_eq!(code(SlashingProtection::open(directory.path(), ROOT)), "JOURNAL_DAMAGED");
    drop(SlashingProtection::recover(directory.path(), ROOT, &[&KEY], 320, 10).unwrap());
    let mut protection = SlashingProtection::open(directory.path(), ROOT).unwrap();
    for (source, target) in [(3, 5), (3, 11), (9, 11), (10, 10)] {
        assert_eq!(code(protection.record_attestation(&KEY, source, target, [2; 32])), "CONTRADICTION");
    }
    protection.record_attestation(&KEY, 10, 11, [2; 32]).unwrap();
    assert_eq!(code(protection.record_block(&KEY, 320, [2; 32])), "CONTRADICTION");
    protection.record_block(&KEY, 321, [2; 32]).unwrap();
    assert!(directory.path().join("guard.journal.aside-1").exists());
}

#[test]
fn an_import_is_all_or_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let mut protection = create(directory.path());
    protection.record_block(&KEY, 5, [1; 32]).unwrap();
    let before = protection.export_interchange().unwrap();
    for json in
        [&before[1..], &before.replace("0x0404", "0x0405"), &before.replace("\"5\",\"gen", "\"4\",\"gen")]
    {
        assert!(protection.import_interchange(json.as_bytes()).is_err());
        assert_eq!(protection.export_interchange().unwrap(), before);
    }
    protection.import_interchange(before.as_bytes()).unwrap();
    assert_eq!(protection.export_interchange().unwrap(), before);
}

#[test]
fn the_interchange_parser_is_strict() {
    let key = format!("0x{}", hex::encode([9; 48]));
    let root = format!("0x{}", hex::encode([4; 32]));
    let text = |version: &str, block: &str, more: &str| {
        format!(
            r#"{{"metadata": {{"interchange_format_version": {version}, "genesis_validators_root": "{root}"}},
                "data": [{{"pubkey": "{key}", "signed_blocks": [{block}], "signed_attestations": []{more}}}]}}"#
        )
    };
    let parse = |text: &str| Interchange::parse(text.as_bytes());
    let whole = parse(&text(r#""5""#, r#"{"slot": "7"}"#, "")).unwrap();
    let ValidatorHistory { signed_blocks, .. } = &whole.data[0];
    assert_eq!((signed_blocks[0].slot, signed_blocks[0].signing_root), (7, None));
    // Fields that the EIP does not name.
    assert_eq!(
        parse(&text(r#""5""#, r#"{"slot": "7", "graffiti": [1]}"#, r#", "note": null"#)).unwrap(),
        whole
    );
    assert_eq!(code(parse(&text(r#""4""#, "", ""))), "WRONG_CONTEXT");
    let blocks = [
        r#"{"slot": 7}"#,
        r#"{"slot": "+7"}"#,
        r#"{"slot": "07"}"#,
        r#"{"slot": ""}"#,
        r#"{"slot": "-1"}"#,
        r#"{"slot": "18446744073709551616"}"#,
        r#"{"slot": "7", "slot": "8"}"#,
        r#"{"slot": "7", "signing_root": null}"#,
        r#"{"slot": "7", "signing_root": "0x00"}"#,
        r#"{"slot": "7", "signing_root": "0404040404040404040404040404040404040404040404040404040404040404"}"#,
        r#"{}"#,
        r#"[]"#,
        r#"{"slot": "7"},"#,
    ];
    for block in blocks {
        assert_eq!(code(parse(&text(r#""5""#, block, ""))), "MALFORMED", "{block}");
    }
    assert_eq!(code(parse(&text("5", "", ""))), "MALFORMED");
    assert_eq!(code(parse(&text(r#""5""#, "", "").replace("9090909", "909090"))), "MALFORMED");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(parse(&text(r#""5""#, r#"{"slot": "7"}"#, &format!(r#", "note": {deep}"#))).unwrap(), whole);
}

#[test]
fn the_number_of_keys_is_limited() {
    let directory = tempfile::tempdir().unwrap();
    let mut protection = create(directory.path());
    let history = |number: usize| {
        let mut pubkey = [1; 48];
        pubkey[..8].copy_from_slice(&number.to_le_bytes());
        ValidatorHistory { pubkey, signed_blocks: Vec::new(), signed_attestations: Vec::new() }
    };
    let file = |count| {
        let data = (0..count).map(history).collect();
        Interchange { genesis_validators_root: ROOT, data }.to_json().unwrap()
    };
    // One key was added before.
    assert_eq!(code(protection.import_interchange(file(MAX_KEYS).as_bytes())), "TOO_LARGE");
    assert_eq!(protection.keys().count(), 1);
    protection.import_interchange(file(MAX_KEYS - 1).as_bytes()).unwrap();
    assert_eq!(code(protection.add_key(&[7; 48])), "TOO_LARGE");
    assert_eq!(protection.keys().count(), MAX_KEYS);
    protection.add_key(&KEY).unwrap();
    protection.record_block(&KEY, 1, [1; 32]).unwrap();
    drop(protection);
    let keys = vec![&[7; 48][..]; MAX_KEYS + 1];
    assert_eq!(code(SlashingProtection::recover(directory.path(), ROOT, &keys, 1, 1)), "TOO_LARGE");
    assert_eq!(code(SlashingProtection::recover(directory.path(), ROOT, &keys[..1], 1, 1)), "TOO_LARGE");
    assert_eq!(SlashingProtection::open(directory.path(), ROOT).unwrap().keys().count(), MAX_KEYS);
}

#[test]
fn chosen_keys_are_exported() {
    let directory = tempfile::tempdir().unwrap();
    let mut protection = create(directory.path());
    protection.add_key(&[8; 48]).unwrap();
    protection.record_block(&[8; 48], 5, [1; 32]).unwrap();
    let file = protection.export_interchange_of(&[&[8; 48], &[8; 48]]).unwrap();
    let exported = Interchange::parse(file.as_bytes()).unwrap();
    assert_eq!((exported.data.len(), exported.data[0].pubkey), (1, [8; 48]));
    assert_eq!(exported.data[0].signed_blocks.len(), 1);
    assert_eq!(code(protection.export_interchange_of(&[&[7; 48]])), "WRONG_CONTEXT");
    assert_eq!(code(protection.export_interchange_of(&[&[8; 47]])), "MALFORMED");
}

#[test]
fn an_export_above_the_limit_is_refused() {
    let history = ValidatorHistory {
        pubkey: KEY,
        signed_blocks: vec![Block { slot: 5, signing_root: None }; 9],
        signed_attestations: Vec::new(),
    };
    let interchange = Interchange { genesis_validators_root: ROOT, data: [history].into() };
    let json = interchange.to_json().unwrap();
    let len = json.len() as u64;
    assert_eq!(interchange.to_json_within(len), Ok(json));
    for limit in [0, 1, len / 2, len - 1] {
        assert_eq!(code(interchange.to_json_within(limit)), "TOO_LARGE");
    }
}
