"""Committees."""

from .. import wire
from ..ciphersuite import DEFAULT, Ciphersuite
from ..committee import Committee, chain_id_from_name, require_ciphersuite
from .registry import operation, raw


_committees = {}


def committee(definition):
    """A committee from its definition in a vector file; cached."""
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


def ciphersuite_of(i, scheme):
    """The ciphersuite of the input, by default that of statements."""
    ciphersuite = wire.whole(raw(i["ciphersuite"]), Ciphersuite.read) if "ciphersuite" in i else DEFAULT
    require_ciphersuite(scheme, ciphersuite)
    return ciphersuite


@operation("committee.verify_raw")
def committee_verify_raw(i):
    c = committee(i["committee"])
    ciphersuite = ciphersuite_of(i, c.scheme)
    signers = c.signers_from_indices(i["indices"])
    return {"weight": str(c.verify_raw(raw(i["message"]), signers, raw(i["proof"]), ciphersuite))}


@operation("committee.verify_raw_each")
def committee_verify_raw_each(i):
    c = committee(i["committee"])
    ciphersuite = ciphersuite_of(i, c.scheme)
    signed = [(one["member"], raw(one["message"])) for one in i["signed"]]
    return {"weight": str(c.verify_raw_each(signed, raw(i["proof"]), ciphersuite))}
