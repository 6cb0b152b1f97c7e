//! Validators that prune, each in a process of its own.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use support::chain::{Chain, FOUNDERS};
use support::{eventually, get};

/// The fewest blocks that a validator may keep.
const KEEP: &str = "1024";

fn start(chain: &mut Chain, name: &'static str) {
    chain.start_with(name, |command| {
        command.args(["--prune", KEEP]);
    });
}

fn number(chain: &Chain, name: &str, field: &str) -> u64 {
    chain.status(name).map_or(0, |status| status[field].as_u64().unwrap())
}

#[test]
fn pruning_validators_delete_files_and_survive_a_kill() {
    let mut chain = Chain::new("jolteon");
    for name in FOUNDERS {
        let config = chain.sandbox.read(&format!("{name}/config.toml"));
        let config = format!("{config}[archive]\nprune_file_bytes = 65536\n");
        chain.sandbox.write(&format!("{name}/config.toml"), config);
    }
    let few = ["run", "--config", "alice/config.toml", "--new-validator", "--prune", "10"];
    chain.sandbox.fails(3, "archive.prune is 10; it must be at least 1024", &few);
    FOUNDERS.into_iter().for_each(|name| start(&mut chain, name));
    FOUNDERS.iter().for_each(|name| chain.wait_for_membership(name, 0));
    let first = chain.commit("alice", "put first yes");
    let load = ["bench", "--genesis", "genesis.toml", "--rate", "400", "--duration", "600"];
    let load = chain.sandbox.start(&[&load[..], &["--node", &chain.node("alice")]].concat());
    let first_file = |name: &str| format!("{name}/data/batches/00000001.segment");
    assert!(chain.sandbox.path(&first_file("bob")).exists());
    eventually("blocks are pruned", || number(&chain, "bob", "oldest_height") > 1);
    eventually("their file is deleted", || !chain.sandbox.path(&first_file("bob")).exists());

    let gone = get(&chain.node("bob"), "/v1/blocks/1");
    let is_refused =
        gone.starts_with("HTTP/1.1 410") && gone.contains("\"PRUNED\"") && gone.contains("archive node");
    assert!(is_refused, "{gone}");
    let gone = get(&chain.node("bob"), &format!("/v1/transactions/{first}"));
    assert!(["410", "404"].iter().any(|status| gone.starts_with(&format!("HTTP/1.1 {status}"))), "{gone}");
    chain.fails(6, "it has pruned the older ones", "bob", &["export", "old.jsonl", "--from", "1"]);
    assert!(chain.ok("bob", &["status"]).contains("keeps the blocks from height"));

    chain.kill("dave");
    let height = number(&chain, "alice", "height");
    eventually("the others go on", || number(&chain, "alice", "height") > height + 20);
    start(&mut chain, "dave");
    let height = number(&chain, "alice", "height");
    eventually("dave catches up", || number(&chain, "dave", "height") >= height);
    drop(load);
    chain.compare_states();
    eventually("its file is deleted", || !chain.sandbox.path(&first_file("dave")).exists());
    // The value of a pruned transaction is part of the state.
    assert!(chain.ok("dave", &["get", "--key", "first"]).contains("yes"));
}
