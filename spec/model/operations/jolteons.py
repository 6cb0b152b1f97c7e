"""Jolteon."""

from .. import jolteon, wire
from .committees import committee
from .registry import operation, raw


def _both(i):
    return jolteon.Committees(committee(i["voters"]), committee(i["identities"]))


@operation("jolteon.genesis")
def jolteon_genesis(i):
    return {"digest": _both(i).genesis(raw(i["state_root"])).hex()}


@operation("jolteon.batch")
def jolteon_batch(i):
    batch = wire.whole(raw(i["batch"]), jolteon.Batch.read)
    return {
        "header": batch.header().encode().hex(),
        "digest": batch.header().digest().hex(),
        "transactions": [transaction.hex() for transaction in batch.ids()],
    }


@operation("jolteon.block")
def jolteon_block(i):
    c = _both(i)
    block = wire.whole(raw(i["block"]), lambda r: jolteon.Block.read(r, c))
    assert block.encode() == raw(i["block"])
    c.identities.scheme.verify(
        c.identities.keys[block.author], block.proposal().signed_bytes(c.identities.id), block.signature
    )
    return {
        "digest": block.digest().hex(),
        "view": str(block.view),
        "height": str(block.height),
        "author": block.author,
        "parent": block.parent.hex(),
        "batches": [batch.header.digest().hex() for batch in block.payload],
    }


@operation("jolteon.message")
def jolteon_message(i):
    return {"tag": jolteon.read_message(raw(i["message"]), _both(i))}


@operation("jolteon.record")
def jolteon_record(i):
    return {"tag": jolteon.read_record(raw(i["record"]), _both(i))}


@operation("jolteon.finality")
def jolteon_finality(i):
    c = _both(i)
    block = wire.whole(raw(i["block"]), lambda r: jolteon.Block.read(r, c))
    jolteon.verify_finality(raw(i["proof"]), block, c)
    return {}


@operation("jolteon.sequences")
def jolteon_sequences(i):
    sequences = jolteon.Sequences()
    return {"admitted": [sequences.record(int(n)) for n in i["sequences"]], "top": str(sequences.top)}


@operation("jolteon.leaders")
def jolteon_leaders(i):
    """The leaders of the next views after the genesis and after each block of a chain."""
    voters = committee(i["voters"])
    reputation, view, author = jolteon.LeaderReputation(voters), 0, None
    leaders = [[reputation.leader(v) for v in range(1, 9)]]
    for height, link in enumerate(i["blocks"], 1):
        reputation.append(height, int(link["view"]), link["author"], view, author, link["signers"])
        view, author = int(link["view"]), link["author"]
        leaders.append([reputation.leader(v) for v in range(view + 1, view + 9)])
    return {"leaders": leaders}
