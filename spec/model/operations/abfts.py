"""The asynchronous protocols."""

import json
from dataclasses import replace
from functools import cache

from .. import abft, abft_chain, coin, dleq, ecdsa, erasure, presigned, shared_bls, tdh2, wire
from ..committee import SCHEMES
from ..ed25519 import ED25519
from ..guard import Record
from ..spending import Spending
from .committees import committee
from .registry import operation, raw


def _key(i, kind):
    if i["scheme"] == "list":
        return abft.ListKey(raw(i["committee"]), i["faulty"], kind, [raw(key) for key in i[kind]])
    bls = abft.BlsKey(wire.whole(raw(i[kind]), lambda r: shared_bls.Key.read(r, SCHEMES[1])))
    return bls if i["scheme"] == "bls" else presigned.PresignedKey(bls, _ecdsa_key(i), _presignatures(json.dumps(i)))


def _ecdsa_key(i):
    return wire.whole(raw(i["ecdsa"]), lambda r: ecdsa.Key.read(r, presigned.GROUP))


@cache
def _presignatures(text):
    """Those of member 0."""
    i = json.loads(text)
    secrets = i["secrets"][0]
    return presigned.unseal(_ecdsa_key(i), int(i["presigned_epoch"]), 0, raw(secrets["sealing"]), raw(i["presignatures"]))


def setup(i):
    """The setup of a vector file's entry."""
    return _setup(json.dumps(i))


@cache
def _setup(text):
    i = json.loads(text)
    suite = wire.whole(raw(i["code"]), erasure.read_suite)
    members, faulty = i["members"], i["faulty"]
    keys = {
        name: wire.whole(raw(i[name]), lambda r: dleq.Keys.read(r, purpose))
        for name, purpose in (("coin", coin.PURPOSE), ("encryption", tdh2.PURPOSE))
    }
    return abft.Setup(
        committee=raw(i["committee"]),
        members=members,
        faulty=faulty,
        coding=erasure.Coding(suite, members - 2 * faulty, 2 * faulty, i["max_message"]),
        max_value=i["max_value"],
        agreed=_key(i, abft.AGREED),
        unagreed=_key(i, abft.UNAGREED),
        **keys,
    )


def _shares(i, purpose):
    return [wire.whole(raw(share), lambda r: dleq.Share.read(r, purpose)) for share in i["shares"]]


@operation("abft.digest")
def abft_digest(i):
    return {"digest": abft.digest(raw(i["value"])).hex()}


@operation("abft.delivery")
def abft_delivery(i):
    return {"statement": abft.delivery(raw(i["committee_id"]), int(i["epoch"]), i["sender"], raw(i["id"])).hex()}


@operation("abft.promotion")
def abft_promotion(i):
    fields = int(i["epoch"]), i["view"], i["proposer"], i["stage"], raw(i["digest"])
    return {"statement": abft.promotion(raw(i["committee_id"]), *fields).hex()}


@operation("abft.completion")
def abft_completion(i):
    return {"statement": abft.completion(raw(i["committee_id"]), int(i["epoch"]), i["view"]).hex()}


@operation("abft.sign")
def abft_sign(i):
    key = setup(i["setup"]).key(i["key"])
    secret = raw(i["setup"]["secrets"][i["member"]][i["key"]])
    return {"share": key.write_share(key.sign(secret, i["member"], raw(i["statement"]))).hex()}


@operation("abft.verify")
def abft_verify(i):
    key = setup(i["setup"]).key(i["key"])
    key.verify(raw(i["statement"]), wire.whole(raw(i["signature"]), key.read))


@operation("abft.collect")
def abft_collect(i):
    key = setup(i["setup"]).key(i["key"])
    statement, outcomes = raw(i["statement"]), []
    if key.opens:
        collector = key.collector(statement, abft.Collector(key.bls, statement))
    else:
        collector = abft.Collector(key, statement)
    for one in i["shares"]:
        if "opening" in one:
            opening = wire.whole(raw(one["opening"]), lambda r: ecdsa.Opening.read(r, presigned.GROUP))
            signature, wrong = collector.open(one["from"], opening)
        else:
            signature, wrong = collector.add(one["from"], wire.whole(raw(one["share"]), key.read_share))
        outcomes.append({"signature": signature and key.write(signature).hex(), "wrong": wrong})
        if signature:
            break
    return {"outcomes": outcomes}


@operation("abft.presignatures")
def abft_presignatures(i):
    """The sealed file of the setup, or a beginning of it, with one changed byte if `flip` is its place."""
    s, sealed = i["setup"], bytearray(raw(i["setup"]["presignatures"]))
    if i["flip"] is not None:
        sealed[i["flip"]] ^= 1
    sealed = bytes(sealed[: i["length"]])
    secret = raw(s["secrets"][0]["sealing"])
    file = presigned.unseal(_ecdsa_key(s), int(i["epoch"]), i["member"], secret, sealed)
    assert len(sealed) == 169 + 32 * s["members"] + 161 * file.deal.plan.count
    return {"member": file.member, "deal": file.deal.encode().hex(), "presignatures": file.deal.plan.count}


@operation("abft.presign")
def abft_presign(i):
    """What member 0 signs and records."""
    s = i["setup"]
    keys, secrets = setup(s), s["secrets"][0]
    records = [wire.whole(raw(record), Record.read) for record in i["records"]]
    guard = Spending(ED25519, raw(secrets["identity"]), raw(s["chain"]), records)
    file = keys.agreed.file if i["has_file"] else None
    presigner, outcomes = presigned.Presigner(keys.agreed.ecdsa, 0, file, guard), []
    for step in i["steps"]:
        if step["do"] == "open":
            outcomes.append({"opened": presigner.open(int(step["epoch"]))})
        elif step["do"] == "sign":
            key, statement = keys.key(step["key"]), raw(step["statement"])
            share, with_bls = presigner.sign(statement)
            shares = [(presigned.ECDSA, share)] if share else []
            if with_bls:
                shares.append(key.sign(raw(secrets[step["key"]]), 0, statement))
            outcomes.append({"shares": [key.write_share(share).hex() for share in shares]})
        elif step["do"] == "fall_back":
            presigner.falls_back = True
            outcomes.append({})
        else:
            presigner.close(int(step["epoch"]))
            outcomes.append({})
    return {"outcomes": outcomes, "records": sorted(record.encode().hex() for record in guard.records())}


@operation("abft.leader")
def abft_leader(i):
    return {"leader": abft.leader(setup(i["setup"]), int(i["epoch"]), i["view"], _shares(i, coin.PURPOSE))}


@operation("abft.message")
def abft_message(i):
    s = setup(i["setup"])
    return {"message": wire.whole(raw(i["message"]), lambda r: abft.READERS[i["protocol"]](r, s))}


@operation("abft.proof")
def abft_proof(i):
    s = setup(i["setup"])
    proof = wire.whole(raw(i["proof"]), lambda r: abft.read_proof(r, s))
    abft.verify_proof(s, int(i["epoch"]), proof)
    return {"sender": proof[0], "id": proof[1].hex()}


@operation("abft.vote")
def abft_vote(i):
    """The share with which member 0 votes for stage 1 of a value that `proposer` promotes in view 1, or null."""
    s, value, epoch = setup(i["setup"]), raw(i["value"]), int(i["epoch"])
    if not abft.is_valid_set(value, s, epoch):
        return {"vote": None}
    statement = abft.promotion(s.committee, epoch, 1, i["proposer"], 1, abft.digest(value))
    secret = raw(i["setup"]["secrets"][0][abft.UNAGREED])
    return {"vote": s.unagreed.write_share(s.unagreed.sign(secret, 0, statement)).hex()}


@operation("abft.block")
def abft_block(i):
    """The block that follows from a decision."""
    decided = [(one["proposer"], raw(one["transaction"]) + bytes(one["zeros"])) for one in i["decided"]]
    made = abft_chain.batches(decided, int(i["height"]), {raw(one) for one in i["recent"]})
    state = int(i["state_height"]), raw(i["state_root"])
    headers = [batch.header() for batch in made]
    block = abft_chain.Block(int(i["epoch"]), int(i["height"]), raw(i["parent"]), *state, headers)
    listed = [{"author": header.author, "transactions": header.count, "digest": header.digest().hex()} for header in headers]
    return {"block": block.encode().hex(), "digest": block.digest().hex(), "batches": listed}


@operation("abft.chain_message")
def abft_chain_message(i):
    s, voters = setup(i["setup"]), committee(i["voters"])
    return {"message": wire.whole(raw(i["message"]), lambda r: abft_chain.read_message(r, s, voters))}


@operation("abft.batch")
def abft_batch(i):
    transactions = abft.read_batch(raw(i["batch"]))
    assert abft.write_batch(transactions) == raw(i["batch"])
    return {"transactions": [one.hex() for one in transactions]}


@operation("abft.choose")
def abft_choose(i):
    candidates, count = abft.candidates([raw(one) for one in i["pending"]], i["batch"], i["members"])
    return {"count": count, "candidates": sorted(one.hex() for one in candidates)}


@operation("abft.epoch")
def abft_epoch(i):
    """What member 0 outputs after the messages of the others: a Decide, and all messages of the broadcasts in its set."""
    s, epoch = setup(i["setup"]), int(i["epoch"])
    if not i["encrypted"]:
        s = replace(s, encryption=None)
    broadcasts, shares, subset = {}, {}, None
    for one in i["messages"]:
        data = raw(one["message"])
        message = wire.whole(data, lambda r: abft.read_epoch(r, s))
        if message["tag"] == 2:
            share = wire.whole(raw(message["share"]), lambda r: dleq.Share.read(r, tdh2.PURPOSE))
            shares.setdefault(message["proposer"], []).append(share)
        elif message["message"]["tag"] == 1:
            rbc = message["message"]["message"]["message"]
            echoes, readies = broadcasts.setdefault((message["message"]["sender"], rbc["id"]), ([], set()))
            if rbc["tag"] == 2:
                # The tags of Subset, Broadcast with its sender, Broadcast, and Echo precede the shard.
                echoes.append(erasure.read_shard(data[6:], s.coding))
            else:
                readies.add(one["from"])
        else:
            subset = abft.read_set(raw(message["message"]["message"]["value"]), s)
    batches, faults = {}, []
    for sender, id, _ in subset:
        echoes, readies = broadcasts[sender, id.hex()]
        # Member 0 adds its own Ready to f + 1 others.
        assert len(readies) >= 2 * s.faulty
        value = erasure.decode(s.coding, echoes)
        batches[sender], is_fault = abft.open_value(s, epoch, sender, value, shares.get(sender, []))
        faults += [sender] if is_fault else []
    ordered = abft.order(batches, epoch, s.members)
    return {"ordered": [{"proposer": p, "transaction": t.hex()} for p, t in ordered], "faults": faults}
