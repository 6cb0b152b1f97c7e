"""What a vector can ask for: each operation takes the `input` object of a case and returns its `output`, or raises
`Refused`. Hex strings are bytes, decimal strings are integers of more than 32 bits (`spec/vectors/README.md`)."""

from . import coin, dleq, dsig, erasure, jolteon, tdh2, wire
from .aggregate import Aggregate
from .certificate import Certificate, Statement, Vote
from .committee import SCHEMES, Committee, chain_id_from_name
from .ed25519 import ED25519
from .errors import Refused
from .evidence import Conflict, Equivocation
from .guard import Guard, Record
from .merkle import TRANSACTIONS
from .sortition import Lottery, Seed, SeedProof, Ticket
from .threshold_operations import OPERATIONS as THRESHOLD
from .timeout import TimeoutCertificate, TimeoutVote

OPERATIONS = dict(THRESHOLD)


def operation(name):
    def register(function):
        OPERATIONS[name] = function
        return function

    return register


def raw(text):
    return bytes.fromhex(text)


# --- wire -----------------------------------------------------------------------------------------------------


@operation("wire.uint")
def wire_uint(i):
    return {"value": str(wire.whole(raw(i["bytes"]), lambda r: r.uint(i["width"])))}


@operation("wire.varint")
def wire_varint(i):
    return {"value": str(wire.whole(raw(i["bytes"]), lambda r: r.varint()))}


@operation("wire.bytes")
def wire_bytes(i):
    return {"value": wire.whole(raw(i["bytes"]), lambda r: r.blob(i["cap"])).hex()}


@operation("wire.list")
def wire_list(i):
    return {"value": wire.whole(raw(i["bytes"]), lambda r: [str(r.uint(8)) for _ in range(r.count(i["cap"]))])}


@operation("wire.option")
def wire_option(i):
    value = wire.whole(raw(i["bytes"]), lambda r: r.option(lambda r: r.uint(8)))
    return {"value": None if value is None else str(value)}


@operation("wire.hash")
def wire_hash(i):
    return {"hash": wire.derive(i["domain"], raw(i["bytes"])).hex()}


# --- keys and signatures --------------------------------------------------------------------------------------


@operation("secret_key.decode")
def secret_key_decode(i):
    scheme = SCHEMES[i["suite"]]
    return {"public_key": scheme.encode_key(scheme.public_key(scheme.secret(raw(i["secret"])))).hex()}


@operation("public_key.decode")
def public_key_decode(i):
    scheme = SCHEMES[i["suite"]]
    return {"public_key": scheme.encode_key(scheme.decode_key(raw(i["public_key"]))).hex()}


@operation("signature.decode")
def signature_decode(i):
    scheme = SCHEMES[i["suite"]]
    signature = scheme.decode_signature(raw(i["signature"]))
    return {"link": scheme.encode_link_signature(signature).hex()}


@operation("signature.decode_link")
def signature_decode_link(i):
    scheme = SCHEMES[i["suite"]]
    signature = scheme.decode_link_signature(raw(i["link"]))
    return {"signature": scheme.encode_signature(signature).hex()}


@operation("sign")
def sign(i):
    scheme = SCHEMES[i["suite"]]
    signature = scheme.sign(scheme.secret(raw(i["secret"])), raw(i["message"]))
    return {"signature": scheme.encode_signature(signature).hex()}


@operation("verify")
def verify(i):
    scheme = SCHEMES[i["suite"]]
    key, signature = scheme.decode_key(raw(i["public_key"])), scheme.decode_signature(raw(i["signature"]))
    scheme.verify(key, raw(i["message"]), signature)
    return {}


@operation("possession.prove")
def possession_prove(i):
    scheme = SCHEMES[i["suite"]]
    return {"possession": scheme.encode_signature(scheme.prove_possession(scheme.secret(raw(i["secret"])))).hex()}


def _verified_key(scheme, i):
    key = scheme.decode_key(raw(i["public_key"]))
    scheme.verify_possession(key, scheme.decode_signature(raw(i["possession"])))
    return key


@operation("possession.verify")
def possession_verify(i):
    _verified_key(SCHEMES[i["suite"]], i)
    return {}


@operation("bls.aggregate")
def bls_aggregate(i):
    scheme = SCHEMES[i["suite"]]
    total = scheme.aggregate([scheme.decode_signature(raw(s)) for s in i["signatures"]])
    return {"signature": scheme.encode_signature(total).hex()}


@operation("bls.fast_aggregate_verify")
def bls_fast_aggregate_verify(i):
    scheme = SCHEMES[i["suite"]]
    keys = [_verified_key(scheme, key) for key in i["keys"]]
    scheme.fast_aggregate_verify(keys, raw(i["message"]), scheme.decode_signature(raw(i["signature"])))
    return {}


@operation("bls.aggregate_verify")
def bls_aggregate_verify(i):
    scheme = SCHEMES[i["suite"]]
    signed = [(_verified_key(scheme, key), raw(key["message"])) for key in i["keys"]]
    scheme.aggregate_verify(signed, scheme.decode_signature(raw(i["signature"])))
    return {}


# --- committees -----------------------------------------------------------------------------------------------

_committees = {}


def committee(definition):
    """A committee from its definition in a vector file; made once."""
    key = repr(definition)
    if key not in _committees:
        members = [
            (raw(m["public_key"]), int(m["weight"])) for m in definition["members"] for _ in range(m.get("times", 1))
        ]
        _committees[key] = Committee(
            definition["suite"],
            raw(definition["chain"]),
            int(definition["epoch"]),
            members,
            definition["repeats"],
        )
    return _committees[key]


def _figures(c):
    return {
        "id": c.id.hex(),
        "total_weight": str(c.total),
        "quorum_weight": str(c.quorum_weight),
        "honest_weight": str(c.honest_weight),
    }


@operation("chain_id.from_name")
def chain_id(i):
    return {"chain": chain_id_from_name(i["name"]).hex()}


@operation("committee.new")
def committee_new(i):
    members = [(raw(m["public_key"]), raw(m["possession"]), int(m["weight"])) for m in i["members"]]
    return _figures(Committee.new(i["suite"], raw(i["chain"]), int(i["epoch"]), members))


@operation("committee.from_attested")
def committee_from_attested(i):
    return _figures(committee(i["committee"]))


@operation("committee.signers")
def committee_signers(i):
    c = committee(i["committee"])
    if "indices" in i:
        members = c.signers_from_indices(i["indices"])
    elif "lsb_first" in i:
        members = c.signers_from_bitmap(raw(i["lsb_first"]))
    else:
        members = c.signers_from_bitmap(raw(i["msb_first"]), msb_first=True)
    return {"signers": sorted(members), "weight": str(c.weight_of(members))}


@operation("committee.verify_raw")
def committee_verify_raw(i):
    c = committee(i["committee"])
    signers = c.signers_from_indices(i["indices"])
    return {"weight": str(c.verify_raw(raw(i["message"]), signers, raw(i["proof"])))}


# --- statements, votes, certificates --------------------------------------------------------------------------


def statement(i):
    return Statement(i["kind"], int(i["epoch"]), int(i["view"]), raw(i["digest"]))


def statement_json(s):
    return {"kind": s.kind, "epoch": str(s.epoch), "view": str(s.view), "digest": s.digest.hex()}


@operation("statement.encode")
def statement_encode(i):
    s, c = statement(i["statement"]), committee(i["committee"])
    return {
        "bytes": s.encode().hex(),
        "signed_bytes": s.signed_bytes(c.id).hex(),
        "identity": s.identity(c.id).hex(),
    }


@operation("vote.sign")
def vote_sign(i):
    c = committee(i["committee"])
    secret = c.scheme.secret(raw(i["secret"]))
    signer = c.keys.index(c.scheme.public_key(secret))
    vote = Vote.sign(secret, c, signer, statement(i["statement"]))
    return {"vote": vote.encode().hex(), "link": vote.encode_link().hex()}


@operation("vote.verify")
def vote_verify(i):
    c = committee(i["committee"])
    read = Vote.read_link if "link" in i else Vote.read
    vote = wire.whole(raw(i["link"] if "link" in i else i["vote"]), lambda r: read(r, c.scheme))
    vote.verify(c)
    return {"statement": statement_json(vote.statement), "signer": vote.signer}


def _votes(i, c):
    return [wire.whole(raw(v), lambda r: Vote.read(r, c.scheme)) for v in i["votes"]]


@operation("certificate.collect")
def certificate_collect(i):
    """The certificate of a quorum of good votes on one statement. (How a collector deals with bad ones is not a
    matter of bytes; the page has the rules.)"""
    c, votes = committee(i["committee"]), _votes(i, committee(i["committee"]))
    for vote in votes:
        vote.verify(c)
        assert vote.statement == votes[0].statement
    signatures = {vote.signer: vote.signature for vote in votes}
    c.require_quorum(signatures)
    data = Certificate.encode_parts(c, votes[0].statement, signatures)
    return {
        "certificate": data.hex(),
        "detached": Certificate.detached_parts(c, signatures).hex(),
        "signers": sorted(signatures),
    }


def _certificate(i):
    c = committee(i["committee"])
    return c, wire.whole(raw(i["certificate"]), lambda r: Certificate.read(r, c))


@operation("certificate.decode")
def certificate_decode(i):
    _, certificate = _certificate(i)
    return {"statement": statement_json(certificate.statement), "signers": sorted(certificate.signers)}


@operation("certificate.verify")
def certificate_verify(i):
    c, certificate = _certificate(i)
    certificate.verify(c)
    return {"statement": statement_json(certificate.statement), "signers": sorted(certificate.signers)}


@operation("certificate.verify_detached")
def certificate_verify_detached(i):
    c, s = committee(i["committee"]), statement(i["statement"])
    certificate = wire.whole(raw(i["detached"]), lambda r: Certificate.read_detached(r, s, c))
    certificate.verify(c)
    return {"signers": sorted(certificate.signers)}


# --- timeouts and evidence ------------------------------------------------------------------------------------


@operation("timeout_vote.sign")
def timeout_vote_sign(i):
    c = committee(i["committee"])
    secret = c.scheme.secret(raw(i["secret"]))
    signer = c.keys.index(c.scheme.public_key(secret))
    vote = TimeoutVote.sign(secret, c, signer, i["kind"], int(i["view"]), int(i["value"]))
    return {
        "vote": vote.encode().hex(),
        "link": vote.encode_link().hex(),
        "signed_bytes": vote.vote.statement.signed_bytes(c.id).hex(),
    }


def _timeout_vote(c, data, link=False):
    read = TimeoutVote.read_link if link else TimeoutVote.read
    return wire.whole(data, lambda r: read(r, c.scheme))


@operation("timeout_vote.verify")
def timeout_vote_verify(i):
    c = committee(i["committee"])
    vote = _timeout_vote(c, raw(i["link"] if "link" in i else i["vote"]), "link" in i)
    vote.vote.verify(c)
    s = vote.vote.statement
    return {"kind": s.kind, "view": str(s.view), "value": str(vote.value), "signer": vote.vote.signer}


@operation("timeout_certificate.collect")
def timeout_certificate_collect(i):
    """The certificate of a quorum of good timeout votes of one kind and view."""
    c = committee(i["committee"])
    votes = [_timeout_vote(c, raw(v)) for v in i["votes"]]
    for vote in votes:
        vote.vote.verify(c)
    s = votes[0].vote.statement
    held = {vote.vote.signer: (vote.value, vote.vote.signature) for vote in votes}
    c.require_quorum(held)
    return {"certificate": TimeoutCertificate.encode_parts(c, s.kind, s.view, held).hex()}


def _timeout_certificate(i):
    c = committee(i["committee"])
    certificate = wire.whole(raw(i["certificate"]), lambda r: TimeoutCertificate.read(r, c))
    groups = [{"value": str(value), "signers": sorted(signers)} for value, signers in certificate.groups]
    return c, certificate, {"kind": certificate.kind, "view": str(certificate.view), "groups": groups}


@operation("timeout_certificate.decode")
def timeout_certificate_decode(i):
    return _timeout_certificate(i)[2]


@operation("timeout_certificate.verify")
def timeout_certificate_verify(i):
    c, certificate, output = _timeout_certificate(i)
    certificate.verify(c)
    return output


@operation("equivocation.new")
def equivocation_new(i):
    c, votes = committee(i["committee"]), _votes(i, committee(i["committee"]))
    evidence = Equivocation.new(*votes)
    evidence.verify(c)
    return {"evidence": evidence.encode().hex()}


@operation("equivocation.verify")
def equivocation_verify(i):
    c = committee(i["committee"])
    evidence = wire.whole(raw(i["evidence"]), lambda r: Equivocation.read(r, c.scheme))
    evidence.verify(c)
    return {"culprits": [evidence.first.signer]}


@operation("conflict.verify")
def conflict_verify(i):
    c = committee(i["committee"])
    evidence = wire.whole(raw(i["evidence"]), lambda r: Conflict.read(r, c))
    evidence.verify(c)
    return {"culprits": evidence.culprits()}


# --- the guard ------------------------------------------------------------------------------------------------


def _guard(i, c):
    """The guard of a key, made again from records."""
    records = [wire.whole(raw(record), Record.read) for record in i["records"]]
    return Guard(c.scheme, c.scheme.secret(raw(i["secret"])), c.chain, records)


@operation("guard.restore")
def guard_restore(i):
    return {"records": [record.encode().hex() for record in _guard(i, committee(i["committee"])).records()]}


@operation("guard.sign")
def guard_sign(i):
    c = committee(i["committee"])
    vote, record = _guard(i, c).sign(c, statement(i["statement"]))
    return {"vote": vote.encode().hex(), "record": record.encode().hex()}


# --- Merkle trees ---------------------------------------------------------------------------------------------


@operation("merkle.root")
def merkle_root(i):
    return {"root": TRANSACTIONS.root([TRANSACTIONS.leaf(raw(item)) for item in i["items"]]).hex()}


@operation("merkle.path")
def merkle_path(i):
    return {"path": TRANSACTIONS.path([TRANSACTIONS.leaf(raw(item)) for item in i["items"]], i["index"]).hex()}


@operation("merkle.verify")
def merkle_verify(i):
    index, count = TRANSACTIONS.verify(raw(i["root"]), TRANSACTIONS.leaf(raw(i["item"])), raw(i["path"]))
    return {"index": index, "count": count}


# --- Jolteon --------------------------------------------------------------------------------------------------


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
    return {"admitted": [sequences.note(int(n)) for n in i["sequences"]], "top": str(sequences.top)}


@operation("jolteon.leaders")
def jolteon_leaders(i):
    """The leaders of the next views after the genesis and after each block of a chain."""
    voters = committee(i["voters"])
    standings, view, author = jolteon.Standings(voters), 0, None
    leaders = [[standings.leader(v) for v in range(1, 9)]]
    for height, link in enumerate(i["blocks"], 1):
        standings.append(height, int(link["view"]), link["author"], view, author, link["signers"])
        view, author = int(link["view"]), link["author"]
        leaders.append([standings.leader(v) for v in range(view + 1, view + 9)])
    return {"leaders": leaders}


# --- DSig -----------------------------------------------------------------------------------------------------


def _dsig_signature(i, data):
    return wire.whole(raw(data), lambda r: dsig.Signature.read(r, i["suite"]))


@operation("dsig.decode")
def dsig_decode(i):
    s = _dsig_signature(i, i["signature"])
    assert s.encode() == raw(i["signature"])
    return {"index": s.index, "root": s.root.hex()}


@operation("dsig.verify")
def dsig_verify(i):
    key = ED25519.decode_key(raw(i["public_key"]))
    s = _dsig_signature(i, i["signature"])
    s.verify(key, raw(i["message"]))
    return {"index": s.index, "root": s.root.hex()}


@operation("dsig.announcement")
def dsig_announcement(i):
    key = ED25519.decode_key(raw(i["public_key"]))
    a = wire.whole(raw(i["announcement"]), lambda r: dsig.Announcement.read(r, i["suite"]))
    a.verify(key)
    return {"root": a.root.hex(), "keys": len(a.leaves)}


@operation("dsig.sign")
def dsig_sign(i):
    batch = dsig.batch(i["suite"], raw(i["secret"]), raw(i["seed"]), raw(i["fresh"]), int(i["time"]), i["log2"])
    signatures = [batch.sign(place, raw(message)).encode().hex() for place, message in enumerate(i["messages"])]
    return {"announcement": batch.announcement.encode().hex(), "signatures": signatures}


@operation("dsig.reuse")
def dsig_reuse(i):
    signer, signed = wire.whole(raw(i["evidence"]), lambda r: dsig.read_reuse(r, i["suite"]))
    dsig.verify_reuse(signer, signed)
    return {"culprit": signer.hex()}


@operation("dsig.session")
def dsig_session(i):
    signers = [ED25519.decode_key(raw(s)) for s in i["signers"]]
    limits = (i[field] for field in ("announced", "checked", "burst", "interval"))
    v = dsig.Verifier(i["suite"], signers[: i["admitted"]], *limits)
    outcomes = []
    for step in i["steps"]:
        signer, data = signers[step["signer"]], i["bytes"][step["bytes"]]
        try:
            if step["do"] == "announce":
                v.announce(signer, raw(data), int(step["time"]))
            elif step["do"] == "fast":
                outcomes.append("yes" if v.fast(signer, _dsig_signature(i, data)) else "no")
                continue
            else:
                v.verify(signer, raw(i["messages"][step["message"]]), _dsig_signature(i, data))
            outcomes.append("ok")
        except Refused as refused:
            outcomes.append(refused.code)
    return {"outcomes": outcomes}


# --- threshold encryption and the coin ------------------------------------------------------------------------


def _keys(i, purpose):
    return wire.whole(raw(i["keys"]), lambda r: dleq.Keys.read(r, purpose))


def _key_share(i, purpose):
    return dleq.KeyShare.read(wire.Reader(raw(i["key_share"])), purpose)


def _shares(i, purpose):
    return [wire.whole(raw(share), lambda r: dleq.Share.read(r, purpose)) for share in i["shares"]]


def _valid(i, keys):
    """The ciphertext, and what its shares are made of."""
    ciphertext = tdh2.read(raw(i["ciphertext"]))
    assert ciphertext.encode() == raw(i["ciphertext"])
    return ciphertext, ciphertext.check(keys, int(i["epoch"]), i["proposer"])


def _name(i):
    n = i["name"]
    return coin.Name(n["protocol"], int(n["epoch"]), int(n["instance"]), int(n["round"]))


def _threshold_operations(prefix, purpose, instance_of):
    """What both have: keys, key shares, checking shares, evidence."""

    @operation(f"{prefix}.keys")
    def keys(i):
        k = _keys(i, purpose)
        assert k.encode() == raw(i["keys"])
        return {"committee": k.committee.hex(), "key": k.key.hex(), "needed": k.needed, "parties": len(k.members)}

    @operation(f"{prefix}.key_share")
    def key_share(i):
        share = _key_share(i, purpose)
        share.check(_keys(i, purpose))
        return {"member": share.member, "verification_key": dleq.base_times(share.secret).hex()}

    @operation(f"{prefix}.share")
    def share(i):
        k = _keys(i, purpose)
        return {"share": _key_share(i, purpose).prove(instance_of(i, k), raw(i["random"])).encode().hex()}

    @operation(f"{prefix}.verify_shares")
    def verify_shares(i):
        k = _keys(i, purpose)
        verified, faults = dleq.verify_shares(k, instance_of(i, k), _shares(i, purpose))
        return {"verified": [share.member for share in verified], "faults": faults}

    @operation(f"{prefix}.wrong_share")
    def wrong_share(i):
        return {"culprit": dleq.verify_wrong_share(raw(i["evidence"]), _keys(i, purpose))}


_threshold_operations("tdh2", tdh2.PURPOSE, lambda i, keys: _valid(i, keys)[1])
_threshold_operations("coin", coin.PURPOSE, lambda i, keys: _name(i).toss(keys))


def _collect(collector, shares):
    """What each share more leads to."""
    outcomes = []
    for share in shares:
        faults, output = [], None
        try:
            output = collector.add(share, faults)
            output = output if output is None else output.hex()
        except Refused as refused:
            output = refused.code
        outcomes.append({"output": output, "faults": faults})
    return {"outcomes": outcomes}


@operation("tdh2.encryption_key")
def tdh2_encryption_key(i):
    def read(r):
        dleq.read_purpose(r, tdh2.PURPOSE)
        return r.raw(32), dleq.element(r)

    committee, key = wire.whole(raw(i["encryption_key"]), read)
    return {"committee": committee.hex(), "key": key.hex()}


@operation("tdh2.encrypt")
def tdh2_encrypt(i):
    k = _keys(i, tdh2.PURPOSE)
    made = tdh2.encrypt(k, int(i["epoch"]), i["proposer"], raw(i["plaintext"]), raw(i["random"]))
    return {"ciphertext": made.encode().hex()}


@operation("tdh2.check")
def tdh2_check(i):
    return {"id": _valid(i, _keys(i, tdh2.PURPOSE))[1].context.hex()}


@operation("tdh2.decrypt")
def tdh2_decrypt(i):
    """With the good ones of some shares."""
    k = _keys(i, tdh2.PURPOSE)
    ciphertext, instance = _valid(i, k)
    verified, _ = dleq.verify_shares(k, instance, _shares(i, tdh2.PURPOSE))
    return {"plaintext": ciphertext.combine(k, instance, verified).hex()}


@operation("tdh2.session")
def tdh2_session(i):
    k = _keys(i, tdh2.PURPOSE)
    return _collect(tdh2.Decryption(k, *_valid(i, k)), _shares(i, tdh2.PURPOSE))


@operation("coin.toss")
def coin_toss(i):
    instance = _name(i).toss(_keys(i, coin.PURPOSE))
    return {"base": instance.base.hex(), "id": instance.context.hex()}


@operation("coin.value")
def coin_value(i):
    """With the good ones of some shares."""
    k, name = _keys(i, coin.PURPOSE), _name(i)
    instance = name.toss(k)
    verified, _ = dleq.verify_shares(k, instance, _shares(i, coin.PURPOSE))
    value = name.value(dleq.combine(k, instance, verified))
    return {"value": value.hex(), "bit": coin.bit(value), "below": [coin.below(value, n) for n in i["below"]]}


@operation("coin.session")
def coin_session(i):
    k = _keys(i, coin.PURPOSE)
    return _collect(coin.Toss(k, _name(i)), _shares(i, coin.PURPOSE))


# --- sortition ------------------------------------------------------------------------------------------------


def _seed(i):
    return wire.whole(raw(i["seed"]), Seed.read)


def _lottery(i):
    return Lottery(committee(i["committee"]), _seed(i), int(i["round"]), i["expected"])


@operation("seed.genesis")
def seed_genesis(i):
    return {"seed": Seed.genesis(raw(i["chain"]), raw(i["bytes"])).encode().hex()}


@operation("seed.prove")
def seed_prove(i):
    c, seed = committee(i["committee"]), _seed(i)
    return {"proof": SeedProof.sign(c.scheme.secret(raw(i["secret"])), c, seed).encode().hex()}


@operation("seed.next")
def seed_next(i):
    c, seed = committee(i["committee"]), _seed(i)
    proof = wire.whole(raw(i["proof"]), lambda r: SeedProof.read(r, c.scheme))
    return {"seed": seed.next(proof, c).encode().hex()}


@operation("ticket.draw")
def ticket_draw(i):
    lottery = _lottery(i)
    ticket = lottery.ticket(lottery.committee.scheme.secret(raw(i["secret"])))
    wins = lottery.wins(ticket.score())
    return {"ticket": ticket.encode().hex() if wins else None, "score": ticket.score().hex() if wins else None}


@operation("ticket.verify")
def ticket_verify(i):
    lottery = _lottery(i)
    ticket = wire.whole(raw(i["ticket"]), lambda r: Ticket.read(r, lottery.committee.scheme))
    score = lottery.score(ticket)
    return {"round": str(ticket.round), "member": ticket.member, "score": score.hex()}


# --- aggregates -----------------------------------------------------------------------------------------------


def _aggregate(data, c):
    aggregate = wire.whole(raw(data), lambda r: Aggregate.read(r, c))
    assert aggregate.encode(c) == raw(data)
    return aggregate


def _verified_aggregate(data, c):
    aggregate = _aggregate(data, c)
    aggregate.verify(c)
    return aggregate


def _aggregate_json(aggregate):
    signers = sorted(aggregate.counts)
    return {
        "statement": statement_json(aggregate.statement),
        "signers": signers,
        "counts": [aggregate.counts[i] for i in signers],
    }


@operation("aggregate.of_vote")
def aggregate_of_vote(i):
    c = committee(i["committee"])
    vote = wire.whole(raw(i["vote"]), lambda r: Vote.read(r, c.scheme))
    vote.verify(c)
    return {"aggregate": Aggregate.of_vote(vote).encode(c).hex()}


@operation("aggregate.decode")
def aggregate_decode(i):
    return _aggregate_json(_aggregate(i["aggregate"], committee(i["committee"])))


@operation("aggregate.verify")
def aggregate_verify(i):
    return _aggregate_json(_verified_aggregate(i["aggregate"], committee(i["committee"])))


@operation("aggregate.merge")
def aggregate_merge(i):
    """From left to right."""
    c = committee(i["committee"])
    merged, *others = [_verified_aggregate(data, c) for data in i["aggregates"]]
    for other in others:
        merged = merged.merge(other, i["limit"])
    return {"aggregate": merged.encode(c).hex()}


@operation("aggregate.normalise")
def aggregate_normalise(i):
    c = committee(i["committee"])
    parts = [_verified_aggregate(part, c) for part in i["parts"]]
    return {"aggregate": _verified_aggregate(i["aggregate"], c).normalised(parts).encode(c).hex()}


@operation("aggregate.certificate")
def aggregate_certificate(i):
    c = committee(i["committee"])
    made = _verified_aggregate(i["aggregate"], c).certificate(c)
    return {"certificate": None if made is None else made.hex()}


# --- erasure coding -------------------------------------------------------------------------------------------


def _coding(i):
    suite = wire.whole(raw(i["suite"]), erasure.read_suite)
    return erasure.Coding(suite, i["data"], i["parity"], i["max_message"])


@operation("erasure.coding")
def erasure_coding(i):
    coding = _coding(i)
    return {"shard_len": coding.shard_len(coding.max_message), "max_encoded_len": coding.max_encoded_len()}


@operation("erasure.disperse")
def erasure_disperse(i):
    commitment, sent = erasure.disperse(_coding(i), raw(i["message"]))
    return {
        "commitment": commitment.encode().hex(),
        "identity": commitment.identity().hex(),
        "shards": [sent[index].hex() for index in i["indices"]],
    }


@operation("erasure.shard")
def erasure_shard(i):
    commitment, index, shard = erasure.read_shard(raw(i["shard"]), _coding(i))
    return {"identity": commitment.identity().hex(), "index": index, "bytes": shard.hex()}


@operation("erasure.decode")
def erasure_decode(i):
    coding = _coding(i)
    return {"message": erasure.decode(coding, [erasure.read_shard(raw(shard), coding) for shard in i["shards"]]).hex()}


def _row(row):
    data, parity, message, suite, cost = row
    suite = erasure.write_suite(suite).hex()
    return {"data": data, "parity": parity, "message": str(message), "suite": suite, "cost": str(cost)}


@operation("erasure.table")
def erasure_table(i):
    return {"rows": [_row(row) for row in erasure.read_table(raw(i["table"]))]}


@operation("erasure.lookup")
def erasure_lookup(i):
    rows = erasure.read_table(raw(i["table"]))
    row = erasure.best(rows, i["data"], i["parity"], int(i["message"]), i["suites"])
    return {"row": None if row is None else _row(row)}
