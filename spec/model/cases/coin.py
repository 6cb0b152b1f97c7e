"""coin.json: the common coin."""

from .. import coin, dleq
from ..book import Book
from .shares import ELSEWHERE, deal, key_cases, moved, share_cases

KEYS, SHARES = deal(coin.PURPOSE, 3, 7)
NAME = coin.Name(1, 12, 3, 0)


def fields(name=NAME):
    epoch, instance, round = (str(part) for part in (name.epoch, name.instance, name.round))
    return {"name": {"protocol": name.protocol, "epoch": epoch, "instance": instance, "round": round}}


NAMES = {
    "first": NAME,
    "other-protocol": coin.Name(2, 12, 3, 0),
    "other-epoch": coin.Name(1, 13, 3, 0),
    "other-instance": coin.Name(1, 12, 4, 0),
    "other-round": coin.Name(1, 12, 3, 1),
    "zeros": coin.Name(0, 0, 0, 0),
    "largest": coin.Name(255, 2**64 - 1, 2**64 - 1, 2**64 - 1),
}


def book():
    b = Book("coin", "The common coin of Cachin, Kursawe and Shoup.")
    key_cases(b, "coin", coin.PURPOSE, KEYS, SHARES)
    tossing(b)
    instance, other = NAME.toss(KEYS), NAMES["other-round"].toss(KEYS)
    good, bad = share_cases(
        b, "coin", KEYS, SHARES, instance, other, fields(), fields(NAMES["other-round"])
    )
    values(b, good, bad)
    sessions(b, good, bad)
    return b


def tossing(b):
    seen = set()
    for label, name in NAMES.items():
        seen.add(b.add(f"toss/{label}", "The element of a coin's name.", "coin.toss", keys=KEYS.encode().hex(), **fields(name))["base"])
    elsewhere, _ = deal(coin.PURPOSE, 3, 7, ELSEWHERE, "elsewhere")
    toss = b.add("toss/other-committee", "The element for another committee.", "coin.toss", keys=elsewhere.encode().hex(), **fields())
    seen.add(toss["base"])
    assert len(seen) == len(NAMES) + 1


def values(b, good, bad):
    def case(label, description, shares, expect="ok", name=NAME):
        return b.add(
            f"value/{label}",
            description,
            "coin.value",
            expect,
            keys=KEYS.encode().hex(),
            **fields(name),
            shares=[share.encode().hex() for share in shares],
            below=[1, 2, 7, 100, 65535],
        )

    chosen = [case("-".join(map(str, m)), "A sufficient number of shares.", [good[i] for i in m]) for m in ([0, 1, 2], [6, 3, 0], [5, 4, 3, 2])]
    assert chosen[0] == chosen[1] == chosen[2]
    case("all", "The shares of all members.", good)
    case("too-few", "Too few shares.", good[:2], "BELOW_QUORUM")
    case("duplicate", "A member's share twice.", [good[0], good[1], good[1]], "DUPLICATE_SIGNER")
    case("one-wrong", "A sufficient number, but one is invalid.", [good[0], good[1], bad], "BELOW_QUORUM")
    case("other-coin", "A share of another coin.", good, "BELOW_QUORUM", NAMES["other-round"])
    for label in ("other-round", "largest"):
        instance = NAMES[label].toss(KEYS)
        case(label, "Another coin.", [share.prove(instance, bytes(32)) for share in SHARES[:3]], name=NAMES[label])


def sessions(b, good, bad):
    value = NAME.value(dleq.combine(KEYS, NAME.toss(KEYS), good))

    def case(label, description, shares, expected):
        output = b.add(
            f"session/{label}",
            description,
            "coin.session",
            keys=KEYS.encode().hex(),
            **fields(),
            shares=[share.encode().hex() for share in shares],
        )
        got = [(step["output"], step["faults"]) for step in output["outcomes"]]
        assert got == expected, (label, got)

    out, quiet = (value.hex(), []), (None, [])
    case("good", "The third share determines the value.", [good[i] for i in (6, 2, 4, 0)], [quiet, quiet, out, quiet])
    case(
        "wrong",
        "Invalid shares are dropped and their members reported, in ascending order.",
        [moved(good[5]), good[0], bad, good[1], good[0], good[6]],
        [quiet, quiet, (None, [2, 5]), quiet, quiet, out],
    )
    case(
        "forged-first",
        "A forged share does not block the member's valid one.",
        [moved(good[0]), good[0], good[1], good[2]],
        [quiet, (None, [0]), quiet, out],
    )
    non_member = dleq.Share(coin.PURPOSE, 7, good[0].point, good[0].a1, good[0].a2, good[0].z)
    case("non-member", "The index of no member.", [good[0], non_member], [quiet, ("UNKNOWN_SIGNER", [])])
