//! Attacks on the core: colluders whose keys cancel, spam, huge and extreme committees, misuse of sets.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, missing_docs)]

mod cancelling_keys;
