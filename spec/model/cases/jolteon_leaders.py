"""Cases of jolteon.json: the chain state's pure functions: windows of sequences, and leaders."""

from .. import jolteon as j
from ..operations import committee
from .common import CHAIN, members
from .jolteon_chain import EPOCH


def sequences(b):
    def case(label, description, numbers):
        b.add(f"sequences-{label}", description, "jolteon.sequences", sequences=[str(n) for n in numbers])

    case("in-order", "Sequences in order.", range(1, 70))
    case("again", "Each sequence is accepted once.", [1, 1, 2, 1, 2, 3, 3])
    case("out-of-order", "Later sequences first.", [5, 3, 4, 1, 2, 5, 3])
    case(
        "window",
        "63 below the highest are remembered, older ones are refused.",
        [100, 37, 36, 37, 99, 163, 100, 101, 99],
    )
    case("jump", "A jump moves the window past all earlier sequences.", [1, 2, 2**48 - 1, 3, 2**48 - 64, 2**48 - 65, 2**48 - 63])
    case("jump-by-window", "Jumps about as long as the window.", [1, 64, 1, 2, 65, 2, 128, 65, 66, 192])
    case("zero", "Sequence 0 is in the set from the start.", [0, 1, 0])


def leaders(b):
    for n in (4, 7, 10):
        b.committee(f"leaders-{n}", 3, CHAIN, EPOCH, members(3, n))
    b.committee("leaders-weighted", 3, CHAIN, EPOCH, members(3, 4, [5, 1, 1, 1]))

    def case(label, description, voters, blocks):
        listed = [{"view": str(view), "author": author, "signers": sorted(signers)} for view, author, signers in blocks]
        b.add(f"leaders-{label}", description, "jolteon.leaders", voters=voters, blocks=listed)

    case(
        "no-failure",
        "All members lead in turn.",
        "leaders-4",
        [(v, v % 4, [] if v == 1 else [0, 1, 2]) for v in range(1, 9)],
    )
    case("one-dead", "Member 2 never leads or votes.", "leaders-4", run(b, "leaders-4", 100, {2}, {2}))
    case(
        "two-dead-of-seven",
        "Members 2 and 5 are offline from the start.",
        "leaders-7",
        run(b, "leaders-7", 160, {2, 5}, {2, 5}),
    )
    case(
        "votes-but-never-leads",
        "Member 1 votes but does not lead: it is tried less and less often.",
        "leaders-4",
        run(b, "leaders-4", 420, {1}, set()),
    )
    case("comes-back", "Member 3 is offline for 40 blocks.", "leaders-4", run(b, "leaders-4", 200, {3}, {3}, until=40))
    case(
        "too-many-skipped",
        "Three skipped views of ten count against the leaders, four against the network.",
        "leaders-10",
        [(1, 1, []), (5, 5, range(7)), (10, 0, range(7)), (11, 1, range(7))],
    )
    case(
        "less-than-a-quorum",
        "The heavy member fails: the others are below the quorum, so that all members lead in turn.",
        "leaders-weighted",
        [(2, 2, []), (3, 3, range(4)), (5, 1, range(4)), (7, 3, range(4)), (8, 0, range(4))],
    )


def run(b, name, blocks, silent, mute, until=10**9):
    """Returns a chain of `length` blocks, in which `silent` members do not lead and `mute` members do not vote."""
    voters = committee(b.committees[name])
    reputation, view, author, made = j.LeaderReputation(voters), 0, None, []
    for height in range(1, blocks + 1):
        dead, quiet = (silent, mute) if height <= until else (set(), set())
        at = view + 1
        while reputation.leader(at) in dead:
            at += 1
        signers = [i for i in range(len(voters)) if i not in quiet] if height > 1 else []
        made.append((at, reputation.leader(at), signers))
        reputation.append(height, at, made[-1][1], view, author, signers)
        view, author = at, made[-1][1]
    return made
