"""The verified state of a chain, combined from all validators. Its memory is bounded. A light client of the package
`quorate` verifies every certificate, proof and change of the members."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, TypeVar

from quorate import Certificate, Conflict, LightClient, QuorateError, UntrustedHeader
from quorate.merkle import Merkle

MAX_REMEMBERED = 4096  # maximum number of remembered certificates, proven blocks, and blocks per validator
MAX_REWIND = 64  # blocks
KEPT_EPOCHS = 64  # the newest ones, whose members the light client knows
MAX_AHEAD = KEPT_EPOCHS // 2  # epochs that are followed before a block needs them
MAX_NUMBER = (1 << 53) - 1  # the largest integer that JSON parsers of all languages read exactly
TRANSACTIONS = Merkle("quorate-v1-transaction", "quorate-v1-batch-node")  # a leaf is a transaction's identifier
K = TypeVar("K")
V = TypeVar("V")


class Refused(Exception):
    """A report that does not match what is verified, with a code of `spec/wire.md`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code


class Contradiction(Exception):
    """Two contradicting certificates: members with more than a third of the weight broke the protocol.

    `evidence` proves the violation to any holder of the genesis file. It is empty for two proven blocks at one height.
    """

    code = "CONTRADICTION"

    def __init__(self, message: str, evidence: bytes = b"") -> None:
        super().__init__(message)
        self.evidence = evidence


@dataclass(frozen=True)
class Claim:
    """A block as reported by a validator. Blocks of ABFT have no author."""

    height: int
    view: int
    digest: str
    author: int | None
    transactions: int


class HeightIndex:
    """A reported or proven mapping between heights and blocks."""

    def __init__(self) -> None:
        self.digests: dict[int, str] = {}
        self.heights: dict[str, int] = {}

    def remember(self, height: int, digest: str) -> None:
        remember(self.digests, height, digest)
        remember(self.heights, digest, height)

    def conflicts(self, height: int, digest: str) -> bool:
        """Returns true if another block is at this height, or if this block is at another height."""
        return self.digests.get(height, digest) != digest or self.heights.get(digest, height) != height


class Chain:
    """Verifies reports of validators. Raises `Refused` or `Contradiction` for false ones."""

    def __init__(self, client: LightClient) -> None:
        self.client = client
        self.certificates = self.proofs = self.view = self.height = 0
        self.proven = HeightIndex()
        self.shown: defaultdict[str, HeightIndex] = defaultdict(HeightIndex)  # by the validator's address
        self.views: dict[tuple[int, int, int], Certificate] = {}
        self.verified: dict[str, Certificate] = {}

    async def certified(self, before: Claim | None, height: int, answer: Any) -> tuple[Claim, Claim | None, list[int]]:
        """Verifies a validator's block at `height` and its certificate. A Jolteon block has the certificate of the block
        before it, a block of another protocol its own.

        Returns the reported block, the block that is certified now, if any, and the signers of its certificate.
        """
        author = None if self.client.protocol == "abft" else number(answer, "author")
        view, named, transactions = number(answer, "view"), digest(answer, "digest"), number(answer, "transactions")
        claim = Claim(number(answer, "height"), view, named, author, transactions)
        parent, encoded, reported = digest(answer, "parent"), text(answer, "certificate"), answer.get("signers")
        if claim.height != height:
            raise Refused("WRONG_CONTEXT", f"height of the block: expected {height}, got {claim.height}")
        if before and before.digest != parent:
            raise Refused("WRONG_CONTEXT", f"block {height - 1} was reported with another digest before")
        of_parent = self.client.protocol == "jolteon"
        if of_parent and height == 1:
            return claim, None, []
        certificate = await self.certificate(encoded)
        statement, signers = certificate.statement, list(certificate.signers)
        if of_parent:
            view = before.view if before else statement.view
            holds = 0 < view < claim.view and self.client.certifies(statement, height - 1, view, bytes.fromhex(parent))
        else:
            holds = self.client.certifies(statement, height, claim.view, bytes.fromhex(claim.digest))
        if not holds:
            raise Refused("WRONG_CONTEXT", "the certificate does not certify the block")
        if signers != reported:
            raise Refused("WRONG_CONTEXT", "the signers of the certificate differ from the reported ones")
        return claim, before if of_parent else claim, signers

    async def certificate(self, encoded: str) -> Certificate:
        """Verifies a certificate once, and checks that no certificate of the same kind and view contradicts it."""
        if known := self.verified.get(encoded):
            return known
        certificate = (await self.client.verify_certificate_async(unhex(encoded))).value
        if encoded not in self.verified:
            self.certificates += 1
        remember(self.verified, encoded, certificate)
        statement = certificate.statement
        other = remember(self.views, (statement.kind, statement.epoch, statement.view), certificate)
        if other.statement.contradicts(statement):
            evidence = Conflict(other, certificate)
            culprits = " and ".join(map(str, evidence.verify(self.client.voters(statement.epoch)).value.culprits))
            message = f"two blocks of view {statement.view} are certified; {culprits} signed both"
            raise Contradiction(message, evidence.encode())
        return certificate

    def claimed_epoch(self, answer: Any) -> int:
        """Returns the epoch that a block's certificate claims."""
        encoded = text(answer, "certificate")
        return UntrustedHeader.peek(unhex(encoded)).epoch if encoded else 0

    def is_forgotten(self, epoch: int) -> bool:
        """Returns true if the members of an epoch are no longer known, so that its blocks cannot be verified."""
        return epoch <= self.client.epoch() - KEPT_EPOCHS

    async def hand_over(self, answer: Any, needed: int) -> list[int]:
        """Follows the epochs of a validator's list, to shortly after the needed one. Returns the numbers of the new ones."""
        listed = answer.get("epochs") if isinstance(answer, dict) else None
        if not isinstance(listed, list):
            raise Refused("MALFORMED", "missing epochs in the response")
        begun = []
        for one in listed:
            epoch = number(one, "epoch")
            if epoch <= self.client.epoch():
                continue
            if epoch > needed + MAX_AHEAD:
                break
            block, finality, payload = (unhex(text(one, name)) for name in ("block", "finality", "payload"))
            try:
                begun.append(await self.client.hand_over_async(block, finality, payload))
            except QuorateError:
                # Another validator's list was faster.
                if epoch > self.client.epoch():
                    raise
        return begun

    def agree(self, block: Claim, url: str) -> str | None:
        """Compares the reported height of a certified block with proofs and with the reports of other validators.

        A certificate does not bind the height: without a proof, either may be wrong. Returns the other validator.
        """
        if self.proven.conflicts(block.height, block.digest):
            raise Refused("WRONG_CONTEXT", f"a proof shows that {block.digest[:16]}… is not block {block.height}")
        self.shown[url].remember(block.height, block.digest)
        return next(iter(self.refuted_by(block.height, block.digest)), None)

    def newest(self, block: Claim) -> bool:
        """Records a certified block and returns whether its view is the newest so far: signatures bind views."""
        newest = block.view > self.view
        if newest:
            self.view, self.height = block.view, block.height
        return newest

    def first_missed(self, block: Claim) -> int | None:
        """The height to start from instead of `block`, if blocks between the newest one and `block` were not shown.

        Validators report different heights when a watcher starts. A false height must not send a watcher back far.
        """
        missed = block.height - self.height - 1
        return self.height + 1 if self.height and 0 < missed <= MAX_REWIND else None

    async def proof(self, wanted: bytes, answer: Any) -> tuple[int, str]:
        """Verifies the proof of a committed transaction, and returns the block's height and digest."""
        proven = await self.client.verify_transaction_async(unhex(text(answer, "proof")))
        if proven.id != wanted:
            raise Refused("WRONG_CONTEXT", "the proof is for another transaction than the requested one")
        height, named = proven.commit.height, proven.commit.digest.hex()
        reported = digest(answer, "id"), number(answer, "height"), digest(answer, "block")
        if reported != (wanted.hex(), height, named):
            raise Refused("WRONG_CONTEXT", "the proof does not match the response")
        if self.proven.conflicts(height, named):
            other = self.proven.digests[height]
            raise Contradiction(f"two blocks at height {height} are proven: {named[:16]}… and {other[:16]}…")
        self.proven.remember(height, named)
        self.proofs += 1
        return height, named

    def refuted_by(self, height: int, digest: str) -> list[str]:
        """Returns the validators that reported a different block or height."""
        return [url for url, places in self.shown.items() if places.conflicts(height, digest)]

    def forget(self, url: str) -> None:
        """Discards the reports of a refused validator, so that they do not cast doubt on others."""
        self.shown.pop(url, None)


def remember(known: dict[K, V], key: K, value: V) -> V:
    """Returns the value stored under a key, or stores the given one and evicts the oldest."""
    found = known.setdefault(key, value)
    if len(known) > MAX_REMEMBERED:
        del known[next(iter(known))]
    return found


def number(answer: Any, name: str) -> int:
    found = answer.get(name) if isinstance(answer, dict) else None
    if type(found) is not int or not 0 <= found <= MAX_NUMBER:
        raise Refused("MALFORMED", f"missing number {name} in the response")
    return found


def text(answer: Any, name: str) -> str:
    found = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(found, str):
        raise Refused("MALFORMED", f"missing text {name} in the response")
    return found


def digest(answer: Any, name: str) -> str:
    found = text(answer, name)
    if not re.fullmatch("[0-9a-f]{64}", found):
        raise Refused("MALFORMED", f"missing digest {name} in the response")
    return found


def unhex(digits: str) -> bytes:
    # Avoids a repeated group: the regular expression engine records each of millions of repetitions.
    if len(digits) % 2 or not re.fullmatch("[0-9a-f]*", digits):
        raise Refused("MALFORMED", "not hexadecimal")
    return bytes.fromhex(digits)
