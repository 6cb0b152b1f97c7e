"""Vector operations of threshold signatures, of the journal and of seals (spec/vectors/README.md), through the public
API.
"""

from __future__ import annotations

from typing import Any

import quorate as q
from dleq_operations import decoded
from quorate.threshold import Group, bls, ecdsa, seal
from vector_inputs import Json, same, unhex


def is_bound(case: Json) -> bool:
    """Returns true if the binding supports the operation of the case. A guard spends presignatures only when they sign.
    """
    if case["operation"] == "spending.session":
        return all(step["do"] != "spend" for step in case["input"]["steps"])
    return case["operation"] not in ("sharing.decode", "ecdsa.check")


# ------------------------------------------------------------------------------------------------------------- ecdsa


def group_of(given: Json) -> Group:
    return next(group for group in Group if group.number == given["suite"])


def over(kind: Any, given: Json, name: str) -> Any:
    data = unhex(given[name])
    return same(kind.decode(group_of(given), data), data)


def plan_of(given: Json) -> ecdsa.Plan:
    return decoded(ecdsa.Plan, given, "plan")


def ecdsa_plan(given: Json) -> Json:
    plan_of(given)
    parties = given["parties"]
    # A plan is decoded as part of a deal.
    data = bytes(40) + unhex(given["plan"]) + parties.to_bytes(4, "little") + bytes(32 * min(parties, 1024))
    return {"count": ecdsa.Deal.decode(data).plan.count}


def ecdsa_tag(given: Json) -> Json:
    plan = plan_of(given)
    match given["use"]:
        case "prbc":
            tag = plan.prbc(0, given["member"])
        case "promotion":
            tag = plan.promotion(0, given["round"], given["member"], given["step"])
        case "completion":
            tag = plan.completion(0, given["round"])
        case _:
            tag = plan.unagreed(0, given["number"]) if plan.encode()[0] == 3 else plan.agreed(0, given["number"])
    return {"index": tag.index, "agreed": tag.agreement == "agreed"}


def tag_of(plan: ecdsa.Plan, epoch: int, index: int) -> ecdsa.Tag:
    """The tag of an index in any plan."""
    agreement, data = plan.agreement(index), plan.encode()
    if agreement is None:
        raise q.ExhaustedError("past the end")
    if data[0] != 1:
        return plan.agreed(epoch, index) if data[0] == 2 else plan.unagreed(epoch, index)
    parties = int.from_bytes(data[1:3], "little")
    if index < parties:
        return plan.prbc(epoch, index)
    round_, within = divmod(index - parties, 4 * parties + 1)
    if within == 4 * parties:
        return plan.completion(epoch, round_)
    return plan.promotion(epoch, round_, within // 4, within % 4 + 1)


def ecdsa_key(given: Json) -> Json:
    key = over(ecdsa.GroupKey, given, "key")
    tolerance = key.tolerance
    return {
        "id": key.id.hex(),
        "parties": tolerance.parties,
        "faulty": tolerance.faulty,
        "needed": {name: tolerance.threshold(name).needed for name in ("agreed", "unagreed")},
    }


def ecdsa_deal(given: Json) -> Json:
    deal = decoded(ecdsa.Deal, given, "deal")
    return {"id": deal.id.hex(), "key": deal.key.hex(), "epoch": str(deal.epoch), "count": deal.plan.count}


def file_of(given: Json) -> ecdsa.Presignatures:
    data = unhex(given["file"])
    file = ecdsa.Presignatures.from_bytes(group_of(given), bytearray(data))
    assert file.to_bytes() == data
    return file


def ecdsa_file(given: Json) -> Json:
    file = file_of(given)
    return {"member": file.member, "key": file.key.id.hex(), "deal": file.deal.id.hex(), "count": file.left}


def ecdsa_share(given: Json) -> Json:
    share = over(ecdsa.SignatureShare, given, "share")
    return {
        "member": share.member,
        "epoch": str(share.epoch),
        "index": share.index,
        "digest": share.digest.hex(),
    }


def ecdsa_opening(given: Json) -> Json:
    opening = over(ecdsa.Opening, given, "opening")
    return {"member": opening.member, "index": opening.index}


def ecdsa_sign(given: Json) -> Json:
    file = file_of(given)
    tag = tag_of(file.deal.plan, file.deal.epoch, given["index"])
    guard = q.Guard(q.SecretKey.from_bytes("ed25519", bytes([1] * 32)), q.ChainId.from_bytes(bytes(32)))
    signed = file.take(tag).sign(guard, unhex(given["message"]))
    assert signed.record is not None and signed.record in guard.records()
    return {
        "share": signed.share.encode().hex(),
        "attested": signed.share.attested_bytes().hex(),
        "opening": signed.opener.open().encode().hex(),
    }


def ecdsa_combine(given: Json) -> Json:
    plan = decoded(ecdsa.Deal, given, "deal").plan
    if plan.agreement(given["index"]) is None:
        raise q.ExhaustedError("past the end")
    key, deal = over(ecdsa.GroupKey, given, "key"), decoded(ecdsa.Deal, given, "deal")
    tag, message = tag_of(plan, deal.epoch, given["index"]), unhex(given["message"])
    signing = ecdsa.Signing(key, deal, unhex(given["nonce"]), tag, message)
    assert signing.nonce == unhex(given["nonce"]) and signing.message == message and signing.tag == tag
    combiner = ecdsa.Combiner(signing)
    for text in given["shares"]:
        share = over(ecdsa.SignatureShare, given | {"share": text}, "share")
        combiner.add(share.member, share)
    if combiner.signature is None:
        raise q.BelowQuorumError("no signature came of them")
    key.verify(tag, message, combiner.signature)
    return {"signature": combiner.signature.encode().hex()}


def ecdsa_verify(given: Json) -> None:
    plan = plan_of(given)
    if plan.agreement(given["index"]) is None:
        raise q.ExhaustedError("past the end")
    signature = ecdsa.Signature.decode(group_of(given), unhex(given["signature"]))
    assert signature.encode() == unhex(given["signature"])
    tag = tag_of(plan, int(given["epoch"]), given["index"])
    over(ecdsa.GroupKey, given, "key").verify(tag, unhex(given["message"]), signature)


def ecdsa_evidence(given: Json) -> Json:
    evidence = over(ecdsa.ShareFault, given, "evidence")
    key, deal = over(ecdsa.GroupKey, given, "key"), decoded(ecdsa.Deal, given, "deal")
    return {"culprit": evidence.verify(key, deal, lambda member, data, attestation: True)}


# ------------------------------------------------------------------------------------------ journal, seals, shared BLS


def spending_session(given: Json) -> Json:
    suite = next(suite for suite in q.Suite if suite.number == given["suite"])
    secret = q.SecretKey.from_bytes(suite, unhex(given["secret"]))
    records = [same(q.GuardRecord.decode(unhex(record)), unhex(record)) for record in given["records"]]
    guard = q.Guard.restore(secret, q.ChainId.from_bytes(unhex(given["chain"])), records)
    outcomes = []
    for step in given["steps"]:
        key, epoch = unhex(step["key"]), int(step["epoch"])
        try:
            if step["do"] == "close":
                record = guard.close_epoch(key, epoch)
            else:
                record = guard.reserve(key, epoch, step["index"])
                if step["do"] == "reserve-and-confirm":
                    guard.confirm(record)
            outcomes.append(record.encode().hex())
        except q.QuorateError as error:
            outcomes.append(error.code)
    return {"outcomes": outcomes, "records": [record.encode().hex() for record in guard.records()]}


def seal_open(given: Json) -> Json:
    with seal.SealingKey.from_bytes(unhex(given["secret"])) as key:
        return {"content": key.open(unhex(given["context"]), unhex(given["sealed"])).hex()}


def suite_of(given: Json) -> q.Suite:
    return next(suite for suite in q.Suite if suite.number == given["suite"])


def of_suite(kind: Any, given: Json, name: str) -> Any:
    data = unhex(given[name])
    return same(kind.decode(suite_of(given), data), data)


def bls_file_of(given: Json) -> bls.KeyShare:
    share = bls.KeyShare.from_bytes(suite_of(given), bytearray(unhex(given["file"])))
    assert share.to_bytes() == unhex(given["file"])
    return share


def shared_bls_file(given: Json) -> Json:
    share = bls_file_of(given)
    return {"id": share.key.id.hex(), "member": share.member, "needed": share.key.threshold.needed}


def shared_bls_sign(given: Json) -> Json:
    return {"share": bls_file_of(given).sign(unhex(given["message"])).encode().hex()}


def shared_bls_combine(given: Json) -> Json:
    key, message = of_suite(bls.GroupKey, given, "key"), unhex(given["message"])
    combiner = bls.Combiner(key, message)
    for text in given["shares"]:
        share = of_suite(bls.SignatureShare, given | {"share": text}, "share")
        combiner.add(share.member, share)
    if combiner.signature is None:
        raise q.BelowQuorumError("no signature came of them")
    key.public.verify(message, combiner.signature)
    return {"signature": combiner.signature.encode().hex(), "beacon": bls.beacon(combiner.signature).hex()}


def shared_bls_evidence(given: Json) -> Json:
    evidence = of_suite(bls.ShareFault, given, "evidence")
    return {"culprit": evidence.verify(of_suite(bls.GroupKey, given, "key"), lambda *asked: True)}


OPERATIONS = {
    "ecdsa.plan": ecdsa_plan,
    "ecdsa.tag": ecdsa_tag,
    "ecdsa.key": ecdsa_key,
    "ecdsa.deal": ecdsa_deal,
    "ecdsa.file": ecdsa_file,
    "ecdsa.share": ecdsa_share,
    "ecdsa.opening": ecdsa_opening,
    "ecdsa.sign": ecdsa_sign,
    "ecdsa.combine": ecdsa_combine,
    "ecdsa.verify": ecdsa_verify,
    "ecdsa.evidence": ecdsa_evidence,
    "spending.session": spending_session,
    "seal.open": seal_open,
    "shared_bls.file": shared_bls_file,
    "shared_bls.sign": shared_bls_sign,
    "shared_bls.combine": shared_bls_combine,
    "shared_bls.evidence": shared_bls_evidence,
}
