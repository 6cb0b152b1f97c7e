"""evidence.json: equivocations and conflicts."""

from ..book import Book
from ..certificate import Certificate, Statement, Vote
from ..evidence import Equivocation
from ..operations import committee
from .common import CHAIN, NAMES, OTHER_CHAIN, SUITES, flip, key_pair, members

EPOCH = 7
LOW, HIGH = bytes(32), b"\x01" + bytes(31)


def statement(digest, kind=1, view=42):
    return Statement(kind, EPOCH, view, digest)


def book():
    b = Book("evidence", "Evidence for third parties: two votes of one member, two certificates.")
    for suite in SUITES:
        name = NAMES[suite]
        b.committee(name, suite, CHAIN, EPOCH, members(suite, 4))
        b.committee(f"{name}/other-chain", suite, OTHER_CHAIN, EPOCH, members(suite, 4))
        b.committee(f"{name}/next-epoch", suite, CHAIN, EPOCH + 1, members(suite, 4))
        equivocations(b, suite)
        conflicts(b, suite)
    return b


def equivocations(b, suite):
    name = NAMES[suite]
    c = committee(b.committees[name])

    def vote(digest, signer=2, **changes):
        return Vote.sign(key_pair(suite, signer)[1], c, signer, statement(digest, **changes))

    def pair(label, description, first, second, expect="ok"):
        listed = [first.encode().hex(), second.encode().hex()]
        return b.add(
            f"{name}/equivocation-{label}", description, "equivocation.new", expect, committee=name, votes=listed
        )

    low, high = vote(LOW), vote(HIGH)
    made = pair("new", "Two digests in one view.", low, high)
    assert pair("new-swapped", "The order of the votes does not matter.", high, low) == made
    pair("same-vote", "The same statement twice is not a contradiction.", low, low, "NOT_EVIDENCE")
    pair("other-view", "Two views.", low, vote(HIGH, view=43), "NOT_EVIDENCE")
    pair("other-kind", "Two kinds.", low, vote(HIGH, kind=2), "NOT_EVIDENCE")
    pair("other-signer", "Two members.", low, vote(HIGH, signer=1), "NOT_EVIDENCE")
    data = bytes.fromhex(made["evidence"])
    half = (len(data) - 20) // 2

    def case(label, description, data, expect="ok", committee=name):
        b.add(
            f"{name}/equivocation-{label}",
            description,
            "equivocation.verify",
            expect,
            committee=committee,
            evidence=data.hex(),
        )

    case("good", "Valid.", data)
    case(
        "descending", "The higher digest first.", data[:20] + data[20 + half :] + data[20 : 20 + half], "NON_CANONICAL"
    )
    case("same-digest", "The same digest twice.", data[:20] + data[20 : 20 + half] * 2, "NON_CANONICAL")
    case("other-suite", "The suite byte changed.", flip(data, 0, 4), "WRONG_CONTEXT")
    case("truncated", "Truncated.", data[:-1], "MALFORMED")
    case("extended", "A trailing byte.", data + b"\0", "MALFORMED")
    case("other-chain", "For another chain.", data, "BAD_SIGNATURE", f"{name}/other-chain")
    case("next-epoch", "For another epoch.", data, "WRONG_CONTEXT", f"{name}/next-epoch")
    case("non-member", "The committee has no member 4.", flip(data, 18, 6), "UNKNOWN_SIGNER")
    case("slander", "The votes are signed by another member.", flip(data, 18, 1), "BAD_SIGNATURE")
    forged = Equivocation(low, Vote(c.scheme, high.statement, 2, low.signature)).encode()
    case("one-forged", "The second vote is not signed.", forged, "BAD_SIGNATURE")


def conflicts(b, suite):
    name = NAMES[suite]
    c = committee(b.committees[name])

    def certificate(digest, numbers, **changes):
        s = statement(digest, **changes)
        message = s.signed_bytes(c.id)
        return Certificate.encode_parts(c, s, {i: c.scheme.sign(key_pair(suite, i)[1], message) for i in numbers})

    def case(label, description, data, expect="ok", committee=name):
        b.add(
            f"{name}/conflict-{label}", description, "conflict.verify", expect, committee=committee, evidence=data.hex()
        )

    low, high = certificate(LOW, (0, 1, 2)), certificate(HIGH, (1, 2, 3))
    case("good", "Members 1 and 2 signed both.", low + high)
    case("all", "All four signed both.", certificate(LOW, range(4)) + certificate(HIGH, range(4)))
    case("descending", "The higher digest first.", high + low, "NON_CANONICAL")
    case(
        "same-statement",
        "Two certificates for one statement are not a conflict.",
        low + certificate(LOW, (1, 2, 3)),
        "NOT_EVIDENCE",
    )
    case("other-view", "Two views.", low + certificate(HIGH, (1, 2, 3), view=43), "NOT_EVIDENCE")
    case("other-kind", "Two kinds.", low + certificate(HIGH, (1, 2, 3), kind=2), "NOT_EVIDENCE")
    case("one", "One certificate only.", low, "MALFORMED")
    case("extended", "A trailing byte.", low + high + b"\0", "MALFORMED")
    case("other-chain", "For another chain.", low + high, "BAD_SIGNATURE", f"{name}/other-chain")
    case("next-epoch", "For another epoch.", low + high, "WRONG_CONTEXT", f"{name}/next-epoch")
    forged = high[:52] + low[52:]
    case("one-forged", "The second certificate has the first one's signatures.", low + forged, "BAD_SIGNATURE")
