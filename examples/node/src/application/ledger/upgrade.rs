//! Completes the state of a version that had the trie in memory.

use super::proof::{Summary, trie_path, value_hash};
use super::records::ENTRY;
use crate::application::trie::{RecordBuilder, Shape};
use crate::application::{ApplicationError, State, StateWriter};

/// Makes the trie's records from the entries if they are missing or lead to another root, as after a run of a version that
/// does not write them. It may end at any moment: the last write states that they are complete.
pub(super) fn complete_records(
    state: &State,
    shape: Shape,
    write: &mut StateWriter<'_>,
) -> Result<(), ApplicationError> {
    let summary = Summary::restore(state)?;
    if shape.is_stored(state, &summary.trie_root)? {
        return Ok(());
    }
    if summary.entries > 0 {
        tracing::info!(entries = summary.entries, "the state of an earlier version gets an index, once");
    }
    let mut builder = RecordBuilder::new(state, shape, write);
    builder.clear()?;
    state.visit(&[ENTRY], |key, value| {
        let key = key.get(1..).unwrap_or_default();
        builder.add(&trie_path(key), &value_hash(value), key)
    })?;
    builder.finish(&summary.trie_root, summary.entries)
}
