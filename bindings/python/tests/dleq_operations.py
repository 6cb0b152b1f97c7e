"""Vector operations of threshold encryption and of the coin (spec/vectors/README.md), through the public API."""

from __future__ import annotations

from typing import Any

import quorate as q
from quorate.threshold import coin, tdh2
from vector_inputs import Json, same, unhex


def decoded(kind: Any, given: Json, name: str) -> Any:
    data = unhex(given[name])
    return same(kind.decode(data), data)


# ------------------------------------------------------------------------------------------------- tdh2 and the coin


def dleq_keys(module: Any, given: Json) -> Json:
    keys = decoded(module.PublicKeys, given, "keys")
    threshold = keys.threshold
    return {
        "committee": str(keys.committee),
        "key": keys.key.hex(),
        "needed": threshold.needed,
        "parties": threshold.parties,
    }


def key_share_of(module: Any, given: Json) -> Any:
    data = unhex(given["key_share"])
    share = module.KeyShare.from_bytes(bytearray(data))
    assert share.to_bytes() == data
    return share


def dleq_key_share(module: Any, given: Json) -> Json:
    share = key_share_of(module, given)
    share.check(decoded(module.PublicKeys, given, "keys"))
    return {"member": share.member, "verification_key": share.verification_key.hex()}


def instance_of(module: Any, keys: Any, given: Json) -> Any:
    if module is tdh2:
        ciphertext = decoded(tdh2.Ciphertext, given, "ciphertext")
        return ciphertext.check(tdh2.EncryptionKey.from_public_keys(keys), int(given["epoch"]), given["proposer"])
    name = given["name"]
    return coin.Coin.from_name(keys, coin.CoinName(name["protocol"], *(int(name[n]) for n in ("epoch", "instance", "round"))))


def shares_of(module: Any, given: Json) -> list[Any]:
    kind = tdh2.DecryptionShare if module is tdh2 else coin.CoinShare
    return [same(kind.decode(unhex(share)), unhex(share)) for share in given["shares"]]


def dleq_share(module: Any, given: Json) -> Json:
    """The randomness cannot be chosen: this verifies the model's ciphertext, and makes one of its own."""
    keys = decoded(module.PublicKeys, given, "keys")
    instance, secret = instance_of(module, keys, given), key_share_of(module, given)
    own = secret.decryption_share(instance) if module is tdh2 else secret.coin_share(instance)
    [theirs] = shares_of(module, {"shares": [given["made"]["share"]]})
    assert own.member == theirs.member
    assert keys.verify_share(instance, own) == keys.verify_share(instance, theirs)
    return given["made"]


def checked_of(module: Any, keys: Any, instance: Any, given: Json) -> Any:
    """All shares together, which must give the results of single verification, with and without tables."""
    shares = shares_of(module, given)
    checked = keys.verify_shares(instance, shares)
    assert keys.precomputed().verify_shares(instance, shares) == checked
    alone = []
    for share in shares:
        try:
            alone.append(keys.verify_share(instance, share))
        except q.BadShareError as error:
            assert error.culprits == (share.member,) and error.details == {"members": [share.member]}
    assert alone == checked.verified
    return checked


def dleq_verify_shares(module: Any, given: Json) -> Json:
    keys = decoded(module.PublicKeys, given, "keys")
    checked = checked_of(module, keys, instance_of(module, keys, given), given)
    return {
        "verified": [share.member for share in checked.verified],
        "faults": [{"member": fault.member, "evidence": evidence_of(fault)} for fault in checked.faults],
    }


def evidence_of(fault: Any) -> str | None:
    return fault.evidence.encode().hex() if hasattr(fault, "evidence") else None


def dleq_wrong_share(module: Any, given: Json) -> Json:
    keys = decoded(module.PublicKeys, given, "keys")
    return {"culprit": decoded(module.WrongShare, given, "evidence").verify(keys)}


def dleq_session(module: Any, given: Json) -> Json:
    keys = decoded(module.PublicKeys, given, "keys")
    kind = tdh2.Decryption if module is tdh2 else coin.CoinCombiner
    collector, outcomes = kind(keys, instance_of(module, keys, given)), []
    for share in shares_of(module, given):
        try:
            got = collector.add(share)
        except q.QuorateError as error:
            outcomes.append({"output": error.code, "faults": []})
            continue
        error = getattr(got, "error", None)
        output = error.code if error else None if got.output is None else bytes(got.output).hex()
        outcomes.append({"output": output, "faults": [fault.member for fault in got.faults]})
    return {"outcomes": outcomes}


def tdh2_encryption_key(given: Json) -> Json:
    key = decoded(tdh2.EncryptionKey, given, "encryption_key")
    return {"committee": str(key.committee), "key": key.key.hex()}


def tdh2_encrypt(given: Json) -> Json:
    """As `dleq_share`."""
    keys, (epoch, proposer) = decoded(tdh2.PublicKeys, given, "keys"), (int(given["epoch"]), given["proposer"])
    key = tdh2.EncryptionKey.from_public_keys(keys)
    theirs = decoded(tdh2.Ciphertext, given["made"], "ciphertext")
    for each in (key, key.precomputed()):
        own = each.encrypt(epoch, proposer, unhex(given["plaintext"]))
        assert len(own.encode()) == len(theirs.encode())
        assert own.check(key, epoch, proposer).label[:3] == theirs.check(key, epoch, proposer).label[:3]
    return given["made"]


def tdh2_check(given: Json) -> Json:
    return {"id": instance_of(tdh2, decoded(tdh2.PublicKeys, given, "keys"), given).id.hex()}


def tdh2_decrypt(given: Json) -> Json:
    keys = decoded(tdh2.PublicKeys, given, "keys")
    ciphertext = instance_of(tdh2, keys, given)
    checked = checked_of(tdh2, keys, ciphertext, given)
    return {"plaintext": ciphertext.combine(keys, checked.verified).hex()}


def coin_toss(given: Json) -> Json:
    named = instance_of(coin, decoded(coin.PublicKeys, given, "keys"), given)
    assert same(coin.CoinName.decode(named.name.encode()), named.name.encode()) == named.name
    return {"base": named.base.hex(), "id": named.id.hex()}


def coin_value(given: Json) -> Json:
    keys = decoded(coin.PublicKeys, given, "keys")
    named = instance_of(coin, keys, given)
    value = named.combine(keys, checked_of(coin, keys, named, given).verified)
    assert coin.CoinValue.from_bytes(bytes(value)) == value
    return {"value": str(value), "bit": int(value.bit()), "below": [value.below(n) for n in given["below"]]}


def both(operation: Any) -> Any:
    return [(name, lambda given, module=module: operation(module, given)) for name, module in DLEQ]


DLEQ = [("tdh2", tdh2), ("coin", coin)]
COMMON = {
    "keys": dleq_keys,
    "key_share": dleq_key_share,
    "share": dleq_share,
    "verify_shares": dleq_verify_shares,
    "wrong_share": dleq_wrong_share,
    "session": dleq_session,
}
OPERATIONS = {f"{name}.{what}": call for what, each in COMMON.items() for name, call in both(each)} | {
    "tdh2.encryption_key": tdh2_encryption_key,
    "tdh2.encrypt": tdh2_encrypt,
    "tdh2.check": tdh2_check,
    "tdh2.decrypt": tdh2_decrypt,
    "coin.toss": coin_toss,
    "coin.value": coin_value,
}
