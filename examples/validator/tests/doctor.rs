//! `quorate doctor` against real files and processes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::time::SystemTime;

use serde_json::Value;
use support::chain::{Chain, FOUNDERS};
use support::{Sandbox, eventually};

/// Worst state, detail and remedy of each check.
struct Report {
    code: i32,
    checks: BTreeMap<String, (String, String)>,
}

impl Report {
    fn new(sandbox: &Sandbox, name: &str) -> Self {
        let config = format!("{name}/config.toml");
        let done = sandbox.run(&["doctor", "--config", &config, "--json"]);
        let report: Value =
            serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{e}: {}", done.stderr));
        let mut checks: BTreeMap<String, (String, String)> = BTreeMap::new();
        for check in report["checks"].as_array().unwrap() {
            let [name, state, detail] =
                ["check", "state", "detail"].map(|field| check[field].as_str().unwrap());
            let remedy = check["remedy"].as_str().unwrap_or_default();
            assert_eq!(state == "ok", remedy.is_empty(), "{check}");
            let rank =
                |state: &str| ["ok", "warning", "failed"].iter().position(|known| *known == state).unwrap();
            let new = (state.to_owned(), format!("{detail}; {remedy}"));
            let old = checks.entry(name.to_owned()).or_insert(new.clone());
            if rank(&old.0) < rank(state) {
                *old = new;
            }
        }
        let has_failed = checks.values().any(|(state, _)| state == "failed");
        assert_eq!(report["ok"], !has_failed);
        assert_eq!(done.code, if has_failed { 14 } else { 0 }, "{}", done.stdout);
        Self { code: done.code, checks }
    }

    /// Checks the state of a check and a part of its text.
    fn expect(&self, check: &str, state: &str, text: &str) {
        let found = self.checks.get(check).unwrap_or_else(|| panic!("no {check} in {:?}", self.checks));
        assert!(found.0 == state && found.1.contains(text), "{check}: {found:?}");
    }
}

/// Files of a folder with their times of change.
fn files(sandbox: &Sandbox, folder: &str) -> Vec<(String, SystemTime)> {
    let mut found = Vec::new();
    let mut folders = vec![sandbox.path(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            found.push((entry.path().display().to_string(), entry.metadata().unwrap().modified().unwrap()));
            folders.extend(Some(entry.path()).filter(|path| path.is_dir()));
        }
    }
    found.sort();
    found
}

#[test]
fn a_running_chain_is_healthy() {
    let mut chain = Chain::new("jolteon");
    FOUNDERS.into_iter().for_each(|name| chain.start(name));
    FOUNDERS.iter().for_each(|name| chain.wait_for_membership(name, 0));
    chain.commit("alice", "put a b");
    eventually("the doctor finds nothing", || {
        let report = Report::new(&chain.sandbox, "alice");
        // The validator abstains at first, and compares clocks after a moment.
        report.code == 0
            && report.checks["running validator"].0 == "ok"
            && report.checks["clock of peers"].0 == "ok"
    });
    let report = Report::new(&chain.sandbox, "alice");
    for check in ["peer bob", "peer carol", "peer dave"] {
        report.expect(check, "ok", "proves its identity");
    }
    report.expect("quorum", "ok", "weight 4 of 4");
    report.expect("member", "ok", "alice");
    report.expect("links address", "ok", "in use");
    report.expect("data", "ok", "a validator uses it");
    assert!(!chain.sandbox.read("alice/log.txt").contains("SAME_IDENTITY"));

    // One process less is tolerated, two are not.
    chain.kill("bob");
    let report = Report::new(&chain.sandbox, "alice");
    report.expect("peer bob", "warning", "refused");
    report.expect("quorum", "ok", "weight 3 of 4");
    chain.kill("carol");
    Report::new(&chain.sandbox, "alice").expect("quorum", "failed", "weight 2 of 4");

    // A stopped validator: its data is unchanged, and another process answers at its address.
    let before = files(&chain.sandbox, "bob/data");
    let report = Report::new(&chain.sandbox, "bob");
    report.expect("data", "ok", "no process uses it");
    report.expect("http address", "ok", "is free");
    assert_eq!(files(&chain.sandbox, "bob/data"), before);
    let text = chain.sandbox.run(&["doctor", "--config", "bob/config.toml"]);
    assert!(text.stdout.lines().any(|line| line.starts_with("ok       peer dave: ")), "{}", text.stdout);
    let imposter = chain
        .sandbox
        .read("bob/config.toml")
        .replace("[clients]", &format!("[links.addresses]\ncarol = '{}'\n[clients]", listen(&chain, "dave")));
    chain.sandbox.write("bob/config.toml", imposter);
    Report::new(&chain.sandbox, "bob").expect("peer carol", "warning", "another identity key");
}

/// Address of a validator's links.
fn listen(chain: &Chain, name: &str) -> String {
    let public = chain.sandbox.read(&format!("{name}/public.toml"));
    let address = public.lines().find_map(|line| line.strip_prefix("address = ")).unwrap();
    address.trim_matches('"').to_owned()
}

#[test]
fn problems_of_files_and_the_machine_are_named() {
    let chain = Chain::new("jolteon");
    let sandbox = &chain.sandbox;
    let config = sandbox.read("alice/config.toml");
    let report = |from: &str, to: &str| {
        assert!(config.contains(from));
        sandbox.write("alice/config.toml", config.replacen(from, to, 1));
        Report::new(sandbox, "alice")
    };
    report("", "").expect("data", "warning", "--new-validator");
    report("[links]", "[lynx]").expect("configuration", "failed", "lynx");
    report("'../genesis.toml'", "'nothing'").expect("genesis", "failed", "nothing");
    report("keys = 'keys'", "keys = '../bob/keys'").expect("member", "ok", "bob");
    chain.keys("mallory");
    let other = report("keys = 'keys'", "keys = '../mallory/keys'");
    other.expect("member", "failed", "OPERATING.md#not_a_member");
    report("[links]", "counter = 'counter'\n[links]").expect("counter", "warning", "does not exist");
    sandbox.write("alice/counter", "");
    fs::create_dir(sandbox.path("alice/data")).unwrap();
    report("[links]", "counter = 'counter'\n[links]").expect("counter", "warning", "another disk");

    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let http = config.lines().find(|line| line.starts_with("http")).unwrap();
    report(http, &format!("http = '{address}'")).expect("http address", "failed", &address);

    let keys = sandbox.path("alice/keys");
    fs::set_permissions(&keys, fs::Permissions::from_mode(0o644)).unwrap();
    report("", "").expect("keys", "failed", "chmod 600");
    fs::set_permissions(&keys, fs::Permissions::from_mode(0o600)).unwrap();

    fs::create_dir(sandbox.path("alice/data/records")).unwrap();
    report("", "").expect("data", "failed", "no file IDENTITY");
    sandbox.write("alice/data/IDENTITY", "quorate-store 9\n");
    report("", "").expect("data", "failed", "OPERATING.md#data_mismatch");
    let limited = std::process::Command::new("sh")
        .args([
            "-c",
            "ulimit -n 64; exec \"$0\" doctor --config alice/config.toml",
            env!("CARGO_BIN_EXE_quorate"),
        ])
        .current_dir(sandbox.path("."))
        .output()
        .unwrap();
    let text = String::from_utf8(limited.stdout).unwrap();
    assert!(text.contains("FAILED   open files: this process may open 64 files"), "{text}");
    assert_eq!(limited.status.code(), Some(14));
}
