use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The result of what a node does on behalf of its operator.
pub type Result<T, E = NodeError> = std::result::Result<T, E>;

/// Why a node cannot start or go on. Each has a stable [`code`](NodeError::code), and its text says what to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum NodeError {
    /// The configuration file is wrong.
    Config {
        /// The file, if it came from one.
        path: Option<PathBuf>,
        /// What is wrong with it.
        problem: String,
    },
    /// The genesis file is wrong.
    Genesis {
        /// The file, if it came from one.
        path: Option<PathBuf>,
        /// What is wrong with it.
        problem: String,
    },
    /// The key file is wrong, readable by others, or would be overwritten.
    KeyFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The key file's keys belong to no member of the genesis file.
    NotAMember {
        /// The identity key, in hexadecimal.
        identity: String,
    },
    /// This node was a member and is none any more.
    Left {
        /// The first epoch without it.
        epoch: u64,
        /// The height of that epoch's first block.
        first_height: u64,
    },
    /// Another process uses the data directory.
    DataInUse {
        /// The directory.
        path: PathBuf,
    },
    /// The data directory was made by another chain or another validator.
    DataMismatch {
        /// The directory.
        path: PathBuf,
        /// What differs: `protocol`, `chain`, `validator` or `format`.
        what: &'static str,
        /// What the directory holds.
        found: String,
        /// What the node was started with.
        expected: String,
    },
    /// What the data directory holds cannot be read back.
    Corrupt {
        /// What was being read.
        what: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// The store failed.
    Store {
        /// What was being done.
        during: &'static str,
        /// What the store said.
        problem: String,
    },
    /// An address cannot be listened on.
    Bind {
        /// The address.
        address: String,
        /// Why not.
        source: io::Error,
    },
    /// The operating system refused something.
    Io {
        /// What was being done.
        during: &'static str,
        /// The file, if it was about one.
        path: Option<PathBuf>,
        /// Why not.
        source: io::Error,
    },
    /// Another running node uses this validator's identity key.
    SameIdentity {
        /// Where it was seen.
        address: String,
    },
    /// TLS could not be set up.
    Tls {
        /// What rustls said.
        problem: String,
    },
    /// The application failed in a way that it must not.
    Application {
        /// What happened.
        problem: String,
    },
    /// A building block refused.
    Block(quorate::Error),
    /// The node is shutting down or has stopped.
    Stopped {
        /// Why.
        why: String,
    },
}

impl NodeError {
    /// Every code that [`code`](NodeError::code) can return for an error of the node itself.
    pub const CODES: &'static [&'static str] = &[
        "CONFIG",
        "GENESIS",
        "KEY_FILE",
        "NOT_A_MEMBER",
        "LEFT",
        "DATA_IN_USE",
        "DATA_MISMATCH",
        "CORRUPT",
        "STORE",
        "BIND",
        "IO",
        "SAME_IDENTITY",
        "TLS",
        "APPLICATION",
        "STOPPED",
    ];

    /// A short code that never changes its meaning.
    pub fn code(&self) -> &'static str {
        match self {
            NodeError::Config { .. } => "CONFIG",
            NodeError::Genesis { .. } => "GENESIS",
            NodeError::KeyFile { .. } => "KEY_FILE",
            NodeError::NotAMember { .. } => "NOT_A_MEMBER",
            NodeError::Left { .. } => "LEFT",
            NodeError::DataInUse { .. } => "DATA_IN_USE",
            NodeError::DataMismatch { .. } => "DATA_MISMATCH",
            NodeError::Corrupt { .. } => "CORRUPT",
            NodeError::Store { .. } => "STORE",
            NodeError::Bind { .. } => "BIND",
            NodeError::Io { .. } => "IO",
            NodeError::SameIdentity { .. } => "SAME_IDENTITY",
            NodeError::Tls { .. } => "TLS",
            NodeError::Application { .. } => "APPLICATION",
            NodeError::Block(e) => e.code(),
            NodeError::Stopped { .. } => "STOPPED",
        }
    }

    /// An error of the operating system about a file.
    pub fn file(during: &'static str, path: &Path, source: io::Error) -> Self {
        NodeError::Io { during, path: Some(path.to_owned()), source }
    }

    /// An error of the store.
    pub fn store(during: &'static str, problem: impl fmt::Display) -> Self {
        NodeError::Store { during, problem: problem.to_string() }
    }

    /// Data that cannot be read back.
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
                "the identity key {identity} belongs to no member of the chain; check that key file and genesis file \
                 belong together, or, if it is to join, set observe = true under [node]"
            ),
            NodeError::Left { epoch, first_height } => write!(
                f,
                "this node has left the chain: it is no member from epoch {epoch} on, which begins with block \
                 {first_height}; its work is done, its data directory may be kept as an archive. To come back, join \
                 with new keys and an empty directory"
            ),
            NodeError::DataInUse { path } => write!(
                f,
                "another process uses the data directory {}; stop it, or give this node a directory of its own",
                path.display()
            ),
            NodeError::DataMismatch { path, what, found, expected } => write!(
                f,
                "the data directory {} belongs to another {what} (it holds {found}, this node has {expected}); \
                 start with the directory, key file and genesis file that belong together",
                path.display()
            ),
            NodeError::Corrupt { what, problem } => write!(
                f,
                "{what} cannot be read back: {problem}; restore the data directory from a copy of the same disk \
                 state, or leave the committee before using the key with an empty one"
            ),
            NodeError::Store { during, problem } => {
                write!(f, "the store failed while {during}: {problem}; check the disk, then start again")
            }
            NodeError::Bind { address, source } => write!(
                f,
                "cannot listen on {address}: {source}; choose another address in the configuration, or stop what uses it"
            ),
            NodeError::Io { during, path, source } => write!(f, "{during}{}: {source}", place(path)),
            NodeError::SameIdentity { address } => write!(
                f,
                "another running node at {address} uses this validator's identity key; stop one of the two, a key \
                 must never sign in two places"
            ),
            NodeError::Tls { problem } => write!(f, "TLS could not be set up: {problem}"),
            NodeError::Application { problem } => write!(f, "the application failed: {problem}"),
            NodeError::Block(e) => e.fmt(f),
            NodeError::Stopped { why } => write!(f, "the node has stopped: {why}"),
        }
    }
}

impl std::error::Error for NodeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            NodeError::Bind { source, .. } | NodeError::Io { source, .. } => Some(source),
            NodeError::Block(e) => Some(e),
            _ => None,
        }
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
