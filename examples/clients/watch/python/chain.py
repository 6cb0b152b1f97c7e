"""What is known of a chain, from all its validators together; bounded, however long one watches."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, TypeVar

from jolteon import BLOCK, Block, Committees, Refused, TransactionProof
from quorate import Certificate, Conflict

KEPT = 4096  # certificates, proven blocks, and each validator's blocks that are remembered
LARGEST_NUMBER = (1 << 53) - 1  # what every language's JSON reads exactly
K = TypeVar("K")
V = TypeVar("V")


class Contradiction(Exception):
    """Two things that cannot both be, by signatures alone: more than a third of the weight broke the protocol.

    `evidence` convinces everybody who has the genesis; it is empty for two proven blocks at one height.
    """

    code = "CONTRADICTION"

    def __init__(self, message: str, evidence: bytes = b"") -> None:
        super().__init__(message)
        self.evidence = evidence


@dataclass(frozen=True)
class Claim:
    """A block as a validator reports it, before its certificate is there."""

    height: int
    view: int
    digest: str
    author: int
    transactions: int


class Places:
    """Which block is at which height, as somebody says."""

    def __init__(self) -> None:
        self.digests: dict[int, str] = {}
        self.heights: dict[str, int] = {}

    def keep(self, height: int, digest: str) -> None:
        keep(self.digests, height, digest)
        keep(self.heights, digest, height)

    def differ(self, height: int, digest: str) -> bool:
        """Whether another block is at this height, or this block at another."""
        return self.digests.get(height, digest) != digest or self.heights.get(digest, height) != height


class Chain:
    """Takes what validators say, and raises `Refused` or `Contradiction` for what cannot be."""

    def __init__(self, committees: Committees) -> None:
        self.committees = committees
        self.certificates = self.proofs = self.view = 0
        self.proven = Places()
        self.shown: defaultdict[str, Places] = defaultdict(Places)  # by the validator's address
        self.views: dict[int, Certificate] = {}
        self.verified: dict[str, Certificate] = {}

    async def successor(self, before: Claim | None, height: int, answer: Any) -> tuple[Claim, list[int]]:
        """Checks a validator's block at `height` and the certificate in it, which is that of the block `before`.

        Gives what it says of itself, and who signed the block before.
        """
        claim = Claim(
            number(answer, "height"),
            number(answer, "view"),
            digest(answer, "digest"),
            number(answer, "author"),
            number(answer, "transactions"),
        )
        parent, encoded, named = digest(answer, "parent"), text(answer, "certificate"), answer.get("signers")
        if claim.height != height:
            raise Refused("WRONG_CONTEXT", f"block {claim.height} instead of {height}")
        if height == 1:
            return claim, []
        certificate = await self.certificate(encoded)
        statement, signers = certificate.statement, list(certificate.signers)
        if (statement.kind, statement.digest.hex()) != (BLOCK, parent) or not 0 < statement.view < claim.view:
            raise Refused("WRONG_CONTEXT", "the certificate is not the parent's")
        if signers != named:
            raise Refused("WRONG_CONTEXT", "others signed the certificate than the answer says")
        if before and (before.digest, before.view) != (parent, statement.view):
            raise Refused("WRONG_CONTEXT", f"block {height - 1} was another before")
        return claim, signers

    async def certificate(self, encoded: str) -> Certificate:
        """Verifies a certificate, each once, and that no other of its view contradicts it."""
        if known := self.verified.get(encoded):
            return known
        voters = self.committees.voters
        certificate = Certificate.decode(unhex(encoded), voters)
        await certificate.verify_async(voters)
        if encoded not in self.verified:
            self.certificates += 1
        keep(self.verified, encoded, certificate)
        other = keep(self.views, certificate.statement.view, certificate)
        if other.statement.contradicts(certificate.statement):
            evidence = Conflict(other, certificate)
            guilty = " and ".join(map(str, evidence.verify(voters).value.culprits))
            message = f"two blocks of view {certificate.statement.view} are certified; {guilty} signed both"
            raise Contradiction(message, evidence.encode())
        return certificate

    def agree(self, block: Claim, url: str) -> str | None:
        """Compares the height that a validator gives a certified block with proofs, and with what others show.

        A certificate says nothing of heights, so without a proof one of two may lie, and nobody knows which: gives
        the other one.
        """
        if self.proven.differ(block.height, block.digest):
            raise Refused("WRONG_CONTEXT", f"a proof shows that {block.digest[:16]}… is not block {block.height}")
        self.shown[url].keep(block.height, block.digest)
        return next(iter(self.disproved(block.height, block.digest)), None)

    def newest(self, view: int) -> bool:
        """Whether a certified view is the newest of all: signatures bind views."""
        newest, self.view = view > self.view, max(view, self.view)
        return newest

    async def proof(self, wanted: bytes, answer: Any) -> tuple[int, str]:
        """Checks that a transaction is committed, by its proof alone, and gives the block's height and digest."""
        # A stranger chooses how long this takes; the others go on meanwhile.
        block = await asyncio.to_thread(self.check, text(answer, "proof"), wanted)
        height, named = block.height, block.digest.hex()
        said = digest(answer, "id"), number(answer, "height"), digest(answer, "block")
        if said != (wanted.hex(), height, named):
            raise Refused("WRONG_CONTEXT", "the proof is of something else than the answer says")
        if self.proven.differ(height, named):
            other = self.proven.digests[height]
            raise Contradiction(f"two blocks at height {height} are proven: {named[:16]}… and {other[:16]}…")
        self.proven.keep(height, named)
        self.proofs += 1
        return height, named

    def check(self, encoded: str, wanted: bytes) -> Block:
        proof = TransactionProof.decode(unhex(encoded), self.committees)
        if proof.verify(self.committees) != wanted:
            raise Refused("WRONG_CONTEXT", "another transaction is proven than was asked for")
        return proof.block

    def disproved(self, height: int, digest: str) -> list[str]:
        """Who showed something else than this."""
        return [url for url, places in self.shown.items() if places.differ(height, digest)]

    def forget(self, url: str) -> None:
        """What a liar showed is no reason to doubt anybody else."""
        self.shown.pop(url, None)


def keep(kept: dict[K, V], key: K, value: V) -> V:
    """What is there under a key already, or else the value, which stays until many others came."""
    found = kept.setdefault(key, value)
    if len(kept) > KEPT:
        del kept[next(iter(kept))]
    return found


def number(answer: Any, name: str) -> int:
    found = answer.get(name) if isinstance(answer, dict) else None
    if type(found) is not int or not 0 <= found <= LARGEST_NUMBER:
        raise Refused("MALFORMED", f"no number {name} in the answer")
    return found


def text(answer: Any, name: str) -> str:
    found = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(found, str):
        raise Refused("MALFORMED", f"no text {name} in the answer")
    return found


def digest(answer: Any, name: str) -> str:
    found = text(answer, name)
    if not re.fullmatch("[0-9a-f]{64}", found):
        raise Refused("MALFORMED", f"no digest {name} in the answer")
    return found


def unhex(digits: str) -> bytes:
    # No group is repeated here: a regular expression remembers each repetition, of millions.
    if len(digits) % 2 or not re.fullmatch("[0-9a-f]*", digits):
        raise Refused("MALFORMED", "not hexadecimal")
    return bytes.fromhex(digits)
