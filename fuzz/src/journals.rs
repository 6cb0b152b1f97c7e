//! The journal of a guard, and interchange files of slashing protections.

use quorate::guard::ethereum::{Attestation, Block, Interchange, ValidatorHistory};
use quorate::guard::{GuardRecord, JournalFile};
use quorate::wire::Decode;

use crate::seeds;

/// A journal: without a torn frame it encodes to the same bytes, otherwise to those before the frame. Cut anywhere, it is
/// torn or has fewer records, and every changed byte is seen.
pub(crate) fn journals(input: &[u8]) {
    let Ok(file) = JournalFile::decode(input) else { return };
    let encoded = file.encode();
    assert!(input.starts_with(&encoded), "decoded, but encodes to other bytes");
    assert_eq!(file.is_torn(), encoded.len() != input.len());
    let cut = usize::from(input.last().copied().unwrap_or_default()) % encoded.len();
    match JournalFile::decode(encoded.get(..cut).unwrap_or_default()) {
        Ok(shorter) => assert!(file.records().starts_with(shorter.records())),
        Err(error) => assert!(cut < 96, "{error}"),
    }
    let mut changed = encoded.clone();
    if let Some(byte) = changed.get_mut(cut) {
        *byte ^= 1;
    }
    // A binding of zeros, which no key has, looks like a sector that was not written.
    let seen = JournalFile::decode(&changed).map_or(true, |other| other.is_torn());
    assert!(seen, "byte {cut} can be changed");
}

pub(crate) fn journal_seeds() -> Vec<Vec<u8>> {
    let records = seeds::from_vectors().iter().filter_map(|bytes| GuardRecord::decode(bytes, &()).ok());
    let records: Vec<_> = records.take(6).collect();
    let journal =
        |count| JournalFile::new([3; 32], 7, records.iter().take(count).copied().collect()).encode();
    let mut torn = journal(4);
    torn.truncate(torn.len() - 40);
    vec![journal(0), journal(1), journal(6), torn]
}

/// An interchange file: what is read is written so that it is read again.
pub(crate) fn interchanges(input: &[u8]) {
    let Ok(interchange) = Interchange::parse(input) else { return };
    let again = interchange.to_json().and_then(|json| Interchange::parse(json.as_bytes()));
    assert_eq!(again.as_ref(), Ok(&interchange));
}

pub(crate) fn interchange_seeds() -> Vec<Vec<u8>> {
    let root = Some([5; 32]);
    let history = |key| ValidatorHistory {
        pubkey: [key; 48],
        signed_blocks: vec![
            Block { slot: 7, signing_root: root },
            Block { slot: u64::MAX, signing_root: None },
        ],
        signed_attestations: vec![Attestation { source_epoch: 2, target_epoch: 3, signing_root: root }],
    };
    let file =
        |data| Interchange { genesis_validators_root: [4; 32], data }.to_json().map(String::into_bytes);
    [file(vec![]), file(vec![history(1)]), file(vec![history(1), history(1), history(2)])]
        .into_iter()
        .flatten()
        .collect()
}
