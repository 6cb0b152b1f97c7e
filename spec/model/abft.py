"""The asynchronous protocols (`spec/abft.md`): statements, signatures, messages, and the rules for sets and order."""

from dataclasses import dataclass

from . import coin, dleq, ecdsa, erasure, shared_bls, tdh2, wire
from .ed25519 import ED25519
from .errors import Refused
from .wire import u8, u16, u32, u64

LIST, VALUE = "quorate-v1-abft-list", "quorate-v1-abft-value"
MAX_MEMBERS = 1024
COIN_PROTOCOL = 2
AGREED, UNAGREED = "agreed", "unagreed"


# --- statements -----------------------------------------------------------------------------------------------


def digest(value):
    return wire.derive(VALUE, value)


def delivery(committee, epoch, sender, id):
    return b"quorate-v1-abft-delivery" + committee + u64(epoch) + u16(sender) + id


def promotion(committee, epoch, view, proposer, stage, digest):
    head = b"quorate-v1-abft-promotion" + committee + u64(epoch) + u32(view)
    return head + u16(proposer) + u8(stage) + digest


def completion(committee, epoch, view):
    return b"quorate-v1-abft-completion" + committee + u64(epoch) + u32(view)


# --- signatures of t members ----------------------------------------------------------------------------------


def ascending(members):
    if any(one >= after for one, after in zip(members, members[1:])):
        raise Refused("DUPLICATE_SIGNER")


class ListKey:
    """The scheme `list`: Ed25519 signatures of t members. Signatures are lists of pairs of member and signature."""

    opens = False

    def __init__(self, committee, faulty, kind, members):
        self.committee, self.kind, self.members = committee, kind, members
        self.needed = faulty + 1 if kind == AGREED else (len(members) + faulty) // 2 + 1

    def signed_bytes(self, statement):
        return LIST.encode() + self.committee + u8(1 if self.kind == AGREED else 2) + statement

    def sign(self, secret, member, statement):
        return member, ED25519.sign(secret, self.signed_bytes(statement))

    @staticmethod
    def write_share(share):
        return u16(share[0]) + share[1]

    @staticmethod
    def read_share(r):
        return r.uint(2), ED25519.decode_signature(r.raw(64))

    @staticmethod
    def write(signature):
        return u32(len(signature)) + b"".join(map(ListKey.write_share, signature))

    @staticmethod
    def read(r):
        signature = [ListKey.read_share(r) for _ in range(r.count(MAX_MEMBERS))]
        ascending([member for member, _ in signature])
        return signature

    def verify_share(self, statement, share):
        member, signature = share
        if member >= len(self.members):
            raise Refused("UNKNOWN_SIGNER")
        ED25519.verify(self.members[member], self.signed_bytes(statement), signature)

    def verify(self, statement, signature):
        if len(signature) != self.needed:
            raise Refused("BELOW_QUORUM")
        for share in signature:
            self.verify_share(statement, share)

    def combine(self, statement, shares):
        """Of exactly t shares by different members."""
        signature = sorted(shares)
        self.verify(statement, signature)
        return signature


class BlsKey:
    """The scheme `bls`. Shares are those of `shared_bls`, signatures 48 bytes."""

    opens = False

    def __init__(self, key):
        self.key, self.needed = key, key.needed

    def sign(self, file, _, statement):
        return shared_bls.sign(file, self.key.scheme, statement)

    @staticmethod
    def write_share(share):
        return share.encode()

    def read_share(self, r):
        return shared_bls.Share.read(r, self.key.scheme)

    @staticmethod
    def write(signature):
        return signature

    def read(self, r):
        data = r.raw(self.key.scheme.sig_len)
        self.key.scheme.decode_signature(data)
        return data

    def verify(self, statement, signature):
        scheme = self.key.scheme
        scheme.verify(scheme.decode_key(self.key.public), statement, scheme.decode_signature(signature))

    def verify_share(self, statement, share):
        scheme = self.key.scheme
        member = scheme.decode_key(self.key.members[share.member])
        scheme.verify(member, statement, scheme.decode_signature(share.signature))

    def combine(self, statement, shares):
        return shared_bls.combine(self.key, statement, shares)


class Collector:
    """Combines the first t shares, and verifies shares only if that fails. Counts one share of each sender."""

    def __init__(self, key, statement):
        self.key, self.statement, self.shares, self.dropped = key, statement, {}, set()

    def add(self, sender, share):
        """The signature or None, and the senders of wrong shares."""
        if sender in self.shares or sender in self.dropped:
            return None, []
        self.shares[sender] = share
        if len(self.shares) < self.key.needed:
            return None, []
        try:
            return self.key.combine(self.statement, list(self.shares.values())), []
        except Refused:
            wrong = [one for one in sorted(self.shares) if not self._is_right(self.shares[one])]
            for one in wrong:
                del self.shares[one]
            self.dropped.update(wrong)
            return None, wrong

    def _is_right(self, share):
        try:
            self.key.verify_share(self.statement, share)
        except Refused:
            return False
        return True


# --- a committee and its parameters ---------------------------------------------------------------------------


@dataclass
class Setup:
    committee: bytes
    members: int
    faulty: int
    coding: object
    max_value: int
    agreed: object
    unagreed: object
    coin: object
    encryption: object

    @property
    def available(self):
        return self.members - self.faulty

    def key(self, kind):
        return self.agreed if kind == AGREED else self.unagreed


# --- messages: each reader returns the fields as they appear in the vectors ------------------------------------


def _tag(r, most):
    tag = r.uint(1)
    if not 1 <= tag <= most:
        raise Refused("MALFORMED")
    return tag


def _member(r, s):
    member = r.uint(2)
    if member >= s.members:
        raise Refused("UNKNOWN_SIGNER")
    return member


def _shard(r, coding):
    commitment, index, _ = erasure.take_shard(r, coding)
    return {"id": commitment.identity().hex(), "index": index}


def read_rbc(r, s):
    tag = _tag(r, 3)
    return {"tag": tag, "id": r.raw(32).hex()} if tag == 3 else {"tag": tag} | _shard(r, s.coding)


def read_prbc(r, s):
    tag = _tag(r, 2)
    if tag == 1:
        return {"tag": tag, "message": read_rbc(r, s)}
    return {"tag": tag, "share": s.agreed.write_share(s.agreed.read_share(r)).hex()}


def _stage(r, first, last):
    stage = r.uint(1)
    if not first <= stage <= last:
        raise Refused("MALFORMED")
    return stage


def _opening(r, s):
    if not s.unagreed.opens:
        raise Refused("MALFORMED")
    return ecdsa.Opening.read(r, s.unagreed.ecdsa.group).encode().hex()


def _view(r):
    view = r.uint(4)
    if view == 0:
        raise Refused("MALFORMED")
    return view


def _certificate(r, s):
    return s.unagreed.write(s.unagreed.read(r)).hex()


def _key(r, s):
    return {"view": _view(r), "stage": _stage(r, 1, 3), "certificate": _certificate(r, s)}


def _held(r, s):
    return {"stage": _stage(r, 1, 3), "value": r.blob(s.max_value).hex(), "certificate": _certificate(r, s)}


def _coin_share(r):
    return dleq.Share.read(r, coin.PURPOSE)


def read_mvba(r, s):
    tag = r.uint(1)
    out = {"tag": tag, "view": _view(r)}
    if tag == 1:
        return out | {"value": r.blob(s.max_value).hex(), "key": r.option(lambda r: _key(r, s))}
    if tag == 2:
        return out | {"stage": _stage(r, 2, 4), "certificate": _certificate(r, s)}
    if tag == 3:
        return out | {"stage": _stage(r, 1, 4), "share": s.unagreed.write_share(s.unagreed.read_share(r)).hex()}
    if tag == 4:
        return out | {"digest": r.raw(32).hex(), "certificate": _certificate(r, s)}
    if tag == 5:
        return out | {"share": s.agreed.write_share(s.agreed.read_share(r)).hex()}
    if tag == 6:
        skip = s.agreed.write(s.agreed.read(r)).hex()
        return out | {"skip": skip, "share": _coin_share(r).encode().hex()}
    if tag == 7:
        return out | {"held": r.option(lambda r: _held(r, s))}
    if tag == 8:
        out |= {"value": r.blob(s.max_value).hex(), "certificate": _certificate(r, s)}
        shares = [_coin_share(r) for _ in range(r.count(s.faulty + 1))]
        if len(shares) <= s.faulty:
            raise Refused("BELOW_QUORUM")
        ascending([share.member for share in shares])
        return out | {"shares": [share.encode().hex() for share in shares]}
    if tag == 9:
        return out | {"stage": _stage(r, 1, 4)}
    if tag == 10:
        return out | {"stage": _stage(r, 1, 4), "opening": _opening(r, s)}
    raise Refused("MALFORMED")


def read_acs(r, s):
    tag = _tag(r, 2)
    if tag == 1:
        return {"tag": tag, "sender": _member(r, s), "message": read_prbc(r, s)}
    return {"tag": tag, "message": read_mvba(r, s)}


def read_epoch(r, s):
    tag = _tag(r, 2)
    if tag == 1:
        return {"tag": tag, "message": read_acs(r, s)}
    return {"tag": tag, "proposer": _member(r, s), "share": dleq.Share.read(r, tdh2.PURPOSE).encode().hex()}


READERS = {"rbc": read_rbc, "prbc": read_prbc, "mvba": read_mvba, "acs": read_acs, "epoch": read_epoch}


# --- proofs and sets ------------------------------------------------------------------------------------------


def read_proof(r, s):
    return r.uint(2), r.raw(32), s.agreed.read(r)


def verify_proof(s, epoch, proof):
    sender, id, signature = proof
    if sender >= s.members:
        raise Refused("UNKNOWN_SIGNER")
    s.agreed.verify(delivery(s.committee, epoch, sender, id), signature)


def read_set(data, s):
    def proofs(r):
        return [read_proof(r, s) for _ in range(r.count(s.available))]

    proofs = wire.whole(data, proofs)
    ascending([sender for sender, _, _ in proofs])
    return proofs


def is_valid_set(data, s, epoch):
    """The predicate of the agreement on the subset."""
    try:
        proofs = read_set(data, s)
        for proof in proofs:
            verify_proof(s, epoch, proof)
    except Refused:
        return False
    return len(proofs) == s.available


# --- elections ------------------------------------------------------------------------------------------------


def leader(s, epoch, view, shares):
    """From the verified shares among `shares`."""
    name = coin.Name(COIN_PROTOCOL, epoch, 0, view)
    instance = name.toss(s.coin)
    verified, _ = dleq.verify_shares(s.coin, instance, shares)
    return coin.below(name.value(dleq.combine(s.coin, instance, verified)), s.members)


# --- transactions ---------------------------------------------------------------------------------------------


def write_batch(transactions):
    return u32(len(transactions)) + b"".join(map(wire.blob, transactions))


def read_batch(data):
    def batch(r):
        count = r.count(len(r.rest) // 4)
        return [r.blob(len(r.rest)) for _ in range(count)]

    return wire.whole(data, batch)


def candidates(pending, batch, members):
    """The transactions from which a member chooses, and the number that it chooses."""
    different = list(dict.fromkeys(pending[:batch]))
    return different, min(-(-batch // members), len(different))


def order(batches, epoch, members):
    """The output of an epoch from the batches by proposer, as pairs of proposer and transaction."""
    seen, out = set(), []
    for proposer in ((epoch + i) % members for i in range(members)):
        for transaction in batches.get(proposer, []):
            if transaction not in seen:
                seen.add(transaction)
                out.append((proposer, transaction))
    return out


def open_value(s, epoch, proposer, value, shares):
    """The batch of a value of the subset; `shares` are those of its decryption. Also whether the proposer is at fault."""
    try:
        if s.encryption is not None:
            ciphertext = tdh2.read(value)
            instance = ciphertext.check(s.encryption, epoch, proposer)
            verified, _ = dleq.verify_shares(s.encryption, instance, shares)
            value = ciphertext.combine(s.encryption, instance, verified)
        return read_batch(value), False
    except Refused:
        return [], True
