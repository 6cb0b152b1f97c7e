"""Threshold signatures."""

from .. import ecdsa, seal, shared_bls, sharing, wire
from ..committee import SCHEMES
from ..errors import Refused
from ..guard import Record
from ..spending import Spending
from .registry import OPERATIONS, raw


def _group(i):
    return ecdsa.GROUPS[i["suite"]]


def _key(i):
    return wire.whole(raw(i["key"]), lambda r: ecdsa.Key.read(r, _group(i)))


def _deal(i):
    return wire.whole(raw(i["deal"]), ecdsa.Deal.read)


def _plan(i):
    return wire.whole(raw(i["plan"]), ecdsa.Plan.read)


def _share(i, text):
    return wire.whole(raw(text), lambda r: ecdsa.Share.read(r, _group(i)))


def _opening(i):
    return wire.whole(raw(i["opening"]), lambda r: ecdsa.Opening.read(r, _group(i)))


def _signing(i):
    return ecdsa.Signing(_key(i), _deal(i), raw(i["nonce"]), i["index"], raw(i["message"]))


def plan(i):
    plan = _plan(i)
    plan.check(i["parties"])
    return {"count": plan.count}


def tag(i):
    plan, use = _plan(i), i["use"]
    uses = plan.uses()
    if use == "numbered":
        if plan.kind == 1:
            raise Refused("WRONG_CONTEXT")
        if i["number"] >= plan.count:
            raise Refused("EXHAUSTED")
        return {"index": i["number"], "agreed": plan.kind == 2}
    if plan.kind != 1:
        raise Refused("WRONG_CONTEXT")
    if use != "prbc" and i["round"] >= plan.rounds:
        raise Refused("EXHAUSTED")
    if use != "completion" and i["member"] >= plan.parties:
        raise Refused("UNKNOWN_SIGNER")
    if use == "promotion" and not 1 <= i["step"] <= 4:
        raise Refused("MALFORMED")
    name = {
        "prbc": lambda: ("prbc", i["member"]),
        "promotion": lambda: ("promotion", i["round"], i["member"], i["step"]),
        "completion": lambda: ("completion", i["round"]),
    }[use]()
    index = next(index for index, (use, _) in enumerate(uses) if use == name)
    return {"index": index, "agreed": uses[index][1]}


def key(i):
    k = _key(i)
    assert k.encode() == raw(i["key"])
    needed = {"agreed": k.needed(True), "unagreed": k.needed(False)}
    return {"id": k.id.hex(), "parties": k.parties, "faulty": k.faulty, "needed": needed}


def deal(i):
    d = _deal(i)
    assert d.encode() == raw(i["deal"])
    return {"id": d.id.hex(), "key": d.key.hex(), "epoch": str(d.epoch), "count": d.plan.count}


def file(i):
    f = ecdsa.File.read(raw(i["file"]), _group(i))
    assert f.encode() == raw(i["file"])
    return {"member": f.member, "key": f.key.id.hex(), "deal": f.deal.id.hex(), "count": f.deal.plan.count}


def sign(i):
    f = ecdsa.File.read(raw(i["file"]), _group(i))
    share = f.sign(i["index"], raw(i["message"]))
    return {"share": share.encode().hex(), "attested": share.attested().hex(), "opening": f.open(i["index"]).encode().hex()}


def share(i):
    s = _share(i, i["share"])
    assert s.encode() == raw(i["share"])
    return {"member": s.member, "epoch": str(s.epoch), "index": s.index, "digest": s.digest.hex()}


def opening(i):
    o = _opening(i)
    assert o.encode() == raw(i["opening"])
    return {"member": o.member, "index": o.index}


def combine(i):
    return {"signature": _signing(i).combine([_share(i, text) for text in i["shares"]]).hex()}


def check(i):
    return {"right": _signing(i).check(_share(i, i["share"]), _opening(i))}


def verify(i):
    group, signature = _group(i), raw(i["signature"])
    slot = ecdsa.Slot(_key(i).id, int(i["epoch"]), i["index"])
    if len(signature) != 64:
        raise Refused("MALFORMED")
    group.verify(_key(i), slot, raw(i["message"]), signature)
    return {}


def evidence(i):
    return {"culprit": ecdsa.verify_evidence(raw(i["evidence"]), _key(i), _deal(i))}


def decode(i):
    group = _group(i)
    points = [(x, ecdsa.scalar(group, raw(y))) for x, y in i["points"]]
    secret, off = sharing.decode(i["needed"], points, group.math.ORDER)
    return {"secret": ecdsa.scalar_bytes(group, secret).hex(), "culprits": off}


def spending(i):
    scheme = SCHEMES[i["suite"]]
    records = [wire.whole(raw(record), Record.read) for record in i["records"]]
    s = Spending(scheme, scheme.secret(raw(i["secret"])), raw(i["chain"]), records)
    outcomes = []
    for step in i["steps"]:
        what, key, epoch = step["do"], raw(step["key"]), int(step["epoch"])
        try:
            if what == "spend":
                record = s.spend(key, epoch, step["index"], raw(step["digest"]))
            elif what == "close":
                record = s.close(key, epoch)
            else:
                record = s.reserve(key, epoch, step["index"])
                if what == "reserve-and-confirm":
                    s.confirm(record)
            outcomes.append(record and record.encode().hex())
        except Refused as refused:
            outcomes.append(refused.code)
    return {"outcomes": outcomes, "records": [record.encode().hex() for record in s.records()]}


def sealed(i):
    return {"content": seal.unseal(raw(i["secret"]), raw(i["context"]), raw(i["sealed"])).hex()}


def _bls_key(i):
    return wire.whole(raw(i["key"]), lambda r: shared_bls.Key.read(r, SCHEMES[i["suite"]]))


def bls_file(i):
    k, member, _ = shared_bls.read_file(raw(i["file"]), SCHEMES[i["suite"]])
    return {"id": k.id.hex(), "member": member, "needed": k.needed}


def bls_sign(i):
    return {"share": shared_bls.sign(raw(i["file"]), SCHEMES[i["suite"]], raw(i["message"])).encode().hex()}


def bls_combine(i):
    scheme, key = SCHEMES[i["suite"]], _bls_key(i)
    shares = [wire.whole(raw(s), lambda r: shared_bls.Share.read(r, scheme)) for s in i["shares"]]
    signature = shared_bls.combine(key, raw(i["message"]), shares)
    return {"signature": signature.hex(), "beacon": shared_bls.beacon(signature).hex()}


def bls_evidence(i):
    return {"culprit": shared_bls.verify_evidence(raw(i["evidence"]), _bls_key(i))}


OPERATIONS.update(
    {
        "ecdsa.plan": plan,
        "ecdsa.tag": tag,
        "ecdsa.key": key,
        "ecdsa.deal": deal,
        "ecdsa.file": file,
        "ecdsa.sign": sign,
        "ecdsa.share": share,
        "ecdsa.opening": opening,
        "ecdsa.combine": combine,
        "ecdsa.check": check,
        "ecdsa.verify": verify,
        "ecdsa.evidence": evidence,
        "sharing.decode": decode,
        "spending.session": spending,
        "seal.open": sealed,
        "shared_bls.file": bls_file,
        "shared_bls.sign": bls_sign,
        "shared_bls.combine": bls_combine,
        "shared_bls.evidence": bls_evidence,
    }
)
