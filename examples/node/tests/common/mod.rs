//! What the tests of links and networks share.
#![allow(dead_code, reason = "each test takes what it needs of it")]

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use quorate_node::config::{LinkConfig, NodeConfig};
use quorate_node::genesis::{Genesis, Member, SchemeName};
use quorate_node::keys::NodeKeys;
use quorate_support::ports::{free_address, free_addresses};

/// A chain of `n` members with ports of their own on this machine.
pub(crate) fn chain(n: usize, scheme: SchemeName) -> (Genesis, Vec<NodeKeys>) {
    let keys: Vec<NodeKeys> = (0..n).map(|_| NodeKeys::generate(scheme).unwrap()).collect();
    let addresses = free_addresses(n).unwrap();
    let members = keys
        .iter()
        .zip(&addresses)
        .enumerate()
        .map(|(i, (keys, address))| Member {
            name: format!("node{i}"),
            address: address.to_string(),
            weight: 1,
            keys: keys.public().unwrap(),
        })
        .collect();
    (Genesis::new("test", scheme, members), keys)
}

/// Waits until `condition` holds; a test that never gets there fails with `what`.
pub(crate) async fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(120), "never: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A chain's files on disk: the genesis, and for each member its keys and configuration.
pub(crate) struct Site {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) genesis: Genesis,
}

impl Site {
    /// `n` members that may be started.
    pub(crate) fn new(n: usize, scheme: SchemeName) -> Self {
        Self::of(chain(n, scheme))
    }

    /// `n` members that run Gosig, whose clock began an hour ago.
    pub(crate) fn gosig(n: usize) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let (genesis, keys) = chain(n, SchemeName::Bls);
        Self::of((genesis.with_gosig(now - 3600), keys))
    }

    fn of((genesis, keys): (Genesis, Vec<NodeKeys>)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("genesis.toml"), genesis.to_toml().unwrap()).unwrap();
        for (i, keys) in keys.iter().enumerate() {
            keys.save(&dir.path().join(format!("keys{i}"))).unwrap();
        }
        Self { dir, genesis }
    }

    /// The configuration of a member.
    pub(crate) fn config(&self, i: usize) -> NodeConfig {
        self.config_of(&i.to_string(), self.genesis.members[i].address.clone())
    }

    /// New keys that are no member's, and the configuration of a validator that is to join with them; where it accepts
    /// links is in that.
    pub(crate) fn joiner(&self, name: &str) -> (NodeKeys, NodeConfig) {
        let keys = NodeKeys::generate(self.genesis.scheme).unwrap();
        keys.save(&self.dir.path().join(format!("keys{name}"))).unwrap();
        let mut config = self.config_of(name, free_address().unwrap().to_string());
        config.node.observe = true;
        (keys, config)
    }

    fn config_of(&self, i: &str, listen: String) -> NodeConfig {
        let at = |name: String| self.dir.path().join(name);
        let mut config =
            NodeConfig::new(at("genesis.toml".into()), at(format!("keys{i}")), at(format!("data{i}")));
        config.links = LinkConfig {
            listen,
            keep_alive_ms: 200,
            dead_after_ms: 2_000,
            max_backoff_ms: 500,
            ..LinkConfig::default()
        };
        config
    }
}
