// The few SSZ containers that a light client hashes. Hashing is done by @chainsafe/ssz, the library of the Lodestar client;
// this file contains no hashing of lists or vectors.

import { digest64 } from '@chainsafe/as-sha256';
import { ByteListType, ByteVectorType, ContainerType, UintBigintType, VectorCompositeType } from '@chainsafe/ssz';
import { anyBytes, bytes, bytes32, listOf, number, number256, object, optional, same } from './text.js';

const uint64 = new UintBigintType(8);
const Bytes4 = new ByteVectorType(4);
const Bytes32 = new ByteVectorType(32);
const Bytes48 = new ByteVectorType(48);

const BeaconBlockHeader = new ContainerType({
  slot: uint64,
  proposer_index: uint64,
  parent_root: Bytes32,
  state_root: Bytes32,
  body_root: Bytes32,
});
const ForkData = new ContainerType({ current_version: Bytes4, genesis_validators_root: Bytes32 });
const SigningData = new ContainerType({ object_root: Bytes32, domain: Bytes32 });

const capella = {
  parent_hash: Bytes32,
  fee_recipient: new ByteVectorType(20),
  state_root: Bytes32,
  receipts_root: Bytes32,
  logs_bloom: new ByteVectorType(256),
  prev_randao: Bytes32,
  block_number: uint64,
  gas_limit: uint64,
  gas_used: uint64,
  timestamp: uint64,
  extra_data: new ByteListType(32),
  base_fee_per_gas: new UintBigintType(32),
  block_hash: Bytes32,
  transactions_root: Bytes32,
  withdrawals_root: Bytes32,
};
const CapellaPayload = new ContainerType(capella);
const DenebPayload = new ContainerType({ ...capella, blob_gas_used: uint64, excess_blob_gas: uint64 });

const readBeacon = object({
  slot: number,
  proposer_index: number,
  parent_root: bytes32,
  state_root: bytes32,
  body_root: bytes32,
});
const readPayload = object({
  parent_hash: bytes32,
  fee_recipient: bytes(20),
  state_root: bytes32,
  receipts_root: bytes32,
  logs_bloom: bytes(256),
  prev_randao: bytes32,
  block_number: number,
  gas_limit: number,
  gas_used: number,
  timestamp: number,
  extra_data: anyBytes,
  base_fee_per_gas: number256,
  block_hash: bytes32,
  transactions_root: bytes32,
  withdrawals_root: bytes32,
  blob_gas_used: optional(number),
  excess_blob_gas: optional(number),
});
const branch = listOf(bytes32);

export const readCommittee = object({ pubkeys: listOf(bytes(48)), aggregate_pubkey: bytes(48) });
const readHeader = object({ beacon: readBeacon, execution: optional(readPayload), execution_branch: optional(branch) });
export const readBootstrap = object({
  header: readHeader,
  current_sync_committee: readCommittee,
  current_sync_committee_branch: branch,
});
/** An update, a finality update (without a committee) or an optimistic update (without a finalized header too). */
export const readUpdate = object({
  attested_header: readHeader,
  next_sync_committee: optional(readCommittee),
  next_sync_committee_branch: optional(branch),
  finalized_header: optional(readHeader),
  finality_branch: optional(branch),
  sync_aggregate: object({ sync_committee_bits: anyBytes, sync_committee_signature: bytes(96) }),
  signature_slot: number,
});

export const headerRoot = (header) => BeaconBlockHeader.hashTreeRoot(header);
export const forkDataRoot = (data) => ForkData.hashTreeRoot(data);
export const signingDataRoot = (data) => SigningData.hashTreeRoot(data);
export const emptyHeader = () => BeaconBlockHeader.defaultValue();

/** Returns the root of a committee: a *vector* of the keys, and the aggregate key. */
export function committeeRoot({ pubkeys, aggregate_pubkey }) {
  const SyncCommittee = new ContainerType({
    pubkeys: new VectorCompositeType(Bytes48, pubkeys.length),
    aggregate_pubkey: Bytes48,
  });
  return SyncCommittee.hashTreeRoot({ pubkeys, aggregate_pubkey });
}

/** Returns the root according to the block's fork; undefined if `extra_data` is too long. */
export function payloadRoot(payload, deneb) {
  if (payload.extra_data.length > 32) return undefined;
  if (!deneb) return CapellaPayload.hashTreeRoot(payload);
  const { blob_gas_used = 0n, excess_blob_gas = 0n } = payload;
  return DenebPayload.hashTreeRoot({ ...payload, blob_gas_used, excess_blob_gas });
}

/**
 * Whether `nodes` lead from `leaf` at a generalized index to `root`. A branch that was made for a deeper tree begins with
 * zeros, as those have that were upgraded to a later fork.
 */
export function isValidBranch(leaf, nodes, index, root) {
  const depth = Math.floor(Math.log2(index));
  const extra = nodes.length - depth;
  if (extra < 0 || nodes.slice(0, extra).some((node) => node.some(Boolean))) return false;
  let [node, place] = [leaf, index];
  const pair = new Uint8Array(64);
  for (const sibling of nodes.slice(extra)) {
    pair.set(place % 2 ? sibling : node, 0);
    pair.set(place % 2 ? node : sibling, 32);
    node = digest64(pair);
    place >>= 1;
  }
  return same(node, root);
}
