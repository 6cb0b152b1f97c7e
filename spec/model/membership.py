"""Membership changes: the transactions that end an epoch of Gosig, and the next committees (`spec/gosig.md`)."""

from dataclasses import dataclass

from . import wire
from .certificate import Certificate, Statement
from .committee import Committee
from .ed25519 import ED25519
from .errors import Refused
from .gosig import Committees, read_signature

PREFIX = b"quorate-v1-gosig-epoch"
MEMBERSHIP = 5
MAX_CONTACT = 512


@dataclass
class Change:
    """`joins` is None for a leave: else voting key, its possession, the identity's possession, weight, contact."""

    identity: bytes
    joins: object
    encoded: bytes

    def statement(self, c):
        digest = wire.derive("quorate-v1-gosig-membership", self.encoded)
        return Statement(MEMBERSHIP, c.identities.epoch, 0, digest)

    @classmethod
    def read(cls, r, scheme):
        (identity, joins), encoded = wire.read_taking(r, lambda r: _read_change(r, scheme))
        return cls(identity, joins, encoded)

    @classmethod
    def from_transaction(cls, transaction, c):
        """The change in the transaction, or None."""
        if not transaction.startswith(PREFIX):
            return None
        try:
            return wire.whole(transaction[len(PREFIX) :], lambda r: cls._allowed(r, c))
        except Refused:
            return None

    @classmethod
    def _allowed(cls, r, c):
        if r.uint(8) != c.voters.epoch:
            raise Refused("WRONG_CONTEXT")
        change, certificate = cls.read(r, c.voters.scheme), Certificate.read(r, c.identities)
        if r.rest or certificate.statement != change.statement(c):
            raise Refused("WRONG_CONTEXT")
        certificate.verify(c.identities)
        if change.joins:
            voting, possession, identity_possession, _, _ = change.joins
            c.voters.scheme.verify_possession(voting, possession)
            ED25519.verify_possession(change.identity, identity_possession)
        return change

    def applied(self, members, scheme):
        """The members (voting key, identity, weight) after it."""
        if self.joins:
            return [*members, (scheme.encode_key(self.joins[0]), self.identity, self.joins[3])]
        if all(identity != self.identity for _, identity, _ in members):
            raise Refused("WRONG_CONTEXT")
        return [member for member in members if member[1] != self.identity]


def _read_change(r, scheme):
    form = r.uint(1)
    if form > 1:
        raise Refused("MALFORMED")
    if form == 0:
        return ED25519.decode_key(r.raw(32)), None
    voting, possession = scheme.decode_key(r.raw(scheme.key_len)), read_signature(r, scheme)
    identity, identity_possession = ED25519.decode_key(r.raw(32)), read_signature(r, ED25519)
    return identity, (voting, possession, identity_possession, r.uint(16), r.blob(MAX_CONTACT))


def next_epoch(c, transactions):
    """The committees after a block with these transactions and the contacts of new members, or None."""
    scheme, changed, contacts = c.voters.scheme, None, []
    keys = zip(map(scheme.encode_key, c.voters.keys), c.identities.keys, c.voters.weights)
    members = list(keys)
    for change in filter(None, (Change.from_transaction(transaction, c) for transaction in transactions)):
        try:
            after = change.applied(members, scheme)
            made = _committees(c, after)
        except Refused:
            continue
        members, changed = after, made
        contacts = [(key, contact) for key, contact in contacts if key != change.identity]
        if change.joins:
            contacts.append((change.identity, change.joins[4]))
    return changed and (changed, contacts)


def _committees(c, members):
    def made(committee, keys):
        weighed = [(key, weight) for key, (_, _, weight) in zip(keys, members)]
        return Committee(committee.scheme.suite, committee.chain, committee.epoch + 1, weighed)

    return Committees(made(c.voters, [v for v, _, _ in members]), made(c.identities, [i for _, i, _ in members]))
