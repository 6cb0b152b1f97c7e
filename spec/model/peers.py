"""A member's state of its peers as recipients (`spec/gossip.md`, "Blame" and "Picking")."""

from dataclasses import dataclass

from .turns import Picking

HEARD, TRIES = 64, 16
LAST = 2**64 - 1  # of all times


@dataclass(frozen=True)
class Parameters:
    limit: int = 255
    preferred: int = 16
    batch: int = 4
    fan_out: int = 5
    back_off: int = 2_000_000  # microseconds, as the next
    send_timeout: int = 500_000


def later(now, after):
    return min(now + after, LAST)


def elapsed(since, now):
    return max(0, now - since)


class Peers:
    def __init__(self, me, n, parameters):
        self.me, self.n, self.parameters = me, n, parameters
        self.sending, self.failing, self.accused = {}, {}, {}
        self.heard_lately = []

    def has_room(self, now):
        for peer, until in list(self.sending.items()):
            if until <= now:
                self.failed(peer, now)
        return len(self.sending) < self.parameters.fan_out

    def is_available(self, peer, now):
        is_other = peer < self.n and peer != self.me and peer not in self.sending
        return is_other and self.failing.get(peer, (0, 0))[1] <= now and not self.is_refused(peer, now)

    def is_refused(self, peer, now):
        return self.accused.get(peer, (0, 0))[1] > now

    def begin(self, peer, now):
        self.sending[peer] = later(now, self.parameters.send_timeout)

    def left(self, peer):
        self.sending.pop(peer, None)

    def sent(self, peer):
        self.left(peer)
        self.heard(peer)

    def heard(self, peer):
        self.failing.pop(peer, None)
        if peer < self.n and peer != self.me and peer not in self.heard_lately:
            self.heard_lately = [*self.heard_lately, peer][-HEARD:]

    def failed(self, peer, now):
        self.left(peer)
        self._forget(peer)
        if peer < self.n:
            times = self.failing.get(peer, (0, 0))[0] + 1
            self.failing[peer] = times, later(now, self.parameters.back_off * times)

    def accuse(self, peer, now):
        self._forget(peer)
        if peer < self.n:
            times = self.accused.get(peer, (0, 0))[0]
            self.accused[peer] = min(times + 1, 10), later(now, self.parameters.back_off * 2**times)

    def _forget(self, peer):
        self.heard_lately = [heard for heard in self.heard_lately if heard != peer]

    def next_free(self):
        return min(self.sending.values(), default=None)

    def pick(self, now, draw):
        """A random peer that can be sent a message."""
        numbers = Picking(draw)
        for _ in range(TRIES):
            if self.heard_lately and numbers.below(2) == 0:
                peer = self.heard_lately[numbers.below(len(self.heard_lately))]
            else:
                peer = numbers.below(self.n)
            if self.is_available(peer, now):
                return peer
        start = numbers.below(self.n)
        around = [*range(start, self.n), *range(start)]
        return next((peer for peer in around if self.is_available(peer, now)), None)
