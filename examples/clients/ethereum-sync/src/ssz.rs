//! The SSZ containers that a light client hashes, in the JSON form of the beacon API. `libssz` does the
//! hashing; this file contains no hashing of lists or vectors.

use libssz_derive::{HashTreeRoot, SszEncode};
use libssz_merkle::{HashTreeRoot, Node, Sha2Hasher, hash_nodes, merkleize};
use libssz_types::SszList;
use serde::{Deserialize, Serialize};

use crate::text;

/// Returns the root of a container.
pub(crate) fn root(value: &impl HashTreeRoot) -> Node {
    value.hash_tree_root(&Sha2Hasher)
}

/// A beacon block header.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, SszEncode, HashTreeRoot)]
pub(crate) struct BeaconBlockHeader {
    #[serde(with = "text::number")]
    pub slot: u64,
    #[serde(with = "text::number")]
    pub proposer_index: u64,
    #[serde(with = "text::bytes")]
    pub parent_root: [u8; 32],
    #[serde(with = "text::bytes")]
    pub state_root: [u8; 32],
    #[serde(with = "text::bytes")]
    pub body_root: [u8; 32],
}

/// A sync committee; members may occur more than once. Its size depends on the network, so it is not an SSZ type
/// here: see [`SyncCommittee::root`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SyncCommittee {
    #[serde(with = "text::list_of_bytes")]
    pub pubkeys: Vec<[u8; 48]>,
    #[serde(with = "text::bytes")]
    pub aggregate_pubkey: [u8; 48],
}

impl SyncCommittee {
    /// Returns the root of the container with a *vector* of the keys: unlike for a list, no length is mixed in.
    pub(crate) fn root(&self) -> Node {
        let keys: Vec<Node> = self.pubkeys.iter().map(root).collect();
        let pubkeys = merkleize(&Sha2Hasher, &keys, None);
        merkleize(&Sha2Hasher, &[pubkeys, root(&self.aggregate_pubkey)], None)
    }
}

#[derive(SszEncode, HashTreeRoot)]
pub(crate) struct ForkData {
    pub current_version: [u8; 4],
    pub genesis_validators_root: [u8; 32],
}

#[derive(SszEncode, HashTreeRoot)]
pub(crate) struct SigningData {
    pub object_root: [u8; 32],
    pub domain: [u8; 32],
}

/// An execution payload header, from Capella on; the last two fields from Deneb on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExecutionPayloadHeader {
    #[serde(with = "text::bytes")]
    pub parent_hash: [u8; 32],
    #[serde(with = "text::bytes")]
    pub fee_recipient: [u8; 20],
    #[serde(with = "text::bytes")]
    pub state_root: [u8; 32],
    #[serde(with = "text::bytes")]
    pub receipts_root: [u8; 32],
    #[serde(with = "text::bytes")]
    pub logs_bloom: [u8; 256],
    #[serde(with = "text::bytes")]
    pub prev_randao: [u8; 32],
    #[serde(with = "text::number")]
    pub block_number: u64,
    #[serde(with = "text::number")]
    pub gas_limit: u64,
    #[serde(with = "text::number")]
    pub gas_used: u64,
    #[serde(with = "text::number")]
    pub timestamp: u64,
    #[serde(with = "text::any_bytes")]
    pub extra_data: Vec<u8>,
    #[serde(with = "text::number_256")]
    pub base_fee_per_gas: [u8; 32],
    #[serde(with = "text::bytes")]
    pub block_hash: [u8; 32],
    #[serde(with = "text::bytes")]
    pub transactions_root: [u8; 32],
    #[serde(with = "text::bytes")]
    pub withdrawals_root: [u8; 32],
    #[serde(with = "text::optional_number", default, skip_serializing_if = "Option::is_none")]
    pub blob_gas_used: Option<u64>,
    #[serde(with = "text::optional_number", default, skip_serializing_if = "Option::is_none")]
    pub excess_blob_gas: Option<u64>,
}

impl ExecutionPayloadHeader {
    /// Returns the root according to the block's fork: with or without the two fields of Deneb. `None` if
    /// `extra_data` is too long.
    pub(crate) fn root(&self, deneb: bool) -> Option<Node> {
        let extra_data = SszList::<u8, 32>::try_from(self.extra_data.clone()).ok()?;
        let mut fields = vec![
            root(&self.parent_hash),
            root(&self.fee_recipient),
            root(&self.state_root),
            root(&self.receipts_root),
            root(&self.logs_bloom),
            root(&self.prev_randao),
            root(&self.block_number),
            root(&self.gas_limit),
            root(&self.gas_used),
            root(&self.timestamp),
            root(&extra_data),
            root(&self.base_fee_per_gas),
            root(&self.block_hash),
            root(&self.transactions_root),
            root(&self.withdrawals_root),
        ];
        if deneb {
            fields.push(root(&self.blob_gas_used.unwrap_or(0)));
            fields.push(root(&self.excess_blob_gas.unwrap_or(0)));
        }
        Some(merkleize(&Sha2Hasher, &fields, None))
    }
}

/// Returns true if `branch` leads from `leaf` at a generalized index to `root`. A branch upgraded to the deeper tree
/// of a later fork starts with zeros.
pub(crate) fn is_valid_branch(leaf: &Node, branch: &[Node], index: u64, root: &Node) -> bool {
    let depth = index.ilog2() as usize;
    let Some(extra) = branch.len().checked_sub(depth) else { return false };
    let (zeros, siblings) = branch.split_at(extra);
    let hash = |(level, node): (u64, Node), sibling: &Node| match level % 2 {
        1 => (level / 2, hash_nodes(&Sha2Hasher, sibling, &node)),
        _ => (level / 2, hash_nodes(&Sha2Hasher, &node, sibling)),
    };
    let (_, found) = siblings.iter().fold((index, *leaf), hash);
    zeros.iter().all(|node| *node == [0; 32]) && found == *root
}
