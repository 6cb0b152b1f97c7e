"""Generates a chain's light-client data from a seed, byte for byte as the Rust program does.

Committees of 512 with their secrets, states that contain them, and updates that they signed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quorate import PublicKey, SecretKey, Suite, bls, wire

from .beacon import Bootstrap, Header, SyncAggregate, Update
from .failure import Exit, Failure
from .network import FORKS, Network
from .ssz import BeaconBlockHeader, Payload, SyncCommittee, hash_nodes, root
from .text import to_hex

# The order of the group.
ORDER = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001


class Random:
    """Pseudo-random bytes derived from the seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def draw(self, what: str, number: int) -> bytes:
        """Returns 32 pseudo-random bytes."""
        return wire.hash("quorate example ethereum-sync: generated chain", f"{self.seed} {what} {number}".encode())

    def choose(self, salt: int, size: int, count: int) -> set[int]:
        """Returns `count` distinct numbers below `size`."""
        return set(sorted(range(size), key=lambda index: self.draw("absent", salt << 16 | index))[:count])


class Secrets:
    """The secrets of a committee. Members are drawn with replacement, as in Ethereum, so some occur twice."""

    def __init__(self, random: Random, period: int, size: int = 512) -> None:
        # The last eight positions repeat earlier members.
        distinct = size - 8
        scalars = [bytearray(random.draw("secret", period << 16 | index)) for index in range(distinct)]
        for scalar in scalars:
            scalar[0] &= 0x3F  # below the group's order
        self.scalars = [int.from_bytes(scalar) for scalar in scalars]
        self.keys = [SecretKey.from_bytes(Suite.MIN_PK, bytes(scalar)) for scalar in scalars]
        self.places = [index % distinct for index in range(size)]

    def ssz(self) -> SyncCommittee:
        """Returns the committee as an SSZ value."""
        keys = [key.public_key().encode() for key in self.keys]
        # The sum of the keys is the public key of the sum of the secrets.
        total = sum(self.scalars[place] for place in self.places) % ORDER
        aggregate: PublicKey = SecretKey.from_bytes(Suite.MIN_PK, total.to_bytes(32)).public_key()
        return SyncCommittee([keys[place] for place in self.places], aggregate.encode())

    def sign(self, message: bytes, absent: set[int]) -> SyncAggregate:
        """Returns the aggregate signature of all members that are not absent."""
        signed = [key.sign(message) for key in self.keys]
        bits = bytearray(len(self.places) // 8)
        present = [index for index in range(len(self.places)) if index not in absent]
        for index in present:
            bits[index // 8] |= 1 << index % 8
        total = bls.aggregate([signed[self.places[index]] for index in present])
        return SyncAggregate(bytes(bits), total.encode())


@dataclass
class State:
    """A state in which only the parts relevant to light clients are real."""

    leaves: list[bytes]
    checkpoint: tuple[bytes, bytes]

    def branch(self, place: int) -> list[bytes]:
        """Returns the branch of a leaf, or of the root in the finalized checkpoint, which is one level deeper."""
        width = len(self.leaves)
        if place < 2 * width:
            return merkle_branch(self.leaves, place - width)
        return [self.checkpoint[0], *merkle_branch(self.leaves, place // 2 - width)]


class Chain:
    """A generated chain."""

    def __init__(self, seed: int, absent: int) -> None:
        self.random = Random(seed)
        self.absent = absent
        self.network = Network.mainnet()
        self.network.name = f"generated from seed {seed}"
        self.network.genesis_validators_root = self.random.draw("genesis", 0)

    def files(self, fork_epoch: int) -> dict[str, str]:
        """Returns the light-client data by file name."""
        preset = self.network.preset
        # The first complete period of the fork, so that all blocks belong to one fork.
        period = fork_epoch // preset.epochs_per_period + 1
        start = period * preset.slots_per_period
        first, second, third = (Secrets(self.random, period + index) for index in range(3))
        current, upcoming, after = first.ssz(), second.ssz(), third.ssz()
        state = self.state(start, current, upcoming, bytes(32))
        trusted = self.header(start + 2 * preset.slots_per_epoch, state)
        branch = state.branch(self.network.places(start).current_committee)
        update = self.update(start + 1000, first, (current, upcoming))
        later = start + preset.slots_per_period
        finality = self.update(later + 500, second, (upcoming, after))
        optimistic = self.update(later + 700, second, (upcoming, after))
        for one in (finality, optimistic):
            one.next_sync_committee = one.next_sync_committee_branch = None
        optimistic.finalized_header = optimistic.finality_branch = None
        fork = self.network.fork(start)

        def answer(value: Any) -> str:
            return text({"version": fork and fork.name, "data": value.to_json()}, sort_keys=True)

        return {
            "network.json": text(self.network.to_json()),
            "trusted-root.txt": f"{to_hex(root(trusted.beacon))}\n",
            "bootstrap.json": answer(Bootstrap(trusted, current, branch)),
            "update.json": answer(update),
            "finality_update.json": answer(finality),
            "optimistic_update.json": answer(optimistic),
            "committee.json": text(current.to_json()),
        }

    def update(self, slot: int, signers: Secrets, committees: tuple[SyncCommittee, SyncCommittee]) -> Update:
        """Returns an update with an attested block of `slot`, signed by `signers` in the next slot."""
        places = self.network.places(slot)
        per_epoch = self.network.preset.slots_per_epoch
        finalized_slot = slot // per_epoch * per_epoch - 3 * per_epoch
        finalized = self.header(finalized_slot, self.state(finalized_slot, *committees, bytes([1] * 32)))
        state = self.state(slot, *committees, root(finalized.beacon))
        attested = self.header(slot, state)
        message = self.network.signing_root(attested.beacon, slot + 1)
        assert message is not None
        absent = self.random.choose(slot, len(signers.places), self.absent)
        return Update(
            attested_header=attested,
            next_sync_committee=committees[1],
            next_sync_committee_branch=state.branch(places.next_committee),
            finalized_header=finalized,
            finality_branch=state.branch(places.finalized_root),
            sync_aggregate=signers.sign(message, absent),
            signature_slot=slot + 1,
        )

    def state(self, slot: int, current: SyncCommittee, upcoming: SyncCommittee, finalized: bytes) -> State:
        """Returns the state of a slot."""
        places = self.network.places(slot)
        width = 1 << places.current_committee.bit_length() - 1
        checkpoint = (self.random.draw("checkpoint epoch", slot), finalized)
        leaves = [self.random.draw("state", slot << 8 | index) for index in range(width)]
        leaves[places.current_committee - width] = current.root()
        leaves[places.next_committee - width] = upcoming.root()
        leaves[places.finalized_root // 2 - width] = hash_nodes(*checkpoint)
        return State(leaves, checkpoint)

    def header(self, slot: int, state: State) -> Header:
        """Returns a block header; from Capella on with an execution payload header."""
        body_root, payload, branch = self.random.draw("body", slot), None, None
        if self.network.has_reached("capella", slot):
            deneb = self.network.has_reached("deneb", slot)
            payload = self.payload(slot, deneb)
            place = self.network.places(slot).execution_payload
            width = 1 << place.bit_length() - 1
            leaves = [self.random.draw("body", slot << 8 | index) for index in range(width)]
            leaves[place - width] = payload.root(deneb) or bytes(32)
            body_root, branch = merkle_root(leaves), merkle_branch(leaves, place - width)
        beacon = BeaconBlockHeader(
            slot=slot,
            proposer_index=slot * 7919 % 1_000_000,
            parent_root=self.random.draw("parent", slot),
            state_root=merkle_root(state.leaves),
            body_root=body_root,
        )
        return Header(beacon, payload, branch)

    def payload(self, slot: int, deneb: bool) -> Payload:
        """Returns the header of an execution payload."""

        def named(what: str) -> bytes:
            return self.random.draw(what, slot)

        fields = {
            "parent_hash": named("parent hash"),
            "fee_recipient": named("fee recipient")[:20],
            "state_root": named("execution state"),
            "receipts_root": named("receipts"),
            "logs_bloom": b"".join(self.random.draw("logs", slot << 8 | index) for index in range(8)),
            "prev_randao": named("randao"),
            "block_number": slot,
            "gas_limit": 36_000_000,
            "gas_used": slot % 36_000_000,
            "timestamp": self.network.genesis_time + 12 * slot,
            "extra_data": b"quorate",
            "base_fee_per_gas": int.from_bytes(bytes([1, 2, 3, 4, 5]), "little"),
            "block_hash": named("block hash"),
            "transactions_root": named("transactions"),
            "withdrawals_root": named("withdrawals"),
        }
        return Payload(fields, (131_072, slot % 1_000_000) if deneb else (None, None))


def generate(out: Path, seed: int, fork: str, absent: int) -> list[str]:
    """Writes the files and returns the lines to print."""
    chain = Chain(seed, absent)
    size = chain.network.preset.committee_size
    if absent >= size:
        raise Failure.input(f"--absent {absent}: at least one of {size} must sign")
    epochs = {known.name: known.epoch for known in chain.network.forks}
    assert set(epochs) == set(FORKS)
    files = chain.files(epochs[fork])
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (out / name).write_text(content, encoding="utf-8")
    except OSError as error:
        raise Failure(Exit.FAILED, "FAILED", f"{out}: {error.strerror}") from None
    updates = " ".join(str(out / name) for name in ("update.json", "finality_update.json", "optimistic_update.json"))
    return [
        f"wrote {len(files)} files to {out}",
        f"try: ethereum-sync verify --network {out / 'network.json'} --bootstrap {out / 'bootstrap.json'} "
        f"--trusted-root @{out / 'trusted-root.txt'} {updates}",
    ]


def merkle_root(leaves: list[bytes]) -> bytes:
    """Returns the root of leaves whose number is a power of two."""
    level = leaves
    while len(level) > 1:
        level = parents(level)
    return level[0]


def merkle_branch(leaves: list[bytes], index: int) -> list[bytes]:
    """Returns the branch from a leaf to the root."""
    level, branch = leaves, []
    while len(level) > 1:
        branch.append(level[index ^ 1])
        level, index = parents(level), index // 2
    return branch


def parents(level: list[bytes]) -> list[bytes]:
    """Returns the next level of the tree."""
    return [hash_nodes(left, right) for left, right in zip(level[::2], level[1::2])]


def text(value: Any, sort_keys: bool = False) -> str:
    """Encodes a value as the text of a JSON file."""
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=sort_keys) + "\n"
