//! What the tests of links and networks share.
#![allow(dead_code)]

use std::net::TcpListener;
use std::time::{Duration, Instant};

use quorate_node::genesis::{Genesis, Member, Parameters, SchemeName};
use quorate_node::keys::NodeKeys;

/// A chain of `n` members with ports of their own on this machine.
pub(crate) fn chain(n: usize, scheme: SchemeName) -> (Genesis, Vec<NodeKeys>) {
    let keys: Vec<NodeKeys> = (0..n).map(|_| NodeKeys::generate(scheme).unwrap()).collect();
    // All ports are taken before any is given back, so that they differ.
    let ports: Vec<TcpListener> = keys.iter().map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let members = keys
        .iter()
        .zip(&ports)
        .enumerate()
        .map(|(i, (keys, port))| Member {
            name: format!("node{i}"),
            address: port.local_addr().unwrap().to_string(),
            weight: 1,
            keys: keys.public().unwrap(),
        })
        .collect();
    let genesis =
        Genesis { chain: "test".into(), scheme, epoch: 0, parameters: Parameters::default(), members };
    (genesis, keys)
}

/// Waits until `condition` holds; a test that never gets there fails with `what`.
pub(crate) async fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(60), "never: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
