"""jolteon.json: batches, blocks and commit proofs; messages, records and leaders in the files beside this."""

from .. import jolteon as j
from ..book import Book
from ..wire import blob, u16, u32, u64
from . import jolteon_leaders, jolteon_messages
from .common import CHAIN, NAMES, flip, members
from .jolteon_chain import EPOCH, OTHER_ROOT, ROOT, Chain


def book():
    b = Book("jolteon", "Jolteon: encodings of batches, blocks and messages; commit proofs; leaders; sequences.")
    b.committee("identities", 3, CHAIN, EPOCH, members(3, 4))
    for suite in (1, 3):
        b.committee(NAMES[suite], suite, CHAIN, EPOCH, members(suite, 8)[4:])
    batches(b)
    for suite in (1, 3):
        chain_cases(Chain(b, suite))
    jolteon_leaders.sequences(b)
    jolteon_leaders.leaders(b)
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
        "count-too-small", "Trailing bytes after the transactions.", head + u32(1) + blob(blob(b"a") + blob(b"b")), "MALFORMED"
    )
    case("count-too-large", "A transaction is missing.", head + u32(2) + blob(blob(b"a")), "MALFORMED")
    case("too-many", "More transactions than a batch can have.", head + u32(65_537) + blob(b""), "TOO_LARGE")
    case("too-long", "A body above the maximum length.", head + u32(1) + u32((2 << 20) + 1), "TOO_LARGE")
    case("truncated", "Truncated.", good[:-1], "MALFORMED")
    case("extended", "A trailing byte.", good + b"\0", "MALFORMED")


def chain_cases(chain):
    chain.case("genesis", "genesis", "The name of block 0.", state_root=ROOT)
    chain.case("genesis", "genesis-other-state", "Another state changes the name.", state_root=OTHER_ROOT)
    blocks(chain)
    views(chain)
    finality(chain)
    jolteon_messages.messages(chain)
    jolteon_messages.timeouts(chain)
    jolteon_messages.records(chain)


def blocks(chain):
    def case(label, description, block, expect="ok"):
        data = block if isinstance(block, bytes) else block.encode()
        chain.case("block", f"block-{label}", description, expect, block=data)

    case("first", "On the genesis, with a batch.", chain.first)
    case("second", "With a certificate.", chain.second)
    case("after-timeout", "With both certificates and no batch.", chain.third)
    case("first-after-timeouts", "On the genesis, after view 1 timed out.", chain.on_genesis(2, {0: 0, 1: 0, 2: 0}))
    good = chain.third.encode()
    case("other-epoch", "For another epoch.", flip(good, 0), "WRONG_CONTEXT")
    case("non-member", "The author is not a member.", chain.after_timeout(author=4, signer=0), "UNKNOWN_SIGNER")
    case("other-author", "Signed by another member.", chain.after_timeout(author=1, signer=0), "BAD_SIGNATURE")
    case("timestamp-changed", "One byte changed after signing.", flip(good, len(good) - 65), "BAD_SIGNATURE")
    case("truncated", "Truncated.", good[:-1], "MALFORMED")
    case("extended", "A trailing byte.", good + b"\0", "MALFORMED")
    parents(chain, case)
    short = j.BatchRef(chain.batch.header(), chain.reference(chain.batch, (0, 1)).detached)
    case(
        "batch-below-quorum",
        "Two of four stored the batch.",
        chain.block(view=1, height=1, author=1, parent=chain.genesis, payload=[short]),
        "BELOW_QUORUM",
    )
    non_member = chain.reference(j.Batch(4, 1, [b"x"]))
    case(
        "batch-of-non-member",
        "The author of a batch is not a member.",
        chain.block(view=1, height=1, author=1, parent=chain.genesis, payload=[non_member]),
        "UNKNOWN_SIGNER",
    )
    at = 8 + 8 + 8 + 2 + 32 + 2
    first = chain.first.encode()
    case(
        "too-many-batches",
        "More batches than a block can name.",
        first[:at] + u32(1025) + first[at + 4 :],
        "TOO_LARGE",
    )


def parents(chain, case):
    other = chain.certify(chain.second, digest=bytes(32))
    case(
        "justify-of-another", "The certificate is not the parent's.", chain.after_timeout(justify=other), "MALFORMED"
    )
    kind = chain.certify(chain.second, kind=j.TIMEOUT)
    case(
        "justify-of-other-kind",
        "The certificate has another kind.",
        chain.after_timeout(justify=kind),
        "MALFORMED",
    )
    zero = chain.certify(chain.second, view=0)
    case(
        "justify-of-view-0",
        "A certificate for view 0 does not exist.",
        chain.block(view=1, height=2, author=1, parent=chain.second.digest(), justify=zero),
        "MALFORMED",
    )
    case(
        "height-0",
        "Only the genesis has height 0.",
        chain.block(view=1, height=0, author=1, parent=chain.genesis),
        "MALFORMED",
    )
    case(
        "height-2-on-genesis",
        "A block without a certificate must have height 1.",
        chain.block(view=1, height=2, author=1, parent=chain.genesis),
        "MALFORMED",
    )
    case(
        "height-1-with-justify",
        "A block with a certificate cannot have height 1.",
        chain.block(view=2, height=1, author=2, parent=chain.first.digest(), justify=chain.qc1),
        "MALFORMED",
    )
    case(
        "executed-itself",
        "The block names its own state.",
        chain.block(view=1, height=1, author=1, parent=chain.genesis, executed=(1, ROOT)),
        "MALFORMED",
    )


def views(chain):
    def case(label, description, block, expect="MALFORMED"):
        chain.case("block", f"view-{label}", description, expect, block=block.encode())

    case("skipped", "A view is skipped without a timeout certificate.", chain.after_timeout(tc=None))
    case(
        "same",
        "The same view as the parent.",
        chain.block(view=2, height=3, author=0, parent=chain.second.digest(), justify=chain.qc2),
    )
    case("two-after-tc", "Two views after the timeout certificate.", chain.after_timeout(view=5))
    case(
        "useless-tc",
        "The previous view is certified, so that a timeout certificate is not allowed.",
        chain.block(
            view=3,
            height=3,
            author=0,
            parent=chain.second.digest(),
            justify=chain.qc2,
            tc=chain.timeout_certificate(2, {0: 1, 1: 1, 2: 1}),
        ),
    )
    higher = chain.timeout_certificate(3, {0: 2, 1: 1, 3: 2})
    low = chain.block(view=4, height=2, author=0, parent=chain.first.digest(), justify=chain.qc1, tc=higher)
    case(
        "below-highest",
        "A member knew a certificate of view 2: a parent of view 1 is too old. This rule prevents forks.",
        low,
    )
    level = chain.timeout_certificate(3, {0: 1, 1: 1, 3: 1})
    at = chain.block(view=4, height=2, author=0, parent=chain.first.digest(), justify=chain.qc1, tc=level)
    case("at-highest", "No member knew a certificate above view 1.", at, "ok")
    kind = chain.timeout_certificate(3, {0: 2, 1: 1, 3: 2}, kind=j.BLOCK)
    case("tc-of-other-kind", "The timeout certificate has another kind.", chain.after_timeout(tc=kind))


def finality(chain):
    def case(label, description, proof, expect="ok", block=chain.first):
        chain.case("finality", f"finality-{label}", description, expect, block=block.encode(), proof=proof)

    def proof(links, certificate):
        return u32(len(links)) + b"".join(link.encode() for link in links) + certificate[1]

    qc4 = chain.certify(chain.third)
    fifth = chain.block(view=5, height=4, author=1, parent=chain.third.digest(), justify=qc4)
    qc5 = chain.certify(fifth)
    good = proof([chain.second], chain.qc2)
    case("direct", "Its child in the next view is certified.", good)
    case("indirect", "A descendant is committed.", proof([chain.second, chain.third, fifth], qc5))
    case(
        "skip-then-commit",
        "The second block is committed through the fifth.",
        proof([chain.third, fifth], qc5),
        "ok",
        chain.second,
    )
    case("not-consecutive", "The child skipped a view.", proof([chain.third], qc4), "WRONG_CONTEXT", chain.second)
    case("other-block", "The proof of another block.", good, "WRONG_CONTEXT", chain.third)
    case("missing-link", "A link is missing.", proof([chain.third, fifth], qc5), "WRONG_CONTEXT")
    case("other-certificate", "The certificate of another block.", proof([chain.second], chain.qc1), "WRONG_CONTEXT")
    case("no-links", "No links.", u32(0) + chain.qc1[1], "MALFORMED")
    case("too-many", "More links than allowed.", u32(1025) + good[4:], "TOO_LARGE")
    case(
        "bad-signature",
        "The certificate's signature is another's.",
        good[: -chain.proof_length()] + chain.qc1[1][-chain.proof_length() :],
        "BAD_SIGNATURE",
    )
    case("extended", "A trailing byte.", good + b"\0", "MALFORMED")
