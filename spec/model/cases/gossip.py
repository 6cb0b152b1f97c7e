"""gossip.json: the contents of a pool, the peer list, and a member's handling of received aggregates."""

from ..book import Book
from ..conformance import Stream
from . import turns
from .common import CHAIN, COUNTED_SUITES, cancelling_members
from .world import EPOCH, MILLISECOND, OTHER, STATEMENT, World


def book():
    b = Book("gossip", "Sessions of pools, of peers and of one member's gossip.")
    for suite in COUNTED_SUITES:
        pools(World(b, suite, "eight", [1] * 8))
    weighted(World(b, 4, "weighted", [9, 7, 5, 3, 1, 1, 1, 1]))
    crowded(World(b, 4, "forty", [1] * 40))
    random_pools(World(b, 4, "sixteen", [1] * 16))
    cancelling(b)
    peers(b)
    for suite in COUNTED_SUITES:
        spread(World(b, suite, "eight", [1] * 8))
    halves(World(b, 4, "seven", [4, 1, 1, 1, 1, 1, 1]))
    hundred = World(b, 4, "hundred", [1] * 100)
    stack(hundred)
    many(hundred)
    turns.add(b)
    return b


def pools(w):
    w.pool("disjoint", "Three sums with disjoint signers make a quorum of six.", [[0, 1], [2, 3], [4, 5]], ["yes"] * 3)
    w.pool("nothing", "A sum without a new signer is dropped.", [[0, 1, 2], [0, 1], [2], {1: 3}], ["yes", "no", "no", "no"])
    made = w.pool("larger", "A sum with all signers of another one replaces it.", [[0], [0, 1], [0, 1, 2, 3]], ["yes"] * 3)
    assert len(made["aggregates"]) == 1
    made = w.pool("overlap", "Sums that overlap are added.", [[0, 1, 2], [1, 2, 3], [3, 4]], ["yes"] * 3)
    assert made["outcomes"][-1]["signers"] == [0, 1, 2, 3, 4]
    w.pool("singles", "Single signatures are taken off.", [[1], [0], [0, 1, 2], [1, 2, 3], [0, 3, 4]], ["yes"] * 5)
    w.pool("own", "The member's own signature is subtracted first.", [[1], [2], [0, 1], [0, 2, 3], [0, 4]], ["yes"] * 5, me=2)
    w.pool("heavy", "Sums with counts above 16 are kept, but not added.", [{0: 20, 1: 20}, [0], [2, 3], [1, 4]], ["yes"] * 4)
    decides = w.pool("decides", "They are added if the result is a quorum.", [{i: 20 for i in range(5)}, [5]], ["yes"] * 2)
    assert decides["certificate"] is not None
    w.pool("limit", "Counts do not exceed the limit.", [{0: 255, 1: 1}, {0: 256}, {0: 1, 2: 1}], ["yes", "TOO_LARGE", "yes"])
    w.pool("low-limit", "A limit of one.", [[0, 1], [1, 2], [2, 3], {4: 2}], ["yes"] * 3 + ["TOO_LARGE"], limit=1)
    w.pool("statement", "For another statement.", [[0], w.aggregate([1], OTHER), [1]], ["yes", "WRONG_CONTEXT", "yes"])
    made = w.pool("steps", "Counts grow at most in proportion to the weight.", [[0, 1], [0, 2], [0, 3], [4]], ["yes"] * 4, preferred=3)
    assert [len(outcome["signers"]) for outcome in made["outcomes"]] == [2, 3, 3, 4]
    made = w.pool("full", "The member's own signature is added if counts are at the limit.", [[0], {i: 3 for i in range(1, 5)}], ["yes"] * 2, preferred=3)
    assert [len(outcome["signers"]) for outcome in made["outcomes"]] == [1, 5]
    high = [[0], {1: 17, 2: 17, 3: 17}, {4: 16, 5: 16}]
    made = w.pool("high", "Sums with too high counts wait until they complete a quorum.", high, ["yes"] * 3)
    assert [len(outcome["signers"]) for outcome in made["outcomes"]] == [1, 1, 6]
    made = w.pool("above", "There is no best sum if all counts are too high.", [{0: 17, 1: 1}, {2: 17, 3: 17}], ["yes"] * 2)
    assert made["outcomes"][-1]["best"] is None and len(made["aggregates"]) == 2
    taken = [[0, 1], [1], {0: 3, 1: 5, 2: 2}, [2, 3]]
    w.pool("pieces", "Parts are subtracted, the smallest first.", taken, ["yes", "no", "yes", "yes"])
    w.pool("complete", "No further sum is accepted.", [[0, 1, 2, 3, 4, 5], [6], [0, 1, 2, 3, 4, 5, 6, 7]], ["yes", "no", "no"])


def weighted(w):
    made = w.pool("weights", "The order is by weight, the heaviest sum first.", [[4, 5, 6, 7], [1], [2, 3], [0]], ["yes"] * 3 + ["no"])
    assert made["certificate"] is not None
    w.pool("tie", "Among the heaviest, the newest is first.", [{0: 20}, {1: 20, 4: 1, 5: 1}], ["yes"] * 2)


def crowded(w):
    ring = [[i, (i + 1) % 11] for i in range(11)]
    made = w.pool("crowded", "Above eight sums, the two with the least overlap are merged.", ring)
    assert len(made["aggregates"]) <= 8
    star = [[0, i] for i in range(1, 12)]
    made = w.pool("dropped", "If all merged counts would be too high, the lightest sum is dropped.", star, preferred=1)
    assert len(made["aggregates"]) == 8


def random_pools(w):
    for seed in range(6):
        s = Stream(1000 + seed)

        def some(s=s):
            size = 1 + s.below(5)
            return {s.below(16): 1 + s.below(3) for _ in range(size)}

        w.pool(f"random-{seed}", "Many overlapping sums.", [some() for _ in range(16)], me=seed)


def many(w):
    """Returns steps of four signers each."""
    for seed in range(1):
        s = Stream(2000 + seed)
        sums = [sorted({s.below(90) for _ in range(1 + s.below(1 + i // 4))}) for i in range(100)]
        w.pool(f"many-{seed}", "A hundred overlapping sums.", sums, me=seed)


def cancelling(b):
    name = "min-sig-counted/cancelling"
    b.committee(name, 4, CHAIN, EPOCH, cancelling_members(4, [1] * 8, [(0, 1, 2)]))
    w = World(b, 4, "cancelling", [1] * 8)
    for i, member in enumerate(b.committees[name]["members"]):
        w.signed[i, STATEMENT] = w.scheme.sign(int(member["secret"], 16), STATEMENT.signed_bytes(w.c.id))
    w.pool("cancelling", "Two sums that cancel are not added.", [[0, 2], [1], [3]], ["yes"] * 3)
    steps = [("adopt", [0]), ("adopt", [1]), ("adopt", {2: 1}), ("offer", 5), ("adopt", [2, 3]), ("offer", 5)]
    w.session("cancelling-halves", "If two halves cancel, the higher one is sent.", steps, ["yes"] * 3 + [..., "yes", ...])


def peers(b):
    def case(label, description, steps, results, members=5, **parameters):
        written = []
        for do, *arguments in steps:
            step = {"do": do}
            for value in arguments:
                step.update({"now": str(int(value * MILLISECOND))} if isinstance(value, float) else {"peer": value})
            written.append(step)
        made = b.add(
            f"peers/{label}", description, "peers.session", me=0, members=members, parameters=parameters, steps=written
        )
        assert made["outcomes"] == results, (label, made["outcomes"])

    ask = "is_available"
    case("itself-and-non-members", "The member itself and non-members are refused.", [(ask, 0, 0.0), (ask, 4, 0.0), (ask, 5, 0.0)], ["no", "yes", "no"])
    case(
        "failed",
        "A back-off of two seconds, then four, until the peer answers.",
        [("failed", 3, 0.0), (ask, 3, 1999.0), (ask, 3, 2000.0), ("failed", 3, 2000.0), (ask, 3, 5999.0), (ask, 3, 6000.0)]
        + [("failed", 3, 6000.0), (ask, 3, 11999.0), ("heard", 3), (ask, 3, 6000.0), ("failed", 3, 7000.0), (ask, 3, 9000.0)],
        [None, "no", "yes", None, "no", "yes", None, "no", None, "yes", None, "yes"],
    )
    case(
        "accused",
        "A penalty of two seconds, doubled each time; an answer does not end it.",
        [("accuse", 2, 0.0), ("heard", 2), ("is_refused", 2, 1999.0), (ask, 2, 1999.0), ("is_refused", 2, 2000.0)]
        + [("accuse", 2, 2000.0), ("is_refused", 2, 5999.0), ("is_refused", 2, 6000.0), (ask, 2, 6000.0)],
        [None, None, "yes", "no", "no", None, "yes", "no", "yes"],
    )
    longest = 2048_000.0
    case(
        "accused-often",
        "The maximum factor is 2¹⁰.",
        [("accuse", 2, 0.0)] * 20 + [("is_refused", 2, longest - 1), ("is_refused", 2, longest)],
        [None] * 20 + ["yes", "no"],
    )
    case(
        "places",
        "Concurrent sends up to the fan-out, each until its time limit.",
        [("begin", 1, 0.0), ("has_room", 0.0), ("begin", 2, 100.0), ("has_room", 100.0), ("next_free",), (ask, 1, 100.0)]
        + [("sent", 1), ("has_room", 100.0), (ask, 1, 100.0), ("next_free",), ("has_room", 599.0), (ask, 2, 600.0)]
        + [("has_room", 600.0), (ask, 2, 2599.0), (ask, 2, 2600.0), ("next_free",)],
        [None, "yes", None, "no", "500000", "no", None, "yes", "yes", "600000", "yes", "no", "yes", "no", "yes", None],
        fan_out=2,
    )
    case(
        "left",
        "A finished send frees its place and does not change the peer's state.",
        [("failed", 4, 0.0), ("begin", 4, 2000.0), ("left", 4), ("failed", 4, 2000.0), (ask, 4, 5999.0), (ask, 4, 6000.0)],
        [None, None, None, None, "no", "yes"],
    )
    case("non-members", "Non-members are not remembered.", [("failed", 9, 0.0), ("accuse", 9, 0.0), ("is_refused", 9, 1.0)], [None, None, "no"])


def spread(w):
    """Adds sessions of member 0 of eight: its other halves are {1}, {2, 3}, {4, 5, 6, 7}."""
    got = "receive"
    none = {"aggregates": 0, "signers": 0, "grew": "no", "faults": []}

    def good(aggregates, signers, grew="yes"):
        return {"aggregates": aggregates, "signers": signers, "grew": grew, "faults": []}

    w.session(
        "to-a-quorum",
        "The member's own vote, and the three other halves.",
        [("adopt", [0]), (got, 1, [1], 0.0), ("check", 0.0), (got, 3, [2, 3], 1.0), (got, 4, [4, 5], 1.0)]
        + [("check", 2.0), ("offer", 1), (got, 5, [4, 5, 6], 3.0), ("check", 3.0)],
        ["yes", "waiting", good(1, 1), "waiting", "waiting", good(2, 4), ..., "complete", none],
    )
    w.session(
        "before-cryptography",
        "Messages that are dropped without verification, and the reasons.",
        [("adopt", [0]), (got, 0, [1], 0.0), (got, 8, [1], 0.0), (got, 1, w.aggregate([1], OTHER), 0.0), (got, 4, {4: 17}, 0.0)]
        + [(got, 4, {i: 20 for i in range(2, 8)}, 0.0), (got, 1, {i: 256 for i in range(6)}, 0.0), ("check", 0.0)],
        ["yes", "UNKNOWN_SIGNER", "UNKNOWN_SIGNER", "WRONG_CONTEXT", "TOO_LARGE", "waiting", "TOO_LARGE", good(1, 6)],
    )
    w.session(
        "lighter",
        "The heaviest sum of each half is kept; at equal weight, only a new single vote is accepted.",
        [("adopt", [4, 5]), (got, 6, [6, 7], 0.0), (got, 6, [6], 0.0), (got, 7, [4, 5, 6], 0.0), ("check", 0.0)]
        + [(got, 5, {5: 2, 6: 2, 7: 2}, 0.0), ("offer", 4), ("offer", 1), ("adopt", [1]), ("offer", 2), ("offer", 4)],
        ["yes", "nothing-new", "waiting", "waiting", good(1, 3), "nothing-new", None, None, "yes", ..., ...],
    )
    w.session(
        "single-votes",
        "Single votes are added up, until a heavier sum replaces them, and to a quorum.",
        [("adopt", [4]), ("adopt", [5]), ("adopt", [5]), ("adopt", {6: 2}), ("offer", 1), (got, 7, [4, 5, 7], 0.0)]
        + [(got, 7, [7], 0.0), ("check", 0.0), (got, 4, [4], 0.0), ("offer", 1), ("adopt", [0]), ("adopt", [3])]
        + [("offer", 4), ("adopt", [2]), ("offer", 4)],
        ["yes", "yes", "no", "yes", None, "nothing-new", "waiting", good(1, 1), "nothing-new", None, "yes", "yes"]
        + [..., "no", ...],
    )
    w.session(
        "blame",
        "The sender of an invalid sum is refused for two seconds, then for four.",
        [("adopt", [0]), (got, 1, w.bad([1]), 0.0), (got, 2, [2, 3], 0.0), ("check", 10.0), (got, 1, [1], 2009.0)]
        + [("is_available", 1, 2009.0), ("offer", 1), (got, 1, w.bad([1]), 2010.0), ("check", 2010.0)]
        + [(got, 1, [1], 6009.0), (got, 1, [1], 6010.0), ("check", 6010.0)],
        ["yes", "waiting", "waiting"]
        + [{"aggregates": 2, "signers": 3, "grew": "yes", "faults": [{"culprit": 1, "code": "BAD_SIGNATURE"}]}]
        + ["refused", "no", ..., "waiting"]
        + [{"aggregates": 1, "signers": 1, "grew": "no", "faults": [{"culprit": 1, "code": "BAD_SIGNATURE"}]}]
        + ["refused", "waiting", good(1, 1)],
    )
    w.session(
        "newest",
        "The newest of a half, and an older one only if heavier; one per sender.",
        [("adopt", [0]), (got, 4, [4, 5, 6], 0.0), (got, 5, [5], 0.0), (got, 6, [6, 7], 0.0), (got, 2, [2], 0.0)]
        + [(got, 2, [2, 3], 0.0), (got, 1, [1], 0.0), ("check", 0.0), ("check", 0.0)],
        ["yes"] + ["waiting"] * 6 + [good(4, 8), none],
    )
    w.session(
        "batch",
        "The batch size is limited.",
        [(got, 1, [1], 0.0), (got, 2, [2], 0.0), (got, 4, [4], 0.0), ("check", 0.0), ("check", 0.0), ("check", 0.0)],
        ["waiting"] * 3 + [good(2, 2), good(1, 1), none],
        batch=2,
    )
    w.session(
        "quorum-first",
        "A quorum is verified first, even if older, and ends the session.",
        [("adopt", [0]), (got, 3, list(range(1, 7)), 0.0), (got, 4, [4], 0.0), ("check", 0.0), (got, 5, [7], 1.0)]
        + [("offer", 3), ("offer", 5), ("offer", 5), (got, 5, [7], 2.0), ("offer", 5), ("adopt", [7])],
        ["yes", "waiting", "waiting", good(1, 6), "complete", None, ..., None, "complete", ..., "no"],
    )
    w.session(
        "bad-quorum",
        "An invalid sum takes one check, and drops the other messages of its sender.",
        [("adopt", [0]), (got, 2, [2], 0.0), (got, 3, w.bad(list(range(1, 7))), 0.0), ("check", 0.0), ("offer", 3), ("check", 0.0)],
        ["yes", "waiting", "waiting"]
        + [{"aggregates": 1, "signers": 6, "grew": "no", "faults": [{"culprit": 3, "code": "BAD_SIGNATURE"}]}, ..., good(1, 1)],
    )
    w.session(
        "no-half",
        "A sum outside the halves goes to the pool and counts for the quorum.",
        [("adopt", [0]), (got, 2, [0, 2], 0.0), ("check", 0.0), (got, 3, [2, 3], 0.0), ("check", 0.0)]
        + [(got, 1, [0, 1, 2], 0.0), ("check", 0.0), (got, 4, [4, 5], 0.0), ("check", 0.0), (got, 6, [2, 0], 0.0)],
        ["yes", "waiting", good(1, 2), "waiting", good(1, 2), "waiting", good(1, 3), "waiting", good(1, 2), "complete"],
    )
    w.session(
        "failed-and-heard",
        "A silent peer is skipped until it sends a message that can be verified.",
        [("failed", 1, 0.0), ("is_available", 1, 1.0), (got, 1, w.aggregate([1], OTHER), 1.0), ("is_available", 1, 1.0)]
        + [(got, 1, [1], 2.0), ("is_available", 1, 2.0)],
        [None, "no", "WRONG_CONTEXT", "no", "waiting", "yes"],
    )


def halves(w):
    """Adds sessions of seven members, 0 to 2 and 3 to 6; member 2's other halves are {1}, {0}, {3, 4, 5, 6}."""
    got = "receive"
    w.session(
        "odd",
        "Sums are compared by weight, and the quorum is a weight.",
        [("adopt", [2]), (got, 3, [3, 4, 5], 0.0), ("check", 0.0), (got, 0, [0], 0.0), ("check", 0.0), ("offer", 6)],
        ["yes", "waiting", ..., "waiting", ..., ...],
        me=2,
    )


def stack(w):
    """Adds a session with more senders than the stack has places: the oldest is dropped."""
    steps = [("receive", sender, [sender], 0.0) for sender in range(20, 90)]
    steps += [("receive", 60, [60, 61], 1.0), ("receive", 90, w.bad([90, 91, 92]), 1.0), ("check", 1.0), ("check", 2.0)]
    w.session("flood", "Sixty-four messages wait, one per sender.", steps, ["waiting"] * 72 + [..., ...])
