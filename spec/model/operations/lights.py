"""Light clients."""

from .. import light
from ..gosig import Committees
from ..merkle import TRANSACTIONS
from .certificates import statement_json
from .committees import committee
from .registry import operation, raw


def _committees(i):
    c = Committees(committee(i["voters"]), committee(i["identities"]))
    if i["protocol"] not in light.PROTOCOLS:
        raise light.Refused("WRONG_CONTEXT")
    light.require_committees(c)
    return c


def _commit(block):
    return {
        "epoch": str(block.epoch),
        "height": str(block.height),
        "view": str(block.view),
        "digest": block.digest.hex(),
        "parent": block.parent.hex(),
    }


@operation("light.genesis")
def light_genesis(i):
    protocol, c = light.genesis(i["text"])
    return {
        "protocol": protocol,
        "chain": c.voters.chain.hex(),
        "epoch": str(c.voters.epoch),
        "voters": c.voters.id.hex(),
        "identities": c.identities.id.hex(),
    }


@operation("light.certificate")
def light_certificate(i):
    statement = light.verify_certificate(raw(i["certificate"]), _committees(i)).statement
    block = int(i["height"]), int(i["view"]), raw(i["digest"])
    return {"statement": statement_json(statement), "certifies": light.certifies(i["protocol"], statement, *block)}


@operation("light.commit")
def light_commit(i):
    return _commit(light.verify_commit(i["protocol"], raw(i["block"]), raw(i["finality"]), _committees(i)))


@operation("light.transaction")
def light_transaction(i):
    block, transaction, batch, position = light.verify_transaction(i["protocol"], raw(i["proof"]), _committees(i))
    return {
        "commit": _commit(block),
        "id": TRANSACTIONS.leaf(transaction).hex(),
        "transaction": transaction.hex(),
        "batch": batch.hex(),
        "position": position,
    }


@operation("light.hand_over")
def light_hand_over(i):
    c = light.hand_over(i["protocol"], raw(i["block"]), raw(i["finality"]), raw(i["payload"]), _committees(i))
    return {"epoch": str(c.voters.epoch), "voters": c.voters.id.hex(), "identities": c.identities.id.hex()}
