"""guard.json: the decisions of the signing guard, its records, and its state after a restart."""

from ..book import Book
from ..certificate import Statement
from ..operations import committee, statement_json
from ..timeout import statement_of
from ..wire import u8
from .common import CHAIN, NAMES, OTHER_CHAIN, SUITES, flip, members, secret

EPOCH, KIND, TIMEOUT, VIEW = 7, 1, 2, 42
DIGEST, OTHER_DIGEST = bytes(range(32)), bytes(range(1, 33))
STATEMENT = Statement(KIND, EPOCH, VIEW, DIGEST)


def book():
    b = Book("guard", "The signing guard: its records, and its refusals after a restart.")
    for suite in SUITES:
        name = NAMES[suite]
        b.committee(name, suite, CHAIN, EPOCH, members(suite, 4))
        b.committee(f"{name}/next-epoch", suite, CHAIN, EPOCH + 1, members(suite, 4))
        b.committee(f"{name}/other-chain", suite, OTHER_CHAIN, EPOCH, members(suite, 4))
        b.committee(f"{name}/other-weights", suite, CHAIN, EPOCH, members(suite, 4, [1, 1, 1, 2]))
    for suite in SUITES:
        Cases(b, suite).add()
    return b


class Cases:
    def __init__(self, b, suite):
        self.b, self.suite, self.name = b, suite, NAMES[suite]
        assert committee(b.committees[self.name]).epoch == EPOCH

    def case(self, operation, label, description, expect, records, where="", member=1, **inputs):
        return self.b.add(
            f"{self.name}/{operation}-{label}",
            description,
            f"guard.{operation}",
            expect,
            committee=self.name + where,
            secret=secret(self.suite, member).hex(),
            records=[record.hex() for record in records],
            **inputs,
        )

    def sign(self, label, description, statement, records=(), expect="ok", **where):
        """Returns the record of a signed statement."""
        made = self.case("sign", label, description, expect, records, statement=statement_json(statement), **where)
        return made and bytes.fromhex(made["record"])

    def restore(self, label, description, records, expect="ok", **where):
        made = self.case("restore", label, description, expect, records, **where)
        return made and [bytes.fromhex(record) for record in made["records"]]

    def add(self):
        first = self.sign("first", "A key without records.", STATEMENT)
        later = self.sign("later", "A later view.", Statement(KIND, EPOCH, VIEW + 1, OTHER_DIGEST), [first])
        gave_up = self.sign("timeout", "A timeout, of another kind.", statement_of(TIMEOUT, EPOCH, VIEW, 41), [first])
        self.signing(first, gave_up)
        next_epoch = self.sign(
            "next-epoch",
            "A lower view of a later epoch.",
            Statement(KIND, EPOCH + 1, 0, DIGEST),
            [first],
            where="/next-epoch",
        )
        self.sign("old-epoch", "The earlier epoch is closed.", STATEMENT, [next_epoch], "CONTRADICTION")
        self.restoring(first, later, gave_up)
        self.refused(first)

    def signing(self, first, gave_up):
        def refused(label, description, statement, expect="CONTRADICTION", records=(first,), **where):
            self.sign(label, description, statement, records, expect, **where)

        assert self.sign("again", "The same statement gives the same signature.", STATEMENT, [first]) == first
        other, earlier = Statement(KIND, EPOCH, VIEW, OTHER_DIGEST), Statement(KIND, EPOCH, VIEW - 1, DIGEST)
        refused("other-digest", "Another digest in the last signed view.", other)
        refused("earlier", "An earlier view, though nothing was signed in it.", earlier)
        value = statement_of(TIMEOUT, EPOCH, VIEW, 40)
        refused("other-value", "A timeout of the same view with another value.", value, records=[gave_up])
        twin = "The same statement for another committee of the epoch is another statement."
        refused("other-committee", twin, STATEMENT, where="/other-weights")
        refused("wrong-epoch", "A statement for another epoch than the committee's.", Statement(KIND, EPOCH + 1, VIEW, DIGEST), "WRONG_CONTEXT")
        refused("non-member", "The key belongs to no member.", STATEMENT, "WRONG_CONTEXT", (), member=4)

    def restoring(self, first, later, gave_up):
        for label, description, records in (
            ("none", "Nothing was signed.", []),
            ("one", "One record.", [first]),
            ("in-order", "The latest record of each kind counts.", [first, gave_up, later]),
            ("reversed", "In any order.", [later, gave_up, first]),
            ("repeated", "A record may be repeated.", [first, later, later, first, later]),
        ):
            last = self.restore(label, description, records)
            assert last == [r for r in (later if later in records else first, gave_up) if r in records]
        twice = first[:-32] + flip(first[-32:], 0)
        for label, records in (("twice", [first, twice]), ("twice-at-the-end", [twice, later, flip(later, 80)])):
            self.restore(label, "The key has signed two statements in one view.", records, "CONTRADICTION")

    def refused(self, first):
        def case(label, description, record, expect, **where):
            self.restore(label, description, [record], expect, **where)

        case("other-key", "Another member's record.", first, "WRONG_CONTEXT", member=2)
        case("other-chain", "The same key on another chain.", first, "WRONG_CONTEXT", where="/other-chain")
        case("other-binding", "The binding changed.", flip(first, 31), "WRONG_CONTEXT")
        case("empty", "No bytes.", b"", "MALFORMED")
        case("truncated", "Truncated.", first[:-1], "MALFORMED")
        case("extended", "A trailing byte.", first + u8(0), "MALFORMED")
