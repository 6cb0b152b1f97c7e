"""All vector operations (spec/vectors/README.md), through the public API; here those of keys, Merkle trees and
committees.
"""

from __future__ import annotations

from typing import Any

import dleq_operations
import dsig_operations
import erasure_operations
import gossip_operations
import threshold_operations
import vote_operations
import wire_operations
from quorate import (
    ChainId,
    Ciphersuite,
    Committee,
    QuorateError,
    Signature,
    SignerSet,
    Suite,
    UntrustedHeader,
    WrongContextError,
    bls,
    merkle,
    wire,
)
from vector_inputs import Json, committee_of, key_of, same, secret_of, signature_of, suite_of, unhex, verified

TREE = merkle.Merkle("quorate-v1-transaction", "quorate-v1-batch-node")


def run(operation: str, given: Json) -> Json:
    """Returns the operation's output; None if it has none. Errors are raised."""
    return OPERATIONS[operation](given)


def secret_key_decode(given: Json) -> Json:
    secret = secret_of(given)
    assert secret.to_bytes() == unhex(given["secret"])
    return {"public_key": secret.public_key().encode().hex()}


def signature_decode_link(given: Json) -> Json:
    data = unhex(given["link"])
    signature = Signature.decode_link(suite_of(given), data)
    assert signature.encode_link() == data
    return {"signature": signature.encode().hex()}


def verify(given: Json) -> None:
    key = key_of(given)
    key.verify(unhex(given["message"]), signature_of(given))


def possession_verify(given: Json) -> None:
    verified(suite_of(given), given)


def bls_aggregate(given: Json) -> Json:
    suite = suite_of(given)
    parts = [same(Signature.decode(suite, unhex(part)), unhex(part)) for part in given["signatures"]]
    return {"signature": bls.aggregate(parts).encode().hex()}


def bls_fast_aggregate_verify(given: Json) -> None:
    keys = [verified(suite_of(given), key) for key in given["keys"]]
    bls.fast_aggregate_verify(keys, unhex(given["message"]), signature_of(given))


def bls_aggregate_verify(given: Json) -> None:
    signed = [(verified(suite_of(given), key), unhex(key["message"])) for key in given["keys"]]
    bls.aggregate_verify(signed, signature_of(given))


def leaves(given: Json) -> list[bytes]:
    return TREE.leaves([unhex(item) for item in given["items"]])


def merkle_verify(given: Json) -> Json:
    data = unhex(given["path"])
    path = same(merkle.Path.decode(data), data)
    TREE.verify(unhex(given["root"]), TREE.leaf(unhex(given["item"])), path)
    return {"index": path.index, "count": path.count}


def figures(committee: Committee) -> Json:
    return {
        "id": str(committee.id),
        "total_weight": str(committee.total_weight),
        "quorum_weight": str(committee.quorum_weight),
        "honest_weight": str(committee.honest_weight),
    }


def committee_new(given: Json) -> Json:
    suite = suite_of(given)
    members = [(verified(suite, member), int(member["weight"])) for member in given["members"]]
    return figures(Committee(ChainId.from_bytes(unhex(given["chain"])), int(given["epoch"]), members))


def raw_signers(committee: Committee, given: Json) -> SignerSet:
    if "indices" in given:
        return committee.signer_set(indices=given["indices"])
    if "lsb_first" in given:
        return committee.signer_set_lsb_first(unhex(given["lsb_first"]))
    return committee.signer_set_msb_first(unhex(given["msb_first"]))


def committee_signers(given: Json) -> Json:
    committee = committee_of(given)
    signers = raw_signers(committee, given)
    return {"signers": list(signers), "weight": str(committee.weight_of(signers))}


def ciphersuite_of(given: Json) -> Ciphersuite:
    data = unhex(given["ciphersuite"])
    return same(Ciphersuite.decode(data), data)


def raw_committee_of(given: Json) -> Committee:
    committee = committee_of(given)
    return committee.with_ciphersuite(ciphersuite_of(given)) if "ciphersuite" in given else committee


def committee_verify_raw(given: Json) -> Json:
    committee = raw_committee_of(given)
    signers = raw_signers(committee, given)
    message, proof = unhex(given["message"]), unhex(given["proof"])
    (batched,) = committee.verify_raw_batch([(message, signers, proof)])
    try:
        weight = committee.verify_raw(message, signers, proof)
    except QuorateError as error:
        assert getattr(batched, "code", None) == error.code
        raise
    assert batched == weight
    return {"weight": str(weight)}


def committee_verify_raw_each(given: Json) -> Json:
    signed = [(one["member"], unhex(one["message"])) for one in given["signed"]]
    return {"weight": str(raw_committee_of(given).verify_raw_each(signed, unhex(given["proof"])))}


def ciphersuite_decode(given: Json) -> Json:
    return {"encoded": Ciphersuite.decode(unhex(given["bytes"])).encode().hex()}


def verify_with(given: Json) -> None:
    key, ciphersuite = key_of(given), ciphersuite_of(given)
    key.verify_with(ciphersuite, unhex(given["message"]), signature_of(given))


def header_peek(given: Json) -> Json:
    data = unhex(given["bytes"])
    try:
        header = UntrustedHeader.peek(data)
    except WrongContextError:
        # The core leaves the suite's number to its caller; here a number without a suite is an error.
        reader = wire.Reader(data)
        suite, kind, epoch, view = reader.u8(), reader.u8(), reader.u64(), reader.u64()
        assert suite not in {known.number for known in Suite}
    else:
        assert header.encode() == data[:18]
        suite, kind, epoch, view = header.suite.number, header.kind, header.epoch, header.view
    return {"suite": suite, "kind": kind, "epoch": str(epoch), "view": str(view)}


OTHERS = [
    dleq_operations,
    dsig_operations,
    erasure_operations,
    threshold_operations,
    vote_operations,
    wire_operations,
]
OPERATIONS: dict[str, Any] = {name: call for module in OTHERS for name, call in module.OPERATIONS.items()}
OPERATIONS |= gossip_operations.operations(committee_of)
OPERATIONS |= {
    "secret_key.decode": secret_key_decode,
    "public_key.decode": lambda given: {"public_key": key_of(given).encode().hex()},
    "signature.decode": lambda given: {"link": signature_of(given).encode_link().hex()},
    "signature.decode_link": signature_decode_link,
    "sign": lambda given: {"signature": secret_of(given).sign(unhex(given["message"])).encode().hex()},
    "verify": verify,
    "possession.prove": lambda given: {"possession": secret_of(given).prove_possession().encode().hex()},
    "possession.verify": possession_verify,
    "bls.aggregate": bls_aggregate,
    "bls.fast_aggregate_verify": bls_fast_aggregate_verify,
    "bls.aggregate_verify": bls_aggregate_verify,
    "merkle.root": lambda given: {"root": TREE.root(leaves(given)).hex()},
    "merkle.path": lambda given: {"path": TREE.path(leaves(given), given["index"]).encode().hex()},
    "merkle.verify": merkle_verify,
    "chain_id.from_name": lambda given: {"chain": str(ChainId.from_name(given["name"]))},
    "committee.new": committee_new,
    "committee.from_attested": lambda given: figures(committee_of(given)),
    "committee.signers": committee_signers,
    "committee.verify_raw": committee_verify_raw,
    "committee.verify_raw_each": committee_verify_raw_each,
    "ciphersuite.decode": ciphersuite_decode,
    "signature.verify_with": verify_with,
    "header.peek": header_peek,
}
