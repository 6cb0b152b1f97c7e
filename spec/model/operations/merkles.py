"""Merkle trees."""

from ..merkle import TRANSACTIONS
from .registry import operation, raw


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
