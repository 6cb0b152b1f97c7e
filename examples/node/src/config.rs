//! The operator's file: where things are, where the node listens, how much it may hold.
//!
//! TOML. Every field has a default but `node.genesis`, `node.keys` and `node.data`; a field that does not exist is
//! refused by name, so that a misspelt limit cannot go unnoticed. Relative paths are relative to the file.
//! [`NodeConfig::to_toml`] writes a file with every field explained.
//!
//! What all validators must agree on is not here but in the [`genesis`](crate::genesis).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{NodeError, Result};

/// One validator's configuration.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeConfig {
    /// Where things are.
    pub node: Places,
    /// Links to the other validators.
    #[serde(default)]
    pub links: LinkConfig,
    /// What clients talk to.
    #[serde(default)]
    pub clients: ClientConfig,
    /// Transactions that wait.
    #[serde(default)]
    pub mempool: MempoolConfig,
}

/// Where the node finds its files.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Places {
    /// The chain's genesis file.
    pub genesis: PathBuf,
    /// This validator's key file.
    pub keys: PathBuf,
    /// The data directory. One validator, one directory.
    pub data: PathBuf,
    /// Whether to look on while the keys are no member's: for a validator that joins a running chain.
    #[serde(default)]
    pub observe: bool,
}

/// Links to the other validators.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LinkConfig {
    /// Where this node accepts links. Empty: at the port of its address in the genesis, on all interfaces.
    pub listen: String,
    /// Addresses to dial instead of those in the genesis, by member name.
    pub addresses: BTreeMap<String, String>,
    /// Most bytes of batches and other bulk waiting for one peer; when full, the oldest are dropped and the peer
    /// asks again for what it misses.
    pub bulk_queue_bytes: usize,
    /// Most consensus messages waiting for one peer; when full, the oldest are dropped.
    pub urgent_queue_frames: usize,
    /// How long a new connection may take to prove who it is.
    pub handshake_timeout_ms: u64,
    /// Most connections that have not proved who they are; one host may hold a quarter of them.
    pub max_unauthenticated: usize,
    /// How often an idle link is probed.
    pub keep_alive_ms: u64,
    /// How long a link may be silent, or a write be stuck, before it is given up.
    pub dead_after_ms: u64,
    /// Longest pause between two attempts to reach a peer; the first is a hundredth of it.
    pub max_backoff_ms: u64,
}

/// What clients talk to.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClientConfig {
    /// Where HTTP is served. Empty: nowhere.
    pub http: String,
    /// Where the framed submission stream is served. Empty: nowhere.
    pub stream: String,
    /// Most connections of clients at once, HTTP and streams each.
    pub max_connections: usize,
    /// Largest body of an HTTP request, in bytes.
    pub max_body_bytes: usize,
}

/// Transactions that wait.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MempoolConfig {
    /// Most bytes of transactions taken by this node and not yet committed.
    pub max_pending_bytes: usize,
    /// Most such transactions.
    pub max_pending_transactions: usize,
}

impl Default for LinkConfig {
    fn default() -> Self {
        Self {
            listen: String::new(),
            addresses: BTreeMap::new(),
            bulk_queue_bytes: 64 << 20,
            urgent_queue_frames: 4096,
            handshake_timeout_ms: 5_000,
            max_unauthenticated: 64,
            keep_alive_ms: 2_000,
            dead_after_ms: 10_000,
            max_backoff_ms: 5_000,
        }
    }
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self {
            http: "127.0.0.1:8100".into(),
            stream: "127.0.0.1:8200".into(),
            max_connections: 1024,
            max_body_bytes: 4 << 20,
        }
    }
}

impl Default for MempoolConfig {
    fn default() -> Self {
        Self { max_pending_bytes: 128 << 20, max_pending_transactions: 500_000 }
    }
}

impl NodeConfig {
    /// A configuration with defaults.
    pub fn new(genesis: impl Into<PathBuf>, keys: impl Into<PathBuf>, data: impl Into<PathBuf>) -> Self {
        Self {
            node: Places { genesis: genesis.into(), keys: keys.into(), data: data.into(), observe: false },
            links: LinkConfig::default(),
            clients: ClientConfig::default(),
            mempool: MempoolConfig::default(),
        }
    }

    /// Reads and checks a file; relative paths in it become relative to its directory.
    ///
    /// # Errors
    /// [`NodeError::Config`], which names the line or the field.
    pub fn load(path: &Path) -> Result<Self> {
        let text =
            fs::read_to_string(path).map_err(|e| NodeError::file("reading the configuration", path, e))?;
        let mut config = Self::parse(&text).map_err(|e| match e {
            NodeError::Config { problem, .. } => NodeError::Config { path: Some(path.to_owned()), problem },
            other => other,
        })?;
        let base = path.parent().unwrap_or(Path::new(""));
        for place in [&mut config.node.genesis, &mut config.node.keys, &mut config.node.data] {
            *place = base.join(&*place);
        }
        Ok(config)
    }

    /// Reads and checks the text of a file.
    ///
    /// # Errors
    /// [`NodeError::Config`], which names the line or the field.
    pub fn parse(text: &str) -> Result<Self> {
        let config: Self =
            toml::from_str(text).map_err(|e| NodeError::Config { path: None, problem: e.to_string() })?;
        config.check()?;
        Ok(config)
    }

    /// Checks the limits against each other.
    ///
    /// # Errors
    /// [`NodeError::Config`], which names the field.
    pub fn check(&self) -> Result<()> {
        let at_least = |field: &str, value: u64, least: u64| {
            if value >= least {
                return Ok(());
            }
            Err(NodeError::Config {
                path: None,
                problem: format!("{field} is {value}; it must be at least {least}"),
            })
        };
        let links = &self.links;
        at_least("links.bulk_queue_bytes", links.bulk_queue_bytes as u64, 4 << 20)?;
        at_least("links.urgent_queue_frames", links.urgent_queue_frames as u64, 16)?;
        at_least("links.handshake_timeout_ms", links.handshake_timeout_ms, 100)?;
        at_least("links.max_unauthenticated", links.max_unauthenticated as u64, 1)?;
        at_least("links.keep_alive_ms", links.keep_alive_ms, 100)?;
        at_least("links.dead_after_ms", links.dead_after_ms, links.keep_alive_ms.saturating_mul(2))?;
        at_least("links.max_backoff_ms", links.max_backoff_ms, 100)?;
        at_least("clients.max_connections", self.clients.max_connections as u64, 1)?;
        at_least("clients.max_body_bytes", self.clients.max_body_bytes as u64, 1024)?;
        at_least("mempool.max_pending_bytes", self.mempool.max_pending_bytes as u64, 1 << 20)?;
        at_least("mempool.max_pending_transactions", self.mempool.max_pending_transactions as u64, 1)
    }

    /// The file that says this, with every field explained.
    pub fn to_toml(&self) -> String {
        let (links, clients, mempool) = (&self.links, &self.clients, &self.mempool);
        let mut addresses = String::new();
        for (name, address) in &links.addresses {
            addresses.push_str(&format!("{} = {}\n", quoted(name), quoted(address)));
        }
        format!(
            "# Configuration of one quorate validator. Relative paths are relative to this file.\n\
             # What all validators must agree on is in the genesis file.\n\
             \n\
             [node]\n\
             # The chain's genesis file: the same bytes at every validator.\n\
             genesis = {genesis}\n\
             # This validator's secret keys (`quorate keygen` makes the file).\n\
             keys = {keys}\n\
             # Everything the node keeps. Never start two nodes on copies of one directory, and never the same\n\
             # keys with an empty one: what was signed before is recorded here.\n\
             data = {data}\n\
             # For a validator that joins a running chain: look on until the keys are a member's, and then take\n\
             # part. Without it, keys that are no member's are refused at the start.\n\
             observe = {observe}\n\
             \n\
             [links]\n\
             # Where links from other validators are accepted. Empty: on all interfaces at the port of this\n\
             # validator's address in the genesis file.\n\
             listen = {listen}\n\
             # Most bytes of bulk (batches, history) that wait for one peer. When full, the oldest are dropped and\n\
             # the peer asks again for what it misses.\n\
             bulk_queue_bytes = {bulk_queue_bytes}\n\
             # Most consensus messages that wait for one peer. When full, the oldest are dropped.\n\
             urgent_queue_frames = {urgent_queue_frames}\n\
             # How long a new connection may take to prove who it is.\n\
             handshake_timeout_ms = {handshake_timeout_ms}\n\
             # Most connections at once that have not proved who they are. One host may hold a quarter of them.\n\
             max_unauthenticated = {max_unauthenticated}\n\
             # How often an idle link is probed.\n\
             keep_alive_ms = {keep_alive_ms}\n\
             # How long a link may be silent, or a write be stuck, before it is given up and dialled again.\n\
             dead_after_ms = {dead_after_ms}\n\
             # Longest pause between two attempts to reach a peer.\n\
             max_backoff_ms = {max_backoff_ms}\n\
             \n\
             # Addresses to dial instead of those in the genesis file, by member name, for example\n\
             # node2 = \"10.0.0.3:7100\"\n\
             [links.addresses]\n\
             {addresses}\
             \n\
             [clients]\n\
             # Where HTTP is served: submit, look up, status, commits, metrics. Empty: nowhere. There is no\n\
             # authentication: keep it on a private interface or behind a proxy.\n\
             http = {http}\n\
             # Where the framed submission stream is served. Empty: nowhere. No authentication either.\n\
             stream = {stream}\n\
             # Most connections of clients at once, HTTP and streams each.\n\
             max_connections = {max_connections}\n\
             # Largest body of an HTTP request.\n\
             max_body_bytes = {max_body_bytes}\n\
             \n\
             [mempool]\n\
             # Most bytes of transactions that this node took and that are not committed; above, clients are told\n\
             # to try again later.\n\
             max_pending_bytes = {max_pending_bytes}\n\
             # Most such transactions.\n\
             max_pending_transactions = {max_pending_transactions}\n",
            genesis = quoted(&self.node.genesis.to_string_lossy()),
            keys = quoted(&self.node.keys.to_string_lossy()),
            data = quoted(&self.node.data.to_string_lossy()),
            observe = self.node.observe,
            listen = quoted(&links.listen),
            bulk_queue_bytes = links.bulk_queue_bytes,
            urgent_queue_frames = links.urgent_queue_frames,
            handshake_timeout_ms = links.handshake_timeout_ms,
            max_unauthenticated = links.max_unauthenticated,
            keep_alive_ms = links.keep_alive_ms,
            dead_after_ms = links.dead_after_ms,
            max_backoff_ms = links.max_backoff_ms,
            http = quoted(&clients.http),
            stream = quoted(&clients.stream),
            max_connections = clients.max_connections,
            max_body_bytes = clients.max_body_bytes,
            max_pending_bytes = mempool.max_pending_bytes,
            max_pending_transactions = mempool.max_pending_transactions,
        )
    }
}

/// A TOML string.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_written_file_reads_back() {
        let mut config = NodeConfig::new("../genesis.toml", "keys", "da\"ta");
        config.links.addresses.insert("node 2".into(), "[::1]:7".into());
        config.mempool.max_pending_transactions = 7;
        config.node.observe = true;
        assert_eq!(NodeConfig::parse(&config.to_toml()).unwrap(), config);
    }

    #[test]
    fn an_unknown_field_and_a_bad_limit_are_refused_by_name() {
        let places = "[node]\ngenesis='g'\nkeys='k'\ndata='d'\n";
        assert_eq!(NodeConfig::parse(places).unwrap(), NodeConfig::new("g", "k", "d"));
        for (text, name) in [
            ("[links]\nbulk_queue = 1\n", "bulk_queue"),
            ("[links]\nkeep_alive_ms = 1\n", "links.keep_alive_ms"),
            ("[wallet]\n", "wallet"),
        ] {
            let error = NodeConfig::parse(&format!("{places}{text}")).unwrap_err();
            assert_eq!(error.code(), "CONFIG");
            assert!(error.to_string().contains(name), "{error}");
        }
    }

    #[test]
    fn paths_are_relative_to_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("node.toml");
        fs::write(&path, NodeConfig::new("g.toml", "/k", "d").to_toml()).unwrap();
        let config = NodeConfig::load(&path).unwrap();
        assert_eq!(config.node.genesis, dir.path().join("g.toml"));
        assert_eq!(config.node.keys, Path::new("/k"));
    }
}
