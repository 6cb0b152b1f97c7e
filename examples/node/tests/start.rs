//! What keeps a node from starting is said so that its operator can act on it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use std::fs;

use common::Site;
use quorate_node::NodeError;
use quorate_node::application::Ledger;
use quorate_node::config::NodeConfig;
use quorate_node::genesis::{Genesis, ProtocolName, SchemeName};
use quorate_node::keys::NodeKeys;
use quorate_node::runtime::Node;

async fn refusal(config: NodeConfig) -> NodeError {
    match Node::start(config, Ledger::default()).await {
        Ok(_) => panic!("it starts"),
        Err(e) => e,
    }
}

#[tokio::test]
async fn a_key_that_is_nobodys_is_refused() {
    let site = Site::new(4, SchemeName::Bls);
    let mut config = site.config(0);
    config.node.keys = site.dir.path().join("stranger");
    NodeKeys::generate(SchemeName::Bls).unwrap().save(&config.node.keys).unwrap();
    assert_eq!(refusal(config.clone()).await.code(), "NOT_A_MEMBER");
    config.node.keys = site.dir.path().join("other-scheme");
    NodeKeys::generate(SchemeName::Ed25519).unwrap().save(&config.node.keys).unwrap();
    let error = refusal(config).await;
    assert!(error.code() == "GENESIS" && error.to_string().contains("scheme"), "{error}");
}

#[tokio::test]
async fn files_that_are_not_there_or_not_right_are_named() {
    let site = Site::new(1, SchemeName::Ed25519);
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
async fn a_data_directory_serves_one_process_one_chain_and_one_key() {
    let site = Site::new(2, SchemeName::Ed25519);
    let node = Node::start(site.config(0), Ledger::default()).await.unwrap();
    let mut second = site.config(0);
    second.links.listen = "127.0.0.1:0".into();
    assert_eq!(refusal(second).await.code(), "DATA_IN_USE");
    node.shutdown().await.unwrap();

    let mut other_key = site.config(1);
    other_key.node.data = site.config(0).node.data;
    let error = refusal(other_key).await;
    assert!(error.code() == "DATA_MISMATCH" && error.to_string().contains("validator"), "{error}");

    let path = site.dir.path().join("genesis.toml");
    let genesis = Genesis { chain: "renamed".into(), ..Genesis::load(&path).unwrap() };
    fs::write(&path, genesis.to_toml().unwrap()).unwrap();
    let error = refusal(site.config(0)).await;
    assert!(error.code() == "DATA_MISMATCH" && error.to_string().contains("chain"), "{error}");
}

#[tokio::test]
async fn an_address_in_use_is_named_and_the_directory_is_free_again() {
    let site = Site::new(1, SchemeName::Ed25519);
    let mut config = site.config(0);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    config.links.listen = taken.local_addr().unwrap().to_string();
    let error = refusal(config.clone()).await;
    assert!(error.code() == "BIND" && error.to_string().contains(&config.links.listen), "{error}");
    drop(taken);
    Node::start(config, Ledger::default()).await.unwrap().shutdown().await.unwrap();
}

#[tokio::test]
async fn a_second_node_with_the_same_key_stops_both() {
    let site = Site::new(2, SchemeName::Ed25519);
    let first = Node::start(site.config(0), Ledger::default()).await.unwrap();
    let mut config = site.config(0);
    config.links.listen = "127.0.0.1:0".into();
    config.node.data = site.dir.path().join("copy");
    let second = Node::start(config, Ledger::default()).await.unwrap();
    for node in [first, second] {
        node.failed().await;
        let error = node.shutdown().await.unwrap_err();
        assert!(error.code() == "SAME_IDENTITY" && error.to_string().contains("stop one"), "{error}");
    }
}

#[tokio::test]
async fn data_of_another_protocol_is_refused_and_says_so() {
    let site = Site::gosig(1);
    Node::start(site.config(0), Ledger::default()).await.unwrap().shutdown().await.unwrap();
    let path = site.dir.path().join("genesis.toml");
    let genesis = Genesis { protocol: ProtocolName::Jolteon, schedule: None, ..site.genesis.clone() };
    fs::write(&path, genesis.to_toml().unwrap()).unwrap();
    let error = refusal(site.config(0)).await;
    assert_eq!(error.code(), "DATA_MISMATCH");
    let text = error.to_string();
    assert!(text.contains("another protocol (it holds gosig, this node has jolteon)"), "{text}");
    fs::write(&path, site.genesis.to_toml().unwrap()).unwrap();
    Node::start(site.config(0), Ledger::default()).await.unwrap().shutdown().await.unwrap();
}
