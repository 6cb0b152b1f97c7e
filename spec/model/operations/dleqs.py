"""Threshold encryption and the coin."""

from .. import coin, dleq, tdh2, wire
from ..errors import Refused
from .registry import operation, raw


def _keys(i, purpose):
    return wire.whole(raw(i["keys"]), lambda r: dleq.Keys.read(r, purpose))


def _key_share(i, purpose):
    return dleq.KeyShare.read(wire.Reader(raw(i["key_share"])), purpose)


def _shares(i, purpose):
    return [wire.whole(raw(share), lambda r: dleq.Share.read(r, purpose)) for share in i["shares"]]


def _valid(i, keys):
    """The ciphertext, and the instance of its shares."""
    ciphertext = tdh2.read(raw(i["ciphertext"]))
    assert ciphertext.encode() == raw(i["ciphertext"])
    return ciphertext, ciphertext.check(keys, int(i["epoch"]), i["proposer"])


def _name(i):
    n = i["name"]
    return coin.Name(n["protocol"], int(n["epoch"]), int(n["instance"]), int(n["round"]))


def _threshold_operations(prefix, purpose, instance_of):
    """The common operations of both: keys, key shares, verification of shares, evidence."""

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
    """The outcome of each further share."""
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
    """Combines the valid ones of the shares."""
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
    """Combines the valid ones of the shares."""
    k, name = _keys(i, coin.PURPOSE), _name(i)
    instance = name.toss(k)
    verified, _ = dleq.verify_shares(k, instance, _shares(i, coin.PURPOSE))
    value = name.value(dleq.combine(k, instance, verified))
    return {"value": value.hex(), "bit": coin.bit(value), "below": [coin.below(value, n) for n in i["below"]]}


@operation("coin.session")
def coin_session(i):
    k = _keys(i, coin.PURPOSE)
    return _collect(coin.Toss(k, _name(i)), _shares(i, coin.PURPOSE))
