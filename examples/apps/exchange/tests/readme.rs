//! Runs the commands of README.md.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use quorate_service::testing::run_five_minutes;

#[test]
fn the_commands_of_the_readme_work() {
    let page = include_str!("../README.md");
    let text = run_five_minutes(page, support::PROGRAM, "/tmp/exchange", "127.0.0.1:7390");
    for expected in [
        "filled 10 at 100",
        "2 at 101",
        "cancelled 8",
        "each answer follows from the rules of the book",
        "ALTERED",
    ] {
        assert!(text.contains(expected), "{expected:?} is not in {text}");
    }
}
