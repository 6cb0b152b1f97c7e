//! Validators join and leave a running Gosig chain: real processes, killed at critical moments, and clients that verify
//! everything against the genesis file.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use serde_json::{Value, json};
use support::chain::{Chain, FOUNDERS};
use support::eventually;

#[test]
fn validators_join_and_leave_while_others_are_killed() {
    let mut chain = Chain::new("gosig");
    FOUNDERS.iter().for_each(|name| chain.start(name));
    FOUNDERS.iter().for_each(|name| chain.wait_for_membership(name, 0));
    let first = chain.commit("alice", "put first of-epoch-0");

    // A fifth validator with an empty directory: a node that is no member is refused unless it observes.
    chain.keys("erin");
    chain.configure("erin", "");
    chain.start("erin");
    let (code, log) = chain.wait_for_exit("erin");
    assert_eq!(code, Some(3), "{log}");
    assert!(log.contains("observe"), "{log}");
    chain.configure("erin", "observe = true\n");
    chain.start("erin");
    eventually("erin responds", || chain.status("erin").is_some());
    assert_eq!(chain.status("erin").unwrap()["me"], Value::Null);

    // Erin requests to join. The members approve in a file and a copy. Too few approvals are refused.
    chain.ok("alice", &["member", "join", "erin/public.toml", "--out", "erin.toml"]);
    chain.fails(3, "exists", "alice", &["member", "join", "erin/public.toml", "--out", "erin.toml"]);
    let allow = |who: &str, file: &str, more: &[&str]| {
        let keys = format!("{who}/keys");
        let all = [&["member", "allow", file, "--keys", &keys, "--yes"][..], more].concat();
        chain.ok("alice", &all)
    };
    assert!(allow("alice", "erin.toml", &["--out", "copy.toml"]).contains("alice approves: erin joins"));
    allow("bob", "erin.toml", &[]);
    chain.fails(12, "weight 2 of", "alice", &["member", "submit", "erin.toml", "copy.toml"]);
    chain.fails(
        3,
        "not the keys of a member",
        "alice",
        &["member", "allow", "erin.toml", "--keys", "erin/keys", "--yes"],
    );
    chain.fails(2, "--yes", "alice", &["member", "allow", "erin.toml", "--keys", "dave/keys"]);
    allow("dave", "erin.toml", &[]);
    let shown: Value =
        serde_json::from_str(&chain.ok("alice", &["member", "show", "erin.toml", "copy.toml", "--json"]))
            .unwrap();
    assert_eq!((&shown["allowed_by"], &shown["allowed"]), (&json!(["alice", "bob", "dave"]), &json!(true)));

    // One validator is killed while the epoch ends, and restarts in the next epoch.
    chain.ok("alice", &["member", "submit", "erin.toml", "copy.toml"]);
    chain.kill("bob");
    for name in ["alice", "carol", "dave", "erin"] {
        chain.wait_for_membership(name, 1);
    }
    chain.start("bob");
    chain.wait_for_membership("bob", 1);
    // Erin has read the blocks committed before she joined.
    assert_eq!(chain.status("erin").unwrap()["me"], json!(4));
    assert_eq!(chain.ok("erin", &["get", &first]), "put first of-epoch-0\n");
    let second = chain.commit("erin", "put second of-epoch-1");
    chain.compare_states();
    chain.fails(3, "in epoch 1; create it again", "bob", &["member", "submit", "erin.toml", "copy.toml"]);

    // A member in the middle leaves, so that later members change their index, and another one is killed.
    chain.ok("erin", &["member", "leave", "bob", "--out", "bob.toml"]);
    for who in ["alice", "carol", "erin", "dave"] {
        chain.ok("erin", &["member", "allow", "bob.toml", "--keys", &format!("{who}/keys"), "--yes"]);
    }
    chain.ok("erin", &["member", "submit", "bob.toml"]);
    chain.kill("dave");
    let (code, log) = chain.wait_for_exit("bob");
    assert_eq!(code, Some(11), "{log}");
    assert!(log.contains("left"), "{log}");
    chain.start("dave");
    for name in ["alice", "carol", "dave", "erin"] {
        chain.wait_for_membership(name, 2);
    }
    assert_eq!(chain.status("dave").unwrap()["me"], json!(2));
    let third = chain.commit("dave", "put third of-epoch-2");
    chain.compare_states();

    // A validator that left stops with the same error after a restart, and its keys cannot join again.
    chain.start("bob");
    assert_eq!(chain.wait_for_exit("bob").0, Some(11));
    chain.fails(
        3,
        "was in use in epoch 0",
        "erin",
        &["member", "join", "bob/public.toml", "--out", "again.toml"],
    );

    // Validators of all epochs prove blocks of each epoch to a client that has only the genesis file.
    for name in ["alice", "erin"] {
        for (id, text) in [
            (&first, "put first of-epoch-0"),
            (&second, "put second of-epoch-1"),
            (&third, "put third of-epoch-2"),
        ] {
            assert_eq!(chain.ok(name, &["get", id]), format!("{text}\n"), "{name}");
        }
        assert_eq!(chain.ok(name, &["get", "--key", "second"]), "of-epoch-1\n");
    }
    let epochs: Value =
        serde_json::from_str(&chain.ok("carol", &["member", "list", "--json", "--save", "epochs.json"]))
            .unwrap();
    let names = |epoch: usize| {
        let members = epochs[epoch]["members"].as_array().unwrap();
        members.iter().map(|member| member["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(epochs.as_array().unwrap().len(), 3);
    assert_eq!(names(0), FOUNDERS);
    assert_eq!(names(1), ["alice", "bob", "carol", "dave", "erin"]);
    assert_eq!(names(2), ["alice", "carol", "dave", "erin"]);

    // The saved epochs replace a validator, unless an epoch was omitted or changed.
    let list = ["member", "list", "--genesis", "genesis.toml", "--epochs"];
    let with = |file: &'static str| [&list[..], &[file]].concat();
    assert!(chain.sandbox.ok(&with("epochs.json")).contains("epoch 2"));
    let kept: Value = serde_json::from_str(&chain.sandbox.read("epochs.json")).unwrap();
    for (field, from) in [("payload", 1), ("finality", 1), ("block", 0)] {
        let mut wrong = kept.clone();
        let mut bytes = hex::decode(wrong["epochs"][from][field].as_str().unwrap()).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        wrong["epochs"][from][field] = json!(hex::encode(bytes));
        chain.sandbox.write("wrong.json", wrong.to_string());
        chain.sandbox.fails(7, "do not follow from the genesis", &with("wrong.json"));
    }
    let skipped = json!({ "epochs": [kept["epochs"][1]] });
    chain.sandbox.write("wrong.json", skipped.to_string());
    chain.sandbox.fails(7, "do not follow from the genesis", &with("wrong.json"));
}

/// Commands and errors that need no running validator.
#[test]
fn changes_are_created_and_verified_without_a_network() {
    let chain = Chain::new("gosig");
    let sandbox = &chain.sandbox;
    sandbox.write("epochs.json", "{\"epochs\":[]}");
    let offline = |arguments: &[&'static str]| {
        [arguments, &["--genesis", "genesis.toml", "--epochs", "epochs.json"]].concat()
    };
    let ok = |arguments: &[&'static str]| sandbox.ok(&offline(arguments));
    let fails =
        |code, expected: &str, arguments: &[&'static str]| sandbox.fails(code, expected, &offline(arguments));
    assert!(ok(&["member", "list"]).contains("epoch 0"));
    chain.keys("erin");
    let printed = ok(&["member", "join", "erin/public.toml=3", "--out", "erin.toml"]);
    assert!(printed.contains("erin joins") && printed.contains("total weight 7"), "{printed}");
    fails(3, "already named bob", &["member", "join", "bob/public.toml", "--out", "x.toml"]);
    fails(3, "weight 0", &["member", "join", "erin/public.toml=0", "--out", "x.toml"]);
    fails(6, "no member is named erin", &["member", "leave", "erin", "--out", "x.toml"]);
    ok(&["member", "leave", "bob", "--out", "bob.toml"]);
    ok(&["member", "allow", "bob.toml", "--keys", "alice/keys", "--yes"]);
    // A second approval by the same member changes nothing.
    let shown = ok(&["member", "allow", "bob.toml", "--keys", "alice/keys", "--yes", "--json"]);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(
        (&shown["weight"], &shown["quorum"], &shown["allowed"]),
        (&json!("1"), &json!("3"), &json!(false))
    );

    let change = |file: &str, from: &str, to: &str| {
        let text = sandbox.read(file);
        assert!(text.contains(from), "{text}");
        sandbox.write("wrong.toml", text.replacen(from, to, 1));
    };
    let show = ["member", "show", "wrong.toml"];
    change("bob.toml", "epoch = 0", "epoch = 1");
    fails(3, "create it again", &show);
    change("bob.toml", "name = \"bob\"", "name = \"carol\"");
    fails(3, "the name carol and this identity key", &show);
    change("erin.toml", "weight = 3", "weight = 4");
    assert!(ok(&show).contains("no member yet"));
    change("erin.toml", "identity_possession = \"", "identity_possession = \"00");
    fails(3, "identity key of erin", &show);
    fails(3, "different changes", &["member", "show", "bob.toml", "erin.toml"]);
    // A signature on another change is reported as invalid.
    let signed = sandbox.read("bob.toml").split_once("\n[[allowed]]").unwrap().1.to_owned();
    sandbox.write("wrong.toml", format!("{}\n[[allowed]]{signed}", sandbox.read("erin.toml")));
    let shown = ok(&show);
    assert!(shown.contains("no member yet") && shown.contains("invalid approval: alice"), "{shown}");

    sandbox.ok(&[
        "genesis",
        "--chain",
        "other",
        "--out",
        "other.toml",
        "alice/public.toml",
        "--protocol",
        "gosig",
    ]);
    sandbox.fails(
        3,
        "not for other",
        &["member", "show", "bob.toml", "--genesis", "other.toml", "--epochs", "epochs.json"],
    );
    let last =
        ["member", "leave", "alice", "--out", "x.toml", "--genesis", "other.toml", "--epochs", "epochs.json"];
    sandbox.fails(3, "the last member", &last);
    sandbox.ok(&["genesis", "--chain", "fixed", "--out", "fixed.toml", "alice/public.toml"]);
    sandbox.fails(
        3,
        "runs jolteon",
        &["member", "list", "--genesis", "fixed.toml", "--epochs", "epochs.json"],
    );
    sandbox.fails(2, "--protocol gosig", &["testnet", "--join", "1", "--duration", "2"]);
}
