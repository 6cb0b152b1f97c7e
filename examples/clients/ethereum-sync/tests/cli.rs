//! Runs the program on mainnet data, on generated chains of every fork, and on files with single changes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

/// Block of slot 7069376, of which `testdata/mainnet/bootstrap.json` is the bootstrap.
const TRUSTED: &str = "0x5afc212a7924789b2bc86acad3ab3a6ffb1f6e97253ea50bee7f4f51422c9275";

fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_ethereum-sync")).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// Returns the JSON report and the exit code.
fn verify(arguments: &[&str]) -> (i32, Value) {
    let (code, out, err) = run(&[&["verify", "--json"], arguments].concat());
    (code, serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}{err}")))
}

fn mainnet(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/mainnet");
    folder.join(name).to_string_lossy().into_owned()
}

#[test]
fn mainnet_updates_verify_from_a_bootstrap() {
    let (bootstrap, updates) = (mainnet("bootstrap.json"), mainnet("updates.json"));
    let (code, report) = verify(&["--bootstrap", &bootstrap, "--trusted-root", TRUSTED, &updates]);
    assert_eq!((code, &report["error"]), (0, &Value::Null), "{report}");
    assert_eq!(report["updates"][0]["participants"], 511);
    assert_eq!(report["updates"][1]["next_committee_of"], 864);
    assert_eq!(report["finalized"]["slot"], 7_070_047);
    let block = &report["updates"][1]["finalized"]["execution"];
    assert_eq!(block[0], 17_883_995);

    // The first update matters only for its next committee.
    let all: Value = serde_json::from_slice(&std::fs::read(&updates).unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let twice = folder.path().join("twice.json").to_string_lossy().into_owned();
    std::fs::write(&twice, json!([all[0], all[0]]).to_string()).unwrap();
    let (code, report) = verify(&["--bootstrap", &bootstrap, "--trusted-root", TRUSTED, &twice]);
    assert_eq!((code, &report["error"]["code"]), (4, &json!("IRRELEVANT")));

    let other = TRUSTED.replace("5afc", "5afd");
    let (code, report) = verify(&["--bootstrap", &bootstrap, "--trusted-root", &other, &updates]);
    assert_eq!((code, &report["error"]["code"]), (4, &json!("TRUSTED_ROOT")));
}

#[test]
fn mainnet_updates_verify_against_a_trusted_committee() {
    let (committee, finality, optimistic) =
        (mainnet("committee-867.json"), mainnet("finality_update.json"), mainnet("optimistic_update.json"));
    let given = ["--committee", &committee, "--period", "867", &finality, &optimistic];
    let (code, report) = verify(&given);
    assert_eq!((code, &report["error"]), (0, &Value::Null), "{report}");
    assert_eq!(report["optimistic"]["slot"], 7_109_431);
    let (code, report) = verify(&["--committee", &committee, "--period", "866", &finality]);
    assert_eq!((code, &report["error"]["code"]), (4, &json!("UNKNOWN_COMMITTEE")));
    let (code, report) = verify(&[&given[..], &["--now", "7109431"]].concat());
    assert_eq!((code, &report["error"]["code"]), (4, &json!("SLOTS")));
    assert_eq!(report["updates"].as_array().unwrap().len(), 1, "the first was signed by then");
}

/// A generated chain in a temporary folder.
struct Chain(TempDir);

impl Chain {
    fn new(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().to_string_lossy().into_owned();
        let (code, _, err) = run(&[&["generate", "--out", &out], options].concat());
        assert_eq!(code, 0, "{err}");
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn verify(&self, updates: &[&str]) -> (i32, Value) {
        let path = |name: &str| self.path(name).to_string_lossy().into_owned();
        let root = format!("@{}", path("trusted-root.txt"));
        let (network, bootstrap) = (path("network.json"), path("bootstrap.json"));
        let updates: Vec<String> = updates.iter().map(|name| path(name)).collect();
        let mut arguments = vec!["--network", &network, "--bootstrap", &bootstrap, "--trusted-root", &root];
        arguments.extend(updates.iter().map(String::as_str));
        verify(&arguments)
    }

    /// Changes a file, returns the code of the refusal, and restores the file.
    fn refusal(&self, name: &str, change: impl Fn(&mut Value)) -> (i32, String) {
        let before = std::fs::read(self.path(name)).unwrap();
        let mut value: Value = serde_json::from_slice(&before).unwrap();
        change(&mut value["data"]);
        std::fs::write(self.path(name), value.to_string()).unwrap();
        let (code, report) = self.verify(&["update.json"]);
        std::fs::write(self.path(name), before).unwrap();
        (code, report["error"]["code"].as_str().unwrap_or("none").to_owned())
    }
}

const ALL: [&str; 3] = ["update.json", "finality_update.json", "optimistic_update.json"];

#[test]
fn generated_chains_of_every_fork_verify() {
    for fork in ["altair", "bellatrix", "capella", "deneb", "electra", "fulu"] {
        let chain = Chain::new(&["--fork", fork]);
        let (code, report) = chain.verify(&ALL);
        assert_eq!((code, &report["error"]), (0, &Value::Null), "{fork}: {report}");
        assert_eq!(report["updates"][2]["participants"], 500);
        let (code, report) = chain.verify(&ALL[1..]);
        assert_eq!((code, &report["error"]["code"]), (4, &json!("UNKNOWN_COMMITTEE")), "{fork}");
    }
}

#[test]
fn the_same_seed_makes_the_same_files() {
    let read = |chain: &Chain| std::fs::read(chain.path("update.json")).unwrap();
    let (one, again, other) = (Chain::new(&[]), Chain::new(&[]), Chain::new(&["--seed", "2"]));
    assert_eq!(read(&one), read(&again));
    assert_ne!(read(&one), read(&other));
}

#[test]
fn an_update_needs_signatures_of_two_thirds() {
    let (code, report) = Chain::new(&["--absent", "170"]).verify(&ALL[..1]);
    assert_eq!((code, &report["updates"][0]["participants"]), (0, &json!(342)), "{report}");
    let (code, report) = Chain::new(&["--absent", "171"]).verify(&ALL[..1]);
    assert_eq!((code, &report["error"]["code"]), (5, &json!("BELOW_TWO_THIRDS")));
    assert_eq!(report["updates"][0]["supermajority"], false);
    assert!(report["finalized"]["slot"].as_u64() < report["updates"][0]["finalized"]["slot"].as_u64());
}

/// Changes the last digit of a text.
fn flip(value: &mut Value) {
    let text = value.as_str().unwrap();
    let (head, last) = text.split_at(text.len() - 1);
    *value = json!(format!("{head}{}", if last == "0" { "1" } else { "0" }));
}

#[test]
fn each_change_is_refused_with_its_code() {
    let chain = Chain::new(&["--fork", "fulu"]);
    type Change = fn(&mut Value);
    let cases: [(&str, &str, Change); 20] = [
        ("bootstrap.json", "TRUSTED_ROOT", |d| flip(&mut d["header"]["beacon"]["state_root"])),
        ("bootstrap.json", "CURRENT_COMMITTEE_BRANCH", |d| flip(&mut d["current_sync_committee_branch"][3])),
        ("bootstrap.json", "CURRENT_COMMITTEE_BRANCH", |d| {
            d["current_sync_committee"]["pubkeys"].as_array_mut().unwrap().swap(0, 1);
        }),
        ("bootstrap.json", "COMMITTEE_SIZE", |d| {
            d["current_sync_committee"]["pubkeys"].as_array_mut().unwrap().truncate(511);
        }),
        ("bootstrap.json", "EXECUTION_BRANCH", |d| flip(&mut d["header"]["execution"]["block_number"])),
        ("update.json", "BAD_SIGNATURE", |d| flip(&mut d["attested_header"]["beacon"]["proposer_index"])),
        ("update.json", "EXECUTION_BRANCH", |d| flip(&mut d["attested_header"]["execution"]["logs_bloom"])),
        ("update.json", "EXECUTION_BRANCH", |d| {
            d["attested_header"].as_object_mut().unwrap().remove("execution");
        }),
        ("update.json", "FINALITY_BRANCH", |d| flip(&mut d["finalized_header"]["beacon"]["proposer_index"])),
        ("update.json", "FINALITY_BRANCH", |d| flip(&mut d["finality_branch"][6])),
        ("update.json", "NEXT_COMMITTEE_BRANCH", |d| flip(&mut d["next_sync_committee_branch"][0])),
        ("update.json", "NEXT_COMMITTEE_BRANCH", |d| flip(&mut d["next_sync_committee"]["pubkeys"][511])),
        ("update.json", "SLOTS", |d| d["signature_slot"] = d["attested_header"]["beacon"]["slot"].clone()),
        ("update.json", "MALFORMED", |d| {
            let bits = d["sync_aggregate"]["sync_committee_bits"].as_str().unwrap();
            d["sync_aggregate"]["sync_committee_bits"] = json!(bits[..bits.len() - 2]);
        }),
        ("update.json", "BELOW_QUORUM", |d| {
            d["sync_aggregate"]["sync_committee_bits"] = json!(format!("0x{}", "00".repeat(64)));
        }),
        ("update.json", "BAD_SIGNATURE", |d| {
            d["sync_aggregate"]["sync_committee_bits"] = json!(format!("0x{}", "ff".repeat(64)));
        }),
        ("update.json", "INFINITY", |d| {
            d["sync_aggregate"]["sync_committee_signature"] = json!(format!("0xc0{}", "00".repeat(95)));
        }),
        ("update.json", "MALFORMED", |d| {
            d["sync_aggregate"]["sync_committee_bits"] = json!("00".repeat(8 << 20));
        }),
        ("update.json", "BAD_INPUT", |d| d["signature_slot"] = json!(5)),
        ("update.json", "BAD_INPUT", |d| {
            d.as_object_mut().unwrap().remove("sync_aggregate");
        }),
    ];
    for (i, (file, expected, change)) in cases.into_iter().enumerate() {
        let (code, found) = chain.refusal(file, change);
        assert_eq!(found, expected, "case {i}: {file}");
        assert_eq!(code, if expected == "BAD_INPUT" { 3 } else { 4 }, "case {i}");
    }
}

#[test]
fn invalid_arguments_and_files_are_reported() {
    let (code, _, err) = run(&["verify", &mainnet("updates.json")]);
    assert!(code == 2 && err.contains("--bootstrap"), "{code}: {err}");
    let (bootstrap, updates) = (mainnet("bootstrap.json"), mainnet("updates.json"));
    // A root without a bootstrap is refused: it would not be verified.
    let committee = ["verify", "--committee", &mainnet("committee-867.json"), "--period", "867"];
    let (code, _, err) = run(&[&committee[..], &["--trusted-root", TRUSTED, &updates]].concat());
    assert!(code == 2 && err.contains("--trusted-root"), "{code}: {err}");
    for (root, expected) in [("0x12", "32 bytes"), ("@/no/such/file", "No such file")] {
        let (code, _, err) = run(&["verify", "--bootstrap", &bootstrap, "--trusted-root", root, &updates]);
        assert!(code == 3 && err.contains(expected), "{code}: {err}");
    }
    let (code, _, err) =
        run(&["verify", "--bootstrap", &bootstrap, "--trusted-root", TRUSTED, "/no/such/file"]);
    assert!(code == 3 && err.contains("No such file"), "{code}: {err}");
    let (code, out, _) = run(&["--help"]);
    assert!(code == 0 && out.contains("Exit codes"), "{out}");
}
