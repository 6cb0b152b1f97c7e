"""A light client's configuration of a chain: genesis, forks and preset."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from . import beacon
from .failure import Failure
from .ssz import BeaconBlockHeader, ForkData, SigningData, root
from .text import InvalidValue, bytes_of, field, list_of, number, to_hex, string

DOMAIN_SYNC_COMMITTEE = bytes([7, 0, 0, 0])
MAINNET = Path(__file__).resolve().parents[2] / "networks" / "mainnet.json"
FORKS = ("altair", "bellatrix", "capella", "deneb", "electra", "fulu")


class Preset(NamedTuple):
    """A preset of constants."""

    name: str
    committee_size: int
    slots_per_epoch: int
    epochs_per_period: int
    seconds_per_slot: int

    @property
    def slots_per_period(self) -> int:
        """Returns the number of slots per committee."""
        return self.slots_per_epoch * self.epochs_per_period


PRESETS = {preset.name: preset for preset in (Preset("mainnet", 512, 32, 256, 12), Preset("minimal", 32, 8, 8, 6))}


class Places(NamedTuple):
    """Generalized indices of proven values in a state or in a block body."""

    finalized_root: int
    current_committee: int
    next_committee: int
    execution_payload: int


class Fork(NamedTuple):
    """A change of the rules."""

    name: str
    version: bytes
    epoch: int


@dataclass
class Network:
    """A chain."""

    name: str
    preset: Preset
    genesis_time: int
    genesis_validators_root: bytes
    # Ascending by epoch.
    forks: list[Fork]

    @classmethod
    def mainnet(cls) -> Network:
        """Ethereum's."""
        return cls.read(MAINNET)

    @classmethod
    def read(cls, path: Path) -> Network:
        """From a file as `networks/mainnet.json`."""
        network = beacon.read_one(path, "network", cls._read)
        ordered = all(a.epoch <= b.epoch and FORKS.index(a.name) < FORKS.index(b.name) for a, b in network._pairs())
        if not network.forks or not ordered:
            raise Failure.input(f"{path}: forks: expected at least one, in ascending order of epochs")
        return network

    @classmethod
    def _read(cls, value: Any) -> Network:
        known(value, ("name", "preset", "genesis_time", "genesis_validators_root", "forks"))
        return cls(
            field(value, "name", string),
            PRESETS[field(value, "preset", one_of(tuple(PRESETS)))],
            field(value, "genesis_time", number),
            field(value, "genesis_validators_root", bytes_of(32)),
            field(value, "forks", list_of(read_fork)),
        )

    def _pairs(self) -> list[tuple[Fork, Fork]]:
        return list(zip(self.forks, self.forks[1:]))

    def to_json(self) -> dict[str, Any]:
        """The network as JSON."""
        return {
            "name": self.name,
            "preset": self.preset.name,
            "genesis_time": str(self.genesis_time),
            "genesis_validators_root": to_hex(self.genesis_validators_root),
            "forks": [
                {"name": fork.name, "version": to_hex(fork.version), "epoch": str(fork.epoch)} for fork in self.forks
            ],
        }

    def period(self, slot: int) -> int:
        """Returns the period of a slot. Each period has a committee."""
        return slot // self.preset.slots_per_period

    def fork(self, slot: int) -> Fork | None:
        """Returns the fork of a slot, or none before the first fork."""
        epoch = slot // self.preset.slots_per_epoch
        return next((fork for fork in reversed(self.forks) if fork.epoch <= epoch), None)

    def has_reached(self, name: str, slot: int) -> bool:
        """Returns true if a slot is in this fork or a later one."""
        fork = self.fork(slot)
        return fork is not None and FORKS.index(fork.name) >= FORKS.index(name)

    def places(self, slot: int) -> Places:
        """Returns the generalized indices of a slot. Electra's larger state moved them down one level."""
        return Places(169, 86, 87, 25) if self.has_reached("electra", slot) else Places(105, 54, 55, 25)

    def signing_root(self, header: BeaconBlockHeader, signature_slot: int) -> bytes | None:
        """Returns the message that the members sign: the block of the previous slot, under that slot's fork."""
        fork = self.fork(max(signature_slot - 1, 0))
        if fork is None:
            return None
        data = ForkData(current_version=fork.version, genesis_validators_root=self.genesis_validators_root)
        domain = DOMAIN_SYNC_COMMITTEE + root(data)[:28]
        return root(SigningData(object_root=root(header), domain=domain))

    def slot_at(self, time: float) -> int:
        """Returns the slot at a time in seconds since 1970."""
        return max(int(time) - self.genesis_time, 0) // self.preset.seconds_per_slot


def read_fork(value: Any) -> Fork:
    """A fork from JSON."""
    known(value, Fork._fields)
    name = field(value, "name", one_of(FORKS))
    return Fork(name, field(value, "version", bytes_of(4)), field(value, "epoch", number))


def one_of(names: tuple[str, ...]) -> Any:
    """One of these strings."""

    def read(value: Any) -> str:
        if string(value) not in names:
            raise InvalidValue(f"`{value}` is none of {', '.join(names)}")
        return str(value)

    return read


def known(value: Any, names: tuple[str, ...]) -> None:
    """No field may have another name."""
    if isinstance(value, dict) and (unknown := [string(name) for name in value if name not in names]):
        raise InvalidValue(f"unknown field `{unknown[0]}`")
