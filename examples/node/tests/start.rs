//! Errors that prevent a node from starting name the problem and its remedy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;
mod fixed_leader;

use std::fs;

use common::Site;
use fixed_leader::FixedLeader;
use quorate_node::NodeError;
use quorate_node::application::Ledger;
use quorate_node::config::NodeConfig;
use quorate_node::genesis::{Genesis, SchemeName};
use quorate_node::keys::NodeKeys;
use quorate_node::runtime::{Node, Starting};

fn start(config: NodeConfig) -> Starting {
    Box::pin(async move {
        let genesis = Genesis::load(&config.node.genesis)?;
        Node::start::<FixedLeader>(config, genesis, Box::new(Ledger::default())).await
    })
}

fn site(n: usize) -> Site {
    Site::new(fixed_leader::NAME, n, SchemeName::Ed25519, None)
}

async fn refusal(config: NodeConfig) -> NodeError {
    match start(config).await {
        Ok(_) => panic!("the node started"),
        Err(e) => e,
    }
}

#[tokio::test]
async fn keys_of_no_member_are_refused() {
    let site = site(4);
    let mut config = site.config(0);
    config.node.keys = site.dir.path().join("unknown");
    NodeKeys::generate(SchemeName::Ed25519).unwrap().save(&config.node.keys).unwrap();
    assert_eq!(refusal(config.clone()).await.code(), "NOT_A_MEMBER");
    config.node.keys = site.dir.path().join("other-scheme");
    NodeKeys::generate(SchemeName::Bls).unwrap().save(&config.node.keys).unwrap();
    let error = refusal(config).await;
    assert!(error.code() == "GENESIS" && error.to_string().contains("scheme"), "{error}");
}

#[tokio::test]
async fn missing_and_malformed_files_are_named() {
    let site = site(1);
    let missing = |change: fn(&mut NodeConfig)| {
        let mut config = site.config(0);
        change(&mut config);
        refusal(config)
    };
    let error = missing(|c| c.node.genesis = "/nowhere/genesis.toml".into()).await;
    assert!(error.code() == "IO" && error.to_string().contains("/nowhere/genesis.toml"), "{error}");
    let error = missing(|c| c.node.keys = "/nowhere/keys".into()).await;
    assert!(error.code() == "IO" && error.to_string().contains("/nowhere/keys"), "{error}");
    let error = missing(|c| c.links.keep_alive_ms = 0).await;
    assert!(error.code() == "CONFIG" && error.to_string().contains("keep_alive_ms"), "{error}");
    fs::write(site.dir.path().join("genesis.toml"), "chain = 1").unwrap();
    let error = refusal(site.config(0)).await;
    assert!(error.code() == "GENESIS" && error.to_string().contains("genesis.toml"), "{error}");
}

#[tokio::test]
async fn a_data_directory_serves_one_process_chain_and_key() {
    let site = site(2);
    let node = start(site.config(0)).await.unwrap();
    let mut second = site.config(0);
    second.links.listen = "127.0.0.1:0".into();
    assert_eq!(refusal(second).await.code(), "DATA_IN_USE");
    node.shutdown().await.unwrap();

    let mut other_key = site.config(1);
    other_key.node.data = site.config(0).node.data;
    other_key.node.new_validator = false;
    let error = refusal(other_key).await;
    assert!(error.code() == "DATA_MISMATCH" && error.to_string().contains("validator"), "{error}");

    let path = site.dir.path().join("genesis.toml");
    let genesis = Genesis { chain: "renamed".into(), ..Genesis::load(&path).unwrap() };
    fs::write(&path, genesis.to_toml().unwrap()).unwrap();
    let error = refusal(site.config(0)).await;
    assert!(error.code() == "DATA_MISMATCH" && error.to_string().contains("chain"), "{error}");
}

#[tokio::test]
async fn an_address_in_use_is_named_and_the_lock_is_released() {
    let site = site(1);
    let mut config = site.config(0);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    config.links.listen = listener.local_addr().unwrap().to_string();
    let error = refusal(config.clone()).await;
    assert!(error.code() == "BIND" && error.to_string().contains(&config.links.listen), "{error}");
    drop(listener);
    config.node.new_validator = false;
    start(config).await.unwrap().shutdown().await.unwrap();
}

#[tokio::test]
async fn a_second_node_with_the_same_key_stops_both() {
    let site = site(2);
    let first = start(site.config(0)).await.unwrap();
    let mut config = site.config(0);
    config.links.listen = "127.0.0.1:0".into();
    config.node.data = site.dir.path().join("copy");
    config.node.new_validator = true;
    let second = start(config).await.unwrap();
    for node in [first, second] {
        node.failed().await;
        let error = node.shutdown().await.unwrap_err();
        assert!(error.code() == "SAME_IDENTITY" && error.to_string().contains("stop one"), "{error}");
    }
}

#[tokio::test]
async fn a_genesis_of_another_protocol_is_refused() {
    let site = site(1);
    let genesis = site.genesis.clone().with_protocol("another".parse().unwrap(), None);
    fs::write(site.dir.path().join("genesis.toml"), genesis.to_toml().unwrap()).unwrap();
    let error = refusal(site.config(0)).await;
    assert_eq!(error.code(), "GENESIS");
    let text = error.to_string();
    assert!(text.contains("expected fixed-leader, got another"), "{text}");
}
