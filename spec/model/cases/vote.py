"""vote.json: statements and votes."""

from ..book import Book
from ..certificate import Statement, Vote
from ..committee import SCHEMES
from ..operations import committee, statement_json
from ..wire import u16
from .common import CHAIN, NAMES, OTHER_CHAIN, SUITES, flip, key_pair, members, secret, small_order

EPOCH = 7
DIGEST = bytes(range(32))


def book():
    b = Book("vote", "Statements and votes in both forms.")
    for suite in SUITES:
        name = NAMES[suite]
        b.committee(name, suite, CHAIN, EPOCH, members(suite, 4))
        b.committee(f"{name}/next-epoch", suite, CHAIN, EPOCH + 1, members(suite, 4))
        b.committee(f"{name}/other-chain", suite, OTHER_CHAIN, EPOCH, members(suite, 4))
        b.committee(f"{name}/other-weights", suite, CHAIN, EPOCH, members(suite, 4, [1, 1, 1, 2]))
    statements(b)
    for suite in SUITES:
        votes(b, suite)
    return b


def statements(b):
    for label, s in {
        "ordinary": Statement(1, EPOCH, 42, DIGEST),
        "zero": Statement(0, 0, 0, bytes(32)),
        "largest": Statement(255, 2**64 - 1, 2**64 - 1, b"\xff" * 32),
    }.items():
        b.add(
            f"statement-{label}",
            "The encoding, the signed bytes, the identity.",
            "statement.encode",
            committee="min-sig",
            statement=statement_json(s),
        )
    for other in ("min-pk", "ed25519", "min-sig/next-epoch", "min-sig/other-chain", "min-sig/other-weights"):
        b.add(
            f"statement-for-{other}",
            "Another committee changes the signed bytes.",
            "statement.encode",
            committee=other,
            statement=statement_json(Statement(1, EPOCH, 42, DIGEST)),
        )


def votes(b, suite):
    name, scheme, s = NAMES[suite], SCHEMES[suite], Statement(1, EPOCH, 42, DIGEST)
    c = committee(b.committees[name])
    for i in (0, 3):
        made = b.add(
            f"{name}/sign-{i}",
            f"A vote of member {i}.",
            "vote.sign",
            committee=name,
            secret=secret(suite, i).hex(),
            statement=statement_json(s),
        )
        for form in ("vote", "link"):
            b.add(f"{name}/{form}-{i}", "Valid.", "vote.verify", committee=name, **{form: made[form]})
    vote = Vote.sign(key_pair(suite, 0)[1], c, 0, s)
    data, link = vote.encode(), vote.encode_link()

    def case(label, description, expect, data=data, committee=name, form="vote"):
        b.add(f"{name}/{form}-{label}", description, "vote.verify", expect, committee=committee, **{form: data.hex()})

    case("other-signer", "Another member's signature.", "BAD_SIGNATURE", data[:50] + u16(1) + data[52:])
    case("non-member", "The committee has no member 4.", "UNKNOWN_SIGNER", data[:50] + u16(4) + data[52:])
    case("other-kind", "The kind changed.", "BAD_SIGNATURE", flip(data, 1))
    case("other-view", "The view changed.", "BAD_SIGNATURE", flip(data, 10))
    case("other-digest", "The digest changed.", "BAD_SIGNATURE", flip(data, 49))
    case("other-epoch", "The epoch changed.", "WRONG_CONTEXT", flip(data, 2))
    case(
        "replayed-to-next-epoch",
        "Verified with the next epoch's committee.",
        "WRONG_CONTEXT",
        committee=f"{name}/next-epoch",
    )
    case(
        "replayed-to-other-chain",
        "Verified with another chain's committee with the same keys and epoch.",
        "BAD_SIGNATURE",
        committee=f"{name}/other-chain",
    )
    case(
        "replayed-to-other-weights",
        "Verified with a committee with other weights.",
        "BAD_SIGNATURE",
        committee=f"{name}/other-weights",
    )
    for other in SUITES:
        if other != suite:
            case(f"suite-{other}", "The suite byte of another scheme.", "WRONG_CONTEXT", bytes([other]) + data[1:])
    case("suite-0", "Suite 0 does not exist.", "WRONG_CONTEXT", b"\0" + data[1:])
    for form, whole in (("vote", data), ("link", link)):
        for cut in (0, 1, 50, 52, len(whole) - 1):
            case(f"truncated-{cut}", "Truncated.", "MALFORMED", whole[:cut], form=form)
        case("extended", "A trailing byte.", "MALFORMED", whole + b"\0", form=form)
    if suite != 3:
        bls_votes(case, scheme, vote)
    else:
        case("s-not-reduced", "s is not below the group order.", "NON_CANONICAL", data[:-1] + b"\xff")


def bls_votes(case, scheme, vote):
    group, good = scheme.sigs, vote.signature

    def changed(signature):
        return Vote(scheme, vote.statement, vote.signer, signature)

    case("infinity", "Infinity as signature.", "INFINITY", changed(None).encode())
    case("infinity", "Infinity as signature.", "INFINITY", changed(None).encode_link(), form="link")
    added = group.add(good, small_order(group))
    case("small-order-added", "Plus a point of small order.", "NOT_IN_SUBGROUP", changed(added).encode())
    case(
        "small-order-added",
        "Plus a point of small order.",
        "NOT_IN_SUBGROUP",
        changed(added).encode_link(),
        form="link",
    )
    case("not-on-curve", "The point is not on the curve.", "MALFORMED", flip(vote.encode_link(), -1), form="link")
    case(
        "compressed",
        "A compressed point in the direct-link encoding.",
        "NON_CANONICAL",
        vote.encode().ljust(len(vote.encode_link()), b"\0"),
        form="link",
    )
