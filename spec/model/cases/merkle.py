"""merkle.json: roots and paths, under the domains of a batch's transactions."""

from ..book import Book
from ..merkle import TRANSACTIONS
from ..wire import u32
from .common import flip


def book():
    b = Book("merkle", "Merkle trees over items, under quorate-v1-transaction and quorate-v1-batch-node.")
    for n in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 33):
        items = [b"item %d" % i for i in range(n)]
        b.add(f"root-{n}", f"{n} items.", "merkle.root", items=[item.hex() for item in items])
    for n in (1, 2, 3, 5, 7, 8, 11):
        paths(b, n)
    refusals(b)
    return b


def paths(b, n):
    items = [b"item %d" % i for i in range(n)]
    for index in sorted({0, n // 2, n - 1}):
        listed = [item.hex() for item in items]
        made = b.add(f"path-{index}-of-{n}", "The path.", "merkle.path", items=listed, index=index)
        verify(b, f"verify-{index}-of-{n}", "The path leads to the root.", items[index], bytes.fromhex(made["path"]), n)


def verify(b, name, description, item, path, n, expect="ok", root=None):
    leaves = [TRANSACTIONS.leaf(b"item %d" % i) for i in range(n)]
    root = root or TRANSACTIONS.root(leaves)
    b.add(name, description, "merkle.verify", expect, root=root.hex(), item=item.hex(), path=path.hex())


def refusals(b):
    n, index = 7, 2
    leaves = [TRANSACTIONS.leaf(b"item %d" % i) for i in range(n)]
    path, item = TRANSACTIONS.path(leaves, index), b"item 2"

    def case(label, description, path, expect, item=item, root=None):
        verify(b, label, description, item, path, n, expect, root)

    case("other-item", "Another item.", path, "WRONG_CONTEXT", b"item 3")
    case("other-root", "Another root.", path, "WRONG_CONTEXT", root=bytes(32))
    case("other-sibling", "A sibling changed.", flip(path, 8), "WRONG_CONTEXT")
    case("other-index", "The index of the next leaf.", u32(3) + path[4:], "WRONG_CONTEXT")
    last = TRANSACTIONS.path(leaves, 6)
    verify(b, "last", "The last of seven is passed up once.", b"item 6", last, n)
    verify(
        b,
        "last-as-of-eight",
        "For another count, the path has too few siblings.",
        b"item 6",
        last[:4] + u32(8) + last[8:],
        n,
        "MALFORMED",
    )
    case(
        "node-as-leaf",
        "A node is not a leaf: the domains differ.",
        u32(1) + u32(4) + path[40:],
        "WRONG_CONTEXT",
        leaves[2] + leaves[3],
    )
    case("index-past-end", "An index past the leaves.", u32(7) + path[4:], "MALFORMED")
    case("count-zero", "An empty tree has no leaf.", u32(0) + u32(0), "MALFORMED")
    case("truncated", "A byte is missing.", path[:-1], "MALFORMED")
    case("extended", "An additional sibling.", path + bytes(32), "MALFORMED")
    case("huge-count", "A count that needs more siblings than given.", u32(0) + u32(2**32 - 1), "MALFORMED")
