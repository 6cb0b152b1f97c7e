"""committee.json: identities, thresholds, invalid committees; raw signer sets and raw verification."""

from ..book import Book
from ..committee import MAX_TOTAL_WEIGHT, SCHEMES
from . import raw
from .common import BLS_SUITES, CHAIN, NAMES, OTHER_CHAIN, SUITES, key_pair, member, members

EPOCH = 7


def book():
    b = Book("committee", "Committees of all three suites: identity, thresholds, refusals; raw signer sets.")
    for name in ("", "quorate", "vectors", "Ünïcödé"):
        b.add(f"chain-{name or 'empty'}", "A chain identifier from a name in UTF-8.", "chain_id.from_name", name=name)
    for suite in SUITES:
        identities(b, suite)
        proven(b, suite)
        related(b, suite)
    thresholds(b)
    raw_signers(b)
    for suite in SUITES:
        raw_verification(b, suite)
    raw.cases(b)
    return b


def attested(b, name, description, suite, listed, expect="ok", chain=CHAIN, epoch=EPOCH, repeats=False):
    b.committee(name, suite, chain, epoch, listed, repeats)
    b.add(name, description, "committee.from_attested", expect, committee=name)


def identities(b, suite):
    name = NAMES[suite]
    attested(b, f"{name}/one", "A committee with one member.", suite, members(suite, 1))
    attested(b, f"{name}/four", "Four members of weight 1.", suite, members(suite, 4))
    attested(b, f"{name}/four-other-epoch", "Another epoch changes the id.", suite, members(suite, 4), epoch=EPOCH + 1)
    attested(b, f"{name}/four-other-chain", "Another chain changes the id.", suite, members(suite, 4), chain=OTHER_CHAIN)
    attested(b, f"{name}/four-other-order", "Another order changes the id.", suite, members(suite, 4)[::-1])
    attested(b, f"{name}/four-other-weight", "Another weight changes the id.", suite, members(suite, 4, [1, 1, 1, 2]))


def proven_member(suite, number, weight=1):
    scheme, value, key = key_pair(suite, number)
    possession = scheme.encode_signature(scheme.prove_possession(value))
    return {"public_key": key.hex(), "possession": possession.hex(), "weight": str(weight)}


def proven(b, suite):
    name, good = NAMES[suite], [proven_member(suite, i, 10 + i) for i in range(3)]

    def case(label, description, listed, expect="ok", epoch=EPOCH):
        b.add(
            f"{name}/proven-{label}",
            description,
            "committee.new",
            expect,
            suite=suite,
            chain=CHAIN.hex(),
            epoch=str(epoch),
            members=listed,
        )

    case("good", "Three members with their possession proofs.", good)
    case("largest-epoch", "The largest epoch.", good, epoch=2**64 - 1)
    swapped = [dict(good[0], possession=good[1]["possession"]), *good[1:]]
    case("wrong-proof", "The first proof is another member's.", swapped, "BAD_POSSESSION")
    case("no-members", "No members.", [], "BAD_COMMITTEE")
    case("zero-weight", "A weight of zero.", [good[0], dict(good[1], weight="0")], "BAD_COMMITTEE")
    case("duplicate", "A repeated member.", good + good[:1], "RELATED_KEYS")


def related(b, suite):
    name, scheme = NAMES[suite], SCHEMES[suite]
    listed = members(suite, 3)
    negated = scheme.encode_key(scheme.negated_key(scheme.decode_key(bytes.fromhex(listed[0]["public_key"]))))
    twin = {"public_key": negated.hex(), "weight": "1"}
    attested(b, f"{name}/duplicate", "A repeated key.", suite, listed + listed[:1], "RELATED_KEYS")
    attested(b, f"{name}/negated", "A key and its negation.", suite, [*listed, twin], "RELATED_KEYS")
    attested(
        b,
        f"{name}/duplicate-allowed",
        "A repeated key, where that is allowed.",
        suite,
        listed + listed[:1],
        repeats=True,
    )
    code = "INFINITY" if suite in BLS_SUITES else "ok"
    attested(
        b,
        f"{name}/cancelling-allowed",
        "A key and its negation alone: BLS keys that sum to infinity are refused even where repeats are allowed.",
        suite,
        [listed[0], twin],
        code,
        repeats=True,
    )


def thresholds(b):
    suite = 3
    for n in range(1, 11):
        attested(b, f"thresholds-{n}", "Equal weights: at most ⌊(n−1)/3⌋ faulty members.", suite, members(suite, n))
    cases = {
        "skewed": [100, 1, 1, 1],
        "two-thirds-exactly": [2, 1],
        "large": [2**64, 2**64 - 1, 2**80],
        "at-the-limit": [MAX_TOTAL_WEIGHT - 1, 1],
    }
    for label, weights in cases.items():
        attested(b, f"weights-{label}", "Unequal weights.", suite, members(suite, len(weights), weights))
    bad = {
        "above-the-limit": [MAX_TOTAL_WEIGHT, 1],
        "overflow": [2**128 - 1, 2**128 - 1, 2],
        "one-too-heavy": [2**128 - 1],
        "zero": [1, 0, 1],
    }
    for label, weights in bad.items():
        attested(b, f"weights-{label}", "Refused.", suite, members(suite, len(weights), weights), "BAD_COMMITTEE")
    attested(b, "no-members", "No members.", suite, [], "BAD_COMMITTEE")
    too_many = [dict(member(suite, 0), times=65_536)]
    attested(b, "too-many", "More members than 16 bits can count.", suite, too_many, "BAD_COMMITTEE", repeats=True)


def raw_signers(b):
    b.committee("ten", 3, CHAIN, EPOCH, members(3, 10, list(range(1, 11))))

    def case(label, description, expect="ok", **signers):
        b.add(f"signers-{label}", description, "committee.signers", expect, committee="ten", **signers)

    case("indices", "In any order.", indices=[9, 0, 4])
    case("indices-none", "No members.", indices=[])
    case("indices-all", "All members.", indices=list(range(10)))
    case("indices-duplicate", "One index twice.", "DUPLICATE_SIGNER", indices=[3, 4, 3])
    case("indices-unknown", "An index past the end.", "UNKNOWN_SIGNER", indices=[3, 10])
    case(
        "indices-16-bits-more",
        "An index with the same low 16 bits as a member's.",
        "UNKNOWN_SIGNER",
        indices=[65_536],
    )
    case("lsb", "Members 0, 4 and 9.", lsb_first="1102")
    case("msb", "Members 0, 4 and 9.", msb_first="8840")
    case("lsb-all", "All members.", lsb_first="ff03")
    case("msb-all", "All members.", msb_first="ffc0")
    for order in ("lsb_first", "msb_first"):
        case(f"{order}-short", "A missing byte.", "MALFORMED", **{order: "11"})
        case(f"{order}-long", "An additional byte.", "MALFORMED", **{order: "110000"})
    case("lsb-padding", "A bit past the last member.", "NON_CANONICAL", lsb_first="1106")
    case("msb-padding", "A bit past the last member.", "NON_CANONICAL", msb_first="8820")


def raw_verification(b, suite):
    """Adds cases of raw verification, of a message in another chain's format."""
    name, message = NAMES[suite], b"any bytes that another chain signs"
    four = b.committees[f"{name}/four"] and f"{name}/four"
    scheme = SCHEMES[suite]
    signatures = {i: scheme.sign(key_pair(suite, i)[1], message) for i in range(4)}

    def case(label, description, indices, proof, expect="ok", message=message):
        b.add(
            f"{name}/raw-{label}",
            description,
            "committee.verify_raw",
            expect,
            committee=four,
            message=message.hex(),
            indices=indices,
            proof=proof.hex(),
        )

    def proof(indices):
        return scheme.encode_proof({i: signatures[i] for i in indices})

    case("three", "Three of four; the weight is returned and compared by the caller.", [0, 2, 3], proof([0, 2, 3]))
    case("one", "One of four.", [1], proof([1]))
    case("all", "All four.", [0, 1, 2, 3], proof(range(4)))
    case("other-set", "Verified for another set of the same size.", [0, 1, 3], proof([0, 2, 3]), "BAD_SIGNATURE")
    case("other-message", "Another message.", [0, 2, 3], proof([0, 2, 3]), "BAD_SIGNATURE", b"other")
    if suite == 3:
        case("missing", "A missing signature.", [0, 2, 3], proof([0, 2]), "MALFORMED")
        case("no-signers", "No signers and no signatures.", [], b"", "BELOW_QUORUM")
    else:
        case("no-signers", "No signers: an infinite key would accept an infinite signature.", [], proof([0]), "BELOW_QUORUM")
