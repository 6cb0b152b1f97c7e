"""The scheme `presigned` of the asynchronous protocols (`spec/abft.md`): ECDSA with presignatures, and BLS."""

from . import ecdsa, seal, wire
from .errors import Refused
from .sharing import decode
from .spending import Spending
from .wire import u8, u16, u64

VIEWS = 20
ECDSA, BLS = 1, 2
GROUP = ecdsa.GROUPS[2]
DELIVERY, PROMOTION, COMPLETION = (
    f"quorate-v1-abft-{name}".encode() for name in ("delivery", "promotion", "completion")
)


def plan(members):
    return ecdsa.Plan(1, members, VIEWS)


def presignature(committee, members, statement):
    """Epoch and index of a statement's presignature, and whether the statement is agreed; None without one."""
    for domain, length in ((DELIVERY, 34), (PROMOTION, 39), (COMPLETION, 4)):
        r = wire.Reader(statement[len(domain) :])
        if not statement.startswith(domain) or len(r.rest) != 40 + length or r.raw(32) != committee:
            continue
        epoch = r.uint(8)
        if domain == DELIVERY:
            sender = r.uint(2)
            return (epoch, sender, True) if sender < members else None
        view = r.uint(4)
        start = members + (view - 1) * (4 * members + 1)
        if not 1 <= view <= VIEWS:
            return None
        if domain == COMPLETION:
            return epoch, start + 4 * members, True
        proposer, stage = r.uint(2), r.uint(1)
        known = proposer < members and 1 <= stage <= 4
        return (epoch, start + 4 * proposer + stage - 1, False) if known else None
    return None


def context(key, epoch, member):
    """That of a sealed file."""
    return key.id + u64(epoch) + u16(member)


def unseal(key, epoch, member, secret, sealed):
    """The presignatures of a member."""
    return ecdsa.File.read(seal.unseal(secret, context(key, epoch, member), sealed), key.group)


class PresignedKey:
    """Shares and signatures are pairs of their kind and the value. `file` are presignatures of one epoch."""

    opens = True

    def __init__(self, bls, key, file):
        self.bls, self.ecdsa, self.file, self.needed = bls, key, file, bls.needed

    def presignature(self, statement):
        return presignature(self.ecdsa.committee, self.ecdsa.parties, statement)

    def sign(self, file, member, statement):
        """Without a presignature; `file` is the share of the BLS key."""
        return BLS, self.bls.sign(file, member, statement)

    @staticmethod
    def write_share(share):
        return u8(share[0]) + share[1].encode()

    @staticmethod
    def _kind(r):
        kind = r.uint(1)
        if kind not in (ECDSA, BLS):
            raise Refused("MALFORMED")
        return kind

    def read_share(self, r):
        kind = self._kind(r)
        return kind, ecdsa.Share.read(r, GROUP) if kind == ECDSA else self.bls.read_share(r)

    @staticmethod
    def write(signature):
        return u8(signature[0]) + signature[1]

    def read(self, r):
        kind = self._kind(r)
        if kind == BLS:
            return kind, self.bls.read(r)
        data = r.raw(64)
        GROUP.decode_signature(data)
        return kind, data

    def verify(self, statement, signature):
        kind, data = signature
        if kind == BLS:
            return self.bls.verify(statement, data)
        return GROUP.verify(self.ecdsa, None, statement, data)

    def combine(self, statement, shares):
        """Of BLS shares, for the cases."""
        return BLS, self.bls.combine(statement, [share for _, share in shares])

    def collector(self, statement, bls):
        return PresignedCollector(self, statement, bls)


class PresignedCollector:
    """Each kind by itself; `bls` collects the shares of BLS."""

    def __init__(self, key, statement, bls):
        self.bls, found = bls, key.presignature(statement)
        known = found is not None and key.file is not None and found[0] == key.file.deal.epoch
        self.ecdsa = EcdsaCollector(key, statement, *found[1:]) if known else None

    def add(self, sender, share):
        kind, share = share
        if kind == ECDSA:
            return self.ecdsa.add(sender, share) if self.ecdsa else (None, [])
        signature, wrong = self.bls.add(sender, share)
        return signature and (BLS, signature), wrong

    def open(self, sender, opening):
        return self.ecdsa.open(sender, opening) if self.ecdsa else (None, [])


class EcdsaCollector:
    """Combines t shares without verifying them. If that fails, they wait: for their openings, and agreed ones for enough
    shares to decode."""

    def __init__(self, key, statement, index, agreed):
        file = key.file
        self.needed, self.faulty, self.agreed = key.needed, key.ecdsa.faulty, agreed
        self.signing = ecdsa.Signing(key.ecdsa, file.deal, file.nonces[index], index, statement)
        self.shares, self.fresh, self.doubtful, self.right, self.wrong = {}, [], [], [], []

    def add(self, sender, share):
        if share.member != sender:
            raise Refused("WRONG_CONTEXT")
        self.signing.accept(share)
        if sender in self.shares:
            return None, []
        self.shares[sender] = share
        self.fresh.append(sender)
        return self._advance()

    def open(self, sender, opening):
        if sender not in self.doubtful:
            return None, []
        self.doubtful.remove(sender)
        if self.signing.check(self.shares[sender], opening):
            self.right.append(sender)
            return self._advance()
        self.wrong.append(sender)
        return None, [sender]

    def _advance(self):
        signature = None
        if len(self.fresh) + len(self.right) >= self.needed:
            chosen = (self.right + self.fresh)[: self.needed]
            try:
                signature = ECDSA, self.signing.combine([self.shares[member] for member in chosen])
            except Refused:
                self.doubtful += self.fresh
                self.fresh = []
        return signature, self._outliers()

    def _outliers(self):
        """The members whose shares are off a polynomial with t + f others, once a combination failed."""
        if not self.agreed or not self.doubtful:
            return []
        points = [(member + 1, share.s) for member, share in self.shares.items()]
        try:
            _, off = decode(self.needed, points, GROUP.math.ORDER)
        except Refused:
            return []
        if len(points) - len(off) < self.needed + self.faulty:
            return []
        found = [x - 1 for x in off if x - 1 not in self.wrong]
        self.wrong += found
        return found


class Presigner:
    """Signs with the presignatures of `file`, or without if it is None, and records their use."""

    def __init__(self, key, member, file, guard):
        self.key, self.member, self.file, self.guard = key, member, file, guard
        self.opened, self.used, self.falls_back = {}, {}, False

    def open(self, epoch):
        """Whether the epoch is signed with presignatures, or within the records of an earlier process that did so."""
        closed = epoch <= self.guard.closed.get(Spending._view(self.key.id, 0) >> 32, -1)
        has = self.file is not None and self.file.deal.epoch == epoch and not closed
        if has or closed or any(place[0] == epoch for place in self.guard.spent):
            self.opened[epoch] = has
        return epoch in self.opened

    def sign(self, statement):
        """The ECDSA share or None, and whether the member signs with BLS."""
        found = presignature(self.key.committee, self.key.parties, statement)
        if found is None or found[0] not in self.opened:
            return None, True
        epoch, index, _ = found
        digest = ecdsa.Slot(self.key.id, epoch, index).digest(statement)
        try:
            self.guard.spend(self.key.id, epoch, index, digest)
        except Refused:
            return None, False
        if not self.opened[epoch]:
            return None, True
        return self.file.sign(index, statement), self.falls_back

    def close(self, epoch):
        self.guard.close(self.key.id, epoch)
        self.opened = {one: has for one, has in self.opened.items() if one > epoch}
