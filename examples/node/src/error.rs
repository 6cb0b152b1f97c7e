use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::signer::token::TokenError;

/// Result of the node's operations.
pub type Result<T, E = NodeError> = std::result::Result<T, E>;

/// Error that prevents a node from starting or continuing. Each has a stable [`code`](NodeError::code) and a message with
/// the remedy.
#[derive(Debug)]
#[non_exhaustive]
pub enum NodeError {
    /// The configuration file is invalid.
    Config {
        /// The file, if it came from one.
        path: Option<PathBuf>,
        /// The problem.
        problem: String,
    },
    /// The genesis is invalid.
    Genesis {
        /// The file, if it came from one.
        path: Option<PathBuf>,
        /// The problem.
        problem: String,
    },
    /// The key file is invalid, readable by other users, or would be overwritten.
    KeyFile {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// The keys belong to no member of the chain.
    NotAMember {
        /// The identity key, in hexadecimal.
        identity: String,
    },
    /// This node is no longer a member.
    Left {
        /// The first epoch without it.
        epoch: u64,
        /// The height of that epoch's first block.
        first_height: u64,
    },
    /// The data directory of a founder of the chain is empty, and this is not its first start.
    EmptyData {
        /// The directory.
        path: PathBuf,
    },
    /// The data directory of a new validator is not empty.
    DataExists {
        /// The directory.
        path: PathBuf,
    },
    /// Another process uses the data directory.
    DataInUse {
        /// The directory.
        path: PathBuf,
    },
    /// The data directory belongs to another chain or validator.
    DataMismatch {
        /// The directory.
        path: PathBuf,
        /// The mismatch: `protocol`, `chain`, `validator` or `format`.
        what: &'static str,
        /// Value in the directory.
        found: String,
        /// Value of this node.
        expected: String,
    },
    /// Stored data cannot be decoded.
    Corrupt {
        /// The data.
        what: &'static str,
        /// The problem.
        problem: String,
    },
    /// The data of a height is pruned.
    Pruned {
        /// The height.
        height: u64,
        /// The oldest height that is not pruned.
        oldest: u64,
    },
    /// The store failed.
    Store {
        /// The operation.
        during: &'static str,
        /// The store's error.
        problem: String,
    },
    /// An address cannot be bound.
    Bind {
        /// The address.
        address: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// An operation of the operating system failed.
    Io {
        /// The operation.
        during: &'static str,
        /// The file, if the operation has one.
        path: Option<PathBuf>,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The process may open too few files.
    OpenFiles {
        /// The limit.
        limit: u64,
        /// The lowest limit with which the node starts.
        needed: u64,
    },
    /// Other members committed another block at a height that this node has committed.
    ConflictingCommit {
        /// The height.
        height: u64,
        /// The file with both blocks and their certificates.
        evidence: PathBuf,
    },
    /// Another running node uses this validator's identity key.
    SameIdentity {
        /// Address of the other node.
        address: String,
    },
    /// TLS cannot be configured.
    Tls {
        /// Error of rustls.
        problem: String,
    },
    /// The application failed.
    Application {
        /// The problem.
        problem: String,
    },
    /// The voting key in a token cannot be used.
    Token(TokenError),
    /// Error of a building block.
    Block(quorate::Error),
    /// The node is shutting down or has stopped.
    Stopped {
        /// The reason.
        why: String,
    },
}

impl NodeError {
    /// All codes of the node's own errors.
    pub const CODES: &'static [&'static str] = &[
        "CONFIG",
        "GENESIS",
        "KEY_FILE",
        "NOT_A_MEMBER",
        "LEFT",
        "EMPTY_DATA",
        "DATA_EXISTS",
        "DATA_IN_USE",
        "DATA_MISMATCH",
        "CORRUPT",
        "PRUNED",
        "STORE",
        "BIND",
        "IO",
        "OPEN_FILES",
        "CONFLICTING_COMMIT",
        "SAME_IDENTITY",
        "TLS",
        "APPLICATION",
        "TOKEN_MODULE",
        "TOKEN_NOT_FOUND",
        "TOKEN_PIN",
        "TOKEN_KEY",
        "TOKEN_FAILED",
        "STOPPED",
    ];

    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            NodeError::Config { .. } => "CONFIG",
            NodeError::Genesis { .. } => "GENESIS",
            NodeError::KeyFile { .. } => "KEY_FILE",
            NodeError::NotAMember { .. } => "NOT_A_MEMBER",
            NodeError::Left { .. } => "LEFT",
            NodeError::EmptyData { .. } => "EMPTY_DATA",
            NodeError::DataExists { .. } => "DATA_EXISTS",
            NodeError::DataInUse { .. } => "DATA_IN_USE",
            NodeError::DataMismatch { .. } => "DATA_MISMATCH",
            NodeError::Corrupt { .. } => "CORRUPT",
            NodeError::Pruned { .. } => "PRUNED",
            NodeError::Store { .. } => "STORE",
            NodeError::Bind { .. } => "BIND",
            NodeError::Io { .. } => "IO",
            NodeError::OpenFiles { .. } => "OPEN_FILES",
            NodeError::ConflictingCommit { .. } => "CONFLICTING_COMMIT",
            NodeError::SameIdentity { .. } => "SAME_IDENTITY",
            NodeError::Tls { .. } => "TLS",
            NodeError::Application { .. } => "APPLICATION",
            NodeError::Token(e) => e.code(),
            NodeError::Block(e) => e.code(),
            NodeError::Stopped { .. } => "STOPPED",
        }
    }

    /// Creates an error of an operation on a file.
    pub fn file(during: &'static str, path: &Path, source: io::Error) -> Self {
        NodeError::Io { during, path: Some(path.to_owned()), source }
    }

    /// Creates an error of the store.
    pub fn store(during: &'static str, problem: impl fmt::Display) -> Self {
        NodeError::Store { during, problem: problem.to_string() }
    }

    /// Creates an error for data that cannot be decoded.
    pub fn corrupt(what: &'static str, problem: impl fmt::Display) -> Self {
        NodeError::Corrupt { what, problem: problem.to_string() }
    }
}

impl fmt::Display for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NodeError::Config { path, problem } => {
                write!(f, "configuration{}: {problem}", place(path))
            }
            NodeError::Genesis { path, problem } => write!(f, "genesis{}: {problem}", place(path)),
            NodeError::KeyFile { path, problem } => write!(f, "key file {}: {problem}", path.display()),
            NodeError::NotAMember { identity } => write!(
                f,
                "the identity key {identity} belongs to no member of the chain; check that key file and genesis file match, or set \
                 observe = true under [node] if this node is to join"
            ),
            NodeError::Left { epoch, first_height } => write!(
                f,
                "this node has left the chain: it is not a member since epoch {epoch}, which starts with block {first_height}; \
                 keep the data directory as an archive, or delete it. To rejoin, use new keys and an empty directory"
            ),
            NodeError::EmptyData { path } => write!(
                f,
                "the data directory {} is empty, so the records of everything that this key has signed are missing; without \
                 them it may sign twice, which can split the chain. If this validator has never run, start it with \
                 --new-validator. Otherwise check the path and the mounted disk, or copy the directory from the old disk while \
                 no process uses it. If it is lost, do not start this key again: the other members remove this validator, and it \
                 joins with new keys",
                path.display()
            ),
            NodeError::DataExists { path } => write!(
                f,
                "the data directory {} is not empty, so this is not the validator's first start; start it without \
                 --new-validator",
                path.display()
            ),
            NodeError::DataInUse { path } => write!(
                f,
                "another process uses the data directory {}; stop it, or configure another directory",
                path.display()
            ),
            NodeError::DataMismatch { path, what, found, expected } => write!(
                f,
                "the data directory {} belongs to another {what} (expected {expected}, got {found}); start with the directory, key file and genesis file of the same validator",
                path.display()
            ),
            NodeError::Corrupt { what, problem } => write!(
                f,
                "cannot read {what}: {problem}; check the disk, and copy the directory again if only this copy is damaged. \
                 Never start the key with an older or an empty directory, because it may contradict what it has signed: if \
                 the data is lost, remove this validator from the committee, and join with new keys"
            ),
            NodeError::Pruned { height, oldest } => write!(
                f,
                "height {height} is pruned: this node keeps the blocks from height {oldest} on; ask an archive node, which keeps \
                 all blocks"
            ),
            NodeError::Store { during, problem } => {
                write!(f, "the store failed while {during}: {problem}; check the disk, then restart")
            }
            NodeError::Bind { address, source } => write!(
                f,
                "cannot listen on {address}: {source}; configure another address, or stop the process that uses it"
            ),
            NodeError::Io { during, path, source } => write!(f, "{during}{}: {source}", place(path)),
            NodeError::OpenFiles { limit, needed } => write!(
                f,
                "this process may open {limit} files, and the node needs at least {needed}; raise the limit (`ulimit -n`, or \
                 LimitNOFILE= in a systemd unit)"
            ),
            NodeError::ConflictingCommit { height, evidence } => write!(
                f,
                "a quorum committed another block at height {height}, which this node has committed; both certificates are in \
                 {}. Members with a third of the weight signed twice, usually because they started with empty data \
                 directories. Stop all validators, agree with their operators on one history, and start the validators \
                 whose data directories contain it, after removing that file from each; the others must join with new keys",
                evidence.display()
            ),
            NodeError::SameIdentity { address } => write!(
                f,
                "another running node at {address} uses this validator's identity key; stop one of the two nodes, because a key must never sign in two places"
            ),
            NodeError::Tls { problem } => write!(f, "cannot configure TLS: {problem}"),
            NodeError::Application { problem } => write!(f, "the application failed: {problem}"),
            NodeError::Token(e) => e.fmt(f),
            NodeError::Block(e) => e.fmt(f),
            NodeError::Stopped { why } => write!(f, "the node has stopped: {why}"),
        }
    }
}

impl std::error::Error for NodeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            NodeError::Bind { source, .. } | NodeError::Io { source, .. } => Some(source),
            NodeError::Token(e) => Some(e),
            NodeError::Block(e) => Some(e),
            _ => None,
        }
    }
}

impl From<rustls::Error> for NodeError {
    fn from(e: rustls::Error) -> Self {
        NodeError::Tls { problem: e.to_string() }
    }
}

impl From<TokenError> for NodeError {
    fn from(e: TokenError) -> Self {
        NodeError::Token(e)
    }
}

impl From<quorate::Error> for NodeError {
    fn from(e: quorate::Error) -> Self {
        NodeError::Block(e)
    }
}

fn place(path: &Option<PathBuf>) -> String {
    path.as_ref().map_or_else(String::new, |p| format!(" {}", p.display()))
}
