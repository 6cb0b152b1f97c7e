//! Runs the commands of README.md.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use quorate_service::testing::run_five_minutes;

#[test]
fn the_commands_of_the_readme_work() {
    let page = include_str!("../README.md");
    let text = run_five_minutes(page, support::PROGRAM, "/tmp/kv", "127.0.0.1:7380");
    for expected in ["hello", "each entry is signed by its client", "ALTERED"] {
        assert!(text.contains(expected), "{expected:?} is not in {text}");
    }
}
