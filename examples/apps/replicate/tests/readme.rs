//! Runs the commands of README.md.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::path::Path;

use quorate_support::readme::Script;

#[test]
fn the_commands_of_the_readme_work() {
    let folder = tempfile::tempdir().unwrap();
    let script = Script::of_section(include_str!("../README.md"), "Five minutes")
        .replace("/tmp/group", folder.path().join("group").to_str().unwrap())
        .replace("--seeds 1000", "--seeds 3");
    let text = script.run(Path::new(env!("CARGO_BIN_EXE_replicate")), folder.path());
    for expected in ["53", "DAMAGED"] {
        assert!(text.contains(expected), "{expected:?} is not in {text}");
    }
}
