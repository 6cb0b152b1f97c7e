//! Data directories that were copied while the validator ran, and restored a moment later.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::process::Command;

use serde_json::Value;
use support::chain::{Chain, FOUNDERS};
use support::{Running, eventually, get};

/// Number of rollbacks in a test.
const ROLLBACKS: usize = 5;

/// A chain of which dave is rolled back again and again, under load at alice.
struct Rollbacks {
    chain: Chain,
    load: Option<Running>,
}

impl Rollbacks {
    fn new(protocol: &str, dave: &str) -> Self {
        let mut chain = Chain::new(protocol);
        chain.configure("dave", dave);
        FOUNDERS.into_iter().for_each(|name| chain.start(name));
        FOUNDERS.iter().for_each(|name| chain.wait_for_membership(name, 0));
        chain.commit("alice", "put begun yes");
        let load = ["bench", "--genesis", "genesis.toml", "--rate", "100", "--duration", "600"];
        let load = chain.sandbox.start(&[&load[..], &["--node", &chain.node("alice")]].concat());
        Self { chain, load: Some(load) }
    }

    fn height(&self) -> u64 {
        self.chain.status("alice").map_or(0, |status| status["height"].as_u64().unwrap())
    }

    /// Waits until the chain has grown by this number of blocks.
    fn grow(&self, blocks: u64) {
        let from = self.height();
        eventually("the chain grows", || self.height() >= from + blocks);
    }

    /// Copies dave's data while it runs, lets it go on, kills it, and restores the copy. The process stands still during the
    /// copy, as for a snapshot of the file system: otherwise the store refuses some copies as torn.
    fn roll_back(&mut self) {
        let (data, copy) = (self.chain.sandbox.path("dave/data"), self.chain.sandbox.path("dave/copy"));
        self.chain.process("dave").signal("STOP");
        assert!(Command::new("cp").arg("-a").args([&data, &copy]).status().unwrap().success());
        // On a busy machine the chain can grow without dave's votes.
        let counter = self.chain.sandbox.path("dave/counter");
        let counter = || std::fs::read(&counter).ok();
        let before = counter();
        self.chain.process("dave").signal("CONT");
        if before.is_some() {
            eventually("dave signs", || counter() != before);
        }
        self.grow(2);
        self.chain.kill("dave");
        std::fs::remove_dir_all(&data).unwrap();
        std::fs::rename(&copy, &data).unwrap();
        self.chain.start("dave");
    }

    /// Waits until dave votes and has caught up.
    fn wait_for_dave(&self) {
        eventually("dave participates again", || {
            let height = self.height();
            self.chain.status("dave").is_some_and(|status| {
                status["abstention"] == Value::Null && status["height"].as_u64().unwrap() + 2 >= height
            })
        });
    }

    fn log(&self) -> String {
        self.chain.sandbox.read("dave/log.txt")
    }

    /// Checks that no validator has seen two contradicting signatures, and that the chain continues.
    fn check(&mut self) {
        for name in FOUNDERS {
            let metrics = get(&self.chain.node(name), "/metrics");
            let mut faults = metrics.lines().filter(|line| line.starts_with("quorate_faults"));
            assert!(metrics.contains("quorate_height"), "{metrics}");
            assert_eq!(faults.find(|line| line.contains("EQUIVOCATION")), None, "{name}");
        }
        self.grow(3);
        self.load = None;
        self.chain.compare_states();
    }
}

fn roll_back_repeatedly(protocol: &str) {
    let mut test = Rollbacks::new(protocol, "");
    for rollback in 1..=ROLLBACKS {
        test.grow(3);
        test.roll_back();
        test.wait_for_dave();
        let abstentions = test.log().lines().filter(|line| line.contains("the abstention has ended")).count();
        assert!(abstentions >= rollback, "{abstentions} abstentions in {rollback} rollbacks");
    }
    test.check();
}

#[test]
fn restored_hot_copies_make_no_jolteon_validator_sign_twice() {
    roll_back_repeatedly("jolteon");
}

#[test]
fn restored_hot_copies_make_no_gosig_validator_sign_twice() {
    roll_back_repeatedly("gosig");
}

#[test]
fn a_counter_tells_a_restart_from_a_rollback() {
    let mut test = Rollbacks::new("jolteon", "counter = 'counter'\n");
    let inside = ["run", "--config", "dave/config.toml", "--counter", "dave/data/counter"];
    test.chain.sandbox.fails(3, "the file is in the data directory", &inside);
    test.chain.kill("dave");
    test.chain.start("dave");
    test.grow(3);
    test.wait_for_dave();
    assert!(!test.log().contains("abstain"), "its data is complete");
    test.roll_back();
    eventually("dave reports the rollback", || test.log().contains("the counter of signatures is ahead"));
    test.wait_for_dave();
    test.check();
}
