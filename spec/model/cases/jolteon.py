"""jolteon.json: batches, blocks, messages, commit proofs, and the chain state's pure functions."""

from .. import jolteon as j
from ..book import Book
from ..certificate import Certificate, Statement, Vote
from ..guard import Guard
from ..operations import committee
from ..timeout import TimeoutCertificate, TimeoutVote
from ..wire import blob, option, u8, u16, u32, u64
from .common import CHAIN, NAMES, flip, key_pair, members

EPOCH = 7
ROOT, OTHER_ROOT = b"\x11" * 32, b"\x22" * 32


def book():
    b = Book("jolteon", "Jolteon: encodings of batches, blocks and messages; commit proofs; leaders; sequences.")
    b.committee("identities", 3, CHAIN, EPOCH, members(3, 4))
    for suite in (1, 3):
        b.committee(NAMES[suite], suite, CHAIN, EPOCH, members(suite, 8)[4:])
    batches(b)
    for suite in (1, 3):
        Chain(b, suite).add()
    sequences(b)
    leaders(b)
    return b


def batches(b):
    def case(label, description, data, expect="ok"):
        b.add(f"batch-{label}", description, "jolteon.batch", expect, batch=data.hex())

    good = j.Batch(3, 9, [b"first", b"", b"third" * 50]).encode()
    case("three", "Three transactions, one of them empty.", good)
    case("one", "One transaction.", j.Batch(0, 1, [b"x"]).encode())
    case("largest-sequence", "The largest sequence.", j.Batch(65535, 2**48 - 1, [b"x"]).encode())
    case("sequence-zero", "Sequences begin with 1.", j.Batch(0, 0, [b"x"]).encode(), "MALFORMED")
    case("sequence-49-bits", "A sequence has 48 bits.", j.Batch(0, 2**48, [b"x"]).encode(), "MALFORMED")
    case("empty", "No transactions.", j.Batch(0, 1, []).encode(), "MALFORMED")
    head = u16(0) + u64(1)
    case(
        "count-too-small", "Bytes behind the transactions.", head + u32(1) + blob(blob(b"a") + blob(b"b")), "MALFORMED"
    )
    case("count-too-large", "A transaction is missing.", head + u32(2) + blob(blob(b"a")), "MALFORMED")
    case("too-many", "More transactions than a batch can have.", head + u32(65_537) + blob(b""), "TOO_LARGE")
    case("too-long", "A body that is too long.", head + u32(1) + u32((2 << 20) + 1), "TOO_LARGE")
    case("truncated", "Cut short.", good[:-1], "MALFORMED")
    case("extended", "A byte is left over.", good + b"\0", "MALFORMED")


class Chain:
    """Genesis, a block in view 1, its child in view 2, and a block in view 4 after a timeout of view 3."""

    def __init__(self, b, suite):
        self.b, self.suite, self.name = b, suite, NAMES[suite]
        self.c = j.Committees(committee(b.committees[self.name]), committee(b.committees["identities"]))
        self.genesis = self.c.genesis(ROOT)
        self.batch = j.Batch(2, 5, [b"pay", b"me"])
        self.ref = self.reference(self.batch)
        self.first = self.block(view=1, height=1, author=1, parent=self.genesis, payload=[self.ref])
        self.qc1 = self.certify(self.first)
        self.second = self.block(view=2, height=2, author=2, parent=self.first.digest(), justify=self.qc1)
        self.qc2 = self.certify(self.second)
        self.tc3 = self.timeout_certificate(3, {0: 2, 1: 1, 3: 2})
        self.third = self.after_timeout()

    # --- making things ----------------------------------------------------------------------------------------

    def voter(self, i):
        return key_pair(self.suite, 4 + i)[1]

    def reference(self, batch, numbers=(0, 2, 3)):
        header, c = batch.header(), self.c.identities
        signed = header.statement(EPOCH).signed_bytes(c.id)
        signatures = {i: c.scheme.sign(key_pair(3, i)[1], signed) for i in numbers}
        return j.BatchRef(header, Certificate.detached_parts(c, signatures))

    def block(self, *, signer=None, **fields):
        defaults = {"epoch": EPOCH, "justify": None, "tc": None, "payload": [], "executed": (0, ROOT), "timestamp": 99}
        block = j.Block(**{**defaults, **fields})
        author = block.author if signer is None else signer
        return block.sign(key_pair(3, author)[1], self.c.identities)

    def after_timeout(self, **changes):
        fields = {"view": 4, "height": 3, "author": 0, "parent": self.second.digest(), "justify": self.qc2}
        return self.block(**{**fields, "tc": self.tc3, "executed": (1, OTHER_ROOT), **changes})

    def certificate(self, statement, numbers=(0, 1, 3)):
        """A certificate, as value and bytes."""
        c = self.c.voters
        signed = statement.signed_bytes(c.id)
        data = Certificate.encode_parts(c, statement, {i: c.scheme.sign(self.voter(i), signed) for i in numbers})
        return j.wire.whole(data, lambda r: Certificate.read(r, c)), data

    def certify(self, block, **changes):
        fields = {"kind": j.BLOCK, "epoch": EPOCH, "view": block.view, "digest": block.digest(), **changes}
        return self.certificate(Statement(**fields))

    def timeout_vote(self, i, view, value, kind=j.TIMEOUT):
        return TimeoutVote.sign(self.voter(i), self.c.voters, i, kind, view, value)

    def timeout_certificate(self, view, values, kind=j.TIMEOUT):
        c = self.c.voters
        held = {i: (value, self.timeout_vote(i, view, value, kind).vote.signature) for i, value in values.items()}
        data = TimeoutCertificate.encode_parts(c, kind, view, held)
        return j.wire.whole(data, lambda r: TimeoutCertificate.read(r, c)), data

    # --- cases ------------------------------------------------------------------------------------------------

    def case(self, operation, label, description, expect="ok", **inputs):
        hexed = {key: value.hex() for key, value in inputs.items()}
        self.b.add(
            f"{self.name}/{label}",
            description,
            f"jolteon.{operation}",
            expect,
            voters=self.name,
            identities="identities",
            **hexed,
        )

    def add(self):
        self.case("genesis", "genesis", "The name of block 0.", state_root=ROOT)
        self.case("genesis", "genesis-other-state", "Another state, another name.", state_root=OTHER_ROOT)
        self.blocks()
        self.views()
        self.finality()
        self.messages()
        self.timeouts()
        self.records()

    def blocks(self):
        def case(label, description, block, expect="ok"):
            data = block if isinstance(block, bytes) else block.encode()
            self.case("block", f"block-{label}", description, expect, block=data)

        case("first", "On the genesis, with a batch.", self.first)
        case("second", "With a certificate.", self.second)
        case("after-timeout", "With both certificates and no batch.", self.third)
        case("first-after-timeouts", "On the genesis, after view 1 timed out.", self.on_genesis(2, {0: 0, 1: 0, 2: 0}))
        good = self.third.encode()
        case("other-epoch", "Of another epoch.", flip(good, 0), "WRONG_CONTEXT")
        case("stranger", "The author does not exist.", self.after_timeout(author=4, signer=0), "UNKNOWN_SIGNER")
        case("other-author", "Signed by another member.", self.after_timeout(author=1, signer=0), "BAD_SIGNATURE")
        case("timestamp-changed", "One byte changed after it was signed.", flip(good, len(good) - 65), "BAD_SIGNATURE")
        case("truncated", "Cut short.", good[:-1], "MALFORMED")
        case("extended", "A byte is left over.", good + b"\0", "MALFORMED")
        self.parents(case)
        short = j.BatchRef(self.batch.header(), self.reference(self.batch, (0, 1)).detached)
        case(
            "batch-below-quorum",
            "Two of four stored the batch.",
            self.block(view=1, height=1, author=1, parent=self.genesis, payload=[short]),
            "BELOW_QUORUM",
        )
        stranger = self.reference(j.Batch(4, 1, [b"x"]))
        case(
            "batch-of-stranger",
            "A batch of somebody who is no member.",
            self.block(view=1, height=1, author=1, parent=self.genesis, payload=[stranger]),
            "UNKNOWN_SIGNER",
        )
        at = 8 + 8 + 8 + 2 + 32 + 2
        first = self.first.encode()
        case(
            "too-many-batches",
            "More batches than a block can name.",
            first[:at] + u32(1025) + first[at + 4 :],
            "TOO_LARGE",
        )

    def on_genesis(self, view, values, **changes):
        fields = {"view": view, "height": 1, "author": 1, "parent": self.genesis}
        return self.block(**{**fields, "tc": self.timeout_certificate(view - 1, values), **changes})

    def parents(self, case):
        other = self.certify(self.second, digest=bytes(32))
        case(
            "justify-of-another", "The certificate is not the parent's.", self.after_timeout(justify=other), "MALFORMED"
        )
        kind = self.certify(self.second, kind=j.TIMEOUT)
        case(
            "justify-of-other-kind",
            "The certificate is of another kind.",
            self.after_timeout(justify=kind),
            "MALFORMED",
        )
        zero = self.certify(self.second, view=0)
        case(
            "justify-of-view-0",
            "Nothing certifies view 0.",
            self.block(view=1, height=2, author=1, parent=self.second.digest(), justify=zero),
            "MALFORMED",
        )
        case(
            "height-0",
            "Only the genesis has height 0.",
            self.block(view=1, height=0, author=1, parent=self.genesis),
            "MALFORMED",
        )
        case(
            "height-2-on-genesis",
            "Without a certificate only height 1 is possible.",
            self.block(view=1, height=2, author=1, parent=self.genesis),
            "MALFORMED",
        )
        case(
            "height-1-with-justify",
            "With a certificate it is not.",
            self.block(view=2, height=1, author=2, parent=self.first.digest(), justify=self.qc1),
            "MALFORMED",
        )
        case(
            "executed-itself",
            "It names the state after itself.",
            self.block(view=1, height=1, author=1, parent=self.genesis, executed=(1, ROOT)),
            "MALFORMED",
        )

    def views(self):
        def case(label, description, block, expect="MALFORMED"):
            self.case("block", f"view-{label}", description, expect, block=block.encode())

        case("skipped", "A view is skipped without a timeout certificate.", self.after_timeout(tc=None))
        case(
            "same",
            "The view of the parent again.",
            self.block(view=2, height=3, author=0, parent=self.second.digest(), justify=self.qc2),
        )
        case("two-after-tc", "Two views after the timeout certificate.", self.after_timeout(view=5))
        case(
            "useless-tc",
            "The view before is certified, so there is no place for a timeout certificate.",
            self.block(
                view=3,
                height=3,
                author=0,
                parent=self.second.digest(),
                justify=self.qc2,
                tc=self.timeout_certificate(2, {0: 1, 1: 1, 2: 1}),
            ),
        )
        higher = self.timeout_certificate(3, {0: 2, 1: 1, 3: 2})
        low = self.block(view=4, height=2, author=0, parent=self.first.digest(), justify=self.qc1, tc=higher)
        case(
            "below-highest",
            "A member knew a certificate of view 2: a parent of view 1 is too old. This keeps the chain single.",
            low,
        )
        level = self.timeout_certificate(3, {0: 1, 1: 1, 3: 1})
        at = self.block(view=4, height=2, author=0, parent=self.first.digest(), justify=self.qc1, tc=level)
        case("at-highest", "Nobody knew better than view 1.", at, "ok")
        kind = self.timeout_certificate(3, {0: 2, 1: 1, 3: 2}, kind=j.BLOCK)
        case("tc-of-other-kind", "The timeout certificate is of another kind.", self.after_timeout(tc=kind))

    def finality(self):
        def case(label, description, proof, expect="ok", block=self.first):
            self.case("finality", f"finality-{label}", description, expect, block=block.encode(), proof=proof)

        def proof(links, certificate):
            return u32(len(links)) + b"".join(link.encode() for link in links) + certificate[1]

        qc4 = self.certify(self.third)
        fifth = self.block(view=5, height=4, author=1, parent=self.third.digest(), justify=qc4)
        qc5 = self.certify(fifth)
        good = proof([self.second], self.qc2)
        case("direct", "Its child in the next view is certified.", good)
        case("indirect", "A descendant is committed.", proof([self.second, self.third, fifth], qc5))
        case(
            "skip-then-commit",
            "The second is committed through the fifth.",
            proof([self.third, fifth], qc5),
            "ok",
            self.second,
        )
        case("not-consecutive", "The child skipped a view.", proof([self.third], qc4), "WRONG_CONTEXT", self.second)
        case("other-block", "The proof of another block.", good, "WRONG_CONTEXT", self.third)
        case("missing-link", "A link is missing.", proof([self.third, fifth], qc5), "WRONG_CONTEXT")
        case("other-certificate", "The certificate of another block.", proof([self.second], self.qc1), "WRONG_CONTEXT")
        case("no-links", "No links.", u32(0) + self.qc1[1], "MALFORMED")
        case("too-many", "More links than allowed.", u32(1025) + good[4:], "TOO_LARGE")
        case(
            "bad-signature",
            "The certificate's signature is another's.",
            good[: -self.proof_length()] + self.qc1[1][-self.proof_length() :],
            "BAD_SIGNATURE",
        )
        case("extended", "A byte is left over.", good + b"\0", "MALFORMED")

    def proof_length(self):
        return self.c.voters.scheme.sig_len * (3 if self.suite == 3 else 1)

    def message(self, label, description, data, expect="ok"):
        self.case("message", f"message-{label}", description, expect, message=data)

    def messages(self):
        ballot = Vote.sign(self.voter(2), self.c.voters, 2, Statement(j.BLOCK, EPOCH, 4, self.third.digest()))
        stored = Vote.sign(key_pair(3, 0)[1], self.c.identities, 0, self.batch.header().statement(EPOCH))
        qc, tc = option(self.qc2[1]), option(self.tc3[1])
        good = {
            "proposal": u8(1) + self.third.encode(),
            "vote": u8(2) + ballot.encode_link(),
            "advance": u8(4) + qc + tc,
            "advance-certificate": u8(4) + qc + option(None),
            "advance-timeout": u8(4) + option(None) + option(self.timeout_certificate(3, {0: 0, 1: 0, 2: 0})[1]),
            "advance-nothing": u8(4) + option(None) + option(None),
            "hello": u8(5) + u64(2),
            "batch": u8(6) + self.batch.encode(),
            "acknowledge": u8(7) + stored.encode_link(),
            "certified": u8(8) + self.ref.encode(),
            "block-request": u8(9) + u64(2) + self.third.digest(),
            "blocks": u8(10) + u32(2) + self.first.encode() + self.second.encode(),
            "blocks-none": u8(10) + u32(0),
            "batch-request": u8(11) + u32(2) + self.batch.header().digest() + bytes(32),
            "batch-reply": u8(12) + self.batch.encode(),
        }
        for label, data in good.items():
            self.message(label, "It decodes.", data)
            self.message(f"{label}-extended", "A byte is left over.", data + b"\0", "MALFORMED")
            self.message(f"{label}-truncated", "Cut short.", data[:-1], "MALFORMED")
        self.message("empty", "No bytes.", b"", "MALFORMED")
        for tag in (0, 13, 255):
            self.message(f"tag-{tag}", "No message has this tag.", u8(tag), "MALFORMED")
        self.message(
            "vote-compressed" if self.suite == 1 else "vote-other-suite",
            "Not the form for links, or not the suite.",
            u8(2) + (ballot.encode() if self.suite == 1 else flip(ballot.encode(), 0)),
            "MALFORMED" if self.suite == 1 else "WRONG_CONTEXT",
        )
        self.message(
            "acknowledge-other-suite",
            "Acknowledgements are Ed25519 votes.",
            u8(7) + flip(stored.encode_link(), 0),
            "WRONG_CONTEXT",
        )
        self.message("blocks-too-many", "65 blocks.", u8(10) + u32(65), "TOO_LARGE")
        self.message("batch-request-too-many", "17 batches.", u8(11) + u32(17), "TOO_LARGE")
        for label, high in (("nothing", None), ("lower", self.qc1)):
            self.message(
                f"advance-unbacked-{label}",
                "The timeout certificate names a view above that of the certificate beside it.",
                u8(4) + option(high and high[1]) + tc,
                "MALFORMED",
            )
        wrong = self.certify(self.second, kind=j.AVAILABLE)
        self.message(
            "advance-other-kind", "A certificate of another kind.", u8(4) + option(wrong[1]) + option(None), "MALFORMED"
        )
        wrong = self.timeout_certificate(3, {0: 2, 1: 1, 3: 2}, kind=j.BLOCK)
        self.message(
            "advance-timeout-other-kind",
            "A timeout certificate of another kind.",
            u8(4) + option(None) + option(wrong[1]),
            "MALFORMED",
        )

    def records(self):
        def case(label, description, data, expect="ok"):
            self.case("record", f"record-{label}", description, expect, record=data)

        guard = Guard(self.c.voters.scheme, self.voter(2), CHAIN)
        voted = guard.sign(self.c.voters, Statement(j.BLOCK, EPOCH, 4, self.third.digest()))[1]
        guard = Guard(self.c.identities.scheme, key_pair(3, 0)[1], CHAIN)
        proposed = guard.sign(self.c.identities, self.third.proposal())[1]
        timeout = self.timeout_vote(2, 4, 2).encode_link() + option(self.qc2[1]) + option(self.tc3[1]) + option(None)
        good = {
            "batch": u8(1) + self.batch.encode(),
            "block": u8(2) + self.third.encode(),
            "vote-guard": u8(3) + voted.encode(),
            "proposal-guard": u8(4) + proposed.encode(),
            "timeout": u8(5) + timeout,
            "committed": u8(6) + self.committed(),
        }
        for label, data in good.items():
            case(label, "It decodes.", data)
            case(f"{label}-extended", "A byte is left over.", data + b"\0", "MALFORMED")
            case(f"{label}-truncated", "Cut short.", data[:-1], "MALFORMED")
        case("empty", "No bytes.", b"", "MALFORMED")
        for tag in (0, 7):
            case(f"tag-{tag}", "No record has this tag.", u8(tag), "MALFORMED")
        case("no-top", "The highest sequence is not there.", u8(6) + self.committed(seen=2), "NON_CANONICAL")
        case("strikes", "More strikes than there can be.", u8(6) + self.committed(strikes=11), "MALFORMED")
        case("too-many-authors", "65,536 authors.", u8(6) + self.committed(authors=65_536), "TOO_LARGE")
        case("too-many-members", "65,536 members.", u8(6) + self.committed(members=65_536), "TOO_LARGE")

    def committed(self, seen=None, strikes=None, authors=None, members=None):
        """The record after the first block is committed; what is given replaces a field."""
        sequences, standings = [j.Sequences() for _ in range(4)], j.Standings(self.c.voters)
        assert sequences[self.batch.author].note(self.batch.sequence)
        standings.append(1, 1, 1, 0, None, [])
        listed = [s.encode() for s in sequences]
        if seen is not None:
            listed[0] = u64(9) + u64(seen)
        if strikes is not None:
            standings.members[0]["strikes"] = strikes
        inventory = u32(len(listed) if authors is None else authors) + b"".join(listed)
        state = standings.encode()
        if members is not None:
            state = state[:8] + u32(members) + state[12:]
        tip = u64(1) + u64(1) + self.first.digest() + self.second.digest() + self.qc2[1]
        return tip + inventory + state + u64(1) + u64(0)

    def timeouts(self):
        ballot = Vote.sign(self.voter(2), self.c.voters, 2, Statement(j.BLOCK, EPOCH, 4, self.third.digest()))

        def case(label, description, vote, high, tc, ballot=None, expect="ok"):
            parts = [option(part and part[1]) for part in (high, tc)]
            data = u8(3) + vote.encode_link() + b"".join(parts) + option(ballot and ballot.encode_link())
            self.message(f"timeout-{label}", description, data, expect)

        def bad(label, description, *rest, ballot=None):
            case(label, description, *rest, ballot, "MALFORMED")

        case("after-genesis", "In view 1.", self.timeout_vote(2, 1, 0), None, None)
        case("after-certificate", "In the view after a certificate.", self.timeout_vote(2, 3, 2), self.qc2, None)
        case(
            "after-timeout",
            "In the view after a timeout certificate, with a ballot.",
            self.timeout_vote(2, 4, 2),
            self.qc2,
            self.tc3,
            ballot,
        )
        bad("other-value", "It names another view than its certificate's.", self.timeout_vote(2, 3, 1), self.qc2, None)
        bad("skipped", "Nothing leads into its view.", self.timeout_vote(2, 4, 2), self.qc2, None)
        bad("other-kind", "A timeout vote of another kind.", self.timeout_vote(2, 3, 2, j.BLOCK), self.qc2, None)
        bad(
            "unbacked",
            "The timeout certificate names a view above that of the certificate.",
            self.timeout_vote(2, 4, 1),
            self.qc1,
            self.tc3,
        )
        case(
            "old-tc",
            "The timeout certificate is older than the certificate.",
            self.timeout_vote(2, 3, 2),
            self.qc2,
            self.timeout_certificate(1, {0: 0, 1: 0, 2: 0}),
            None,
            "NON_CANONICAL",
        )
        other = Vote.sign(self.voter(1), self.c.voters, 1, Statement(j.BLOCK, EPOCH, 4, self.third.digest()))
        bad("other-ballot", "Another member's ballot.", self.timeout_vote(2, 4, 2), self.qc2, self.tc3, ballot=other)
        old = Vote.sign(self.voter(2), self.c.voters, 2, Statement(j.BLOCK, EPOCH, 2, self.second.digest()))
        bad("old-ballot", "A ballot of another view.", self.timeout_vote(2, 4, 2), self.qc2, self.tc3, ballot=old)


def sequences(b):
    def case(label, description, numbers):
        b.add(f"sequences-{label}", description, "jolteon.sequences", sequences=[str(n) for n in numbers])

    case("in-order", "One after the other.", range(1, 70))
    case("again", "Each but once.", [1, 1, 2, 1, 2, 3, 3])
    case("out-of-order", "Later ones first.", [5, 3, 4, 1, 2, 5, 3])
    case(
        "window",
        "63 below the highest are remembered, older ones are refused.",
        [100, 37, 36, 37, 99, 163, 100, 101, 99],
    )
    case("jump", "A jump leaves everything behind.", [1, 2, 2**48 - 1, 3, 2**48 - 64, 2**48 - 65, 2**48 - 63])
    case("jump-by-window", "Jumps about as long as the window.", [1, 64, 1, 2, 65, 2, 128, 65, 66, 192])
    case("zero", "Number 0 is there from the start.", [0, 1, 0])


def leaders(b):
    for n in (4, 7, 10):
        b.committee(f"leaders-{n}", 3, CHAIN, EPOCH, members(3, n))
    b.committee("leaders-weighted", 3, CHAIN, EPOCH, members(3, 4, [5, 1, 1, 1]))

    def case(label, description, voters, blocks):
        listed = [{"view": str(view), "author": author, "signers": sorted(signers)} for view, author, signers in blocks]
        b.add(f"leaders-{label}", description, "jolteon.leaders", voters=voters, blocks=listed)

    case(
        "no-failure",
        "Everybody leads in turn.",
        "leaders-4",
        [(v, v % 4, [] if v == 1 else [0, 1, 2]) for v in range(1, 9)],
    )
    case("one-dead", "Member 2 never leads or votes.", "leaders-4", run(b, "leaders-4", 100, {2}, {2}))
    case(
        "two-dead-of-seven",
        "Members 2 and 5 are dead from the start.",
        "leaders-7",
        run(b, "leaders-7", 160, {2, 5}, {2, 5}),
    )
    case(
        "votes-but-never-leads",
        "Member 1 votes and does not lead: it is tried ever more rarely.",
        "leaders-4",
        run(b, "leaders-4", 420, {1}, set()),
    )
    case("comes-back", "Member 3 is dead for 40 blocks.", "leaders-4", run(b, "leaders-4", 200, {3}, {3}, until=40))
    case(
        "too-many-skipped",
        "Three of ten views skipped may be the leaders' fault, four are the network's.",
        "leaders-10",
        [(1, 1, []), (5, 5, range(7)), (10, 0, range(7)), (11, 1, range(7))],
    )
    case(
        "less-than-a-quorum",
        "The heavy member fails: the rest is no quorum, so all take turns.",
        "leaders-weighted",
        [(2, 2, []), (3, 3, range(4)), (5, 1, range(4)), (7, 3, range(4)), (8, 0, range(4))],
    )


def run(b, name, blocks, silent, mute, until=10**9):
    """A chain of this number of blocks, in which `silent` members do not lead and `mute` members do not vote."""
    voters = committee(b.committees[name])
    standings, view, author, made = j.Standings(voters), 0, None, []
    for height in range(1, blocks + 1):
        dead, quiet = (silent, mute) if height <= until else (set(), set())
        at = view + 1
        while standings.leader(at) in dead:
            at += 1
        signers = [i for i in range(len(voters)) if i not in quiet] if height > 1 else []
        made.append((at, standings.leader(at), signers))
        standings.append(height, at, made[-1][1], view, author, signers)
        view, author = at, made[-1][1]
    return made
