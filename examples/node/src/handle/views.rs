use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use bytes::Bytes;
use quorate::machine::MemberIndex;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A 32-byte hash. Its text form, also in JSON, is 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

/// Identifier of a transaction: the hash of its bytes as a leaf of a batch's Merkle tree.
pub type TransactionId = Digest;

/// Position of an accepted transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Ticket {
    /// Identifier of the transaction.
    pub id: TransactionId,
    /// Sequence number of its batch among this node's batches. A commit event with this number in
    /// [`CommitEvent::own_batches`] commits the transaction.
    pub batch_sequence: u64,
    /// Position in the batch.
    pub position: u32,
}

/// Reason why a transaction was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The transaction is empty.
    Empty,
    /// The transaction is above the chain's limit.
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The application or the protocol rejects it.
    Rejected {
        /// Reason.
        reason: String,
    },
    /// The same bytes are already pending at this node, or were committed by a protocol that orders them once.
    Duplicate {
        /// Identifier of the transaction.
        id: TransactionId,
    },
    /// The node's mempool is full.
    Busy {
        /// Time after which to retry.
        retry_after: Duration,
    },
    /// The node is behind the chain and catching up.
    Syncing,
    /// The node is shutting down.
    ShuttingDown,
}

/// A block that was committed and executed.
#[derive(Clone, Debug, Serialize)]
pub struct CommitEvent {
    /// Height in the chain; the first block has height 1.
    pub height: u64,
    /// The view in which it was proposed.
    pub view: u64,
    /// Digest that identifies it.
    pub digest: Digest,
    /// The member that proposed it; `None` if the members made it together.
    pub author: Option<MemberIndex>,
    /// Number of transactions.
    pub transactions: u32,
    /// Size of the transactions in bytes.
    pub bytes: u64,
    /// Root of the application's state after it.
    pub state_root: Digest,
    /// Sequence numbers of this node's own batches in it.
    pub own_batches: Vec<u64>,
    /// Size of the quorum certificate in it, in bytes.
    pub certificate_bytes: u32,
    /// Time of the proposal on the author's clock, in milliseconds since 1970; 0 if the protocol has no clock.
    pub timestamp: u64,
}

/// Status of a node.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// Version of this software.
    pub version: &'static str,
    /// The chain's name.
    pub chain: String,
    /// Identifier of the chain: the hash of its genesis.
    pub chain_id: Digest,
    /// Name of the consensus protocol, such as `jolteon` or `gosig`.
    pub protocol: &'static str,
    /// The signature scheme of votes: `bls` or `ed25519`.
    pub scheme: &'static str,
    /// Index of this node in the committee; `None` for an observer.
    pub me: Option<MemberIndex>,
    /// Name of this node; empty for an observer.
    pub name: String,
    /// The epoch.
    pub epoch: u64,
    /// Current view, or round.
    pub view: u64,
    /// Leader of the view; with Gosig, the proposer of the best block that the node knows; `None` with ABFT.
    pub leader: Option<MemberIndex>,
    /// Height of the newest committed block.
    pub height: u64,
    /// Height of the newest executed block.
    pub executed_height: u64,
    /// Height of the oldest block that the node has; 1 if none is pruned.
    pub oldest_height: u64,
    /// Root of the application's state after the executed block.
    pub state_root: Digest,
    /// Size of the newest quorum certificate, in bytes.
    pub certificate_bytes: u32,
    /// Number of transactions that this node has executed since it started.
    pub committed_transactions: u64,
    /// Number of accepted transactions that are not committed.
    pub pending_transactions: u64,
    /// Size of these in bytes.
    pub pending_bytes: u64,
    /// Number of views that timed out since the start; with Gosig, of rounds with work but without a commit.
    pub timeouts: u64,
    /// True if the node is catching up with the chain.
    pub syncing: bool,
    /// Blocks that the node lacks and that no connected peer has, because all have pruned them: it cannot catch up.
    pub missing_history: Option<MissingHistory>,
    /// The node's abstention from votes after a start, because its data may be older than its last signature; `None` if it
    /// does not abstain.
    pub abstention: Option<AbstentionStatus>,
    /// Number of epochs for which the node has presignatures; `None` if its chain uses none.
    pub presigned_epochs: Option<u64>,
    /// True if the node refuses transactions because too many are uncommitted.
    pub congested: bool,
    /// True if the node is shutting down.
    pub stopping: bool,
    /// Code of the error that stopped the node; see [`NodeError::code`](crate::NodeError::code). It signs nothing more.
    pub failure: Option<&'static str>,
    /// Milliseconds since the node started.
    pub uptime_ms: u64,
    /// Median of the peers' clocks minus this node's clock, in milliseconds; `None` if none is known yet.
    pub clock_difference_ms: Option<i64>,
    /// The members that the node can send to.
    pub reachable: Reachable,
    /// The other members, in order.
    pub peers: Vec<PeerStatus>,
}

/// Blocks that a node lacks and that its peers have pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MissingHistory {
    /// Height of the first block that the node lacks.
    pub height: u64,
    /// Height of the oldest block of the peers.
    pub oldest: u64,
}

/// Abstention of a node from votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct AbstentionStatus {
    /// Last view, or round, in which the node signs nothing; `None` while it awaits the answers of its peers.
    pub until_view: Option<u64>,
    /// True if the counter of signatures shows that data is missing; false if the node cannot know.
    pub rolled_back: bool,
}

/// The members that a node can send to, with itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Reachable {
    /// Their number.
    pub members: usize,
    /// Number of members of the epoch.
    pub of: usize,
    /// True if they weigh at least a quorum, without which nothing commits.
    pub quorum: bool,
}

/// Status of the links with another member.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PeerStatus {
    /// Index of the member.
    pub index: MemberIndex,
    /// Its name.
    pub name: String,
    /// The address this node dials.
    pub address: String,
    /// True if this node's link to the member is up.
    pub outgoing: bool,
    /// True if the member's link to this node is up.
    pub incoming: bool,
    /// Frames sent since the start.
    pub frames_sent: u64,
    /// Bytes sent since the start.
    pub bytes_sent: u64,
    /// Frames received since the start.
    pub frames_received: u64,
    /// Bytes received since the start.
    pub bytes_received: u64,
    /// Frames dropped because the queue to the member was full.
    pub frames_dropped: u64,
    /// Frames from the member that were malformed or too large.
    pub frames_refused: u64,
    /// Protocol violations by the member.
    pub faults: u64,
    /// Number of queued frames.
    pub queued_frames: u64,
    /// Size of these in bytes.
    pub queued_bytes: u64,
    /// Last error of the links.
    pub last_error: Option<String>,
    /// The member's clock minus this node's, in milliseconds; `None` if it is not known yet.
    pub clock_difference_ms: Option<i64>,
}

/// A member of the committee.
#[derive(Clone, Debug, Serialize)]
pub struct ValidatorView {
    /// Its index.
    pub index: MemberIndex,
    /// Its name.
    pub name: String,
    /// Its link address.
    pub address: String,
    /// Its weight in decimal, because it may exceed the range of JSON numbers.
    pub weight: String,
    /// Its identity key, in hexadecimal.
    pub identity_key: String,
    /// Its voting key, in hexadecimal.
    pub voting_key: String,
}

/// An epoch of the chain, with its proof for a client that knows the previous epoch.
#[derive(Clone, Debug, Serialize)]
pub struct EpochView {
    /// Its number.
    pub epoch: u64,
    /// The height of its first block.
    pub first_height: u64,
    /// Its members, in order.
    pub members: Vec<ValidatorView>,
    /// Encoding of its anchor, the last block of the previous epoch. This and the next two fields are `None` for the
    /// genesis epoch.
    #[serde(serialize_with = "hex_option")]
    pub block: Option<Bytes>,
    /// Encoding of the finality of that block.
    #[serde(serialize_with = "hex_option")]
    pub finality: Option<Bytes>,
    /// Encoding of the payload of that block: its transactions contain the membership changes.
    #[serde(serialize_with = "hex_option")]
    pub payload: Option<Bytes>,
}

/// A committed block in its encoding, with the proof that it is committed.
#[derive(Clone, Debug, Serialize)]
pub struct CommitView {
    /// Height in the chain.
    pub height: u64,
    /// Encoding of the block.
    #[serde(serialize_with = "hex_bytes")]
    pub block: Bytes,
    /// Encoding of its finality.
    #[serde(serialize_with = "hex_bytes")]
    pub finality: Bytes,
}

/// A committed block.
#[derive(Clone, Debug, Serialize)]
pub struct BlockView {
    /// Height in the chain.
    pub height: u64,
    /// The epoch.
    pub epoch: u64,
    /// The view in which it was proposed.
    pub view: u64,
    /// Digest that identifies it.
    pub digest: Digest,
    /// Digest of the parent block.
    pub parent: Digest,
    /// The member that proposed it; `None` if the members made it together.
    pub author: Option<MemberIndex>,
    /// Time of the proposal on the author's clock, in milliseconds since 1970; 0 if the protocol has no clock.
    pub timestamp: u64,
    /// Its batches, in order.
    pub batches: Vec<BatchView>,
    /// Number of transactions.
    pub transactions: u64,
    /// Size of the transactions in bytes.
    pub bytes: u64,
    /// Height of the state that the block contains.
    pub executed_height: u64,
    /// Root of that state.
    pub executed_root: Digest,
    /// Quorum certificate: with Jolteon that of the parent, which the block contains; with Gosig the one that commits the
    /// block.
    #[serde(serialize_with = "hex_bytes")]
    pub certificate: Bytes,
    /// Signers of the certificate.
    pub signers: Vec<MemberIndex>,
}

/// A batch in a block.
#[derive(Clone, Debug, Serialize)]
pub struct BatchView {
    /// Digest that identifies it.
    pub digest: Digest,
    /// The member that made it.
    pub author: MemberIndex,
    /// Sequence number among its author's batches.
    pub sequence: u64,
    /// Number of transactions.
    pub transactions: u32,
    /// Size of the transactions in bytes.
    pub bytes: u64,
}

/// A committed transaction.
#[derive(Clone, Debug, Serialize)]
pub struct TransactionView {
    /// Digest that identifies it.
    pub id: TransactionId,
    /// Its bytes.
    #[serde(serialize_with = "hex_bytes")]
    pub transaction: Bytes,
    /// Height of the block that commits it.
    pub height: u64,
    /// Digest of that block.
    pub block: Digest,
    /// Digest of its batch.
    pub batch: Digest,
    /// Position in the batch.
    pub position: u32,
    /// Encoding of a [`TransactionProof`](crate::proof::TransactionProof), which a client verifies with only the genesis.
    #[serde(serialize_with = "hex_bytes")]
    pub proof: Bytes,
}

/// The application's answer to a query.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// The value; `None` if there is none.
    #[serde(serialize_with = "hex_option")]
    pub value: Option<Bytes>,
    /// Height of the queried state.
    pub height: u64,
    /// Root of that state.
    pub state_root: Digest,
    /// The application's proof of the value under the root; empty if it provides none.
    #[serde(serialize_with = "hex_bytes")]
    pub application_proof: Bytes,
    /// Encoding of a [`StateProof`](crate::proof::StateProof), which a client verifies with only the genesis; `None` if the
    /// application is not a ledger, or if no committed block contains this state yet.
    #[serde(serialize_with = "hex_option")]
    pub proof: Option<Bytes>,
}

impl Refusal {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::Empty => "EMPTY",
            Refusal::TooLarge { .. } => "TOO_LARGE",
            Refusal::Rejected { .. } => "REJECTED",
            Refusal::Duplicate { .. } => "DUPLICATE",
            Refusal::Busy { .. } => "BUSY",
            Refusal::Syncing => "SYNCING",
            Refusal::ShuttingDown => "SHUTTING_DOWN",
        }
    }

    /// Returns true if the same transaction may be accepted later or by another node.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Refusal::Busy { .. } | Refusal::Syncing | Refusal::ShuttingDown)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Empty => f.write_str("the transaction is empty; send at least one byte"),
            Refusal::TooLarge { limit } => {
                write!(f, "transaction too large: this chain accepts at most {limit} bytes; split it")
            }
            Refusal::Rejected { reason } => write!(f, "the transaction is rejected: {reason}"),
            Refusal::Duplicate { id } => {
                write!(f, "transaction {id} is already pending at this node; wait for its commit")
            }
            Refusal::Busy { retry_after } => write!(
                f,
                "the node's mempool is full; retry in {} ms or at another validator",
                retry_after.as_millis()
            ),
            Refusal::Syncing => {
                f.write_str("the node is catching up with the chain; retry later or at another validator")
            }
            Refusal::ShuttingDown => f.write_str("the node is shutting down; submit at another validator"),
        }
    }
}

impl std::error::Error for Refusal {}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl FromStr for Digest {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes)
            .map_err(|_| "malformed hash: expected 64 hexadecimal digits")?;
        Ok(Digest(bytes))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

fn hex_bytes<S: Serializer>(bytes: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hex::encode(bytes))
}

fn hex_option<S: Serializer>(bytes: &Option<Bytes>, serializer: S) -> Result<S::Ok, S::Error> {
    match bytes {
        Some(bytes) => hex_bytes(bytes, serializer),
        None => serializer.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_reads_back_from_its_text() {
        let digest = Digest([0xab; 32]);
        assert_eq!(digest.to_string().parse(), Ok(digest));
        assert!("ab".parse::<Digest>().is_err());
        assert_eq!(serde_json::to_string(&digest).ok(), Some(format!("\"{}\"", "ab".repeat(32))));
    }
}
