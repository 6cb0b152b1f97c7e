"""The SSZ containers that a light client hashes, in the JSON form of the beacon API.

Hashing is done by remerkleable, the library in which Ethereum's executable specification is to_json; nothing here
knows how a list or a vector is hashed.
"""

# No `from __future__ import annotations`: remerkleable reads the types of container fields from the annotations.
import hashlib
from dataclasses import dataclass
from typing import Any

from remerkleable.basic import uint64, uint256
from remerkleable.byte_arrays import Bytes4, Bytes32, Bytes48, ByteList, ByteVector
from remerkleable.complex import Container, Vector

from .text import Reader, any_bytes, bytes_of, field, list_of, number, number_256, optional, to_hex

bytes32 = bytes_of(32)


class BeaconBlockHeader(Container):
    """A beacon block header."""

    slot: uint64
    proposer_index: uint64
    parent_root: Bytes32
    state_root: Bytes32
    body_root: Bytes32


class ForkData(Container):
    """What a signature's domain is made of."""

    current_version: Bytes4
    genesis_validators_root: Bytes32


class SigningData(Container):
    """What is signed."""

    object_root: Bytes32
    domain: Bytes32


class CapellaPayload(Container):
    """An execution payload header, from Capella on."""

    parent_hash: Bytes32
    fee_recipient: ByteVector[20]
    state_root: Bytes32
    receipts_root: Bytes32
    logs_bloom: ByteVector[256]
    prev_randao: Bytes32
    block_number: uint64
    gas_limit: uint64
    gas_used: uint64
    timestamp: uint64
    extra_data: ByteList[32]
    base_fee_per_gas: uint256
    block_hash: Bytes32
    transactions_root: Bytes32
    withdrawals_root: Bytes32


class DenebPayload(CapellaPayload):
    """The same, from Deneb on."""

    blob_gas_used: uint64
    excess_blob_gas: uint64


def root(value: Any) -> bytes:
    """The root of any SSZ value."""
    return bytes(value.hash_tree_root())


HEADER: dict[str, Reader[Any]] = {
    "slot": number,
    "proposer_index": number,
    "parent_root": bytes32,
    "state_root": bytes32,
    "body_root": bytes32,
}


def read_header(value: Any) -> BeaconBlockHeader:
    """A header from JSON."""
    return BeaconBlockHeader(**{name: field(value, name, read) for name, read in HEADER.items()})


def write_header(header: BeaconBlockHeader) -> dict[str, Any]:
    """A header as JSON."""
    return {name: to_json(getattr(header, name)) for name in HEADER}


PAYLOAD: dict[str, Reader[Any]] = {
    "parent_hash": bytes32,
    "fee_recipient": bytes_of(20),
    "state_root": bytes32,
    "receipts_root": bytes32,
    "logs_bloom": bytes_of(256),
    "prev_randao": bytes32,
    "block_number": number,
    "gas_limit": number,
    "gas_used": number,
    "timestamp": number,
    "extra_data": any_bytes,
    "base_fee_per_gas": number_256,
    "block_hash": bytes32,
    "transactions_root": bytes32,
    "withdrawals_root": bytes32,
}
BLOB_GAS = ("blob_gas_used", "excess_blob_gas")


@dataclass
class Payload:
    """An execution payload's header, of whatever fork."""

    fields: dict[str, Any]
    # None: the field is absent.
    blob_gas: tuple[int | None, int | None]

    @classmethod
    def read(cls, value: Any) -> "Payload":
        """A header from JSON."""
        fields = {name: field(value, name, read) for name, read in PAYLOAD.items()}
        used, excess = (field(value, name, optional(number)) for name in BLOB_GAS)
        return cls(fields, (used, excess))

    def to_json(self) -> dict[str, Any]:
        """The header as JSON."""
        gas = {name: gas for name, gas in zip(BLOB_GAS, self.blob_gas) if gas is not None}
        return {name: to_json(value) for name, value in {**self.fields, **gas}.items()}

    def root(self, deneb: bool) -> bytes | None:
        """Returns the root according to the block's fork; None if `extra_data` is too long."""
        if len(self.fields["extra_data"]) > 32:
            return None
        if not deneb:
            return root(CapellaPayload(**self.fields))
        gas = {name: gas or 0 for name, gas in zip(BLOB_GAS, self.blob_gas)}
        return root(DenebPayload(**self.fields, **gas))


@dataclass
class SyncCommittee:
    """A sync committee; members may occur more than once. Its size depends on the network."""

    pubkeys: list[bytes]
    aggregate_pubkey: bytes

    @classmethod
    def read(cls, value: Any) -> "SyncCommittee":
        """A committee from JSON."""
        return cls(field(value, "pubkeys", list_of(bytes_of(48))), field(value, "aggregate_pubkey", bytes_of(48)))

    def to_json(self) -> dict[str, Any]:
        """The committee as JSON."""
        return {"pubkeys": [to_hex(key) for key in self.pubkeys], "aggregate_pubkey": to_hex(self.aggregate_pubkey)}

    def root(self) -> bytes:
        """Returns the root of the container with a *vector* of the keys."""
        keys = Vector[Bytes48, len(self.pubkeys)](*self.pubkeys)
        return hash_nodes(root(keys), root(Bytes48(self.aggregate_pubkey)))


def to_json(value: Any) -> Any:
    """Any value of a container as the beacon API writes it."""
    return str(int(value)) if isinstance(value, int) else to_hex(bytes(value))


def hash_nodes(left: bytes, right: bytes) -> bytes:
    """The parent of two nodes."""
    return hashlib.sha256(left + right).digest()


def is_valid_branch(leaf: bytes, branch: list[bytes], index: int, expected: bytes) -> bool:
    """Whether `branch` leads from `leaf` at a generalized index to the root.

    A branch that was made for a deeper tree begins with zeros, as those have that were upgraded to a later fork.
    """
    extra = len(branch) - (index.bit_length() - 1)
    if extra < 0 or any(any(node) for node in branch[:extra]):
        return False
    node = leaf
    for sibling in branch[extra:]:
        node = hash_nodes(sibling, node) if index % 2 else hash_nodes(node, sibling)
        index //= 2
    return node == expected
