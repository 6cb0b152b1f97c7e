//! Runs the program as users do.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use serde_json::Value as Json;
use support::Deployment;

fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_command_is_called_with_each_signature_scheme() {
    let deployment = Deployment::new();
    let call = |words: &[&str]| {
        let options = ["call", "--json", "--front", &deployment.address, "--key", "alice.key"];
        let (code, out, error) = deployment.run(&[&options, words].concat());
        assert!(!out.is_empty(), "{error}");
        (code, json(&out))
    };
    let (code, answer) = call(&["SET", "greeting", "hello"]);
    assert_eq!((code, &answer["entry"], &answer["reply"]), (0, &1.into(), &"OK".into()));
    let (_, answer) = call(&["--signer", "eddsa", "GET", "greeting"]);
    assert_eq!(
        (&answer["entry"], &answer["sequence"], &answer["reply"]),
        (&2.into(), &2.into(), &"hello".into())
    );
    let (_, answer) = call(&["--suite", "wots-haraka-256", "KEYS", "*"]);
    assert_eq!(answer["reply"], serde_json::json!(["greeting"]));
    let (code, answer) = call(&["--signer", "none", "FLUSHALL"]);
    assert!(
        code == 5
            && answer["entry"].is_null()
            && answer["reply"]["error"].as_str().unwrap().starts_with("UNSIGNED")
    );
    let (code, _, error) =
        deployment.run(&["call", "--front", &deployment.address, "--key", "alice.key", "MULTI"]);
    assert!(code == 5 && error.contains("NOT_ALLOWED"), "{error}");

    let (code, out, _) =
        deployment.run(&["audit", "--json", "audit.log", "--clients", "front.toml", "--max-age", "30000"]);
    let report = json(&out);
    assert_eq!((code, &report["ok"], &report["entries"]), (0, &true.into(), &3.into()));
    let head = format!("{}:{}", report["head"]["entry"], report["head"]["chain"].as_str().unwrap());
    let (code, out, _) = deployment.run(&["audit", "audit.log", "--clients", "front.toml", "--head", &head]);
    assert!(
        code == 0 && out.contains("the log is intact") && out.contains("alice") && !out.contains('\x1b'),
        "{out}"
    );

    let alice = hex::encode(deployment.key("alice").public().unwrap().as_bytes());
    let bob = hex::encode(deployment.key("bob").public().unwrap().as_bytes());
    let (code, out, error) = deployment.run(&["prove", "audit.log", "--entry", "1", "--out", "proof"]);
    assert!(code == 0 && out.contains("proof"), "{error}");
    let (code, out, _) = deployment.run(&["check-proof", "--json", "proof", "--signer", &alice]);
    assert_eq!((code, &json(&out)["command"]), (0, &serde_json::json!(["SET", "greeting", "hello"])));
    let (code, out, _) = deployment.run(&[
        "check-proof",
        "proof",
        "--signer",
        &alice,
        "--store",
        &hex::encode(deployment.store),
    ]);
    assert!(code == 0 && out.contains("SET greeting hello"), "{out}");
    let (code, _, error) = deployment.run(&["check-proof", "proof", "--signer", &bob]);
    assert!(code == 6 && error.contains("BAD_PROOF"), "{error}");
    assert_eq!(
        deployment.run(&["check-proof", "proof", "--signer", &alice, "--store", &"00".repeat(32)]).0,
        6
    );
    assert_eq!(deployment.run(&["prove", "audit.log", "--entry", "9", "--out", "proof"]).0, 7);
    let (_, out, _) = deployment.run(&["prove", "--json", "audit.log", "--entry", "1", "--out", "proof"]);
    assert_eq!((&json(&out)["entry"], &json(&out)["file"]), (&1.into(), &"proof".into()));

    // The key of one client suffices: the log has no entries of the other one.
    let signer = format!("alice={alice}");
    assert_eq!(deployment.run(&["audit", "audit.log", "--signer", &signer]).0, 0);
    let mut bytes = std::fs::read(deployment.log()).unwrap();
    bytes[200] ^= 4;
    std::fs::write(deployment.path("bad.log"), bytes).unwrap();
    let (code, out, _) = deployment.run(&["audit", "bad.log", "--signer", &signer]);
    assert!(code == 6 && out.contains("ALTERED") && out.contains("entry        1"), "{out}");
}

#[test]
fn unusable_input_is_reported_with_its_exit_code() {
    let deployment = Deployment::new();
    let (code, _, error) = deployment.run(&["keygen", "--out", "alice.key"]);
    assert!(code == 3 && error.contains("never overwritten"), "{error}");
    assert_eq!(deployment.run(&["keygen", "--out", "new.key"]).1.trim().len(), 64);
    assert_eq!(deployment.run(&["audit", "front.toml", "--clients", "front.toml"]).0, 3);
    assert_eq!(deployment.run(&["audit", "audit.log"]).0, 2);
    assert_eq!(deployment.run(&["call", "--front", "127.0.0.1:1", "--key", "alice.key", "PING"]).0, 4);
    // A second front on the same log.
    let (code, _, error) = deployment.run(&["front", "--config", "front.toml"]);
    assert!(code == 3 && error.contains("another process"), "{error}");
    // A missing log is created, unless the configuration names its store.
    let text = std::fs::read_to_string(deployment.path("front.toml")).unwrap();
    std::fs::copy(deployment.log(), deployment.path("copy.log")).unwrap();
    for (log, store, reason) in [
        ("none.log", deployment.store, "mounted"),
        ("copy.log", [0; 32], "not to the store of the configuration"),
    ] {
        let named = format!("log = \"{log}\"\nstore = \"{}\"", hex::encode(store));
        std::fs::write(deployment.path("named.toml"), text.replace("log = \"audit.log\"", &named)).unwrap();
        let (code, _, error) = deployment.run(&["front", "--config", "named.toml"]);
        assert!(code == 3 && error.contains(reason), "{error}");
    }
    assert!(!deployment.path("none.log").exists());
    for command in ["front", "call", "sidecar", "audit", "prove", "check-proof", "bench", "keygen"] {
        let (code, out, _) = deployment.run(&[command, "--help"]);
        assert!(code == 0 && out.len() > 200, "{command}");
    }
    assert!(deployment.run(&["--help"]).1.contains("Exit codes"));
}

#[test]
fn a_call_has_a_time_limit() {
    let deployment = Deployment::new();
    deployment.signal_redis("STOP");
    let options = ["--front", &deployment.address, "--key", "alice.key", "--timeout", "1"];
    let (code, _, error) = deployment.run(&[&["call"], &options[..], &["PING"]].concat());
    assert!(code == 4 && error.contains("TIMEOUT"), "{error}");
    deployment.signal_redis("CONT");
}

#[test]
fn the_bench_measures_all_targets() {
    let deployment = Deployment::new();
    let (code, out, error) = deployment.run(&["bench", "--json", "--ops", "100"]);
    assert_eq!(code, 0, "{error}");
    let report = json(&out);
    let results = report["results"].as_array().unwrap();
    let ways: Vec<_> = results.iter().map(|line| line["signer"].as_str().unwrap()).collect();
    let all: &[_] = match quorate_audited_redis::eddsa::HAS_SODIUM {
        true => &["direct", "none", "eddsa", "sodium", "dsig"],
        false => &["direct", "none", "eddsa", "dsig"],
    };
    assert_eq!(ways, all);
    for line in results {
        let [p10, p50, p99] = ["p10", "p50", "p99"].map(|name| line[name].as_f64().unwrap());
        assert!(p10 > 0.0 && p10 <= p50 && p50 <= p99, "{line}");
    }
}
