"""Cases of gossip.json: whom a member tells unasked that there is a certificate."""

from itertools import count

from ..certificate import Statement
from ..turns import Picking
from .common import CHAIN, key_pair, member
from .world import EPOCH, STATEMENT, Draw, Of, World


def add(b, four, sixteen):
    b.committee("min-sig-counted/heavy", 4, CHAIN, EPOCH, [{**member(4, 0), "times": 99}, member(4, 1, 1000)], repeats=True)
    heavy = World(b, 4, "heavy", [])
    for i, key in ((98, 0), (99, 1)):
        heavy.signed[i, STATEMENT] = heavy.scheme.sign(key_pair(4, key)[1], STATEMENT.signed_bytes(heavy.c.id))
    quorum(four)
    owed(heavy)
    many_heard(heavy)
    heard(sixteen)


def quorum(w):
    play = w.play(me=2)
    whole = w.of([0, 1, 3])
    play.do("adopt", [2])
    play.sends([3], [2], 0.0)
    play.do("adopt", whole)
    # Only who is not known to have it, three at most; the tries end.
    told = [play.do("next", 1.0, Draw(draw)) for draw in (1, 2, 3)]
    told = [found["to"] for found in told if found is not None]
    assert 3 not in told, told
    play.do("left", 3)
    for i in range(6):
        found = play.do("next", 2.0 + i, Draw(2**64 - 1 - i))
        if found is not None:
            told.append(found["to"])
    assert sorted(told) == [0, 1, 3], told
    for peer in told:
        play.do("sent", peer)
    # All peers have it: the remaining tries find no recipient. The next message may have been in transit; the second
    # time it is owed.
    play.is_silent(9.0)
    play.do("receive", 1, [1], 10.0)
    play.is_silent(10.0)
    play.do("receive", 3, [3], 11.0)
    play.do("receive", 3, [3], 12.0)
    play.do("receive", 1, [1], 12.0)
    play.do("begin", 1, 12.0)
    play.sends([3], whole, 12.0)
    play.do("left", 1)
    play.sends([1], whole, 12.0)
    play.is_silent(12.0)
    play.end("certificate", "To random members, and to whoever still sends less.")

    play = w.play(me=2)
    play.do("adopt", whole)
    for peer in (0, 1, 3):
        assert play.do("offer", peer) == whole
        assert play.do("receive", peer, [peer], 0.0) == "complete"
        assert play.do("receive", peer, [peer], 0.0) == "complete"
    # Owed to all three: offered to one, another sends a quorum itself.
    play.do("offer", 1)
    play.do("receive", 3, [0, 2, 3], 0.0)
    play.sends([0], whole, 1.0)
    play.is_silent(1.0)
    play.end("certificate-owed-no-more", "Who was offered it, or has one, is owed none.")


def owed(w):
    """Of a hundred members the last one alone is a quorum."""
    whole = w.of([99])
    play = w.play(me=99, fan_out=2)
    play.do("adopt", whole)
    for peer in [*range(70), 3, 50]:
        play.do("receive", peer, [98], 0.0)
    # Member 3 had been forgotten, 50 not.
    told = [play.sends([3], whole, 0.0), play.sends([69], whole, 0.0)]
    play.is_silent(0.0)
    for peer in told:
        play.do("left", peer)
    play.do("failed", 66, 0.0)
    for peer, time in ((68, 0.0), (67, 0.0), (65, 1999.0), (66, 2000.0), *((peer, 2000.0) for peer in range(64, 6, -1))):
        play.do("left", play.sends([peer], whole, time))
    assert play.do("next", 2000.0, Draw(7))["to"] not in range(7, 70)
    play.end("certificate-owed", "The newest first; of more than 64 the oldest are forgotten.")


def many_heard(w):
    whole = w.of([99])
    play = w.play(me=99)
    for peer in [*range(70), 10]:
        play.do("heard", peer)
    play.do("adopt", whole)
    told = []
    for i in range(15):
        found = play.do("next", float(i), Draw(2**64 - 3 - 1000 * i))
        told += [] if found is None else [found["to"]]
        play.do("left", told[-1])
    assert 10 < len(told) == len(set(told)), told
    play.end("certificate-heard-64", "The last 64 are remembered, in the order in which they were heard first.")

    several = [Statement(1, EPOCH, view, bytes(32)) for view in range(4)]
    play = w.play(me=99, statements=several)
    for peer in range(99):
        if peer not in (30, 60):
            play.do("failed", peer, 0.0)
    told = []
    for i, statement in enumerate(several):
        w.signed[99, statement] = w.scheme.sign(key_pair(4, 1)[1], statement.signed_bytes(w.c.id))
        one = w.of([99], statement)
        play.do("adopt", one, Of(i))
        told.append(play.sends([30, 60], one, 0.0, Draw(in_order(i)), Of(i)))
        play.do("left", told[-1])
    assert set(told) == {30, 60}, told
    play.end("certificate-in-order", "Where sixteen picks find nobody, upwards from another one.")


def in_order(i):
    """A draw whose first pick, by the try of the highest number, comes to members 30 or 60 only after sixteen others."""

    def found(draw):
        numbers = Picking(draw + 14)
        picked = [numbers.below(100) for _ in range(17)]
        above = [min((peer for peer in (30, 60) if peer >= start), default=30) for start in picked]
        return not {30, 60} & set(picked) and above[15] != above[16] and above[16] == (30, 60)[i % 2]

    return next(draw for draw in count(1000 * i) if found(draw))


def heard(w):
    play = w.play(me=6, fan_out=5)
    for peer in (6, 16, 4, 9, 12, 4):
        play.do("heard", peer)
    play.do("failed", 12, 0.0)
    play.do("accuse", 9, 0.0)
    play.do("heard", 1)
    whole = w.of(list(range(11)))
    play.do("adopt", whole)
    found = []
    for i in range(20):
        if i % 2:
            play.do("left", found[-1]["to"]) if found[-1] else play.do("heard", i % 16)
        found.append(play.do("next", float(i), Draw(i * 0x0123456789ABCDEF)))
    told = [one["to"] for one in found if one is not None]
    assert len(set(told)) == len(told) and not {6, 9, 12} & set(told), told
    play.end("certificate-heard", "Every second one of those who were heard lately.")

    play = w.play(me=6, fan_out=1)
    play.do("adopt", whole)
    for peer in set(range(16)) - {11}:
        play.do("failed", peer, 0.0)
    # Sixteen picks may all fall on others: then in order.
    play.sends([11], whole, 0.0, Draw(2**64 - 1))
    play.do("failed", 11, 0.0)
    for _ in range(3):
        play.is_silent(1.0, Draw(5))
    play.do("next", 2000.0, Draw(5))
    play.end("certificate-nobody", "The only one that is left; a try at nobody is used up.")
