//! Runs the program as users do.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use quorate_audited_kv::command::Command;
use serde_json::Value as Json;
use support::Deployment;

fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn call(deployment: &Deployment, options: &[&str], words: &[&str]) -> (i32, Json) {
    let server = deployment.endpoints[0].to_string();
    let fixed = ["call", "--json", "--server", &server, "--key", "alice.key", "--answers", "answers.jsonl"];
    let (code, out, error) = deployment.run(&[&fixed[..], options, words].concat());
    assert!(!out.is_empty(), "{error}");
    (code, json(&out))
}

#[test]
fn each_command_answers_with_json_and_exit_codes() {
    let mut deployment = Deployment::new();
    let (code, answer) = call(&deployment, &[], &["PUT", "greeting", "hello"]);
    assert_eq!((code, &answer["entry"], &answer["found"]), (0, &1.into(), &false.into()));
    let (_, answer) = call(&deployment, &["--signer", "eddsa"], &["get", "greeting"]);
    assert_eq!((&answer["entry"], &answer["value"]), (&2.into(), &"hello".into()));
    let (_, answer) = call(&deployment, &["--suite", "wots-blake3"], &["DELETE", "greeting"]);
    assert_eq!((&answer["sequence"], &answer["found"]), (&3.into(), &true.into()));
    let server = deployment.endpoints[1].to_string();
    let over_tcp = ["call", "--server", &server, "--key", "alice.key"];
    let (code, out, error) = deployment.run(&[&over_tcp[..], &["GET", "greeting"]].concat());
    assert_eq!((code, out.as_str(), error.as_str()), (0, "(nothing)\n", "entry 4 of the log\n"));
    let (code, _, error) = deployment.run(&[&over_tcp[..], &["--signer", "none", "GET", "k"]].concat());
    assert!(code == 5 && error.contains("UNSIGNED") && error.contains("REFUSED"), "{error}");
    let (code, _, error) = deployment.run(&[&over_tcp[..], &["INCR", "k"]].concat());
    assert!(code == 3 && error.contains("GET KEY"), "{error}");
    deployment.stop();
    let (code, _, error) = deployment.run(&[&over_tcp[..], &["GET", "k"]].concat());
    assert!(code == 4 && error.contains("UNREACHABLE"), "{error}");

    let audit = ["audit", "--json", "audit.log", "--clients", "kv.toml", "--max-age", "30000"];
    let (code, out, _) = deployment.run(&audit);
    let report = json(&out);
    assert_eq!((code, &report["ok"], &report["entries"]), (0, &true.into(), &4.into()));
    // One byte of entry 2, a request in the log, is changed.
    let log = std::fs::read(deployment.log()).unwrap();
    let start = 40 + u32::from_le_bytes(log[40..44].try_into().unwrap()) as usize + 4;
    let mut edited = log.clone();
    edited[start + 4 + 56 + 17 + 64 + 2] ^= 1;
    std::fs::write(deployment.log(), edited).unwrap();
    let (code, out, _) = deployment.run(&audit);
    let findings = &json(&out)["findings"];
    assert_eq!((code, findings.as_array().unwrap().len()), (6, 1), "{findings}");
    let found = &findings[0];
    assert_eq!(
        (&found["code"], &found["entry"], &found["offset"]),
        (&"ALTERED".into(), &2.into(), &start.into())
    );
    assert!(found["detail"].as_str().unwrap().contains("alice did not sign it"), "{found}");
    std::fs::write(deployment.log(), log).unwrap();

    let (code, out, _) = deployment.run(&["prove", "--json", "audit.log", "--entry", "1", "--out", "proof"]);
    assert!(code == 0 && json(&out)["bytes"].as_u64().unwrap() > 1600);
    let (alice, bob) = (deployment.public("alice"), deployment.public("bob"));
    let (code, out, _) = deployment.run(&["check-proof", "--json", "proof", "--signer", &alice]);
    let proven = json(&out);
    assert_eq!((code, &proven["command"]), (0, &serde_json::json!(["PUT", "greeting", "hello"])));
    let (code, _, error) = deployment.run(&["check-proof", "proof", "--signer", &bob]);
    assert!(code == 6 && error.contains("BAD_PROOF"), "{error}");
    let (code, _, error) = deployment.run(&["prove", "audit.log", "--entry", "9", "--out", "other"]);
    assert!(code == 7 && error.contains("NO_ENTRY"), "{error}");
}

#[test]
fn a_wrong_answer_of_the_server_is_named() {
    let mut deployment = Deployment::new();
    for words in [&["PUT", "k", "one"][..], &["GET", "k"], &["PUT", "k", "two"], &["GET", "k"], &["GET", "x"]]
    {
        assert_eq!(call(&deployment, &[], words).0, 0);
    }
    deployment.stop();
    let alice = deployment.public("alice");
    let check = ["check-answers", "--json", "audit.log", "--answers", "answers.jsonl", "--signer", &alice];
    let (code, out, _) = deployment.run(&check);
    assert_eq!((code, json(&out)), (0, serde_json::json!({ "answers": 5, "wrong": [] })));
    // The server answered the second GET with the old value, and named the entry of another request.
    let answers = std::fs::read_to_string(deployment.path("answers.jsonl")).unwrap();
    let mut lines: Vec<Json> = answers.lines().map(json).collect();
    lines[3]["value"] = hex::encode("one").into();
    lines[4]["entry"] = 2.into();
    let mut invented = lines[4].clone();
    invented["sequence"] = 9.into();
    lines.push(invented);
    let text: Vec<_> = lines.iter().map(Json::to_string).collect();
    std::fs::write(deployment.path("answers.jsonl"), text.join("\n")).unwrap();
    let (code, out, _) = deployment.run(&check);
    let wrong = json(&out)["wrong"].clone();
    let found: Vec<_> = wrong
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["code"].as_str().unwrap(), one["sequence"].as_u64().unwrap()))
        .collect();
    assert_eq!((code, found), (6, vec![("WRONG_ANSWER", 4), ("OTHER_ENTRY", 5), ("NOT_LOGGED", 9)]));
}

#[test]
fn answers_of_another_store_and_two_answers_to_a_request_are_refused() {
    let mut deployment = Deployment::new();
    assert_eq!(call(&deployment, &[], &["PUT", "k", "one"]).0, 0);
    deployment.stop();
    let alice = deployment.public("alice");
    let check = ["check-answers", "audit.log", "--answers", "answers.jsonl", "--signer", &alice];
    let kept = std::fs::read_to_string(deployment.path("answers.jsonl")).unwrap();
    let (mut other, mut second) = (json(&kept), json(&kept));
    other["store"] = "00".repeat(32).into();
    second["found"] = true.into();
    for (line, reason) in
        [(other, "line 2: an answer of another store"), (second, "another answer to request 1")]
    {
        std::fs::write(deployment.path("answers.jsonl"), format!("{kept}{line}\n")).unwrap();
        let (code, _, error) = deployment.run(&check);
        assert!(code == 3 && error.contains(reason), "{code}: {error}");
    }
    // The same answer twice is none.
    std::fs::write(deployment.path("answers.jsonl"), kept.repeat(2)).unwrap();
    assert_eq!(deployment.run(&check).0, 0);
}

#[test]
fn another_store_is_refused_by_clients_and_readers_of_proofs() {
    let mut deployment = Deployment::new();
    assert_eq!(call(&deployment, &[], &["PUT", "k", "one"]).0, 0);
    let (server, other) = (deployment.endpoints[0].to_string(), "09".repeat(32));
    let (code, _, error) =
        deployment.run(&["call", "--server", &server, "--key", "alice.key", "--store", &other, "GET", "k"]);
    assert!(code == 5 && error.contains("OTHER_STORE"), "{code}: {error}");
    deployment.stop();
    assert_eq!(deployment.run(&["prove", "audit.log", "--entry", "1", "--out", "proof"]).0, 0);
    let (alice, own) = (deployment.public("alice"), hex::encode(deployment.store));
    let check = |store: &str| deployment.run(&["check-proof", "proof", "--signer", &alice, "--store", store]);
    let (code, _, error) = check(&other);
    assert!(code == 6 && error.contains("OTHER_STORE"), "{code}: {error}");
    assert_eq!(check(&own).0, 0);
}

#[test]
fn unsigned_requests_are_not_executed_on_a_log_with_entries() {
    let mut deployment = Deployment::new();
    deployment.client("alice").call(&Command::Put { key: b"k", value: b"v" }).unwrap();
    deployment.stop();
    let before = std::fs::read(deployment.log()).unwrap();
    let (code, out, error) = deployment.run(&["serve", "--json", "--plain", "--config", "kv.toml"]);
    assert!(code == 3 && out.is_empty() && error.contains("the log has 1 entries"), "{out}{error}");
    assert_eq!(std::fs::read(deployment.log()).unwrap(), before);
}

#[test]
fn every_command_has_help_with_exit_codes_at_the_top() {
    let deployment = Deployment::new();
    let (code, out, _) = deployment.run(&["--help"]);
    assert!(code == 0 && out.contains("the log was tampered with"), "{out}");
    for command in ["keygen", "serve", "call", "audit", "check-answers", "prove", "check-proof", "bench"] {
        let (code, out, _) = deployment.run(&[command, "--help"]);
        assert!(code == 0 && out.contains("--json"), "{command}");
    }
    assert_eq!(deployment.run(&["nothing"]).0, 2);
}

#[test]
fn a_bench_of_libsodium_runs_or_says_what_is_missing() {
    let deployment = Deployment::new();
    let bench = ["bench", "--json", "--unpinned", "--rounds", "1", "--ops", "20", "--signer", "sodium"];
    let (code, out, error) = deployment.run(&bench);
    if cfg!(feature = "sodium") {
        assert_eq!((code, &json(&out)["results"][0]["signer"]), (0, &"sodium".into()), "{error}");
    } else {
        assert!(
            code == 2 && error.contains("libsodium-dev") && error.contains("--features sodium"),
            "{error}"
        );
    }
}

#[test]
fn the_bench_measures_every_target() {
    let deployment = Deployment::new();
    for (link, signers) in [("shm", &["plain", "none", "eddsa", "dsig"][..]), ("tcp", &["dsig"])] {
        let list = signers.join(",");
        let (code, out, error) = deployment.run(&[
            "bench",
            "--json",
            "--unpinned",
            "--rounds",
            "1",
            "--ops",
            "20",
            "--link",
            link,
            "--signer",
            &list,
        ]);
        assert_eq!(code, 0, "{error}");
        let report = json(&out);
        let rows = report["results"].as_array().unwrap();
        let names: Vec<_> = rows.iter().map(|row| row["signer"].as_str().unwrap()).collect();
        assert_eq!(names, signers);
        assert!(rows.iter().all(|row| row["p50"].as_f64().unwrap() > 0.0));
        assert!(report["client_core"].is_null());
    }
}
