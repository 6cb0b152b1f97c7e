//! Runs the commands of README.md and checks their output.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::path::Path;

use quorate_support::ports::free_addresses;
use quorate_support::readme::Script;

#[test]
fn the_commands_of_the_readme_work() {
    let mut script = Script::of_page(include_str!("../README.md"));
    for (port, free) in (7501..=7504).zip(free_addresses(4).unwrap()) {
        script = script.replace(&format!("127.0.0.1:{port}"), &free.to_string());
    }
    let folder = tempfile::tempdir().unwrap();
    let text = script.run(Path::new(support::PROGRAM), folder.path());
    for expected in [
        "3 messages signed, verified by OpenSSL",
        "3 of 4 parties sign, 500 messages in epoch 1",
        "Verified OK",
        "valid",
        "FAULTY: carol sent an invalid share",
        "carol (party 2) attested an invalid share of presignature 1 of epoch 1",
    ] {
        assert!(text.contains(expected), "{expected:?} is not in {text}");
    }
}
