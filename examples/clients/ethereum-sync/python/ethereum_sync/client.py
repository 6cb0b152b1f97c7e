"""The light client: a trusted committee, and the verification of updates against it.

It follows `initialize_light_client_store`, `validate_light_client_update` and `process_light_client_update` of
Ethereum's consensus specification (altair to electra, `light-client/sync-protocol.md`). Left out, because a program
that checks files once has no use for them: ranking of updates, the forced update after a period without finality, and
the safety threshold for optimistic headers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from quorate import ChainId, Committee, PublicKey, QuorateError, Suite

from .beacon import Bootstrap, Header, Update
from .failure import Failure
from .network import Network
from .ssz import BeaconBlockHeader, SyncCommittee, is_valid_branch, root
from .text import to_hex


class Members:
    """A sync committee whose keys were decoded, checked and summed once.

    Every signature of its 27 hours is then checked against the sum of all keys less those that are absent.
    """

    def __init__(self, network: Network, period: int, ssz: SyncCommittee) -> None:
        """Decodes and verifies all keys. Ethereum verified their proofs of possession at the deposit."""
        check_size(network, ssz)
        keys: list[tuple[PublicKey, int]] = []
        for index, key in enumerate(ssz.pubkeys):
            try:
                keys.append((PublicKey.decode(Suite.MIN_PK, key), 1))
            except QuorateError as error:
                raise refused(error, f"key {index} of the committee") from None
        chain = ChainId.from_bytes(network.genesis_validators_root)
        try:
            self.committee = Committee.from_attested(chain, period, keys, allow_repeats=True)
        except QuorateError as error:
            raise refused(error, "the committee") from None
        self.root = ssz.root()


class Proven(NamedTuple):
    """The facts that an update proves."""

    kind: str
    signature_slot: int
    period: int
    participants: int
    committee_size: int
    supermajority: bool
    signing_root: bytes
    attested: Header
    finalized: Header | None
    # The period whose committee the update contains, if any.
    next_committee_of: int | None

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {
            **self._asdict(),
            "signing_root": to_hex(self.signing_root),
            "attested": block(self.attested),
            "finalized": None if self.finalized is None else block(self.finalized),
        }


def block(header: Header) -> dict[str, Any]:
    """A block whose header was proven, as JSON."""
    execution = header.execution
    return {
        "slot": int(header.beacon.slot),
        "root": to_hex(root(header.beacon)),
        "state_root": to_hex(bytes(header.beacon.state_root)),
        "execution": execution and [execution.fields["block_number"], to_hex(execution.fields["block_hash"])],
    }


class LightClient:
    """The light client's view of the chain. `now` is the current slot: nothing can be signed later."""

    def __init__(self, network: Network, now: int, header: BeaconBlockHeader, current: Members) -> None:
        self.network = network
        self.now = now
        # The newest header that is final, and the newest that a sync committee signed.
        self.finalized = header
        self.optimistic = header
        self._current = current
        self._next: Members | None = None

    @classmethod
    def from_bootstrap(cls, network: Network, now: int, trusted_root: bytes, bootstrap: Bootstrap) -> LightClient:
        """Creates a client from a block with a trusted root."""
        header = bootstrap.header.beacon
        found = root(header)
        if found != trusted_root:
            text = f"the bootstrap is of block {to_hex(found)}, not of the trusted {to_hex(trusted_root)}"
            raise Failure.refused("TRUSTED_ROOT", f"{text}; ask for the bootstrap of the block you trust")
        check_header(network, bootstrap.header, "header")
        ssz = bootstrap.current_sync_committee
        check_size(network, ssz)
        place = network.places(header.slot).current_committee
        if not is_valid_branch(ssz.root(), bootstrap.current_sync_committee_branch, place, bytes(header.state_root)):
            text = "the bootstrap's committee is not the one in its block's state"
            raise Failure.refused("CURRENT_COMMITTEE_BRANCH", text)
        return cls(network, now, header, Members(network, network.period(int(header.slot)), ssz))

    @classmethod
    def from_committee(cls, network: Network, now: int, period: int, ssz: SyncCommittee) -> LightClient:
        """Creates a client from a trusted committee of a period."""
        slot = min(period * network.preset.slots_per_period, (1 << 64) - 1)
        return cls(network, now, BeaconBlockHeader(slot=slot), Members(network, period, ssz))

    def process(self, update: Update) -> Proven:
        """Verifies an update and applies it if two thirds signed it."""
        proven, upcoming = self._validate(update)
        if not proven.supermajority:
            return proven
        attested = update.attested_header.beacon
        if attested.slot > self.optimistic.slot:
            self.optimistic = attested
        if (finality := update.finality()) is not None:
            finalized = finality[0].beacon
            same_period = self._period(finalized) == self._period(attested)
            brings_next = self._next is None and upcoming is not None and same_period
            if finalized.slot > self.finalized.slot or brings_next:
                self._apply(finalized, upcoming)
        return proven

    def _period(self, header: BeaconBlockHeader) -> int:
        return self.network.period(int(header.slot))

    def _apply(self, finalized: BeaconBlockHeader, upcoming: Members | None) -> None:
        if self._next is None:
            # Without the next committee, only headers of the same period were accepted.
            self._next = upcoming
        elif self._period(finalized) == self._period(self.finalized) + 1:
            self._current, self._next = self._next, upcoming
        if finalized.slot > self.finalized.slot:
            self.finalized = finalized

    def _validate(self, update: Update) -> tuple[Proven, Members | None]:
        attested = update.attested_header.beacon
        finality = update.finality()
        finalized_slot = 0 if finality is None else finality[0].beacon.slot
        if not self.now >= update.signature_slot > attested.slot >= finalized_slot:
            text = (
                f"slots out of order: now {self.now}, signature {update.signature_slot}, attested {attested.slot}, "
                f"finalized {finalized_slot}; expected now >= signature > attested >= finalized; check the clock"
            )
            raise Failure.refused("SLOTS", text)
        signers = self._signers_of(update.signature_slot)
        period = self._period(self.finalized)
        in_period = self._period(attested) == period
        brings_next = self._next is None and update.next_committee() is not None and in_period
        if attested.slot <= self.finalized.slot and not brings_next:
            slots = f"the attested slot {attested.slot} is not newer than the finalized slot {self.finalized.slot}"
            text = f"{slots}, and no new committee is included"
            raise Failure.refused("IRRELEVANT", text)
        check_header(self.network, update.attested_header, "attested header")
        self._check_finality(update)
        upcoming = self._check_next_committee(update, period)
        return self._check_signature(update, signers), upcoming

    def _signers_of(self, slot: int) -> Members:
        """Returns the committee that signs in a slot."""
        ours, theirs = self._period(self.finalized), self.network.period(slot)
        if theirs == ours:
            return self._current
        if theirs == ours + 1 and self._next is not None:
            return self._next
        known = f"period {ours}{'' if self._next is None else ' and the next one'}"
        text = f"signed by the unknown committee of period {theirs}; known: {known}"
        text += "; verify the updates in between first, in order"
        raise Failure.refused("UNKNOWN_COMMITTEE", text)

    def _check_finality(self, update: Update) -> None:
        if (finality := update.finality()) is None:
            return
        header, branch = finality
        # The state contains no root of the genesis block yet.
        if header.beacon == BeaconBlockHeader():
            leaf = bytes(32)
        else:
            check_header(self.network, header, "finalized header")
            leaf = root(header.beacon)
        attested = update.attested_header.beacon
        place = self.network.places(attested.slot).finalized_root
        if not is_valid_branch(leaf, branch, place, bytes(attested.state_root)):
            text = "the finalized header is not the one in the attested block's state"
            raise Failure.refused("FINALITY_BRANCH", text)

    def _check_next_committee(self, update: Update, period: int) -> Members | None:
        if (upcoming := update.next_committee()) is None:
            return None
        ssz, branch = upcoming
        check_size(self.network, ssz)
        attested = update.attested_header.beacon
        found, attested_period = ssz.root(), self._period(attested)
        if self._next is not None and attested_period == period and self._next.root != found:
            text = f"the committee of period {period + 1} differs from that of an earlier update"
            raise Failure.refused("NEXT_COMMITTEE", text)
        place = self.network.places(attested.slot).next_committee
        if not is_valid_branch(found, branch, place, bytes(attested.state_root)):
            text = "the next committee is not the one in the attested block's state"
            raise Failure.refused("NEXT_COMMITTEE_BRANCH", text)
        return Members(self.network, attested_period + 1, ssz)

    def _check_signature(self, update: Update, signers: Members) -> Proven:
        attested = update.attested_header.beacon
        aggregate = update.sync_aggregate
        signing_root = self.network.signing_root(attested, update.signature_slot)
        if signing_root is None:
            text = f"slot {update.signature_slot} is before the first fork of this network"
            raise Failure.refused("UNKNOWN_FORK", text)
        try:
            present = signers.committee.signer_set_lsb_first(aggregate.bits)
        except QuorateError as error:
            raise refused(error, "participation bits") from None
        try:
            participants = signers.committee.verify_raw(signing_root, present, aggregate.signature)
        except QuorateError as error:
            raise refused(error, "signature") from None
        size = self.network.preset.committee_size
        upcoming, finality = update.next_committee(), update.finality()
        return Proven(
            kind=update.kind,
            signature_slot=update.signature_slot,
            period=self.network.period(update.signature_slot),
            participants=participants,
            committee_size=size,
            supermajority=participants * 3 >= size * 2,
            signing_root=signing_root,
            attested=update.attested_header,
            finalized=None if finality is None else finality[0],
            next_committee_of=None if upcoming is None else self._period(attested) + 1,
        )


def check_size(network: Network, ssz: SyncCommittee) -> None:
    """Checks the number of keys: 512 on mainnet."""
    found, size = len(ssz.pubkeys), network.preset.committee_size
    if found != size:
        raise Failure.refused("COMMITTEE_SIZE", f"the committee has {found} keys; this network's have {size}")


def check_header(network: Network, header: Header, what: str) -> None:
    """From Capella on, a header includes its execution payload header, which the body root must contain."""
    slot = int(header.beacon.slot)
    execution, branch = header.execution, header.execution_branch
    capella = network.has_reached("capella", slot)
    if execution is None and branch is None and not capella:
        return
    if execution is None or branch is None:
        problem = f"slot {slot} needs an execution header with its branch"
    elif not capella:
        problem = f"slot {slot} is before Capella and cannot prove an execution header"
    elif not (deneb := network.has_reached("deneb", slot)) and any(execution.blob_gas):
        problem = f"slot {slot} is before Deneb and has no blob gas"
    elif (found := execution.root(deneb)) is None:
        problem = "extra_data has more than 32 bytes"
    elif not is_valid_branch(found, branch, network.places(slot).execution_payload, bytes(header.beacon.body_root)):
        problem = "the execution header is not the one in the block's body"
    else:
        return
    raise Failure.refused("EXECUTION_BRANCH", f"{what}: {problem}")


def refused(error: QuorateError, what: str) -> Failure:
    """Converts quorate's error, with its code."""
    return Failure.refused(error.code, f"{what}: {error}")
