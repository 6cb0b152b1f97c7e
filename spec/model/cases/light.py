"""light.json: genesis files, certificates, commits, transaction proofs and handovers."""

from .. import gosig as g
from .. import jolteon as j
from ..book import Book
from ..certificate import Certificate, Statement
from ..merkle import TRANSACTIONS
from ..operations import committee
from ..wire import blob, derive, u16, u32, u64
from . import gosig_chain, jolteon_chain
from .common import CHAIN, NAMES, flip, key_pair, members
from .gosig_rules import Members

EPOCH = 7


def book():
    b = Book("light", "Light clients: genesis files, certificates, commits, transaction proofs, handovers.")
    gosig_chain.committees(b, (4,))
    for suite in (1, 3):
        b.committee(NAMES[suite], suite, CHAIN, EPOCH, members(suite, 8)[4:])
    for suite in (1, 3):
        jolteon(World(b, "jolteon", suite))
        abft(World(b, "abft", suite))
    gosig(World(b, "gosig", 4))
    contexts(b)
    genesis(b)
    return b


class World:
    def __init__(self, b, protocol, suite):
        self.b, self.protocol, self.suite = b, protocol, suite
        self.c = j.Committees(committee(b.committees[NAMES[suite]]), committee(b.committees["identities"]))

    def case(self, operation, label, description, expect="ok", **inputs):
        self.b.add(
            f"{self.protocol}/{NAMES[self.suite]}/{label}",
            description,
            f"light.{operation}",
            expect,
            protocol=self.protocol,
            voters=NAMES[self.suite],
            identities="identities",
            **{key: value.hex() if isinstance(value, bytes) else value for key, value in inputs.items()},
        )

    def certify(self, kind, view, digest, numbers=(0, 1, 3), epoch=EPOCH):
        statement = Statement(kind, epoch, view, digest)
        signed = statement.signed_bytes(self.c.voters.id)
        signatures = {i: self.c.voters.scheme.sign(key_pair(self.suite, 4 + i)[1], signed) for i in numbers}
        return Certificate.encode_parts(self.c.voters, statement, signatures)

    def certificates(self, good, height, view, digest, other_height):
        """`other_height` is true if the statement certifies a block of another height too."""

        def case(label, description, certificate=good, expect="ok", height=height, view=view, digest=digest):
            block = {"height": str(height), "view": str(view), "digest": digest.hex()}
            self.case("certificate", f"certificate-{label}", description, expect, certificate=certificate, **block)

        case("good", "The certificate of the block.")
        does = "certifies" if other_height else "does not certify"
        case("other-height", f"It {does} a block of another height.", height=height + 1)
        case("other-view", "It does not certify a block of a later view.", view=view + 5)
        case("other-digest", "It does not certify another block.", digest=bytes(32))
        case("forged", "A changed statement.", flip(good, 20), "BAD_SIGNATURE")
        case("epoch", "For another epoch.", flip(good, 2), "WRONG_CONTEXT")
        case("suite", "Of another suite.", flip(good, 0, 7), "WRONG_CONTEXT")
        case("short", "Shorter than a header.", good[:17], "MALFORMED")
        case("truncated", "Truncated.", good[:-1], "MALFORMED")
        case("extended", "A trailing byte.", good + b"\0", "MALFORMED")

    def commits(self, block, finality, other):
        """`other` is the finality of another block."""

        def case(label, description, block=block, finality=finality, expect="ok"):
            self.case("commit", f"commit-{label}", description, expect, block=block, finality=finality)

        case("good", "A committed block.")
        case("other", "The finality of another block.", finality=other, expect="WRONG_CONTEXT")
        case("changed", "A changed state root.", block=flip(block, len(block) - 80), expect="WRONG_CONTEXT")
        case("epoch", "A block of another epoch.", block=flip(block, 0), expect="WRONG_CONTEXT")
        case("truncated", "A truncated block.", block=block[:-1], expect="MALFORMED")
        case("extended", "A trailing byte after the block.", block=block + b"\0", expect="MALFORMED")
        case("without", "Without finality.", finality=b"", expect="MALFORMED")
        case("finality-truncated", "A truncated finality.", finality=finality[:-1], expect="MALFORMED")
        case("finality-extended", "A trailing byte.", finality=finality + b"\0", expect="MALFORMED")

    def transactions(self, listed, block, finality, signature):
        """`signature` is a part of `finality`, which makes it invalid if it is changed to the other bytes."""
        leaves = [TRANSACTIONS.leaf(transaction) for transaction in listed]

        def proof(at, batch=0, transaction=None, path=None, finality=finality):
            inclusion = blob(listed[at] if transaction is None else transaction) + (
                path or TRANSACTIONS.path(leaves, at)
            )
            return inclusion + u16(batch) + block + finality

        def case(label, description, proof, expect="ok"):
            self.case("transaction", f"transaction-{label}", description, expect, proof=proof)

        for at in range(len(listed)):
            case(f"{at}", "A transaction of the block.", proof(at))
        case("other", "Another transaction.", proof(0, transaction=b"other"), "WRONG_CONTEXT")
        case("batch", "A batch that the block does not have.", proof(0, batch=1), "WRONG_CONTEXT")
        fewer = TRANSACTIONS.path(leaves[:1], 0)
        case("count", "A path in a tree of another size.", proof(0, path=fewer), "WRONG_CONTEXT")
        case("index", "An index outside the tree.", proof(0, path=u32(2) + u32(1)), "MALFORMED")
        good, forged = signature
        assert good in finality
        case("forged", "A forged certificate.", proof(0, finality=finality.replace(good, forged)), "BAD_SIGNATURE")
        case("extended", "A trailing byte.", proof(0) + b"\0", "MALFORMED")
        case("truncated", "Truncated.", proof(0)[:-1], "MALFORMED")
        case("too-long", "A transaction above the limit.", u32((2 << 20) + 1), "TOO_LARGE")


def jolteon(w):
    chain = jolteon_chain.Chain(w.b, w.suite)
    qc2, size = chain.qc2[1], chain.proof_length()
    w.certificates(chain.qc1[1], 1, 1, chain.first.digest(), True)
    finality = u32(1) + chain.second.encode() + qc2
    w.commits(chain.first.encode(), finality, u32(1) + chain.third.encode() + chain.certify(chain.third)[1])
    w.transactions(chain.batch.transactions, chain.first.encode(), finality, (qc2[-size:], chain.qc1[1][-size:]))
    stranger = chain.block(view=1, height=1, author=1, parent=chain.genesis, payload=[chain.ref], signer=2)
    w.case(
        "commit",
        "commit-author",
        "The author did not sign.",
        "BAD_SIGNATURE",
        block=stranger.encode(),
        finality=finality,
    )
    link = flip(chain.second.encode(), len(chain.second.encode()) - 1)
    wrong = u32(1) + link + qc2
    block = chain.first.encode()
    w.case(
        "commit",
        "commit-link-author",
        "The author of the next block did not sign.",
        "BAD_SIGNATURE",
        block=block,
        finality=wrong,
    )
    w.case(
        "commit", "commit-no-links", "A commit proof without blocks.", "MALFORMED", block=block, finality=u32(0) + qc2
    )
    w.case(
        "hand_over",
        "hand-over",
        "The members do not change.",
        "WRONG_CONTEXT",
        block=block,
        finality=finality,
        payload=u32(0),
    )


def abft(w):
    listed = [b"pay", b"me", b""]
    header = j.Batch(2, 5, listed).header()

    def block(height, parent=bytes(32), headers=()):
        data = u64(EPOCH) + u64(height) + parent + u64(max(height - 2, 0)) + b"\x11" * 32
        return data + u32(len(headers)) + b"".join(header.encode() for header in headers)

    def digest(block):
        return derive("quorate-v1-abft-block", block)

    good = block(5, headers=[header, j.Batch(3, 5, [b"x"]).header()])
    certificate, other = w.certify(1, 5, digest(good)), w.certify(1, 6, digest(block(6)))
    w.certificates(certificate, 5, 5, digest(good), False)
    w.commits(good, certificate, other)
    size = w.c.voters.scheme.sig_len * (3 if w.suite == 3 else 1)
    one = block(5, headers=[header])
    signed = w.certify(1, 5, digest(one))
    w.transactions(listed, one, signed, (signed[-size:], other[-size:]))
    w.case(
        "commit",
        "commit-height",
        "The certificate of another height.",
        "WRONG_CONTEXT",
        block=good,
        finality=w.certify(1, 6, digest(good)),
    )
    zero = block(0)
    w.case(
        "commit", "commit-zero", "There is no block 0.", "MALFORMED", block=zero, finality=w.certify(1, 0, digest(zero))
    )
    kind = w.certify(2, 5, digest(good))
    w.case("commit", "commit-kind", "A certificate of another kind.", "WRONG_CONTEXT", block=good, finality=kind)
    w.case(
        "hand_over",
        "hand-over",
        "The members do not change.",
        "WRONG_CONTEXT",
        block=good,
        finality=certificate,
        payload=u32(0),
    )


def gosig(w):
    chain = gosig_chain.Chain(w.b, w.suite)
    good, block = chain.certify(g.TENTATIVE, 3, chain.first)[1], chain.first.encode()
    other = chain.certify(g.TENTATIVE, 5, chain.second)[1]
    w.certificates(good, 1, 2, chain.first.digest(), False)
    w.commits(block, good, other)
    w.transactions(gosig_chain.PAYLOAD, block, good, (good[-48:], other[-48:]))
    early = chain.certify(g.TENTATIVE, 1, chain.first)[1]
    w.case("commit", "commit-early", "A round before the block's.", "WRONG_CONTEXT", block=block, finality=early)
    prepared = chain.certify(g.PREPARE, 3, chain.first)[1]
    w.case("commit", "commit-prepared", "A prepared block.", "WRONG_CONTEXT", block=block, finality=prepared)
    handovers(w, chain)


def handovers(w, chain):
    m = Members(chain)

    def case(label, description, transactions, expect="ok", payload=None, finality=None):
        block = chain.block(2, 1, 2, chain.genesis, payload=transactions)
        certificate = chain.certify(g.TENTATIVE, 2, block)[1] if finality is None else finality
        listed = transactions if payload is None else payload
        payload = u32(len(listed)) + b"".join(map(blob, listed))
        w.case(
            "hand_over",
            f"hand-over-{label}",
            description,
            expect,
            block=block.encode(),
            finality=certificate,
            payload=payload,
        )

    joins, leaves = m.transaction(m.join(7)), m.transaction(m.leave(1))
    case("join", "A member joins.", [b"pay", joins])
    case("leave", "A member leaves.", [leaves, b"me"])
    case("both", "One joins and one leaves.", [joins, leaves])
    case("none", "No change.", [b"pay"], "WRONG_CONTEXT")
    case(
        "not-allowed",
        "Two of four members allow the change.",
        [m.transaction(m.leave(1), m.allow(m.leave(1), (0, 1)))],
        "WRONG_CONTEXT",
    )
    case("impossible", "No member has the key.", [m.transaction(m.leave(9))], "WRONG_CONTEXT")
    case("omitted", "A change is omitted.", [joins, leaves], "WRONG_CONTEXT", payload=[joins])
    case("empty", "All transactions are omitted.", [joins], "WRONG_CONTEXT", payload=[])
    case(
        "uncommitted",
        "The finality of another block.",
        [joins],
        "WRONG_CONTEXT",
        finality=chain.certify(g.TENTATIVE, 3, chain.first)[1],
    )


def contexts(b):
    """Committees that do not belong together."""
    b.committee("identities-5", 3, CHAIN, EPOCH, members(3, 5))
    b.committee("identities-next", 3, CHAIN, EPOCH + 1, members(3, 4))
    b.committee("identities-heavy", 3, CHAIN, EPOCH, members(3, 4, [1, 1, 1, 2]))

    def case(label, description, expect, protocol="jolteon", identities="identities"):
        given = {"protocol": protocol, "voters": "min-sig", "identities": identities}
        b.add(f"context/{label}", description, "light.commit", expect, block="", finality="", **given)

    case("size", "Identities of another number of members.", "BAD_COMMITTEE", identities="identities-5")
    case("epoch", "Identities of another epoch.", "BAD_COMMITTEE", identities="identities-next")
    case("weights", "Identities of other weights.", "BAD_COMMITTEE", identities="identities-heavy")
    case("suite", "Identities of another suite.", "WRONG_CONTEXT", identities="min-sig")
    case("protocol", "An unknown protocol.", "WRONG_CONTEXT", protocol="raft")


def genesis(b):
    def text(protocol, scheme, head="", tail="", weights=(1, 1, 1, 1)):
        suite = {"bls": 4 if protocol == "gosig" else 1, "ed25519": 3}[scheme]
        named = "" if protocol == "jolteon" else f'protocol = "{protocol}"\n'
        lines = f'# a comment\nchain = "vectors"\n{named}scheme = "{scheme}"\n{head}'
        for i, weight in enumerate(weights):
            lines += f'\n[[member]]\nname = "node{i}"\naddress = "127.0.0.1:{7000 + i}"\nweight = {weight}\n'
            for kind, of in (("identity", 3), ("voting", suite)):
                of_kind, secret, key = key_pair(of, i)
                possession = of_kind.encode_signature(of_kind.prove_possession(secret))
                lines += f'{kind}_key = "{key.hex()}"\n{kind}_possession = "{possession.hex()}"\n'
        return lines + tail

    def case(label, description, text, expect="ok"):
        b.add(f"genesis/{label}", description, "light.genesis", expect, text=text)

    good = text("jolteon", "ed25519")
    case("jolteon", "The default protocol.", good)
    case("jolteon-bls", "With BLS.", text("jolteon", "bls", "epoch = 3\n"))
    case("gosig", "Gosig with a schedule.", text("gosig", "bls", "\n[schedule]\nstart = 1800000000\nproposers = 9\n"))
    case("abft", "ABFT with dealt keys.", text("abft", "ed25519", 'dealt = "0011ff"\n'))
    case("parameters", "Other parameters.", text("jolteon", "ed25519", "[parameters]\nbatch_bytes = 1024 # small\n"))
    heavy = text("jolteon", "ed25519", weights=(1, '"36893488147419103232"', 2, 3))
    case("weights", "A weight beyond 64 bits is a string.", heavy)
    case("escapes", "Escapes in a string.", good.replace('"node0"', r'"n\u00f6de\"0\""'))
    case("literal", "A literal string.", good.replace('"node0"', "'node0'"))
    case("carriage-returns", "Lines that end with a carriage return.", good.replace("\n", "\r\n"))
    for label, description, old, new in (
        ("unknown", "An unknown field.", "scheme =", "speed = 1\nscheme ="),
        ("repeated", "A repeated field.", "scheme =", 'chain = "x"\nscheme ='),
        ("table", "An unknown table.", "[[member]]", "[other]\n[[member]]"),
        ("number", "A negative weight.", "weight = 1", "weight = -1"),
        ("hexadecimal", "A key that is not hexadecimal.", '_key = "', '_key = "x'),
        ("missing", "A member without an address.", 'address = "127.0.0.1:7000"\n', ""),
        ("scheme", "An unknown scheme.", '"ed25519"', '"rsa"'),
        ("kind", "A number instead of a string.", '"vectors"', "7"),
    ):
        assert old in good
        case(label, description, good.replace(old, new, 1), "MALFORMED")
    case("protocol", "An unknown protocol.", good.replace("scheme =", 'protocol = "raft"\nscheme ='), "WRONG_CONTEXT")
    case("empty", "No members.", text("jolteon", "ed25519", weights=()), "MALFORMED")
    case("weight-zero", "A weight of zero.", text("jolteon", "ed25519", weights=(1, 1, 0)), "BAD_COMMITTEE")
    keys = [line for line in good.split("\n") if line.startswith("voting_key")]
    possessions = [line for line in good.split("\n") if line.startswith("voting_possession")]
    case("unproven", "The possession of another key.", good.replace(possessions[0], possessions[1]), "BAD_POSSESSION")
    twice = good.replace(keys[0], keys[1]).replace(possessions[0], possessions[1])
    case("same-key", "Two members with one key.", twice, "RELATED_KEYS")
