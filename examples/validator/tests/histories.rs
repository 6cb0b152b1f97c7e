//! Validators that start again with empty data directories, and commit another history of the same chain.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use serde_json::{Value, json};
use support::chain::{Chain, FOUNDERS};
use support::eventually;

const OTHERS: [&str; 3] = ["bob", "carol", "dave"];

/// Three of four validators lose their data while the fourth is offline, and commit `blocks` blocks again. The fourth
/// has committed `own` blocks.
fn another_history(protocol: &str, own: usize, blocks: usize) {
    let mut chain = Chain::new(protocol);
    FOUNDERS.iter().for_each(|name| chain.start(name));
    FOUNDERS.iter().for_each(|name| chain.wait_for_membership(name, 0));
    for block in 0..own {
        chain.commit("alice", &format!("put own {block}"));
    }
    let committed = chain.status("alice").unwrap()["height"].as_u64().unwrap();
    // Until she is killed, alice may commit more blocks, without transactions.
    FOUNDERS.iter().for_each(|name| chain.kill(name));
    for name in OTHERS {
        std::fs::remove_dir_all(chain.sandbox.path(&format!("{name}/data"))).unwrap();
        chain.start(name);
    }
    OTHERS.iter().for_each(|name| chain.wait_for_membership(name, 0));
    for block in 0..blocks {
        chain.commit("bob", &format!("put other {block}"));
    }

    chain.start("alice");
    eventually("alice reports the failure while she serves the status", || {
        chain.status("alice").is_some_and(|status| status["failure"] == json!("CONFLICTING_COMMIT"))
    });
    let (code, log) = chain.wait_for_exit("alice");
    assert_eq!(code, Some(8), "{log}");
    let path = log.split_whitespace().find(|word| word.contains("/conflict-")).expect("the file in the log");
    let path = path.trim_end_matches(['.', ',', ';']);
    let text = std::fs::read_to_string(chain.sandbox.path(path)).unwrap();
    let evidence: Value = serde_json::from_str(&text).unwrap();
    let (mine, other) = (&evidence["own"], &evidence["other"]);
    let height = mine["height"].as_u64().unwrap();
    assert!(height >= 1, "{evidence}");
    if other["height"] == mine["height"] {
        assert_ne!(other["digest"], mine["digest"]);
    } else {
        assert_eq!(other["height"], json!(height + 1));
        assert_ne!(other["parent"], mine["digest"]);
    }
    assert!(other["finality"].is_string());

    // Nothing is signed until an operator has chosen a history.
    OTHERS.iter().for_each(|name| chain.stop(name));
    chain.start("alice");
    let (code, log) = chain.wait_for_exit("alice");
    assert_eq!(code, Some(8), "{log}");
    std::fs::remove_file(chain.sandbox.path(path)).unwrap();
    chain.start("alice");
    eventually("alice serves her history", || {
        let served = chain.status("alice").and_then(|status| status["height"].as_u64());
        served.is_some_and(|served| served >= committed.max(height))
    });
}

#[test]
fn jolteon_survivor_of_a_shorter_history_stops() {
    another_history("jolteon", 2, 12);
}

#[test]
fn jolteon_survivor_of_a_longer_history_stops() {
    another_history("jolteon", 12, 4);
}

#[test]
fn abft_survivor_of_a_shorter_history_stops() {
    another_history("abft", 1, 4);
}

#[test]
fn gosig_survivor_of_a_shorter_history_stops() {
    another_history("gosig", 2, 6);
}

#[test]
fn gosig_survivor_of_a_longer_history_stops() {
    another_history("gosig", 6, 2);
}
