"""Cases of gossip.json: the recipient and the content of a member's next message (`next`)."""

from ..certificate import Statement
from ..conformance import Stream
from . import certified
from .world import EPOCH, OTHER, STATEMENT, Draw, Microseconds, StatementIndex, World

LAST = Microseconds(2**64 - 1)
EXTREME = Statement(255, EPOCH, 2**64 - 1, b"\xff" * 32)


def add(b):
    """Adds the sessions, whose committees no other cases use."""
    alone = World(b, 4, "one", [1])
    four = World(b, 4, "four", [1] * 4)
    sixteen = World(b, 4, "sixteen", [1] * 16)
    only(alone, World(b, 4, "two", [1] * 2))
    small(four)
    small(World(b, 5, "four", [1] * 4))
    one_at_a_time(World(b, 4, "seven", [4, 1, 1, 1, 1, 1, 1]))
    larger(sixteen)
    uneven(World(b, 4, "uneven", [1] * 6 + [3, 3] + [1] * 8))
    extreme(sixteen)
    certified.add(b, four, sixteen)
    for world in (four, World(b, 4, "seven-equal", [1] * 7), sixteen):
        for fan_out in (1, 5):
            at_random(world, fan_out)


def only(alone, two):
    play = alone.play()
    play.is_silent(0.0)
    play.do("adopt", [0])
    play.is_silent(0.0)
    play.end("turns-alone", "A single member has no peers.")
    play = two.play(me=1)
    play.is_silent(0.0)
    play.do("adopt", [1])
    play.sends([0], [1], 0.0)
    play.do("sent", 0)
    play.is_silent(99.0)
    for time in (100.0, 200.0, 300.0):
        play.sends([0], [1], time)
        play.do("left", 0)
    play.end("turns-two", "One level with one member, repeatedly.")


def small(w):
    """Adds a session in which member 0's other halves are {1} and {2, 3}."""
    play = w.play()
    play.is_silent(5.0)
    play.do("adopt", [0])
    play.sends([1], [0], 5.0)
    first = play.sends([2, 3], [0], 5.0)
    second = play.sends({2, 3} - {first}, [0], 5.0)
    play.is_silent(5.0)
    for peer in (1, first, second):
        play.do("left", peer)
    play.is_silent(104.0)
    # Repeats: the second level first, then in turn.
    play.sends([first], [0], 105.0)
    play.do("left", first)
    play.is_silent(105.0)
    play.sends([1], [0], 205.0)
    play.do("left", 1)
    play.sends([second], [0], 305.0)
    play.do("left", second)
    # A new sum goes to all of the other half, starting with the next recipient in turn.
    play.do("adopt", [1])
    play.sends([first], [0, 1], 306.0)
    play.sends([second], [0, 1], 306.0)
    play.is_silent(306.0)
    play.do("adopt", [3])
    play.end("turns", "The levels in turn from the lowest; changes at once, repeats after 100 ms.")

    play = w.play(me=3)
    play.do("adopt", [0, 2])
    play.is_silent(1000.0)
    play.is_silent(1200.0)
    play.do("adopt", [2])
    play.sends([0, 1], [2], 1200.0)
    play.sends([0, 1], [2], 1200.0)
    play.is_silent(1200.0)
    # The three members are a quorum.
    play.do("adopt", [3])
    play.sends([2], {0: 1, 2: 2, 3: 1}, 1200.0)
    play.end("turns-without-own", "A sum outside the halves is not sent; a sum of another half without the member's own vote is.")


def one_at_a_time(w):
    """Adds a session in which member 1's other halves are {2}, {0} and {3, 4, 5, 6}."""
    play = w.play(me=1, fan_out=1)
    play.do("adopt", [1])
    play.sends([2], [1], 0.0)
    play.is_silent(0.0)
    play.do("has_room", 499.0)
    play.is_silent(499.0)
    # Member 2 did not answer: it is skipped until 2500 ms. Level 2 is due by time; half of its signers are unknown.
    play.sends([0], [1], 500.0)
    play.do("sent", 0)
    last = play.sends(range(3, 7), [1], 500.0)
    play.do("failed", last, 510.0)
    play.is_silent(599.0)
    # Level 1 comes first in the cycle; level 2 skips the failed peer, level 0 has no peer.
    play.sends([0], [1], 600.0)
    play.do("left", 0)
    recipients = []
    for i in range(6):
        found = play.do("next", 700.0 + 100 * i)
        recipients.append(found["to"])
        play.do("left", found["to"])
    assert 2 not in recipients and last not in recipients and len(set(recipients)) == 4, recipients
    play.do("failed", 0, 1300.0)
    recipients = []
    for i in range(20):
        found = play.do("next", 1400.0 + 100 * i)
        recipients.append(found["to"])
        play.do("left", found["to"])
    assert 2 in recipients and last in recipients and 0 not in recipients, recipients
    play.end("turns-one-at-a-time", "One send at a time; a silent peer is skipped until its back-off ends.")

    play = w.play(me=1, fan_out=1)
    play.do("adopt", [1])
    for peer in (0, 2, 3, 4, 5, 6):
        play.do("failed", peer, 0.0)
    play.is_silent(1850.0)
    play.do("heard", 5)
    play.is_silent(1949.999)
    play.sends([5], [1], 1950.0)
    play.do("sent", 5)
    play.sends([2], [1], 2000.0)
    play.end("turns-no-recipient", "A message without a recipient stays due.")

    play = w.play(me=1)
    play.do("adopt", [1])
    for peer in (0, 2):
        play.do("failed", peer, 0.0)
    play.is_silent(99.0)
    play.sends(range(3, 7), [1], 100.0)
    play.is_silent(149.0)
    play.sends(range(3, 7), [1], 199.0)
    play.end("turns-since-zero", "Repeats begin 100 ms after time 0, even if nothing was sent before.")


def larger(w):
    """Adds sessions in which member 5's other halves are {4}, {6, 7}, {0, 1, 2, 3} and {8, …, 15}."""
    play = w.play(me=5, fan_out=2)
    play.do("adopt", [5])
    sent = [play.sends([4], [5], 7.0), play.sends([6, 7], [5], 7.0)]
    play.is_silent(7.0)
    for peer in sent:
        play.do("left", peer)
    sent = [play.sends({6, 7} - {sent[1]}, [5], 8.0)]
    play.is_silent(106.999)
    sent.append(play.sends(range(4), [5], 107.0))
    for peer in sent:
        play.do("sent", peer)
    last = play.sends(range(4), [5], 156.999)
    play.do("left", last)
    play.is_silent(156.999)
    sent = [play.sends(range(8, 16), [5], 157.0), play.sends(range(8, 16), [5], 157.0)]
    for peer in sent:
        play.do("left", peer)
    play.is_silent(157.0)
    # Half of the member's half is known: due at once. Growth of another half does not count.
    play.do("adopt", [6, 7])
    play.do("adopt", [8, 9, 10])
    sent = [play.sends(range(4), [5, 6, 7], 158.0), play.sends(range(4), [5, 6, 7], 158.0)]
    for peer in sent:
        play.do("left", peer)
    play.sends(range(8, 16), [5, 6, 7], 158.0)
    play.end("turns-levels", "Each level waits another 50 ms, unless half of the member's own half is known.")

    play = w.play(me=5, fan_out=2)
    for peer in (0, 1):
        play.do("begin", peer, 0.0)
    play.do("adopt", [5])
    play.is_silent(50.0)
    for peer in (0, 1):
        play.do("left", peer)
    for members in ([4], [6, 7], [6, 7]):
        play.do("left", play.sends(members, [5], 80.0))
    play.is_silent(179.999)
    play.sends(range(4), [5], 180.0)
    play.end("turns-beginning", "The levels' time starts when a place is free.")

    play = w.play(me=5)
    play.do("adopt", [5])
    for peer in (4, 7, 1, 2, 3):
        play.do("begin", peer, 0.0)
    # An unverified quorum: member 6 claims to have one. Sends to five peers are in progress.
    play.do("receive", 6, w.bad(list(range(11))), 0.0)
    play.is_silent(0.0)
    play.do("left", 7)
    play.sends([7], [5], 0.0)
    for peer in (1, 2, 3):
        play.do("left", peer)
    play.is_silent(1.0)
    # Its quorum is invalid, and it is blamed; member 7 receives the message instead.
    play.do("check", 1.0)
    play.is_silent(1.0)
    play.do("left", 7)
    play.sends([7], [5], 1.0)
    play.sends(range(4), [5], 100.0)
    play.do("failed", 4, 100.0)
    recipients = []
    for i in range(30):
        found = play.do("next", 2001.0 + 100 * i)
        if found is not None:
            recipients.append(found["to"])
            play.do("left", found["to"])
    assert 6 in recipients and 4 in recipients
    play.end("turns-passed-over", "Skipped peers: those with a quorum, with a send in progress, penalized, or silent.")

    play = w.play(me=5, fan_out=3, statements=(STATEMENT, OTHER, EXTREME))
    others = [w.aggregate([5], statement) for statement in (STATEMENT, OTHER, EXTREME)]
    for i, own in enumerate(others):
        play.do("adopt", own, StatementIndex(i))
    newest = w.aggregate([8, 10], OTHER)
    for peer, sum_ in ((8, w.aggregate([8], OTHER)), (9, w.aggregate([9], OTHER)), (10, newest)):
        play.do("receive", peer, sum_, 0.0, StatementIndex(1))
    play.do("receive", 4, w.aggregate([4], OTHER), 0.0, StatementIndex(1))
    assert play.do("check", 0.0, StatementIndex(1)) == {"aggregates": 2, "signers": 3, "grew": "yes", "faults": []}
    play.sends([4], others[2], 0.0, StatementIndex(2))
    # A send in progress for one statement blocks another statement's.
    play.sends([6, 7], others[0], 0.0, StatementIndex(0))
    play.sends([6, 7], w.aggregate([4, 5], OTHER), 0.0, StatementIndex(1))
    for i in range(3):
        play.is_silent(1.0, StatementIndex(i))
    play.do("failed", 4, 1.0)
    for i in range(3):
        play.do("next", 2.0, StatementIndex(i))
    play.do("next", 499.999, StatementIndex(1))
    play.do("next", 500.0, StatementIndex(1))
    play.do("next", 500.0, StatementIndex(0))
    play.do("next", 502.0, StatementIndex(2))
    play.end("turns-statements", "Several statements share only the places and the peers' states.")


def uneven(w):
    """Adds a session in which member 0's other halves are {1}, {2, 3}, {4, …, 7}, where 6 and 7 are heavy, and {8, …, 15}."""
    play = w.play(fan_out=2)
    play.do("adopt", [0])
    play.do("adopt", [4, 5, 6])
    sent = [play.sends([1], [0], 0.0), play.sends([2, 3], [0], 0.0)]
    for peer in sent:
        play.do("left", peer)
    sent = [play.sends([2, 3], [0], 0.0), play.sends(range(8, 16), [0, 4, 5, 6], 0.0)]
    for peer in sent:
        play.do("left", peer)
    # Heavier, but fewer signers: no growth. The next message has the current sum.
    assert play.do("adopt", [6, 7]) == "yes"
    play.do("left", play.sends(range(8, 16), [0, 6, 7], 0.0))
    play.is_silent(0.0)
    play.do("adopt", [1])
    for members in ([2, 3], [2, 3], range(4, 8), range(4, 8)):
        play.do("left", play.sends(members, [0, 1], 0.0))
    # The largest half still has four signers. An added vote is growth.
    play.is_silent(99.0)
    play.do("adopt", [5])
    play.sends(range(8, 16), [0, 1, 5, 6, 7], 99.0)
    play.end("turns-heavier", "A heavier sum with fewer signers does not count as growth.")


def extreme(w):
    play = w.play(me=14, statements=(EXTREME,))
    own = w.aggregate([14], EXTREME)
    play.do("adopt", own)
    recipients, time = [], 2**64 - 1 - 5_000_000
    for _ in range(45):
        found = play.do("next", Microseconds(time))
        assert found["aggregate"] == own
        recipients.append(found["to"])
        play.do("left", found["to"])
        time += 100_000
    assert set(recipients) == set(range(16)) - {14}, recipients
    # The clock is set back, and reaches its maximum: no time passes, and sends end at once.
    play.is_silent(0.0)
    play.is_silent(Microseconds(time - 2))
    play.do("next", LAST)
    play.do("failed", 3, LAST)
    play.do("next", LAST)
    play.do("accuse", 2, LAST)
    play.do("next", LAST)
    play.do("next_free")
    play.do("next", LAST)
    play.end("turns-64-bits", "The maximum view, digest and times; the levels wrap around many times.")


def at_random(w, fan_out):
    """Adds a session of many steps in arbitrary order, with untrusted members."""
    s, n = Stream(3000 + 100 * len(w.c) + fan_out), len(w.c)
    me, now = s.below(n), 0.0
    play = w.play(me=me, fan_out=fan_out)
    sending = []
    for i in range(90):
        now += (0.0, 0.0, 1.0, 20.0, 60.0, 250.0)[s.below(6)]
        do, peer = s.below(16), s.below(n)
        if i == 3:
            play.do("adopt", [me])
        elif do < 9:
            found = play.do("next", now, Draw(s.next()))
            sending += [] if found is None else [found["to"]]
        elif do < 12 and sending:
            to = sending.pop(s.below(len(sending)))
            how = ("left", "sent", "failed")[s.below(3)]
            play.do(how, to, now) if how == "failed" else play.do(how, to)
        elif do == 12:
            play.do("receive", peer, [peer], now)
        elif do == 13:
            play.do("adopt", [peer])
        elif do == 14 and i % 3 == 0:
            play.do("check", now)
        else:
            play.do("offer", peer)
    play.end(f"turns-random-{fan_out}", "Many steps in arbitrary order.")
