//! Runs the cases of Jerasure's code and of the other erasure codes with a core that has nothing else: a build with this
//! feature, which is C, is made for these tests alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(feature = "jerasure")]

mod cases;
#[path = "operations/erasures.rs"]
mod erasures;
#[allow(dead_code, reason = "other operations use the rest")]
#[path = "operations/fields.rs"]
mod fields;

#[test]
fn jerasure() {
    cases::run("jerasure", erasures::run);
}

#[test]
fn erasure() {
    cases::run("erasure", erasures::run);
}
