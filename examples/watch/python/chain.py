"""What is known of a chain, from all its validators together; bounded, however long one watches."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, TypeVar

from jolteon import BLOCK, Committees, Refused, TransactionProof
from quorate import Certificate, Conflict

KEPT = 4096  # blocks, views and certificates that are remembered
LARGEST_NUMBER = (1 << 53) - 1  # what every language's JSON reads exactly
K = TypeVar("K")
V = TypeVar("V")


class Contradiction(Exception):
    """Two things that cannot both be. `evidence` convinces everybody who has the genesis, if there is any."""

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


class Chain:
    """Takes what validators say, and raises `Refused` or `Contradiction` for what cannot be."""

    def __init__(self, committees: Committees) -> None:
        self.committees = committees
        self.certificates = self.proofs = self.height = 0
        self.digests: dict[int, tuple[str, str]] = {}
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

    def agree(self, height: int, digest: str, url: str) -> bool:
        """Compares a certified block with what the others have there; whether it is the newest of all."""
        known, by = keep(self.digests, height, (digest, url))
        if known != digest:
            raise Contradiction(f"block {height} is {digest[:16]}… here and {known[:16]}… at {by}")
        newest, self.height = height > self.height, max(height, self.height)
        return newest

    def proof(self, wanted: bytes, answer: Any, url: str) -> TransactionProof:
        """Checks that a transaction is committed, by its proof alone."""
        proof = TransactionProof.decode(unhex(text(answer, "proof")), self.committees)
        if proof.verify(self.committees) != wanted:
            raise Refused("WRONG_CONTEXT", "another transaction is proven than was asked for")
        block = proof.block
        said = digest(answer, "id"), number(answer, "height"), digest(answer, "block")
        if said != (wanted.hex(), block.height, block.digest.hex()):
            raise Refused("WRONG_CONTEXT", "the proof is of something else than the answer says")
        known, by = keep(self.digests, block.height, (block.digest.hex(), url))
        if known != block.digest.hex():
            here = block.digest.hex()[:16]
            raise Contradiction(f"block {block.height} is {here}… here and {known[:16]}… at {by}")
        self.proofs += 1
        return proof


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
    if not re.fullmatch("([0-9a-f]{2})*", digits):
        raise Refused("MALFORMED", "not hexadecimal")
    return bytes.fromhex(digits)
