//! Runs the commands of README.md.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::path::Path;

use quorate_support::ports::free_addresses;
use quorate_support::readme::Script;

#[test]
fn the_commands_of_the_readme_work() {
    let folder = tempfile::tempdir().unwrap();
    let free = free_addresses(2).unwrap();
    let script = Script::of_section(include_str!("../README.md"), "Five minutes")
        .replace("/tmp/audited", folder.path().join("deployment").to_str().unwrap())
        .replace("127.0.0.1:7379", &free[0].to_string())
        .replace("127.0.0.1:6380", &free[1].to_string())
        .replace("-p 6380", &format!("-h {} -p {}", free[1].ip(), free[1].port()))
        // A busy machine needs more time than a user would wait.
        .replace(" call ", " call --timeout 120 ");
    let text = script.run(Path::new(env!("CARGO_BIN_EXE_audited-redis")), folder.path());
    for expected in ["hello", "each entry is signed by its client", "ALTERED"] {
        assert!(text.contains(expected), "{expected:?} is not in {text}");
    }
}
