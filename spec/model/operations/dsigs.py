"""DSig."""

from .. import dsig, wire
from ..ed25519 import ED25519
from ..errors import Refused
from .registry import operation, raw


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
