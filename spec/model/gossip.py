"""A member's gossip of one statement (`spec/gossip.md`, "Dissemination")."""

from .errors import Refused
from .peers import elapsed
from .turns import levels

SUMS, PIECES, STACK = 8, 64, 64  # in a pool, beside it, unverified
REPEAT = 100_000  # microseconds
CERTIFICATE_FAN_OUT = 3  # times the fan-out


def highest(aggregate):
    return max(aggregate.counts.values())


def is_within(one, other):
    return set(one.counts) <= set(other.counts)


def merged(one, other, limit):
    """Their sum, or None."""
    try:
        return one.merge(other, limit)
    except Refused:
        return None


class _Member:
    """A member of a committee, and one statement."""

    def __init__(self, committee, me, statement, parameters):
        self.committee, self.me, self.statement, self.parameters = committee, me, statement, parameters

    def weight(self, aggregate):
        return self.committee.weight_of(aggregate.counts)

    def is_quorum(self, members):
        return self.committee.weight_of(members) >= self.committee.quorum_weight


class Pool(_Member):
    def __init__(self, *context):
        super().__init__(*context)
        self.sums, self.pieces, self.best = [], [], None

    @property
    def signers(self):
        return set() if self.best is None else set(self.best.counts)

    @property
    def is_complete(self):
        return self.is_quorum(self.signers)

    def _covers(self, one, other):
        return is_within(other, one) and highest(one) <= max(self.parameters.preferred, highest(other))

    def wants(self, aggregate):
        if aggregate.statement != self.statement:
            raise Refused("WRONG_CONTEXT")
        if highest(aggregate) > self.parameters.limit:
            raise Refused("TOO_LARGE")
        held = self.sums + ([] if self.best is None else [self.best])
        return not self.is_complete and not any(self._covers(one, aggregate) for one in held)

    def insert(self, aggregate):
        if not self.wants(aggregate):
            return False
        if highest(aggregate) == 1 and aggregate not in self.pieces:
            self.pieces.append(aggregate)
            self.pieces.sort(key=lambda one: (set(one.counts) != {self.me}, len(one.counts)))
            del self.pieces[PIECES:]
        self.sums = [one for one in self.sums if not self._covers(aggregate, one)] + [aggregate]
        if len(self.sums) > SUMS:
            self._shrink()
        self._add_up()
        return True

    def _shrink(self):
        pairs = [(a, b) for a in range(len(self.sums)) for b in range(a)]
        overlap = {(a, b): len(set(self.sums[a].counts) & set(self.sums[b].counts)) for a, b in pairs}
        for a, b in sorted(pairs, key=lambda pair: (overlap[pair], pair)):
            total = self._plus(self.sums[a], self.sums[b])
            if total is not None:
                self.sums[b] = total
                del self.sums[a]
                return
        self.sums.remove(min(self.sums, key=self.weight))

    def _add_up(self):
        low = [one for one in self.sums if highest(one) <= self.parameters.preferred]
        total = self._total(low, self._plus)
        if len(low) < len(self.sums) and (total is None or not self.is_quorum(total.counts)):
            every = self._total(self.sums, lambda one, other: merged(one, other, self.parameters.limit))
            if self.is_quorum(every.counts):
                total = every
        if total is not None and (self.best is None or self.weight(self.best) <= self.weight(total)):
            self.best = total

    def _total(self, sums, plus):
        if not sums:
            return None
        total = max(reversed(sums), key=self.weight).normalised(self.pieces)
        others = [one for one in sums + self.pieces if not is_within(one, total)]
        for one in sorted(others, key=lambda one: self._cost(total, one)):
            if self.is_quorum(total.counts):
                break
            more = None if is_within(one, total) else plus(total, one)
            if more is not None:
                total = more.normalised(self.pieces)
        return total

    @staticmethod
    def _cost(total, one):
        overlap = len(set(total.counts) & set(one.counts))
        return overlap * 1024 // (len(one.counts) - overlap)

    def _plus(self, one, other):
        preferred, weight = self.parameters.preferred, self.committee.weight_of(set(one.counts) | set(other.counts))
        step = max(1, self.committee.quorum_weight // max(1, preferred - 1))
        allowed = max(1 + weight // step, highest(one), highest(other))
        return merged(one, other, min(allowed, preferred, self.parameters.limit))


class Gossip(_Member):
    def __init__(self, committee, me, statement, parameters):
        super().__init__(committee, me, statement, parameters)
        statement.check_epoch(committee)
        if me >= len(committee):
            raise Refused("UNKNOWN_SIGNER")
        self.levels = levels(me, len(committee))
        self.kept = [None] * len(self.levels)
        self.own = self.certificate = None
        self.beginning, self.last_sent, self.repeated = None, 0, 0
        self.pool = Pool(committee, me, statement, parameters)
        self.stack, self.complete, self.owed, self.tries = [], set(), [], CERTIFICATE_FAN_OUT * parameters.fan_out

    @property
    def signers(self):
        if self.certificate is not None:
            return set(self.certificate.counts)
        held = [one for one in [self.own, *self.kept] if one is not None]
        return self.pool.signers.union(*(one.counts for one in held))

    def adopt(self, aggregate):
        if aggregate.statement != self.statement:
            raise Refused("WRONG_CONTEXT")
        grew = self._take(aggregate)
        self._drop_known()
        return grew

    def receive(self, sender, aggregate, now, peers):
        if sender == self.me or sender >= len(self.committee):
            raise Refused("UNKNOWN_SIGNER")
        if peers.is_refused(sender, now):
            return "refused"
        if aggregate.statement != self.statement:
            raise Refused("WRONG_CONTEXT")
        decides = self.is_quorum(aggregate.counts)
        if highest(aggregate) > (self.parameters.limit if decides else self.parameters.preferred):
            raise Refused("TOO_LARGE")
        peers.heard(sender)
        if decides:
            self._mark_complete(sender)
        elif self.certificate is not None:
            self._owe(sender)
        if self.certificate is not None:
            return "complete"
        if not self._is_news(aggregate):
            return "nothing-new"
        before = [waiting for waiting in self.stack if waiting[0] != sender]
        self.stack = before[-(STACK - 1) :] + [(sender, aggregate)]
        return "waiting"

    def check(self, now, peers):
        """Number of checked aggregates and of their signers, whether one was new, and the senders of invalid ones."""
        checked = self._newest()
        faults, grew = [], False
        for sender, aggregate in checked:
            try:
                aggregate.verify(self.committee)
                grew |= self._take(aggregate)
            except Refused as refused:
                faults.append((sender, refused.code))
                peers.accuse(sender, now)
                self.stack = [waiting for waiting in self.stack if waiting[0] != sender]
                self.complete.discard(sender)
        self._drop_known()
        return len(checked), sum(len(aggregate.counts) for _, aggregate in checked), grew, faults

    def offer(self, to):
        if to in self.complete:
            return None
        if self.certificate is not None:
            self._mark_complete(to)
            return self.certificate
        level = self._level({to})
        return None if level is None else self._sum(level)

    def next(self, now, draw, peers):
        """The next recipient and aggregate to send; None if nothing is due."""
        if not peers.has_room(now):
            return None
        if self.certificate is not None:
            to, what = self._next_to_complete(now, draw, peers), self.certificate
        elif self.signers:
            to, what = self._next_in_turn(now, peers)
        else:
            to = what = None
        if to is None:
            return None
        self.last_sent = now
        peers.begin(to, now)
        return to, what

    def _next_in_turn(self, now, peers):
        def due(level):
            to = level.next_member(self.me, self.statement, lambda peer: self._is_open(peer, now, peers))
            return to, self._sum(level.number)

        self.beginning = now if self.beginning is None else self.beginning
        for level in self.levels:
            if level.is_due(elapsed(self.beginning, now)):
                to, what = due(level)
                if to is not None:
                    return to, what
        if elapsed(self.last_sent, now) >= REPEAT:
            self.last_sent = now
            for ahead in range(1, len(self.levels) + 1):
                level = self.levels[(self.repeated + ahead) % len(self.levels)]
                to, what = due(level) if level.most > 0 else (None, None)
                if to is not None:
                    self.repeated = level.number
                    return to, what
        return None, None

    def _is_open(self, peer, now, peers):
        return peers.is_available(peer, now) and peer not in self.complete

    def _next_to_complete(self, now, draw, peers):
        to = next((peer for peer in reversed(self.owed) if peers.is_available(peer, now)), None)
        while to is None and self.tries > 0:
            self.tries -= 1
            picked = peers.pick(now, (draw + self.tries) % 2**64)
            if picked is None:
                return None
            to = None if picked in self.complete else picked
        if to is not None:
            self._mark_complete(to)
        return to

    def _mark_complete(self, peer):
        """Records that the peer has a certificate."""
        self.complete.add(peer)
        self.owed = [owed for owed in self.owed if owed != peer]

    def _owe(self, peer):
        """Records that the peer sent less than a quorum while there is a certificate."""
        if peer in self.complete:
            self.complete.remove(peer)
        elif peer not in self.owed:
            self.owed = [*self.owed, peer][-STACK:]

    def _grow(self):
        signers = 0 if self.own is None else 1
        for level, kept in zip(self.levels, self.kept):
            level.grow(signers, self.parameters.fan_out)
            signers += 0 if kept is None else len(kept.counts)

    def _level(self, members):
        """The level on which all of these members are in the other half."""
        return next((i for i, level in enumerate(self.levels) if all(one in level.other for one in members)), None)

    def _is_news(self, aggregate):
        if self.is_quorum(aggregate.counts):
            return True
        level = self._level(aggregate.counts)
        if level is None:
            return not set(aggregate.counts) <= self.signers
        kept = self.kept[level]
        return kept is None or self.weight(aggregate) > self.weight(kept) or self._is_lacking(aggregate, kept)

    @staticmethod
    def _is_lacking(aggregate, kept):
        """Returns true for a single vote of a member that no stored aggregate has."""
        return len(aggregate.counts) == 1 and not is_within(aggregate, kept)

    def _take(self, aggregate):
        if self.certificate is not None or not self._is_news(aggregate):
            return False
        level = self._level(aggregate.counts)
        if self.is_quorum(aggregate.counts):
            self.certificate = aggregate
        elif level is not None:
            self._keep(level, aggregate)
        elif set(aggregate.counts) == {self.me}:
            self.own = aggregate
        else:
            self._pool(aggregate)
        self._grow()
        if self.certificate is None and self.is_quorum(self.signers):
            self._conclude()
        return True

    def _keep(self, level, aggregate):
        kept = self.kept[level]
        if kept is not None and self._is_lacking(aggregate, kept):
            aggregate = merged(kept, aggregate, self.parameters.limit) or aggregate
        if kept is None or self.weight(aggregate) > self.weight(kept):
            self.kept[level] = aggregate

    def _pool(self, aggregate):
        try:
            self.pool.insert(aggregate)
        except Refused:
            pass  # Counts above the limit: the aggregate is valid, but not used.

    def _conclude(self):
        halves, pool = self._sum(len(self.levels)), self.pool.best
        both = None if halves is None or pool is None else merged(halves, pool, self.parameters.limit)
        found = (one for one in (halves, pool, both) if one is not None and self.is_quorum(one.counts))
        self.certificate = next(found, None)

    def _sum(self, level):
        """The known signers of the member's own half on that level; past the last level, of the whole committee."""
        total = self.own
        for other in self.kept[:level]:
            if total is None or other is None:
                total = total or other
            else:
                total = merged(total, other, self.parameters.limit) or other
        return total

    def _newest(self):
        """Pops the aggregates to check next off the stack."""
        quorums = [waiting for waiting in self.stack if self.is_quorum(waiting[1].counts)]
        taken, first_of = quorums[-1:], {}
        for waiting in [] if quorums else reversed(self.stack):
            level = self._level(waiting[1].counts)
            first = None if level is None else first_of.get(level)
            if len(taken) < self.parameters.batch and (first is None or self.weight(waiting[1]) > self.weight(first)):
                taken.append(waiting)
                first_of.setdefault(level, waiting[1])
        self.stack = [waiting for waiting in self.stack if all(waiting is not one for one in taken)]
        return taken

    def _drop_known(self):
        news = [] if self.certificate is not None else self.stack
        self.stack = [(sender, aggregate) for sender, aggregate in news if self._is_news(aggregate)]
