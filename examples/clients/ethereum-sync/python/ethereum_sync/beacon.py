"""Light-client data in the beacon API's JSON.

`{"version": …, "data": {…}}`, the inner object alone, or a list of either, as `/eth/v1/beacon/light_client/…` answers.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from .failure import Failure
from .ssz import BeaconBlockHeader, Payload, SyncCommittee, bytes32, read_header, write_header
from .text import Reader, InvalidValue, any_bytes, bytes_of, field, list_of, number, optional, to_hex

T = TypeVar("T")

# Maximum file size; a list of 128 updates has about 9 MB.
MAX_FILE = 64 << 20

branch = list_of(bytes32)


@dataclass
class Header:
    """A block header, with its execution payload header from Capella on."""

    beacon: BeaconBlockHeader
    execution: Payload | None = None
    execution_branch: list[bytes] | None = None

    @classmethod
    def read(cls, value: Any) -> Header:
        """From JSON."""
        return cls(
            field(value, "beacon", read_header),
            field(value, "execution", optional(Payload.read)),
            field(value, "execution_branch", optional(branch)),
        )

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        made: dict[str, Any] = {"beacon": write_header(self.beacon)}
        if self.execution is not None and self.execution_branch is not None:
            made["execution"] = self.execution.to_json()
            made["execution_branch"] = [to_hex(node) for node in self.execution_branch]
        return made


@dataclass
class Bootstrap:
    """The starting point of a light client: a header with its sync committee."""

    header: Header
    current_sync_committee: SyncCommittee
    current_sync_committee_branch: list[bytes]

    @classmethod
    def read(cls, value: Any) -> Bootstrap:
        """From JSON."""
        return cls(
            field(value, "header", Header.read),
            field(value, "current_sync_committee", SyncCommittee.read),
            field(value, "current_sync_committee_branch", branch),
        )

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "header": self.header.to_json(),
            "current_sync_committee": self.current_sync_committee.to_json(),
            "current_sync_committee_branch": [to_hex(node) for node in self.current_sync_committee_branch],
        }


@dataclass
class SyncAggregate:
    """The participation bits and the aggregate signature. Member i is bit i mod 8 of byte ⌊i/8⌋, from the lowest."""

    bits: bytes
    signature: bytes

    @classmethod
    def read(cls, value: Any) -> SyncAggregate:
        """From JSON."""
        return cls(
            field(value, "sync_committee_bits", any_bytes), field(value, "sync_committee_signature", bytes_of(96))
        )


@dataclass
class Update:
    """An update, a finality update, or an optimistic update.

    An update has all fields; a finality update has no committee; an optimistic update has neither committee nor
    finalized header.
    """

    attested_header: Header
    next_sync_committee: SyncCommittee | None
    next_sync_committee_branch: list[bytes] | None
    finalized_header: Header | None
    finality_branch: list[bytes] | None
    sync_aggregate: SyncAggregate
    signature_slot: int

    @classmethod
    def read(cls, value: Any) -> Update:
        """From JSON."""
        return cls(
            field(value, "attested_header", Header.read),
            field(value, "next_sync_committee", optional(SyncCommittee.read)),
            field(value, "next_sync_committee_branch", optional(branch)),
            field(value, "finalized_header", optional(Header.read)),
            field(value, "finality_branch", optional(branch)),
            field(value, "sync_aggregate", SyncAggregate.read),
            field(value, "signature_slot", number),
        )

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        aggregate = self.sync_aggregate
        made: dict[str, Any] = {
            "attested_header": self.attested_header.to_json(),
            "sync_aggregate": {
                "sync_committee_bits": to_hex(aggregate.bits),
                "sync_committee_signature": to_hex(aggregate.signature),
            },
            "signature_slot": str(self.signature_slot),
        }
        for name, value in (("next_sync_committee", self.next_sync_committee), ("finalized_header", self.finalized_header)):
            if value is not None:
                made[name] = value.to_json()
        for name in ("next_sync_committee_branch", "finality_branch"):
            if (nodes := getattr(self, name)) is not None:
                made[name] = [to_hex(node) for node in nodes]
        return made

    @property
    def kind(self) -> str:
        """The kind of update."""
        if self.next_sync_committee is not None:
            return "update"
        return "optimistic update" if self.finality_branch is None else "finality update"

    def next_committee(self) -> tuple[SyncCommittee, list[bytes]] | None:
        """The next committee and its branch, if present: a branch of zeros means none."""
        if self.next_sync_committee is None or not present(self.next_sync_committee_branch):
            return None
        return self.next_sync_committee, self.next_sync_committee_branch or []

    def finality(self) -> tuple[Header, list[bytes]] | None:
        """The finalized header and its branch, if present: a branch of zeros means none."""
        if self.finalized_header is None or not present(self.finality_branch):
            return None
        return self.finalized_header, self.finality_branch or []


def present(nodes: list[bytes] | None) -> bool:
    """Returns true if a branch is not all zeros."""
    return nodes is not None and any(any(node) for node in nodes)


def read_one(path: Path, what: str, read: Reader[T]) -> T:
    """Reads a file with a single object."""
    found = read_all(path, what, read)
    if len(found) != 1:
        raise Failure.input(f"{path}: expected one {what}, got {len(found)}")
    return found[0]


def read_all(path: Path, what: str, read: Reader[T]) -> list[T]:
    """Reads one object or a list of them."""
    try:
        size = path.stat().st_size
        if size > MAX_FILE:
            raise Failure.input(f"{path}: file too large: at most {MAX_FILE} bytes, got {size}")
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Failure.input(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise Failure.input(f"{path}: not JSON: {error}") from None
    items = value if isinstance(value, list) else [value]
    inner = [item["data"] if isinstance(item, dict) and "data" in item else item for item in items]
    try:
        return [read(item) for item in inner]
    except InvalidValue as wrong:
        raise Failure.input(f"{path}: expected a {what} as served under /eth/v1/beacon/light_client/: {wrong}") from None
