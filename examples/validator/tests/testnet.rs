//! Testnets of validator processes: commits, kills, restarts and membership changes, without contradicting blocks.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use serde_json::{Value, json};
use support::{Running, Sandbox, eventually, validators_under};

/// The load of a busy machine takes longer to commit. The wait ends with the last commit.
const PATIENT: &[&str] = &["--drain", "120"];

/// Runs a testnet to its end and returns its JSON report.
fn testnet(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let all: Vec<&str> = ["testnet", "--json"].iter().chain(PATIENT).chain(arguments).copied().collect();
    let printed = sandbox.ok(&all);
    assert_eq!(printed.lines().count(), 1, "{printed}");
    let report: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(report["agreement"]["contradictions"], json!([]), "{report}");
    assert_eq!(report["crashed"], json!([]), "{report}");
    report
}

/// Asserts that no transaction of a load is left without a result, and that all committed but those that a killed
/// validator had received.
fn assert_all_answered(report: &Value) {
    assert!(number(&report["submitted"]) > 0.0, "{report}");
    assert_eq!((&report["refused"], &report["unsent"]), (&json!({}), &json!(0)), "{report}");
    let answered = number(&report["committed"]) + number(&report["lost_in_flight"]);
    assert_eq!(answered, number(&report["submitted"]), "{report}");
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("expected a number, got {value}"))
}

/// Asserts that the report has the processor times of all validators' threads, where the kernel keeps them.
fn assert_threads_are_measured(report: &Value) {
    if !std::path::Path::new("/proc/self/schedstat").exists() {
        return;
    }
    let usage = report["usage"].as_array().unwrap();
    assert_eq!(usage.len(), 4, "{report}");
    for usage in usage {
        for thread in ["machine", "write-urgent", "links", "execution", "clients"] {
            assert!(number(&usage["threads"][thread]) > 0.0, "{thread}: {usage}");
        }
    }
}

/// Loads the running testnet, and expects all transactions to commit.
fn bench(sandbox: &Sandbox) {
    let arguments = ["bench", "--rate", "200", "--duration", "2", "--json"];
    let printed = sandbox.ok(&arguments.iter().chain(PATIENT).copied().collect::<Vec<_>>());
    let report = serde_json::from_str(&printed).unwrap();
    assert_all_answered(&report);
    assert_eq!(report["lost_in_flight"], json!(0), "{report}");
}

/// Starts a testnet that runs until it receives a signal.
fn start(sandbox: &Sandbox, arguments: &[&str]) -> Running {
    let all: Vec<&str> = ["testnet"].iter().chain(arguments).copied().collect();
    let mut running = sandbox.start(&all);
    running.wait_for_line("height");
    running
}

#[test]
fn four_validators_commit_the_load_and_agree() {
    let sandbox = Sandbox::new();
    for scheme in ["bls", "ed25519"] {
        let report = testnet(&sandbox, &["--duration", "3", "--rate", "500", "--scheme", scheme]);
        assert_all_answered(&report);
        assert_eq!(report["lost_in_flight"], json!(0), "{report}");
        assert_eq!((&report["scheme"], &report["nodes"]), (&json!(scheme), &json!(4)));
        assert_eq!(report["agreement"]["validators"], json!(4));
        assert_threads_are_measured(&report);
        assert!(number(&report["agreement"]["heights"]) > 0.0);
        let latency = &report["latency_ms"];
        assert!(number(&latency["median"]) <= number(&latency["p95"]), "{report}");
        assert!(number(&latency["p95"]) <= number(&latency["p99"]), "{report}");
    }
    // The temporary directory is removed.
    let left: Vec<_> =
        std::fs::read_dir(sandbox.path("")).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with("quorate-testnet")), "{left:?}");
}

#[test]
fn gosig_validators_agree_and_survive_kills() {
    let sandbox = Sandbox::new();
    let gosig = ["--protocol", "gosig", "--rate", "300", "--data", "net"];
    let killed =
        ["--duration", "12", "--kill", "2@2", "--restart", "2@5", "--kill", "0@7", "--restart", "0@8"];
    let report = testnet(&sandbox, &[&gosig[..], &killed[..]].concat());
    assert_eq!((&report["protocol"], &report["scheme"]), (&json!("gosig"), &json!("bls")));
    assert_eq!(report["agreement"]["validators"], json!(4));
    for event in report["events"].as_array().unwrap() {
        assert!(number(&event["caught_up_after"]) > 0.0, "{report}");
    }
    assert!(number(&report["committed"]) > 0.5 * number(&report["submitted"]), "{report}");
    // An existing directory refuses another protocol.
    sandbox.fails(3, "run gosig", &["testnet", "--protocol", "jolteon", "--data", "net", "--duration", "1"]);
    // Kills all processes at once.
    let before = number(&report["height"]);
    let running = start(&sandbox, &["--data", "net", "--rate", "300"]);
    running.signal("KILL");
    drop(running);
    eventually("all validators exit", || validators_under(&sandbox.path("net")).is_empty());
    let again = testnet(&sandbox, &["--duration", "3", "--rate", "300", "--data", "net"]);
    assert!(number(&again["height"]) > before && number(&again["committed"]) > 0.0, "{again}");
}

/// Presignatures for a few epochs, which a killed validator uses once and which end during the run.
#[test]
fn abft_validators_sign_with_presignatures_and_past_them() {
    let sandbox = Sandbox::new();
    let ecdsa = ["--protocol", "abft", "--signatures", "ecdsa", "--presigned-epochs", "6", "--rate", "100"];
    let killed = ["--data", "net", "--duration", "4", "--kill", "2@1", "--restart", "2@2"];
    let report = testnet(&sandbox, &[&ecdsa[..], &killed[..]].concat());
    assert_eq!(report["agreement"]["validators"], json!(4));
    assert!(number(&report["height"]) > 6.0 && number(&report["committed"]) > 0.0, "{report}");
    for node in 0..4 {
        let directory = sandbox.path(&format!("net/node{node}/shares.presignatures"));
        let files = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
        let names: Vec<_> = files.map(|name| name.into_string().unwrap()).collect();
        assert_eq!(names, ["journal"], "those of node{node} are destroyed");
        let log = sandbox.read(&format!("net/node{node}/log.txt"));
        assert!(log.contains("NO_PRESIGNATURES") && !log.contains("PRESIGNATURES_UNUSABLE"), "{log}");
    }
}

#[test]
fn abft_validators_agree_and_survive_kills() {
    let sandbox = Sandbox::new();
    let abft = ["--protocol", "abft", "--scheme", "ed25519", "--rate", "300", "--data", "net"];
    let killed =
        ["--duration", "8", "--kill", "2@2", "--restart", "2@4", "--kill", "0@5", "--restart", "0@6"];
    let report = testnet(&sandbox, &[&abft[..], &killed[..]].concat());
    assert_eq!((&report["protocol"], &report["timeouts"]), (&json!("abft"), &json!(0)));
    assert_eq!(report["agreement"]["validators"], json!(4));
    for event in report["events"].as_array().unwrap() {
        assert!(number(&event["caught_up_after"]) > 0.0, "{report}");
    }
    assert_all_answered(&report);
    assert!(number(&report["committed"]) > 0.5 * number(&report["submitted"]), "{report}");
    // Kills all processes at once, after a transaction was acknowledged as committed.
    let running = start(&sandbox, &["--data", "net", "--rate", "300"]);
    let submitted = sandbox.ok(&["submit", "--wait=120", "put greeting hello"]);
    running.signal("KILL");
    drop(running);
    eventually("all validators exit", || validators_under(&sandbox.path("net")).is_empty());
    let running = start(&sandbox, &["--data", "net", "--rate", "0"]);
    assert_eq!(sandbox.ok(&["get", submitted.trim()]), "put greeting hello\n");
    let found: Value = serde_json::from_str(&sandbox.ok(&["get", "--key", "greeting", "--json"])).unwrap();
    assert_eq!((&found["value"], &found["verified"]), (&json!(hex::encode("hello")), &json!(true)));
    sandbox.fails(6, "the proof of its absence verifies", &["get", "--key", "farewell"]);
    assert!(sandbox.ok(&["status"]).contains("protocol: abft"));
    sandbox.fails(3, "no membership changes", &["member", "list"]);
    bench(&sandbox);
    assert_exported_chain_verifies(&sandbox, 0);
    running.signal("INT");
}

/// Exports the chain of the running testnet, and verifies it with only the genesis file. A change of any line is detected.
fn assert_exported_chain_verifies(sandbox: &Sandbox, epoch: u64) {
    sandbox.ok(&["export", "chain.jsonl"]);
    let verified =
        |file: &str| -> Value { serde_json::from_str(&sandbox.ok(&["verify", file, "--json"])).unwrap() };
    let report = verified("chain.jsonl");
    assert_eq!(
        (&report["from"], &report["epoch"], &report["blocks"]),
        (&json!(1), &json!(epoch), &report["to"])
    );
    let text = std::fs::read_to_string(sandbox.path("chain.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() as f64 >= number(&report["to"]) && lines.len() > 3);
    let write = |name: &str, lines: &[&str]| std::fs::write(sandbox.path(name), lines.join("\n")).unwrap();
    write("gap.jsonl", &[&lines[..1], &lines[2..]].concat());
    sandbox.fails(7, "line 2", &["verify", "gap.jsonl"]);
    let forged = lines[1].replacen("\"block\":\"00", "\"block\":\"01", 1);
    write("forged.jsonl", &[lines[0], &forged]);
    sandbox.fails(7, "line 2", &["verify", "forged.jsonl"]);
    for extra in ["{\"epoch\":1,", "{\"payload\":\"\","] {
        write("odd.jsonl", &[&lines[0].replacen('{', extra, 1)]);
        sandbox.fails(7, "line 1: malformed", &["verify", "odd.jsonl"]);
    }
    write("empty.jsonl", &[]);
    sandbox.fails(7, "no blocks", &["verify", "empty.jsonl"]);
    sandbox.ok(&["export", "one.jsonl", "--from", "2", "--to", "2"]);
    assert_eq!((&verified("one.jsonl")["from"], &verified("one.jsonl")["blocks"]), (&json!(2), &json!(1)));
    assert!(!sandbox.path("one.jsonl.partial").exists());
    sandbox.fails(6, "blocks 1 to", &["export", "none.jsonl", "--from", "999999999"]);
}

#[test]
fn a_stopped_validator_exports_what_a_running_one_does() {
    for (protocol, changes) in [("jolteon", ""), ("gosig", "--join=1"), ("abft", "")] {
        let sandbox = Sandbox::new();
        let load = ["--protocol", protocol, "--rate", "200", "--data", "net", "--duration", "3"];
        testnet(
            &sandbox,
            &load.into_iter().chain((!changes.is_empty()).then_some(changes)).collect::<Vec<_>>(),
        );
        let running = start(&sandbox, &["--rate", "0", "--data", "net"]);
        sandbox.ok(&["export", "running.jsonl"]);
        let report = sandbox.ok(&["verify", "running.jsonl", "--json"]);
        let last = serde_json::from_str::<Value>(&report).unwrap()["to"].to_string();
        let export = |data: &str, genesis: &str| {
            let arguments = ["export", "stopped.jsonl", "--to", &last, "--data", data, "--genesis", genesis];
            arguments.map(str::to_owned)
        };
        let fails = |expected: &str, arguments: [String; 8]| {
            sandbox.fails(3, expected, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
        };
        fails("another process uses the data directory", export("net/node0/data", "net/genesis.toml"));
        running.signal("INT");
        running.end();
        eventually("all validators exit", || validators_under(&sandbox.path("net")).is_empty());
        sandbox
            .ok(&export("net/node0/data", "net/genesis.toml").iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(sandbox.read("stopped.jsonl"), sandbox.read("running.jsonl"), "{protocol}");
        fails("has no data of a validator", export("net", "net/genesis.toml"));
        let other = sandbox.read("net/genesis.toml").replacen("\"testnet\"", "\"other\"", 1);
        sandbox.write("other.toml", other);
        // The keys that the dealer of an ABFT chain made are bound to its genesis.
        let expected = if protocol == "abft" { "of another genesis" } else { "belongs to another chain" };
        fails(expected, export("net/node0/data", "other.toml"));
    }
}

#[test]
fn validators_join_and_leave_a_running_testnet() {
    let sandbox = Sandbox::new();
    let changes = ["--protocol", "gosig", "--duration", "16", "--join", "2", "--leave", "1@8"];
    let report = testnet(&sandbox, &[&changes[..], &["--rate", "200", "--data", "net"]].concat());
    assert_eq!(report["agreement"]["validators"], json!(5), "{report}");
    let changes = report["changes"].as_array().unwrap();
    let named: Vec<_> = changes.iter().map(|c| (&c["node"], &c["change"], &c["epoch"])).collect();
    assert_eq!(named, [(&json!(4), &json!("join"), &json!(1)), (&json!(1), &json!("leave"), &json!(2))]);
    for change in changes {
        assert!(number(&change["begun_after"]) <= number(&change["done_after"]), "{report}");
        assert!(
            number(&change["first_height"]) <= number(&report["height"]),
            "the chain continues: {report}"
        );
    }
    assert!(number(&report["committed"]) > 0.5 * number(&report["submitted"]), "{report}");
    // The directory remembers validators that left or joined.
    let again = testnet(&sandbox, &["--duration", "3", "--rate", "200", "--data", "net"]);
    assert!(
        number(&again["height"]) > number(&report["height"]) && number(&again["committed"]) > 0.0,
        "{again}"
    );
    assert_eq!((&again["nodes"], &again["agreement"]["validators"]), (&json!(5), &json!(4)), "{again}");
    sandbox.fails(
        2,
        "there is no validator 9",
        &["testnet", "--data", "net", "--leave", "9@1", "--duration", "2"],
    );
    sandbox.fails(2, "need --protocol gosig", &["testnet", "--leave", "1@1", "--duration", "2"]);
}

#[test]
fn gosig_clients_verify_responses() {
    let sandbox = Sandbox::new();
    let running = start(&sandbox, &["--protocol", "gosig", "--rate", "0", "--data", "net"]);
    let submitted = sandbox.run(&["submit", "--wait=120", "put greeting hello"]);
    assert_eq!(submitted.code, 0, "{}", submitted.stderr);
    assert!(submitted.stderr.contains("the proof verifies"), "{}", submitted.stderr);
    assert_eq!(sandbox.ok(&["get", submitted.stdout.trim()]), "put greeting hello\n");
    let found: Value = serde_json::from_str(&sandbox.ok(&["get", "--key", "greeting", "--json"])).unwrap();
    assert_eq!((&found["value"], &found["verified"]), (&json!(hex::encode("hello")), &json!(true)));
    sandbox.fails(6, "the proof of its absence verifies", &["get", "--key", "farewell"]);
    assert!(sandbox.ok(&["status"]).contains("protocol: gosig"));
    // A Jolteon genesis with the same members is another chain.
    let genesis = std::fs::read_to_string(sandbox.path("net/genesis.toml")).unwrap();
    let members = genesis.split_once("[schedule]").unwrap().1.split_once("[[member]]").unwrap().1;
    sandbox.write("other.toml", format!("chain = \"testnet\"\nscheme = \"bls\"\n\n[[member]]{members}"));
    sandbox.fails(7, "does not verify", &["get", submitted.stdout.trim(), "--genesis", "other.toml"]);
    bench(&sandbox);
    running.signal("INT");
}

#[test]
fn a_killed_validator_catches_up_after_restart() {
    let sandbox = Sandbox::new();
    let report = testnet(
        &sandbox,
        &["--duration", "9", "--rate", "300", "--kill", "2@2", "--restart", "2@5", "--data", "net"],
    );
    assert!(number(&report["events"][0]["caught_up_after"]) > 0.0, "{report}");
    assert_eq!(report["agreement"]["validators"], json!(4));
    // At most the transactions in flight to the killed validator are lost.
    assert_all_answered(&report);
    assert!(number(&report["committed"]) > 0.5 * number(&report["submitted"]), "{report}");
    // Four validators tolerate one fault: without the restarted validator the network had no quorum.
    let before = number(&report["height"]);
    let again = testnet(&sandbox, &["--duration", "2", "--rate", "300", "--data", "net"]);
    assert!(number(&again["height"]) > before, "{again}");
    // Blocks are still committed while the report is created; all earlier blocks must have been compared.
    assert!(number(&again["agreement"]["heights"]) > before, "{again}");
}

#[test]
fn repeated_kills_never_cause_a_contradiction() {
    let sandbox = Sandbox::new();
    let mut arguments = vec!["--duration", "12", "--rate", "300", "--data", "net"];
    for (option, events) in [
        ("--kill", ["0@1", "1@3", "1@4.2", "3@6", "0@8", "0@9"]),
        ("--restart", ["0@2", "1@4", "1@5", "3@7", "0@8.5", "0@9.2"]),
    ] {
        events.iter().for_each(|event| arguments.extend([option, event]));
    }
    let report = testnet(&sandbox, &arguments);
    assert_eq!(report["events"].as_array().unwrap().len(), 6);
    assert!(number(&report["committed"]) > 0.0);
    // Kills all processes at once.
    let running = start(&sandbox, &["--data", "net", "--rate", "300"]);
    running.signal("KILL");
    drop(running);
    eventually("all validators exit", || validators_under(&sandbox.path("net")).is_empty());
    let report = testnet(&sandbox, &["--duration", "2", "--rate", "300", "--data", "net"]);
    assert!(number(&report["committed"]) > 0.0, "{report}");
}

#[test]
fn clients_find_the_testnet_and_verify_responses() {
    let sandbox = Sandbox::new();
    let running = start(&sandbox, &["--rate", "0", "--data", "net"]);
    let submitted = sandbox.run(&["submit", "--wait=120", "put greeting hello"]);
    assert_eq!(submitted.code, 0, "{}", submitted.stderr);
    assert!(submitted.stderr.contains("the proof verifies"), "{}", submitted.stderr);
    let id = submitted.stdout.trim();
    assert_eq!(sandbox.ok(&["get", id]), "put greeting hello\n");
    let found: Value = serde_json::from_str(&sandbox.ok(&["get", "--key", "greeting", "--json"])).unwrap();
    assert_eq!((&found["value"], &found["verified"]), (&json!(hex::encode("hello")), &json!(true)));
    sandbox.fails(6, "the proof of its absence verifies", &["get", "--key", "farewell"]);
    sandbox.fails(6, "is not committed", &["get", &"0".repeat(64)]);
    sandbox.fails(5, "REJECTED", &["submit", "put without-value"]);
    sandbox.fails(5, "EMPTY", &["submit", ""]);

    let file = sandbox.write("payload.bin", [0, 1, 2, 255, b'\n']);
    let id = sandbox.ok(&["submit", "--file", &file, "--wait=120"]);
    let found: Value = serde_json::from_str(&sandbox.ok(&["get", id.trim(), "--json"])).unwrap();
    assert_eq!(found["transaction"], json!("000102ff0a"));

    // The proofs do not verify against the genesis of another chain.
    sandbox.ok(&["keygen", "--name", "a", "--address", "x:1", "--out", "a"]);
    sandbox.ok(&["genesis", "--chain", "x", "a/public.toml"]);
    sandbox.fails(7, "does not verify", &["get", id.trim(), "--genesis", "genesis.toml"]);
    sandbox.fails(7, "does not verify", &["get", "--key", "greeting", "--genesis", "genesis.toml"]);

    let statuses: Value = serde_json::from_str(&sandbox.ok(&["status", "--json"])).unwrap();
    assert_eq!(statuses.as_array().unwrap().len(), 4);
    assert!(sandbox.ok(&["status"]).contains("node3"));
    bench(&sandbox);

    running.signal("INT");
    let done = running.end();
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stdout.contains("no contradiction in"), "{}", done.stdout);
    assert!(validators_under(&sandbox.path("net")).is_empty());
    sandbox.fails(4, "no testnet is running", &["status"]);
}

#[test]
fn the_transactions_of_a_file_are_committed() {
    let sandbox = Sandbox::new();
    let running = {
        let lines: String = (0..50).map(|i| format!("put key-{i} value of {i}\n")).collect();
        let file = sandbox.write("lines.txt", lines);
        start(&sandbox, &["--rate", "100", "--transactions", &file])
    };
    eventually("the last transaction of the file is committed", || {
        sandbox.run(&["get", "--key", "key-49"]).code == 0
    });
    assert_eq!(sandbox.ok(&["get", "--key", "key-7"]), "value of 7\n");
    running.signal("TERM");
    assert_eq!(running.end().code, 0);

    let frames: Vec<u8> = (0..20u8).flat_map(|i| [2, 0, 0, 0, b'#', i]).collect();
    let file = sandbox.write("frames.bin", frames);
    let report = testnet(&sandbox, &["--rate", "100", "--transactions", &file, "--duration", "2"]);
    assert_eq!((&report["submitted"], &report["committed"]), (&json!(20), &json!(20)));
    let torn = sandbox.write("torn.bin", [9, 0, 0, 0, 1]);
    sandbox.fails(3, "ends inside a frame", &["testnet", "--transactions", &torn, "--duration", "2"]);
}

#[test]
fn a_crash_is_reported_with_its_log_and_exit_code() {
    let sandbox = Sandbox::new();
    testnet(&sandbox, &["--duration", "1", "--rate", "100", "--data", "net"]);
    let log = sandbox.path("net/node1/log.txt");
    sandbox.write("net/node1/keys", "damaged");
    let done = sandbox.run(&["testnet", "--duration", "1", "--data", "net"]);
    assert_eq!(done.code, 9, "{}", done.stderr);
    assert!(done.stderr.contains(&*log.to_string_lossy()), "{}", done.stderr);
    assert!(done.stderr.contains("key file"), "{}", done.stderr);
    assert!(validators_under(&sandbox.path("net")).is_empty());
    sandbox.fails(3, "holds a testnet of 4 validators", &["testnet", "--nodes", "5", "--data", "net"]);
}
