//! Runs the commands of README.md and checks their output.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::path::Path;
use std::process::{Command, Stdio};

use quorate_support::ports::free_addresses;

const PAGE: &str = include_str!("../README.md");

/// Returns all shell blocks as one script, without the lines that build the program, and with free addresses.
fn script() -> String {
    // No process is left running, also after an error.
    let mut script = "set -eu\ntrap 'kill $(cat *.pid) 2> /dev/null || true' EXIT\n".to_owned();
    let mut within = false;
    for line in PAGE.lines() {
        match line {
            "```sh" => within = true,
            "```" => within = false,
            line if within && !line.starts_with("cargo") => {
                script.push_str(line);
                script.push('\n');
            }
            _ => {}
        }
    }
    for (port, free) in (7501..=7504).zip(free_addresses(4).unwrap()) {
        script = script.replace(&format!("127.0.0.1:{port}"), &free.to_string());
    }
    script
}

#[test]
fn the_commands_of_the_readme_work() {
    let dir = tempfile::tempdir().unwrap();
    let program = Path::new(support::PROGRAM).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut bash = Command::new("timeout");
    bash.args(["120", "bash", "-c", &script()])
        .current_dir(dir.path())
        .env("PATH", path)
        .env("TMPDIR", dir.path());
    let output = bash.stdin(Stdio::null()).output().unwrap();
    let (code, text) = support::exit_code_and_output(&output);
    assert_eq!(code, Some(0), "{text}");
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
