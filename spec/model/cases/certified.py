"""Cases of gossip.json: offers of a certificate to peers."""

from itertools import count

from ..certificate import Statement
from ..turns import Picking
from .common import CHAIN, key_pair, member
from .world import EPOCH, STATEMENT, Draw, StatementIndex, World


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
    whole = w.aggregate([0, 1, 3])
    play.do("adopt", [2])
    play.sends([3], [2], 0.0)
    play.do("adopt", whole)
    # Recipients are at most three members that are not known to have it; then the tries end.
    recipients = [play.do("next", 1.0, Draw(draw)) for draw in (1, 2, 3)]
    recipients = [found["to"] for found in recipients if found is not None]
    assert 3 not in recipients, recipients
    play.do("left", 3)
    for i in range(6):
        found = play.do("next", 2.0 + i, Draw(2**64 - 1 - i))
        if found is not None:
            recipients.append(found["to"])
    assert sorted(recipients) == [0, 1, 3], recipients
    for peer in recipients:
        play.do("sent", peer)
    # All peers have it: the remaining tries find no recipient. One more message of a peer may have been in transit; the
    # second one makes an offer due.
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
    play.end("certificate", "Offers to random members, and to members that still send smaller aggregates.")

    play = w.play(me=2)
    play.do("adopt", whole)
    for peer in (0, 1, 3):
        assert play.do("offer", peer) == whole
        assert play.do("receive", peer, [peer], 0.0) == "complete"
        assert play.do("receive", peer, [peer], 0.0) == "complete"
    # Offers to all three are due; one receives it, and another sends a quorum itself.
    play.do("offer", 1)
    play.do("receive", 3, [0, 2, 3], 0.0)
    play.sends([0], whole, 1.0)
    play.is_silent(1.0)
    play.end("certificate-owed-no-more", "A peer that has a certificate, or was offered one, is not owed an offer.")


def owed(w):
    """A session in which the last of a hundred members is a quorum alone."""
    whole = w.aggregate([99])
    play = w.play(me=99, fan_out=2)
    play.do("adopt", whole)
    for peer in [*range(70), 3, 50]:
        play.do("receive", peer, [98], 0.0)
    # Member 3 was forgotten, 50 was not.
    recipients = [play.sends([3], whole, 0.0), play.sends([69], whole, 0.0)]
    play.is_silent(0.0)
    for peer in recipients:
        play.do("left", peer)
    play.do("failed", 66, 0.0)
    for peer, time in ((68, 0.0), (67, 0.0), (65, 1999.0), (66, 2000.0), *((peer, 2000.0) for peer in range(64, 6, -1))):
        play.do("left", play.sends([peer], whole, time))
    assert play.do("next", 2000.0, Draw(7))["to"] not in range(7, 70)
    play.end("certificate-owed", "The newest first; above 64, the oldest are forgotten.")


def many_heard(w):
    whole = w.aggregate([99])
    play = w.play(me=99)
    for peer in [*range(70), 10]:
        play.do("heard", peer)
    play.do("adopt", whole)
    recipients = []
    for i in range(15):
        found = play.do("next", float(i), Draw(2**64 - 3 - 1000 * i))
        recipients += [] if found is None else [found["to"]]
        play.do("left", recipients[-1])
    assert 10 < len(recipients) == len(set(recipients)), recipients
    play.end("certificate-heard-64", "The last 64 are remembered, in the order of their first message.")

    several = [Statement(1, EPOCH, view, bytes(32)) for view in range(4)]
    play = w.play(me=99, statements=several)
    for peer in range(99):
        if peer not in (30, 60):
            play.do("failed", peer, 0.0)
    recipients = []
    for i, statement in enumerate(several):
        w.signed[99, statement] = w.scheme.sign(key_pair(4, 1)[1], statement.signed_bytes(w.c.id))
        one = w.aggregate([99], statement)
        play.do("adopt", one, StatementIndex(i))
        recipients.append(play.sends([30, 60], one, 0.0, Draw(in_order(i)), StatementIndex(i)))
        play.do("left", recipients[-1])
    assert set(recipients) == {30, 60}, recipients
    play.end("certificate-in-order", "After sixteen picks without a recipient, the next members in ascending order.")


def in_order(i):
    """Returns randomness whose picks reach members 30 or 60 only after sixteen others."""

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
    whole = w.aggregate(list(range(11)))
    play.do("adopt", whole)
    found = []
    for i in range(20):
        if i % 2:
            play.do("left", found[-1]["to"]) if found[-1] else play.do("heard", i % 16)
        found.append(play.do("next", float(i), Draw(i * 0x0123456789ABCDEF)))
    recipients = [one["to"] for one in found if one is not None]
    assert len(set(recipients)) == len(recipients) and not {6, 9, 12} & set(recipients), recipients
    play.end("certificate-heard", "Every second pick is a recently active peer.")

    play = w.play(me=6, fan_out=1)
    play.do("adopt", whole)
    for peer in set(range(16)) - {11}:
        play.do("failed", peer, 0.0)
    # All sixteen picks may be other members: then the order is ascending.
    play.sends([11], whole, 0.0, Draw(2**64 - 1))
    play.do("failed", 11, 0.0)
    for _ in range(3):
        play.is_silent(1.0, Draw(5))
    play.do("next", 2000.0, Draw(5))
    play.end("certificate-no-recipient", "The only recipient left; a try without a recipient counts.")
