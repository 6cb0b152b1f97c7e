//! The program as its users run it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use serde_json::Value as Json;
use support::House;

fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn from_a_key_to_a_proof() {
    let house = House::new();
    let call = |words: &[&str]| {
        let options = ["call", "--json", "--front", &house.address, "--key", "alice.key"];
        let (code, out, error) = house.run(&[&options, words].concat());
        assert!(!out.is_empty(), "{error}");
        (code, json(&out))
    };
    let (code, said) = call(&["SET", "greeting", "hello"]);
    assert_eq!((code, &said["entry"], &said["reply"]), (0, &1.into(), &"OK".into()));
    let (_, said) = call(&["--signer", "eddsa", "GET", "greeting"]);
    assert_eq!((&said["entry"], &said["sequence"], &said["reply"]), (&2.into(), &2.into(), &"hello".into()));
    let (_, said) = call(&["--suite", "wots-haraka-256", "KEYS", "*"]);
    assert_eq!(said["reply"], serde_json::json!(["greeting"]));
    let (code, said) = call(&["--signer", "none", "FLUSHALL"]);
    assert!(
        code == 5
            && said["entry"].is_null()
            && said["reply"]["error"].as_str().unwrap().starts_with("UNSIGNED")
    );
    let (code, _, error) = house.run(&["call", "--front", &house.address, "--key", "alice.key", "MULTI"]);
    assert!(code == 5 && error.contains("NOT_ALLOWED"), "{error}");

    let (code, out, _) =
        house.run(&["audit", "--json", "audit.log", "--clients", "front.toml", "--max-age", "30000"]);
    let report = json(&out);
    assert_eq!((code, &report["ok"], &report["entries"]), (0, &true.into(), &3.into()));
    let head = format!("{}:{}", report["head"]["entry"], report["head"]["chain"].as_str().unwrap());
    let (code, out, _) = house.run(&["audit", "audit.log", "--clients", "front.toml", "--head", &head]);
    assert!(
        code == 0 && out.contains("the log is whole") && out.contains("alice") && !out.contains('\x1b'),
        "{out}"
    );

    let alice = hex::encode(house.key("alice").public().unwrap().as_bytes());
    let bob = hex::encode(house.key("bob").public().unwrap().as_bytes());
    let (code, out, error) = house.run(&["prove", "audit.log", "--entry", "1", "--out", "proof"]);
    assert!(code == 0 && out.contains("proof"), "{error}");
    let (code, out, _) = house.run(&["check-proof", "--json", "proof", "--signer", &alice]);
    assert_eq!((code, &json(&out)["command"]), (0, &serde_json::json!(["SET", "greeting", "hello"])));
    let (code, out, _) =
        house.run(&["check-proof", "proof", "--signer", &alice, "--store", &hex::encode(house.store)]);
    assert!(code == 0 && out.contains("SET greeting hello"), "{out}");
    let (code, _, error) = house.run(&["check-proof", "proof", "--signer", &bob]);
    assert!(code == 6 && error.contains("BAD_PROOF"), "{error}");
    assert_eq!(house.run(&["check-proof", "proof", "--signer", &alice, "--store", &"00".repeat(32)]).0, 6);
    assert_eq!(house.run(&["prove", "audit.log", "--entry", "9", "--out", "proof"]).0, 7);
    let (_, out, _) = house.run(&["prove", "--json", "audit.log", "--entry", "1", "--out", "proof"]);
    assert_eq!((&json(&out)["entry"], &json(&out)["file"]), (&1.into(), &"proof".into()));

    // One client's key alone: the other's entries are unknown, and there are none of them.
    let signer = format!("alice={alice}");
    assert_eq!(house.run(&["audit", "audit.log", "--signer", &signer]).0, 0);
    let mut bytes = std::fs::read(house.log()).unwrap();
    bytes[200] ^= 4;
    std::fs::write(house.path("bad.log"), bytes).unwrap();
    let (code, out, _) = house.run(&["audit", "bad.log", "--signer", &signer]);
    assert!(code == 6 && out.contains("ALTERED") && out.contains("entry        1"), "{out}");
}

#[test]
fn what_cannot_be_used_is_said_with_its_code() {
    let house = House::new();
    let (code, _, error) = house.run(&["keygen", "--out", "alice.key"]);
    assert!(code == 3 && error.contains("never overwritten"), "{error}");
    assert_eq!(house.run(&["keygen", "--out", "new.key"]).1.trim().len(), 64);
    assert_eq!(house.run(&["audit", "front.toml", "--clients", "front.toml"]).0, 3);
    assert_eq!(house.run(&["audit", "audit.log"]).0, 2);
    assert_eq!(house.run(&["call", "--front", "127.0.0.1:1", "--key", "alice.key", "PING"]).0, 4);
    // A second front on the same log.
    let (code, _, error) = house.run(&["front", "--config", "front.toml"]);
    assert!(code == 3 && error.contains("another process"), "{error}");
    // A log that is not there is made, but not if the configuration names its store.
    let text = std::fs::read_to_string(house.path("front.toml")).unwrap();
    std::fs::copy(house.log(), house.path("copy.log")).unwrap();
    for (log, store, reason) in
        [("none.log", house.store, "mounted"), ("copy.log", [0; 32], "not of the configuration's")]
    {
        let named = format!("log = \"{log}\"\nstore = \"{}\"", hex::encode(store));
        std::fs::write(house.path("named.toml"), text.replace("log = \"audit.log\"", &named)).unwrap();
        let (code, _, error) = house.run(&["front", "--config", "named.toml"]);
        assert!(code == 3 && error.contains(reason), "{error}");
    }
    assert!(!house.path("none.log").exists());
    for command in ["front", "call", "sidecar", "audit", "prove", "check-proof", "bench", "keygen"] {
        let (code, out, _) = house.run(&[command, "--help"]);
        assert!(code == 0 && out.len() > 200, "{command}");
    }
    assert!(house.run(&["--help"]).1.contains("Exit codes"));
}

#[test]
fn a_call_does_not_wait_for_ever() {
    let house = House::new();
    house.signal_redis("STOP");
    let options = ["--front", &house.address, "--key", "alice.key", "--timeout", "1"];
    let (code, _, error) = house.run(&[&["call"], &options[..], &["PING"]].concat());
    assert!(code == 4 && error.contains("TIMEOUT"), "{error}");
    house.signal_redis("CONT");
}

#[test]
fn the_bench_measures_all_ways() {
    let house = House::new();
    let (code, out, error) = house.run(&["bench", "--json", "--ops", "100"]);
    assert_eq!(code, 0, "{error}");
    let report = json(&out);
    let results = report["results"].as_array().unwrap();
    let ways: Vec<_> = results.iter().map(|line| line["signer"].as_str().unwrap()).collect();
    assert_eq!(ways, ["direct", "none", "eddsa", "dsig"]);
    for line in results {
        let [p10, p50, p99] = ["p10", "p50", "p99"].map(|name| line[name].as_f64().unwrap());
        assert!(p10 > 0.0 && p10 <= p50 && p50 <= p99, "{line}");
    }
}
