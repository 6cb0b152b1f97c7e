//! Response bodies of a validator's HTTP interface; see `spec/http.md`.

use quorate_node::genesis::Hex;
use quorate_node::handle::Digest;
use serde::{Deserialize, Serialize};

/// Status of a validator.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Status {
    pub chain: String,
    pub chain_id: Digest,
    pub protocol: String,
    pub scheme: String,
    /// Index in the committee; `None` for an observer.
    pub me: Option<u16>,
    pub name: String,
    pub epoch: u64,
    pub view: u64,
    pub leader: Option<u16>,
    pub height: u64,
    /// Height of the oldest block; an older version does not state it and has all blocks.
    #[serde(default = "first_height")]
    pub oldest_height: u64,
    pub certificate_bytes: u32,
    pub pending_transactions: u64,
    pub timeouts: u64,
    pub syncing: bool,
    #[serde(default)]
    pub missing_history: Option<MissingHistory>,
    pub abstention: Option<Abstention>,
    pub presigned_epochs: Option<u64>,
    pub peers: Vec<Peer>,
    pub stream: Option<String>,
}

fn first_height() -> u64 {
    1
}

/// Blocks that a validator lacks and that its peers have pruned.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct MissingHistory {
    pub height: u64,
    pub oldest: u64,
}

/// Abstention of a validator from votes after a start.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Abstention {
    pub until_view: Option<u64>,
    pub rolled_back: bool,
}

/// State of the links between two validators.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Peer {
    pub name: String,
    pub outgoing: bool,
    pub incoming: bool,
    pub faults: u64,
    pub last_error: Option<String>,
}

/// Receipt of a submitted transaction.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Ticket {
    pub id: Digest,
}

/// A committed transaction.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Transaction {
    pub transaction: String,
    pub height: u64,
    pub proof: String,
}

/// The application's answer to a query.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Answer {
    pub value: Option<String>,
    pub height: u64,
    pub proof: Option<String>,
}

/// A block of a list.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct BlockSummary {
    pub height: u64,
    pub digest: Digest,
}

/// The proof of an epoch, as validators serve it and as files store it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ServedEpoch {
    pub epoch: u64,
    /// The block on which the epoch begins; `None` for the genesis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<Hex>,
    /// Proof that the block is committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finality: Option<Hex>,
    /// All transactions of the block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Hex>,
}

/// A committed block with the proof that it is committed.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct CommitProof {
    pub block: Hex,
    pub finality: Hex,
}

/// Response body of `/v1/epochs`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ServedEpochs {
    pub epochs: Vec<ServedEpoch>,
}
