"""Gosig."""

from .. import gosig, membership, wire
from ..certificate import Certificate
from ..merkle import TRANSACTIONS
from ..sortition import Lottery, Seed
from .certificates import statement_json
from .committees import committee
from .registry import operation, raw


def _both(i):
    return gosig.Committees(committee(i["voters"]), committee(i["identities"]))


def _decoded(data, read):
    """Decodes, and checks that the value encodes to the same bytes."""
    value = wire.whole(raw(data), read)
    assert value.encode() == raw(data)
    return value


def _block(i, c):
    return _decoded(i["block"], lambda r: gosig.Block.read(r, c))


def _proposal(i, c):
    return _decoded(i["proposal"], lambda r: gosig.Proposal.read(r, c))


@operation("gosig.genesis")
def gosig_genesis(i):
    return {"digest": _both(i).genesis(raw(i["state_root"])).hex()}


@operation("gosig.ballot")
def gosig_ballot(i):
    return {"ballot": gosig.ballot(int(i["height"]), raw(i["block"])).hex()}


@operation("gosig.short")
def gosig_short(i):
    block = raw(i["block"])
    return {"short": [gosig.short_identifier(block, raw(one)).hex() for one in i["transactions"]]}


@operation("gosig.payload")
def gosig_payload(i):
    transactions = [raw(one) for one in i["transactions"]]
    leaves = [TRANSACTIONS.leaf(one).hex() for one in transactions]
    return {"summary": gosig.Summary.from_transactions(transactions).encode().hex(), "identifiers": leaves}


@operation("gosig.block")
def gosig_block(i):
    block = _block(i, _both(i))
    return {
        "digest": block.digest().hex(),
        "ballot": block.ballot().hex(),
        "round": str(block.round),
        "height": str(block.height),
        "author": block.author,
        "parent": block.parent.hex(),
        "payload": block.payload.encode().hex(),
        "executed": str(block.executed[0]),
    }


@operation("gosig.proposal")
def gosig_proposal(i):
    c = _both(i)
    proposal = _proposal(i, c)
    proposal.check(c)
    certificate = proposal.certificate
    return {
        "digest": proposal.digest().hex(),
        "block": proposal.block.digest().hex(),
        "round": str(proposal.round),
        "proposer": proposal.proposer,
        "certificate": certificate and statement_json(certificate[0].statement),
        "certified": str(proposal.certified_round()),
    }


@operation("gosig.verify")
def gosig_verify(i):
    c, seed = _both(i), wire.whole(raw(i["seed"]), Seed.read)
    proposal = _proposal(i, c)
    score, after = proposal.verify(c, seed, Lottery(c.voters, seed, proposal.round, i["expected"]))
    return {"score": score.hex(), "seed": after.encode().hex()}


@operation("gosig.commitment")
def gosig_commitment(i):
    c = _both(i)
    block = _block(i, c)
    certificate = wire.whole(raw(i["certificate"]), lambda r: gosig.read_commitment(r, c))
    gosig.verify_commitment(certificate, block, c)
    return {"round": str(certificate.statement.view)}


@operation("gosig.segment")
def gosig_segment(i):
    segment = _decoded(i["segment"], gosig.Segment.read)
    segment.check(_both(i))
    return {
        "digest": segment.digest().hex(),
        "block": segment.block.hex(),
        "round": str(segment.round),
        "signer": segment.signer,
        "index": segment.index,
        "segments": segment.segments,
        "first": segment.first,
    }


@operation("gosig.message")
def gosig_message(i):
    """With `zeros`, transactions of these numbers of zeros precede the last bytes, `end`."""
    zeros = b"".join(wire.blob(bytes(length)) for length in i.get("zeros", []))
    epoch, tag = gosig.read_message(raw(i["message"]) + zeros + raw(i.get("end", "")), _both(i))
    return {"epoch": str(epoch), "tag": tag}


@operation("gosig.record")
def gosig_record(i):
    return {"tag": gosig.read_record(raw(i["record"]), _both(i))}


@operation("gosig.decide")
def gosig_decide(i):
    held = [(raw(z["score"]), raw(z["block"]), int(z["certified"])) for z in i["proposals"]]
    lock = i["lock"] and (raw(i["lock"]["block"]), int(i["lock"]["round"]))
    prepared, lock = gosig.decide(lock, held)
    return {"prepares": prepared and prepared.hex(), "lock": lock and {"block": lock[0].hex(), "round": str(lock[1])}}


@operation("gosig.change")
def gosig_change(i):
    """The statement that members sign to allow the change."""
    c, data = _both(i), raw(i["change"])
    change = wire.whole(data, lambda r: membership.Change.read(r, c.voters.scheme))
    return {"statement": statement_json(change.statement(c))}


@operation("gosig.change_transaction")
def gosig_change_transaction(i):
    c = _both(i)
    change = wire.whole(raw(i["change"]), lambda r: membership.Change.read(r, c.voters.scheme))
    allowed = wire.whole(raw(i["certificate"]), lambda r: Certificate.read(r, c.identities))
    data = membership.PREFIX + wire.u64(allowed.statement.epoch) + change.encoded + raw(i["certificate"])
    return {"transaction": data.hex()}


@operation("gosig.next_epoch")
def gosig_next_epoch(i):
    found = membership.next_epoch(_both(i), [raw(one) for one in i["transactions"]])
    if found is None:
        return {"next": None}
    c, contacts = found
    scheme = c.voters.scheme
    members = zip(c.voters.keys, c.identities.keys, c.voters.weights)
    shown = [{"voting": scheme.encode_key(v).hex(), "identity": k.hex(), "weight": str(w)} for v, k, w in members]
    return {
        "next": {
            "epoch": str(c.voters.epoch),
            "voters": c.voters.id.hex(),
            "identities": c.identities.id.hex(),
            "members": shown,
            "contacts": [{"identity": key.hex(), "contact": contact.hex()} for key, contact in contacts],
        }
    }
