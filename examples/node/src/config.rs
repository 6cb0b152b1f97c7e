//! The operator's configuration file: paths, addresses and limits.
//!
//! A TOML file. Every field except `node.genesis`, `node.keys` and `node.data` has a default. An unknown field is an error, so
//! that a misspelt limit is noticed. Relative paths are relative to the file. [`NodeConfig::to_toml`] writes a file that
//! explains every field.
//!
//! Parameters that all validators share are in the [`genesis`](crate::genesis).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::signer::SignerAddress;
use crate::{NodeError, Result};

/// Configuration of a validator.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeConfig {
    /// Paths.
    pub node: Places,
    /// Links to the other validators.
    #[serde(default)]
    pub links: LinkConfig,
    /// Interfaces for clients.
    #[serde(default)]
    pub clients: ClientConfig,
    /// Limits of the mempool.
    #[serde(default)]
    pub mempool: MempoolConfig,
    /// Blocks that the node keeps.
    #[serde(default)]
    pub archive: ArchiveConfig,
}

/// Paths of the node's files.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Places {
    /// The chain's genesis file.
    pub genesis: PathBuf,
    /// This validator's key file.
    pub keys: PathBuf,
    /// File with the password of an encrypted key file, in its first line. Without it, the password is that of the variable
    /// `QUORATE_KEY_PASSWORD`, or is asked for on the terminal.
    #[serde(default)]
    pub password: Option<PathBuf>,
    /// The data directory, used by one validator only.
    pub data: PathBuf,
    /// This validator's secrets from the dealer of its chain, for protocols that have one.
    #[serde(default)]
    pub shares: Option<PathBuf>,
    /// Counter of signatures, a file outside the data directory that no copy of it contains: it shows that the data is older
    /// than the last signature.
    #[serde(default)]
    pub counter: Option<PathBuf>,
    /// The signer that holds the voting key of this validator. The voting key in the key file then has no use.
    #[serde(default)]
    pub signer: Option<SignerAddress>,
    /// Starts an observer if the keys belong to no member, for a validator that joins a running chain.
    #[serde(default)]
    pub observe: bool,
    /// True for the first start of a founder of the chain, with an empty data directory. Not a setting of the file: every
    /// other start with an empty directory is refused, because the key may sign twice without its records.
    #[serde(skip)]
    pub new_validator: bool,
}

/// Links to the other validators.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LinkConfig {
    /// Address that accepts links. If empty: the port of its address in the genesis, on all interfaces.
    pub listen: String,
    /// Addresses to dial instead of those in the genesis, by member name.
    pub addresses: BTreeMap<String, String>,
    /// Maximum number of bytes of batches and other bulk data queued for one peer. When full, the oldest are dropped, and the
    /// peer requests them again.
    pub bulk_queue_bytes: usize,
    /// Maximum number of consensus messages queued for one peer. When full, the oldest are dropped.
    pub urgent_queue_frames: usize,
    /// Timeout for the authentication of a new connection, in milliseconds.
    pub handshake_timeout_ms: u64,
    /// Maximum number of unauthenticated connections; one host may hold a quarter of them. A newer one takes the place of the
    /// oldest.
    pub max_unauthenticated: usize,
    /// Interval between probes of an idle link, in milliseconds.
    pub keep_alive_ms: u64,
    /// Time without a received byte, or in one blocked write, after which a link is closed, in milliseconds.
    pub dead_after_ms: u64,
    /// Maximum pause between two attempts to reach a peer, in milliseconds. The first pause is a hundredth of it.
    pub max_backoff_ms: u64,
}

/// Interfaces for clients.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClientConfig {
    /// Address of the HTTP listener. If empty: none.
    pub http: String,
    /// Address of the framed submission stream. If empty: none.
    pub stream: String,
    /// Maximum number of simultaneous client connections, for HTTP and for streams each. Fewer, if the process may open too
    /// few files for them.
    pub max_connections: usize,
    /// Maximum size of the body of an HTTP request, in bytes.
    pub max_body_bytes: usize,
}

/// Limits of the mempool.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MempoolConfig {
    /// Maximum number of bytes of accepted, uncommitted transactions.
    pub max_pending_bytes: usize,
    /// Maximum number of accepted, uncommitted transactions.
    pub max_pending_transactions: usize,
}

/// Blocks that the node keeps.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ArchiveConfig {
    /// Number of newest blocks to keep, with up to 63 more; `None` to keep all.
    pub prune: Option<u64>,
    /// Size in bytes at which a new file of transactions is started; `None` for the default of the store. Pruning deletes whole
    /// files.
    pub prune_file_bytes: Option<u64>,
    /// Number of blocks between two snapshots of the state, for nodes that join; 0, the default, for none. A snapshot is a view of
    /// the database: every value that later blocks write stays in it until the snapshot is released, so reads of keys that
    /// change with each block become slower. With `prune`, the blocks from a little below it on stay too.
    pub snapshot_every: u64,
    /// Minimum of `prune`. Not a setting of the file: tests of pruning use a lower one.
    #[serde(skip)]
    pub min_prune: u64,
}

/// Minimum number of newest blocks that a node keeps. A block may state the state of a height up to 512 below it, and a restart
/// needs the roots of these heights; the protocols need fewer. Members that lag by as much again still find their blocks.
pub const MIN_PRUNE: u64 = 1024;

/// Number of blocks between two snapshots that the configuration file gives as an example.
const SNAPSHOT_EVERY: u64 = 10_000;
/// Minimum number of blocks between two snapshots.
const MIN_SNAPSHOT_EVERY: u64 = 16;

impl Default for ArchiveConfig {
    fn default() -> Self {
        Self { prune: None, prune_file_bytes: None, snapshot_every: 0, min_prune: MIN_PRUNE }
    }
}

impl ArchiveConfig {
    fn check(&self) -> Result<()> {
        let problem = match (self.prune, self.prune_file_bytes) {
            (Some(keep), _) if keep < self.min_prune => format!(
                "archive.prune is {keep}; it must be at least {}, because a restart and members that lag need these blocks",
                self.min_prune
            ),
            (_, Some(bytes)) if !(1 << 16..=1 << 32).contains(&bytes) => {
                format!("archive.prune_file_bytes is {bytes}; it must be from 65536 to 4294967296")
            }
            _ if (1..MIN_SNAPSHOT_EVERY).contains(&self.snapshot_every) => format!(
                "archive.snapshot_every is {}; it must be 0, for no snapshots, or at least {MIN_SNAPSHOT_EVERY}",
                self.snapshot_every
            ),
            _ => return Ok(()),
        };
        Err(NodeError::Config { path: None, problem })
    }

    /// The section of the file. Defaults are comments, so that older versions of this software can read the file.
    fn to_toml(&self) -> String {
        let line = |name: &str, value: Option<u64>, example: u64| match value {
            Some(value) => format!("{name} = {value}\n"),
            None => format!("# {name} = {example}\n"),
        };
        let every = Some(self.snapshot_every).filter(|every| *every != 0);
        let is_default = self.prune.is_none() && self.prune_file_bytes.is_none() && every.is_none();
        format!(
            "{head}\n\
             # Number of newest blocks to keep; at least {MIN_PRUNE}. Without it, all blocks are kept: at least one validator of\n\
             # a chain should, for members that join or were down for long.\n\
             {prune}\
             # Size at which a new file of transactions is started. Pruning deletes whole files.\n\
             {file_bytes}\
             # Number of blocks between two snapshots of the state, from which nodes join (`quorate join`). Without it, none.\n\
             # A node that prunes keeps the blocks since the oldest of three snapshots.\n\
             {snapshot_every}",
            head = if is_default { "# [archive]" } else { "[archive]" },
            prune = line("prune", self.prune, 100_000),
            file_bytes = line("prune_file_bytes", self.prune_file_bytes, 256 << 20),
            snapshot_every = line("snapshot_every", every, SNAPSHOT_EVERY),
        )
    }
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
    /// Creates a configuration with default values.
    pub fn new(genesis: impl Into<PathBuf>, keys: impl Into<PathBuf>, data: impl Into<PathBuf>) -> Self {
        Self {
            node: Places {
                genesis: genesis.into(),
                keys: keys.into(),
                password: None,
                data: data.into(),
                shares: None,
                counter: None,
                signer: None,
                observe: false,
                new_validator: false,
            },
            links: LinkConfig::default(),
            clients: ClientConfig::default(),
            mempool: MempoolConfig::default(),
            archive: ArchiveConfig::default(),
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
        let Places { genesis, keys, password, data, shares, counter, .. } = &mut config.node;
        for place in [genesis, keys, data].into_iter().chain(password).chain(shares).chain(counter) {
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

    /// Checks the limits.
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
        at_least("mempool.max_pending_transactions", self.mempool.max_pending_transactions as u64, 1)?;
        self.archive.check()
    }

    /// The text of the file, with an explanation of every field.
    pub fn to_toml(&self) -> String {
        let (links, clients, mempool) = (&self.links, &self.clients, &self.mempool);
        let mut addresses = String::new();
        for (name, address) in &links.addresses {
            addresses.push_str(&format!("{} = {}\n", quoted(name), quoted(address)));
        }
        format!(
            "# Configuration of one quorate validator. Relative paths are relative to this file.\n\
             # Parameters that all validators share are in the genesis file.\n\
             \n\
             [node]\n\
             # The chain's genesis file, the same at every validator.\n\
             genesis = {genesis}\n\
             # This validator's secret keys (`quorate keygen` creates the file).\n\
             keys = {keys}\n\
             # A file with the password of the keys, if they are encrypted (`quorate keygen --encrypt`). Without it, the\n\
             # password is that of the variable QUORATE_KEY_PASSWORD, or is asked for on the terminal.\n\
             {password}\n\
             # The node's data. Never start two nodes on copies of one directory, and never use the same keys with\n\
             # an empty directory: the records of earlier signatures are stored here.\n\
             data = {data}\n\
             # This validator's secrets from the dealer of its chain (`quorate genesis --shares` creates the file), only\n\
             # for protocols that have one, such as ABFT.\n\
             {shares}\n\
             # Counter of this validator's signatures: a file on another disk than the data, which no backup or snapshot of\n\
             # the data contains. With it, a validator that starts with old data knows it at once, and one that starts with\n\
             # the newest data votes at once. It is created if it is missing; it costs one more write per vote. Not for ABFT.\n\
             {counter}\n\
             # A signer that holds the voting key of this validator (`quorate signer` prints the line). Only for Jolteon.\n\
             {signer}\n\
             # For a validator that joins a running chain: observe the chain until the keys belong to a member,\n\
             # then take part. If false, the node does not start with keys that belong to no member.\n\
             observe = {observe}\n\
             \n\
             [links]\n\
             # Address that accepts links from other validators. If empty: all interfaces, on the port of this\n\
             # validator's address in the genesis file.\n\
             listen = {listen}\n\
             # Maximum number of bytes of bulk data (batches, history) queued for one peer. When full, the oldest\n\
             # are dropped, and the peer requests them again.\n\
             bulk_queue_bytes = {bulk_queue_bytes}\n\
             # Maximum number of consensus messages queued for one peer. When full, the oldest are dropped.\n\
             urgent_queue_frames = {urgent_queue_frames}\n\
             # Timeout for the authentication of a new connection.\n\
             handshake_timeout_ms = {handshake_timeout_ms}\n\
             # Maximum number of unauthenticated connections. One host may hold a quarter of them. A newer one takes the\n\
             # place of the oldest.\n\
             max_unauthenticated = {max_unauthenticated}\n\
             # Interval between probes of an idle link.\n\
             keep_alive_ms = {keep_alive_ms}\n\
             # Time without a received byte, or in one blocked write, after which a link is closed and dialled again.\n\
             dead_after_ms = {dead_after_ms}\n\
             # Maximum pause between two attempts to reach a peer.\n\
             max_backoff_ms = {max_backoff_ms}\n\
             \n\
             # Addresses to dial instead of those in the genesis file, by member name, for example\n\
             # node2 = \"10.0.0.3:7100\"\n\
             [links.addresses]\n\
             {addresses}\
             \n\
             [clients]\n\
             # Address of the HTTP listener: submit, query, status, commits, metrics. If empty: none. There is no\n\
             # authentication: use a private interface or a proxy.\n\
             http = {http}\n\
             # Address of the framed submission stream. If empty: none. There is no authentication.\n\
             stream = {stream}\n\
             # Maximum number of simultaneous client connections, for HTTP and for streams each. Fewer, if the process\n\
             # may open too few files for them.\n\
             max_connections = {max_connections}\n\
             # Maximum size of the body of an HTTP request.\n\
             max_body_bytes = {max_body_bytes}\n\
             \n\
             [mempool]\n\
             # Maximum number of bytes of accepted, uncommitted transactions. Above it, the node refuses further\n\
             # transactions.\n\
             max_pending_bytes = {max_pending_bytes}\n\
             # Maximum number of accepted, uncommitted transactions.\n\
             max_pending_transactions = {max_pending_transactions}\n\
             \n\
             {archive}",
            archive = self.archive.to_toml(),
            genesis = quoted(&self.node.genesis.to_string_lossy()),
            keys = quoted(&self.node.keys.to_string_lossy()),
            data = quoted(&self.node.data.to_string_lossy()),
            password = match &self.node.password {
                Some(path) => format!("password = {}", quoted(&path.to_string_lossy())),
                None => "# password = \"password\"".to_owned(),
            },
            shares = match &self.node.shares {
                Some(path) => format!("shares = {}", quoted(&path.to_string_lossy())),
                None => "# shares = \"shares\"".to_owned(),
            },
            counter = match &self.node.counter {
                Some(path) => format!("counter = {}", quoted(&path.to_string_lossy())),
                None => "# counter = \"/another/disk/counter\"".to_owned(),
            },
            signer = match &self.node.signer {
                Some(signer) => format!("signer = \"{signer}\""),
                None => "# signer = \"IDENTITY@192.0.2.7:7400\"".to_owned(),
            },
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
    fn a_written_file_round_trips() {
        let mut config = NodeConfig::new("../genesis.toml", "keys", "da\"ta");
        config.links.addresses.insert("node 2".into(), "[::1]:7".into());
        config.mempool.max_pending_transactions = 7;
        config.node.observe = true;
        assert_eq!(NodeConfig::parse(&config.to_toml()).unwrap(), config);
        config.node.shares = Some("shares".into());
        config.node.counter = Some("/other/counter".into());
        // The base point of the curve, as a key.
        let identity = format!("58{}", "66".repeat(31));
        config.node.signer = Some(format!("{identity}@192.0.2.7:7400").parse().unwrap());
        assert!(!config.to_toml().lines().any(|line| line == "[archive]"), "an older version reads the file");
        assert_eq!(NodeConfig::parse(&config.to_toml()).unwrap(), config);
        config.archive.prune = Some(5_000);
        assert_eq!(NodeConfig::parse(&config.to_toml()).unwrap(), config);
        config.archive.prune_file_bytes = Some(1 << 20);
        config.archive.snapshot_every = 500;
        assert_eq!(NodeConfig::parse(&config.to_toml()).unwrap(), config);
    }

    #[test]
    fn few_kept_blocks_are_refused_with_the_minimum() {
        let mut config = NodeConfig::new("g", "k", "d");
        config.archive.prune = Some(MIN_PRUNE);
        config.check().unwrap();
        config.archive.prune = Some(MIN_PRUNE - 1);
        let error = config.check().unwrap_err();
        assert!(error.code() == "CONFIG" && error.to_string().contains("at least 1024"), "{error}");
        assert_eq!(NodeConfig::parse(&config.to_toml()).unwrap_err().code(), "CONFIG");
    }

    #[test]
    fn unknown_fields_and_bad_limits_are_named() {
        let places = "[node]\ngenesis='g'\nkeys='k'\ndata='d'\n";
        assert_eq!(NodeConfig::parse(places).unwrap(), NodeConfig::new("g", "k", "d"));
        for (text, name) in [
            ("[links]\nbulk_queue = 1\n", "bulk_queue"),
            ("[links]\nkeep_alive_ms = 1\n", "links.keep_alive_ms"),
            ("[archive]\nprune_file_bytes = 1\n", "archive.prune_file_bytes"),
            ("[archive]\nsnapshot_every = 15\n", "archive.snapshot_every"),
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
