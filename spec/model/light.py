"""Light clients (`spec/light.md`)."""

import re
from dataclasses import dataclass

from . import gosig, jolteon, membership, wire
from .certificate import Certificate
from .committee import Committee
from .errors import Refused
from .merkle import TRANSACTIONS

PROTOCOLS = ("jolteon", "gosig", "abft")
MAX_TRANSACTION = 2 << 20


def require_committees(c):
    """The two committees have the same members."""
    voters, identities = c.voters, c.identities
    context = [(x.chain, x.epoch, x.weights) for x in (voters, identities)]
    if context[0] != context[1]:
        raise Refused("BAD_COMMITTEE")
    if identities.scheme.suite != 3:
        raise Refused("WRONG_CONTEXT")


@dataclass
class Block:
    """A block of any protocol; `batches` are (digest, number of transactions, root)."""

    epoch: int
    height: int
    view: int
    digest: bytes
    parent: bytes
    batches: list
    own: object = None  # the block of the protocol's own model


def certifies(protocol, s, height, view, digest):
    if protocol == "jolteon":
        return (s.kind, s.view, s.digest) == (1, view, digest)
    if protocol == "gosig":
        return s.kind == 2 and s.view >= view and s.digest == gosig.ballot(height, digest)
    return (s.kind, s.view, s.digest) == (1, height, digest) and view == height


def read_block(protocol, r, c):
    if protocol == "jolteon":
        b = jolteon.Block.read(r, c)
        batches = [(ref.header.digest(), ref.header.count, ref.header.root) for ref in b.payload]
        return Block(b.epoch, b.height, b.view, b.digest(), b.parent, batches, b)
    if protocol == "gosig":
        b = gosig.Block.read(r, c)
        payload = (wire.derive("quorate-v1-gosig-payload", b.payload.encode()), b.payload.count, b.payload.root)
        return Block(b.epoch, b.height, b.round, b.digest(), b.parent, [payload], b)
    return read_abft(r, c)


def read_abft(r, c):
    def content(r):
        epoch = r.uint(8)
        if epoch != c.voters.epoch:
            raise Refused("WRONG_CONTEXT")
        height, parent, _, _ = r.uint(8), r.raw(32), r.uint(8), r.raw(32)
        return epoch, height, parent, [jolteon.Header.read(r) for _ in range(r.count(len(r.rest) // 50))]

    (epoch, height, parent, headers), encoded = wire.read_taking(r, content)
    if height == 0:
        raise Refused("MALFORMED")
    batches = [(header.digest(), header.count, header.root) for header in headers]
    return Block(epoch, height, height, wire.derive("quorate-v1-abft-block", encoded), parent, batches)


class Finality:
    """Reads a commit proof, and checks that it is the block's. Signatures are verified later."""

    def __init__(self, protocol, r, c, block):
        self.links = []
        if protocol == "jolteon":
            self.links = [jolteon.Block.read(r, c) for _ in range(r.count(jolteon.MAX_LINKS))]
            if not self.links:
                raise Refused("MALFORMED")
        self.certificate = Certificate.read(r, c.voters)
        s, last = self.certificate.statement, block
        if protocol == "jolteon":
            chain = [block.own, *self.links]
            for parent, child in zip(chain, chain[1:]):
                if (child.parent, child.parent_view()) != (parent.digest(), parent.view):
                    raise Refused("WRONG_CONTEXT")
            if chain[-2].view + 1 != chain[-1].view:
                raise Refused("WRONG_CONTEXT")
            last = chain[-1]
            if not certifies(protocol, s, last.height, last.view, last.digest()):
                raise Refused("WRONG_CONTEXT")
        elif not certifies(protocol, s, block.height, block.view, block.digest):
            raise Refused("WRONG_CONTEXT")

    def verify(self, protocol, c, block):
        self.certificate.verify(c.voters)
        if protocol == "jolteon":
            for each in (block.own, *self.links):
                signed = each.proposal().signed_bytes(c.identities.id)
                c.identities.scheme.verify(c.identities.keys[each.author], signed, each.signature)


def verify_certificate(data, c):
    header = wire.Reader(data)
    header.raw(2)
    epoch = header.uint(8)
    header.uint(8)
    if epoch != c.voters.epoch:
        raise Refused("WRONG_CONTEXT")
    certificate = wire.whole(data, lambda r: Certificate.read(r, c.voters))
    certificate.verify(c.voters)
    return certificate


def verify_commit(protocol, block, finality, c):
    block = wire.whole(block, lambda r: read_block(protocol, r, c))
    finality = wire.whole(finality, lambda r: Finality(protocol, r, c, block))
    finality.verify(protocol, c, block)
    return block


def verify_transaction(protocol, proof, c):
    """The block, the transaction, the digest of its batch, and its position."""

    def read(r):
        transaction = r.blob(MAX_TRANSACTION)
        index, count = r.uint(4), r.uint(4)
        if index >= count:
            raise Refused("MALFORMED")
        siblings = [r.raw(32) for _ in range(TRANSACTIONS._depth(index, count))]
        path = wire.u32(index) + wire.u32(count) + b"".join(siblings)
        batch, block = r.uint(2), read_block(protocol, r, c)
        return transaction, count, path, batch, block, Finality(protocol, r, c, block)

    transaction, count, path, batch, block, finality = wire.whole(proof, read)
    if batch >= len(block.batches) or block.batches[batch][1] != count:
        raise Refused("WRONG_CONTEXT")
    digest, _, root = block.batches[batch]
    position, _ = TRANSACTIONS.verify(root, TRANSACTIONS.leaf(transaction), path)
    finality.verify(protocol, c, block)
    return block, transaction, digest, position


def hand_over(protocol, block, finality, payload, c):
    """The committees of the next epoch."""
    if protocol != "gosig":
        raise Refused("WRONG_CONTEXT")
    block = verify_commit(protocol, block, finality, c)
    transactions = wire.whole(
        payload, lambda r: [r.blob(gosig.MAX_TRANSACTION) for _ in range(r.count(gosig.MAX_TRANSACTIONS))]
    )
    if gosig.Summary.from_transactions(transactions) != block.own.payload:
        raise Refused("WRONG_CONTEXT")
    found = membership.next_epoch(c, transactions)
    if found is None:
        raise Refused("WRONG_CONTEXT")
    return found[0]


# --- genesis files --------------------------------------------------------------------------------------------

FIELD = re.compile(r"""([a-z_]+)\s*=\s*("(?:[^"\\]|\\.)*"|'[^']*'|[0-9]{1,39})\s*(?:#.*)?""")
PARAMETERS = {
    "max_transaction_bytes": 131_072,
    "batch_bytes": 500_000,
    "batch_delay_ms": 100,
    "view_timeout_ms": 1_000,
    "max_view_timeout_ms": 30_000,
}
SCHEDULE = {"start": (8, None), "proposals_ms": (4, 250), "signatures_ms": (4, 250), "proposers": (2, 7)}
KEYS = ("identity_key", "identity_possession", "voting_key", "voting_possession")
TABLES = {
    "": ("chain", "protocol", "scheme", "epoch", "dealt"),
    "[parameters]": tuple(PARAMETERS),
    "[schedule]": tuple(SCHEDULE),
    "[[member]]": ("name", "address", "weight", *KEYS),
}
ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}


class Table(dict):
    def text(self, name, default=None):
        found = self.get(name, default)
        if not isinstance(found, str):
            raise Refused("MALFORMED")
        return found

    def number(self, name, width, default=None):
        found = self.get(name, default)
        if isinstance(found, str) and re.fullmatch("[0-9]{1,39}", found):
            found = int(found)
        if not isinstance(found, int) or found >> 8 * width:
            raise Refused("MALFORMED")
        return found.to_bytes(width, "little")

    def raw(self, name):
        digits = self.text(name)
        if not re.fullmatch("([0-9a-fA-F]{2})*", digits):
            raise Refused("MALFORMED")
        return bytes.fromhex(digits)


def _value(text):
    if text[0] == "'":
        return text[1:-1]
    if text[0] != '"':
        return int(text)

    def escaped(found):
        letter, digits = found[1], found[2] or found[3]
        if digits:
            number = int(digits, 16)
            if number > 0x10FFFF or 0xD800 <= number < 0xE000:
                raise Refused("MALFORMED")
            return chr(number)
        if letter not in ESCAPES:
            raise Refused("MALFORMED")
        return ESCAPES[letter]

    return re.sub(r"\\(u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|.)", escaped, text[1:-1])


def parse(text):
    """The tables of a file: the fields before the first one, those of parameters and schedule, the members."""
    place = Table()
    tables, members, known = {"": place}, [], TABLES[""]
    for line in (line.strip() for line in text.split("\n")):
        header = line.split("#")[0].strip()
        if not header:
            continue
        if header in TABLES:
            place, known = Table(), TABLES[header]
            if header == "[[member]]":
                members.append(place)
            elif tables.setdefault(header, place) is not place:
                raise Refused("MALFORMED")
            continue
        field = FIELD.fullmatch(line)
        if field is None or field[1] not in known or field[1] in place:
            raise Refused("MALFORMED")
        place[field[1]] = _value(field[2])
        if isinstance(place[field[1]], int) and place[field[1]] >> 128:
            raise Refused("MALFORMED")
    if not members:
        raise Refused("MALFORMED")
    return tables[""], tables.get("[parameters]", Table()), tables.get("[schedule]"), members


def genesis(text):
    """The protocol and the committees of a genesis file."""
    root, parameters, schedule, members = parse(text)
    protocol, scheme = root.text("protocol", "jolteon"), root.text("scheme")
    data = wire.u8(4) + wire.blob(root.raw("dealt")) if "dealt" in root else b""
    named = wire.blob(protocol.encode())
    if schedule is None:
        data += wire.u8(1) if protocol == "jolteon" else wire.u8(3) + named
    else:
        data += wire.u8(2) + named + b"".join(schedule.number(name, *of) for name, of in SCHEDULE.items())
    data += wire.blob(root.text("chain").encode()) + wire.blob(scheme.encode()) + root.number("epoch", 8, 0)
    data += b"".join(parameters.number(name, 4, default) for name, default in PARAMETERS.items())
    data += wire.u32(len(members))
    for member in members:
        data += wire.blob(member.text("name").encode()) + wire.blob(member.text("address").encode())
        data += member.number("weight", 16) + b"".join(wire.blob(member.raw(key)) for key in KEYS)
    if protocol not in PROTOCOLS:
        raise Refused("WRONG_CONTEXT")
    suites = {
        ("bls", "gosig"): 4,
        ("bls", "jolteon"): 1,
        ("bls", "abft"): 1,
        ("ed25519", "jolteon"): 3,
        ("ed25519", "abft"): 3,
    }
    if (scheme, protocol) not in suites:
        raise Refused("MALFORMED")
    chain, epoch = wire.derive("quorate-v1-genesis", data), int.from_bytes(root.number("epoch", 8, 0), "little")

    def committee(suite, kind):
        keys = [(m.raw(f"{kind}_key"), m.raw(f"{kind}_possession"), m.number("weight", 16)) for m in members]
        keys = [(key, possession, int.from_bytes(weight, "little")) for key, possession, weight in keys]
        return Committee.new(suite, chain, epoch, keys)

    return protocol, gosig.Committees(committee(suites[scheme, protocol], "voting"), committee(3, "identity"))
