//! The targets as deterministic tests. They are outside the library, so that the tests of documentation, which compile the
//! library too, share it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod brief;
mod findings;
