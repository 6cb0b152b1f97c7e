//! The ledger's records in the state.

/// Key of the summary's counters.
pub(super) const SUMMARY: &[u8] = b"s";
/// First byte of the keys of entries.
pub(super) const ENTRY: u8 = b'e';

pub(super) fn entry_key(key: &[u8]) -> Vec<u8> {
    [&[ENTRY], key].concat()
}
