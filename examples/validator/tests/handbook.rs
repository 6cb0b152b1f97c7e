//! The handbook covers the errors of a validator's process and the codes in its log.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use quorate_node::NodeError;
use support::{Sandbox, chain::Chain};

const HANDBOOK: &str = include_str!("../OPERATING.md");

/// Starts alice with other arguments, and checks that the last line names the section about `code`.
fn stops(chain: &Chain, exit: i32, code: &str, arguments: &[&str]) {
    let done = chain.sandbox.run(&[&["run", "--config", "alice/config.toml"], arguments].concat());
    assert_eq!(done.code, exit, "{}", done.stderr);
    let last = done.stderr.trim_end().lines().next_back().unwrap().to_owned();
    let place = format!("OPERATING.md#{} ({code})", code.to_lowercase());
    assert!(last.ends_with(&place) && last.contains(&format!("quorate explain {code}`")), "{}", done.stderr);
}

#[test]
fn a_stopped_validator_names_its_section() {
    let chain = Chain::new("jolteon");
    let config = chain.sandbox.read("alice/config.toml");
    let with = |from: &str, to: &str| {
        assert!(config.contains(from), "{config}");
        chain.sandbox.write("alice/config.toml", config.replacen(from, to, 1));
    };
    stops(&chain, 13, "EMPTY_DATA", &[]);
    with("[links]\n", "[links]\nkeep_alive_ms = 1\n");
    stops(&chain, 3, "CONFIG", &[]);
    with("'../genesis.toml'", "'keys'");
    stops(&chain, 3, "GENESIS", &[]);
    with("keys = 'keys'", "keys = 'public.toml'");
    stops(&chain, 3, "KEY_FILE", &[]);
    with("keys = 'keys'", "keys = 'no-keys'");
    stops(&chain, 3, "IO", &[]);
    chain.keys("mallory");
    with("keys = 'keys'", "keys = '../mallory/keys'");
    stops(&chain, 3, "NOT_A_MEMBER", &[]);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = config.lines().find(|line| line.starts_with("listen")).unwrap();
    with(listen, &format!("listen = '{}'", taken.local_addr().unwrap()));
    stops(&chain, 10, "BIND", &["--new-validator"]);
    with("", "");
    stops(&chain, 3, "DATA_EXISTS", &["--new-validator"]);
    let identity = chain.sandbox.read("alice/data/IDENTITY");
    chain.sandbox.write("alice/data/IDENTITY", identity.replace("quorate-store 1", "quorate-store 9"));
    stops(&chain, 3, "DATA_MISMATCH", &[]);
    chain.sandbox.write("alice/data/IDENTITY", &identity);
    fs::rename(chain.sandbox.path("alice/data/records"), chain.sandbox.path("records")).unwrap();
    stops(&chain, 3, "CORRUPT", &[]);
}

#[test]
fn a_command_prints_the_section_of_a_code() {
    let sandbox = Sandbox::new();
    let codes = sandbox.ok(&["explain"]);
    assert_eq!(codes.lines().collect::<Vec<_>>(), NodeError::CODES);
    for code in NodeError::CODES {
        let text = sandbox.ok(&["explain", code]);
        assert!(text.starts_with(&format!("### `{code}`\n\nExit code ")), "{text}");
        assert_eq!(text.matches("###").count(), 1, "{text}");
    }
    assert!(sandbox.ok(&["explain", "RNG"]).starts_with("### Other codes"));
    sandbox.fails(6, "unknown code NOTHING", &["explain", "NOTHING"]);
}

/// Calls of `tracing::warn!` and `tracing::error!` in the sources of a folder, each with its arguments.
fn warnings(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            warnings(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&entry).unwrap();
            let calls =
                ["tracing::warn!(", "tracing::error!("].into_iter().flat_map(|call| text.split(call).skip(1));
            found.extend(calls.map(|rest| (entry.clone(), rest.split(");").next().unwrap().to_owned())));
        }
    }
}

#[test]
fn each_warning_has_a_code_of_the_handbook() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["src", "../node/src", "../node/adapters"] {
        warnings(&root.join(folder), &mut found);
    }
    assert!(found.len() > 15);
    let mut codes = BTreeSet::new();
    for (path, arguments) in &found {
        let arguments = arguments.trim_start();
        let code = arguments.strip_prefix("code = ").or(arguments.strip_prefix("code,"));
        let code = code.unwrap_or_else(|| panic!("{}: no code: {arguments}", path.display()));
        codes.extend(code.strip_prefix('"').and_then(|code| code.split('"').next()));
    }
    for code in codes {
        assert!(HANDBOOK.contains(&format!("`{code}`")), "the handbook does not explain {code}");
    }
}
