use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use bytes::Bytes;
use quorate::machine::MemberIndex;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A 32-byte hash. Text form, in JSON too: 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

/// The identity of a transaction: the hash of its bytes as a leaf of a batch's tree.
pub type TransactionId = Digest;

/// Where a transaction went that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Ticket {
    /// The transaction's identity.
    pub id: TransactionId,
    /// The sequence number, among this node's batches, of the batch that will hold it. A commit that lists this
    /// number in [`CommitEvent::own_batches`] has committed the transaction.
    pub batch_sequence: u64,
    /// Its place in that batch.
    pub position: u32,
}

/// Why a transaction was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// It has no bytes.
    Empty,
    /// It is above the chain's limit.
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The application, or the protocol, does not accept it.
    Rejected {
        /// What the application says.
        reason: String,
    },
    /// The same bytes are waiting for their commit at this node already, or were committed where they are ordered once.
    Duplicate {
        /// Their identity.
        id: TransactionId,
    },
    /// The node has as much uncommitted work as it may hold.
    Busy {
        /// When to try again.
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
    /// Its place in the chain; the first block has 1.
    pub height: u64,
    /// The view in which it was proposed.
    pub view: u64,
    /// Its identity.
    pub digest: Digest,
    /// Who proposed it.
    pub author: MemberIndex,
    /// How many transactions it holds.
    pub transactions: u32,
    /// How many bytes of transactions it holds.
    pub bytes: u64,
    /// The application's state after it.
    pub state_root: Digest,
    /// The sequence numbers of this node's own batches in it.
    pub own_batches: Vec<u64>,
    /// Size of the quorum certificate in it, in bytes.
    pub certificate_bytes: u32,
    /// When its author made it: milliseconds since 1970 by the author's clock.
    pub timestamp: u64,
}

/// The node at one moment.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// Version of this software.
    pub version: &'static str,
    /// The chain's name.
    pub chain: String,
    /// The chain's identity: the hash of its genesis.
    pub chain_id: Digest,
    /// How the validators agree: `jolteon` or `gosig`.
    pub protocol: &'static str,
    /// The signature scheme of votes: `bls` or `ed25519`.
    pub scheme: &'static str,
    /// This node's place in the committee; none if it looks on and is no member (yet).
    pub me: Option<MemberIndex>,
    /// This node's name; empty if it is no member.
    pub name: String,
    /// The epoch.
    pub epoch: u64,
    /// The view, or round, the node is in.
    pub view: u64,
    /// Who leads that view; with Gosig, who proposed the best block that the node knows.
    pub leader: MemberIndex,
    /// Height of the newest committed block.
    pub height: u64,
    /// Height of the newest executed block.
    pub executed_height: u64,
    /// The application's state after that block.
    pub state_root: Digest,
    /// Size of the newest quorum certificate, in bytes.
    pub certificate_bytes: u32,
    /// Transactions committed in blocks this node has executed since it started.
    pub committed_transactions: u64,
    /// Transactions that this node took and that are not committed yet.
    pub pending_transactions: u64,
    /// Their bytes.
    pub pending_bytes: u64,
    /// Views that this node gave up since it started; with Gosig, rounds in which nothing was committed though there was
    /// work.
    pub timeouts: u64,
    /// Whether the node is behind the chain and catching up.
    pub syncing: bool,
    /// Whether the node refuses transactions because too much is uncommitted.
    pub congested: bool,
    /// Whether the node is shutting down.
    pub stopping: bool,
    /// Milliseconds since the node started.
    pub uptime_ms: u64,
    /// The other members, in order.
    pub peers: Vec<PeerStatus>,
}

/// The links with one other member.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PeerStatus {
    /// The member.
    pub index: MemberIndex,
    /// Its name.
    pub name: String,
    /// The address this node dials.
    pub address: String,
    /// Whether this node's link to the member stands.
    pub outgoing: bool,
    /// Whether the member's link to this node stands.
    pub incoming: bool,
    /// Frames sent since the start.
    pub frames_sent: u64,
    /// Bytes sent since the start.
    pub bytes_sent: u64,
    /// Frames received since the start.
    pub frames_received: u64,
    /// Bytes received since the start.
    pub bytes_received: u64,
    /// Frames dropped because the member did not keep up.
    pub frames_dropped: u64,
    /// Frames from the member that were refused: undecodable, oversized.
    pub frames_refused: u64,
    /// Faults of protocol charged to the member.
    pub faults: u64,
    /// Frames waiting to be sent.
    pub queued_frames: u64,
    /// Their bytes.
    pub queued_bytes: u64,
    /// What last went wrong with the links.
    pub last_error: Option<String>,
}

/// A member of the committee.
#[derive(Clone, Debug, Serialize)]
pub struct ValidatorView {
    /// Its place.
    pub index: MemberIndex,
    /// Its name.
    pub name: String,
    /// Where it accepts links.
    pub address: String,
    /// Its weight, in decimal (it may exceed what JSON numbers can say).
    pub weight: String,
    /// Its identity key, in hexadecimal.
    pub identity_key: String,
    /// Its voting key, in hexadecimal.
    pub voting_key: String,
}

/// An epoch of the chain, with all that shows, to who knows the epochs before it, that it is one.
#[derive(Clone, Debug, Serialize)]
pub struct EpochView {
    /// Its number.
    pub epoch: u64,
    /// The height of its first block.
    pub first_height: u64,
    /// Its members, in order.
    pub members: Vec<ValidatorView>,
    /// The encoding of its anchor, the last block of the epoch before; `None` for the genesis, and so are the others.
    #[serde(serialize_with = "hex_option")]
    pub block: Option<Bytes>,
    /// The encoding of why that block is committed.
    #[serde(serialize_with = "hex_option")]
    pub finality: Option<Bytes>,
    /// The encoding of that block's payload: the changes of the members are among its transactions.
    #[serde(serialize_with = "hex_option")]
    pub payload: Option<Bytes>,
}

/// A committed block.
#[derive(Clone, Debug, Serialize)]
pub struct BlockView {
    /// Its place in the chain.
    pub height: u64,
    /// The epoch.
    pub epoch: u64,
    /// The view in which it was proposed.
    pub view: u64,
    /// Its identity.
    pub digest: Digest,
    /// The identity of the block before it.
    pub parent: Digest,
    /// Who proposed it.
    pub author: MemberIndex,
    /// When its author made it: milliseconds since 1970 by the author's clock.
    pub timestamp: u64,
    /// The batches it names, in order.
    pub batches: Vec<BatchView>,
    /// How many transactions they hold.
    pub transactions: u64,
    /// How many bytes of transactions they hold.
    pub bytes: u64,
    /// The height whose state the block states.
    pub executed_height: u64,
    /// The state after that height.
    pub executed_root: Digest,
    /// Of Jolteon the quorum certificate of the parent, which the block carries; of Gosig the one that commits it.
    #[serde(serialize_with = "hex_bytes")]
    pub certificate: Bytes,
    /// Who signed that certificate.
    pub signers: Vec<MemberIndex>,
}

/// A batch that a block names.
#[derive(Clone, Debug, Serialize)]
pub struct BatchView {
    /// Its identity.
    pub digest: Digest,
    /// Who made it.
    pub author: MemberIndex,
    /// Its number among its author's batches.
    pub sequence: u64,
    /// How many transactions it holds.
    pub transactions: u32,
    /// How many bytes of transactions it holds.
    pub bytes: u64,
}

/// A committed transaction.
#[derive(Clone, Debug, Serialize)]
pub struct TransactionView {
    /// Its identity.
    pub id: TransactionId,
    /// Its bytes.
    #[serde(serialize_with = "hex_bytes")]
    pub transaction: Bytes,
    /// Height of the block that commits it.
    pub height: u64,
    /// Identity of that block.
    pub block: Digest,
    /// Identity of the batch that holds it.
    pub batch: Digest,
    /// Its place in the batch.
    pub position: u32,
    /// The encoding of a [`TransactionProof`](crate::proof), which needs nothing but the genesis to be checked.
    #[serde(serialize_with = "hex_bytes")]
    pub proof: Bytes,
}

/// The application's answer to a query.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// What was asked for; `None` if there is nothing.
    #[serde(serialize_with = "hex_option")]
    pub value: Option<Bytes>,
    /// The height whose state was asked.
    pub height: u64,
    /// That state's root.
    pub state_root: Digest,
    /// The application's own proof of the value under the root; empty if the application gives none.
    #[serde(serialize_with = "hex_bytes")]
    pub application_proof: Bytes,
    /// The encoding of a [`StateProof`](crate::proof::StateProof), which needs nothing but the genesis to be
    /// checked; `None` if the application is no ledger, or no committed block states this state yet.
    #[serde(serialize_with = "hex_option")]
    pub proof: Option<Bytes>,
}

impl Refusal {
    /// A short code that never changes its meaning.
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

    /// Whether the same transaction may be taken later, or by another node.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Refusal::Busy { .. } | Refusal::Syncing | Refusal::ShuttingDown)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Empty => f.write_str("the transaction has no bytes; send at least one"),
            Refusal::TooLarge { limit } => {
                write!(f, "the transaction is above this chain's limit of {limit} bytes; split it")
            }
            Refusal::Rejected { reason } => write!(f, "the transaction is refused: {reason}"),
            Refusal::Duplicate { id } => {
                write!(f, "the transaction {id} is already waiting for its commit here; wait for it")
            }
            Refusal::Busy { retry_after } => write!(
                f,
                "the node has as much uncommitted work as it may hold; try again in {} ms or at another validator",
                retry_after.as_millis()
            ),
            Refusal::Syncing => {
                f.write_str("the node is catching up with the chain; try again later or at another validator")
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
        hex::decode_to_slice(text, &mut bytes).map_err(|_| "a hash is 64 hexadecimal digits")?;
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
