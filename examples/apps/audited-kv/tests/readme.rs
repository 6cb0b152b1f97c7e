//! Runs the commands of README.md.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::path::Path;

use quorate_support::ports::free_addresses;
use quorate_support::readme::Script;

#[test]
fn the_commands_of_the_readme_work() {
    let page = include_str!("../README.md");
    let folder = tempfile::tempdir().unwrap();
    let script = Script::of_section(page, "Five minutes")
        .replace("/tmp/kv", folder.path().join("deployment").to_str().unwrap())
        .replace("127.0.0.1:7380", &free_addresses(1).unwrap()[0].to_string())
        // A busy machine needs more time than a user would wait.
        .replace(" call ", " call --timeout 120 ");
    let text = script.run(Path::new(support::PROGRAM.path), folder.path());
    for expected in ["hello", "each entry is signed by its client", "ALTERED"] {
        assert!(text.contains(expected), "{expected:?} is not in {text}");
    }
}
