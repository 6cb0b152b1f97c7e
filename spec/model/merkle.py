"""Merkle trees and their paths (`spec/merkle.md`), by the recursive definition."""

from . import wire
from .errors import Refused


class Tree:
    """A kind of tree: the domain strings of its leaves and nodes."""

    def __init__(self, leaf, node):
        self.leaf_domain, self.node_domain = leaf, node

    def leaf(self, item):
        return wire.derive(self.leaf_domain, item)

    def _node(self, left, right):
        return wire.derive(self.node_domain, left + right)

    @staticmethod
    def _split(n):
        """Leaves in the left subtree: the largest power of two below n."""
        split = 1
        while 2 * split < n:
            split *= 2
        return split

    def root(self, leaves):
        if not leaves:
            return wire.derive(self.node_domain, b"")
        if len(leaves) == 1:
            return leaves[0]
        split = self._split(len(leaves))
        return self._node(self.root(leaves[:split]), self.root(leaves[split:]))

    def siblings(self, leaves, index):
        """Bottom first."""
        if len(leaves) == 1:
            return []
        split = self._split(len(leaves))
        if index < split:
            return self.siblings(leaves[:split], index) + [self.root(leaves[split:])]
        return self.siblings(leaves[split:], index - split) + [self.root(leaves[:split])]

    def path(self, leaves, index):
        """The encoding of the path."""
        return wire.u32(index) + wire.u32(len(leaves)) + b"".join(self.siblings(leaves, index))

    def _climb(self, leaf, index, count, siblings):
        """The root of a path; removes its siblings from the end of the list."""
        if count == 1:
            return leaf
        split, sibling = self._split(count), siblings.pop()
        if index < split:
            return self._node(self._climb(leaf, index, split, siblings), sibling)
        return self._node(sibling, self._climb(leaf, index - split, count - split, siblings))

    def _depth(self, index, count):
        if count == 1:
            return 0
        split = self._split(count)
        return 1 + (self._depth(index, split) if index < split else self._depth(index - split, count - split))

    def verify(self, root, leaf, path):
        """Index and count of a path that proves the leaf under the root."""
        r = wire.Reader(path)
        index, count = r.uint(4), r.uint(4)
        if index >= count:
            raise Refused("MALFORMED")
        siblings = [r.raw(32) for _ in range(self._depth(index, count))]
        r.end()
        if self._climb(leaf, index, count, siblings) != root:
            raise Refused("WRONG_CONTEXT")
        return index, count


TRANSACTIONS = Tree("quorate-v1-transaction", "quorate-v1-batch-node")
