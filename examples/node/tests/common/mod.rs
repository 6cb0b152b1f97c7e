//! Chains and validators on the local machine, for tests of this crate and of the adapters.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::time::{Duration, Instant};

use quorate_node::config::{LinkConfig, NodeConfig};
use quorate_node::genesis::{Genesis, Hex, Member, Schedule, SchemeName};
use quorate_node::keys::{NodeKeys, save_shares};
use quorate_node::protocol::{DealOptions, Dealt, Protocol, presignature_directory, presignature_file};
use quorate_node::store;
use quorate_support::ports::{free_address, free_addresses};

/// Creates a chain of `n` members, each with its own port on the local machine.
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

/// Waits until `condition` holds. Panics with the expectation `what` after two minutes.
pub(crate) async fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(120), "not within two minutes: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Files of a chain on disk: the genesis, and the keys and configuration of each member.
pub(crate) struct Site {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) genesis: Genesis,
}

impl Site {
    /// Creates the files of `n` members of a chain that runs `protocol`.
    pub(crate) fn new(protocol: &str, n: usize, scheme: SchemeName, schedule: Option<Schedule>) -> Self {
        let (genesis, keys) = chain(n, scheme);
        let genesis = genesis.with_protocol(protocol.parse().unwrap(), schedule);
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("genesis.toml"), genesis.to_toml().unwrap()).unwrap();
        for (i, keys) in keys.iter().enumerate() {
            keys.save(&dir.path().join(format!("keys{i}"))).unwrap();
        }
        Self { dir, genesis }
    }

    /// Deals the keys that the members share.
    pub(crate) fn deal<P: Protocol>(self) -> Self {
        self.deal_epochs::<P>(0)
    }

    /// As [`deal`](Self::deal), with presignatures for the first epochs.
    pub(crate) fn deal_epochs<P: Protocol>(mut self, epochs: u64) -> Self {
        let options = DealOptions { encrypts: true, presigns: epochs > 0 };
        let Dealt { public, shares, dealer } = P::deal(&self.genesis, options).unwrap();
        self.genesis.dealt = Some(Hex(public));
        std::fs::write(self.dir.path().join("genesis.toml"), self.genesis.to_toml().unwrap()).unwrap();
        for (i, shares) in shares.iter().enumerate() {
            save_shares(&self.dir.path().join(format!("shares{i}")), shares).unwrap();
        }
        for epoch in 1..=epochs {
            let files = P::deal_presignatures(&self.genesis, &dealer, epoch).unwrap();
            for (i, file) in files.iter().enumerate() {
                let directory = presignature_directory(&self.dir.path().join(format!("shares{i}")));
                std::fs::create_dir_all(&directory).unwrap();
                std::fs::write(directory.join(presignature_file(epoch)), file).unwrap();
            }
        }
        self
    }

    /// Configuration of a member.
    pub(crate) fn config(&self, i: usize) -> NodeConfig {
        self.config_with(&i.to_string(), self.genesis.members[i].address.clone())
    }

    /// Creates the keys and the configuration of a validator that is not a member yet. The configuration contains its
    /// link address.
    pub(crate) fn joiner(&self, name: &str) -> (NodeKeys, NodeConfig) {
        let keys = NodeKeys::generate(self.genesis.scheme).unwrap();
        keys.save(&self.dir.path().join(format!("keys{name}"))).unwrap();
        let mut config = self.config_with(name, free_address().unwrap().to_string());
        config.node.observe = true;
        (keys, config)
    }

    fn config_with(&self, i: &str, listen: String) -> NodeConfig {
        let at = |name: String| self.dir.path().join(name);
        let mut config =
            NodeConfig::new(at("genesis.toml".into()), at(format!("keys{i}")), at(format!("data{i}")));
        config.node.shares = Some(at(format!("shares{i}"))).filter(|shares| shares.exists());
        config.node.new_validator = store::is_empty(&config.node.data);
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
