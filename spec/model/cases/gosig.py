"""gosig.json: names, blocks, proposals, segments, commitments. The other gosig files add messages, records and rules."""

from dataclasses import replace

from .. import gosig as g
from ..book import Book
from ..certificate import Statement
from ..merkle import TRANSACTIONS
from ..sortition import Lottery, Ticket
from ..wire import blob, derive, u8, u32, u64
from . import gosig_messages, gosig_rules
from .common import COUNTED_SUITES, flip
from .gosig_chain import EPOCH, EXPECTED, OTHER_ROOT, PAYLOAD, ROOT, SEED, Chain, committees, infinity


# Of eight, six are a quorum.
WEIGHTS = [5, 1, 1, 1]


def book():
    b = Book("gosig", "Gosig: names, encodings of blocks, proposals, segments and messages; DecideBlock; membership changes.")
    committees(b, COUNTED_SUITES)
    names(b)
    gosig_rules.decisions(b)
    chains = [Chain(b, suite) for suite in COUNTED_SUITES]
    for chain in chains:
        genesis(chain)
        blocks(chain)
        proposals(chain)
        gosig_messages.well_formed(chain)
    chain = chains[0]
    proposals_that_do_not_fit(chain)
    verified(chain)
    commitments(chain)
    segments(chain)
    gosig_messages.refused(chain)
    gosig_messages.records(chain)
    gosig_rules.changes(chain)
    committees(b, COUNTED_SUITES[:1], "weighted-", WEIGHTS)
    chain = Chain(b, COUNTED_SUITES[0], "weighted-")
    weighted(chain)
    gosig_rules.weighted_changes(chain)
    return b


def names(b):
    block = derive("quorate vectors: block", b"")
    for label, height in (("first", 1), ("second", 2), ("genesis", 0), ("last", 2**64 - 1)):
        b.add(f"ballot-{label}", "The digest that votes for a block sign.", "gosig.ballot", height=str(height), block=block.hex())
    b.add("ballot-other-block", "The digest of another block.", "gosig.ballot", height="1", block=bytes(32).hex())
    identifiers = [TRANSACTIONS.leaf(one).hex() for one in PAYLOAD]
    for label, salt in (("of-a-block", block), ("of-another", bytes(32))):
        description = "Short identifiers are salted with the block."
        b.add(f"short-{label}", description, "gosig.short", block=salt.hex(), transactions=identifiers)
    for count in (0, 1, 2, 3, 4, 5, 7, 8, 9, 17):
        listed = [bytes([i]) * (3 * i % 40) for i in range(count)]
        description = "A block's commitment to its transactions, and their identifiers."
        b.add(f"payload-{count}", description, "gosig.payload", transactions=[one.hex() for one in listed])
    equal = [b"same".hex()] * 3
    b.add("payload-equal", "One transaction three times.", "gosig.payload", transactions=equal)
    b.add("payload-long", "A long transaction.", "gosig.payload", transactions=[(b"long" * 500).hex()])


def genesis(chain):
    chain.case("genesis", "genesis", "The name of block 0.", state_root=ROOT)
    chain.case("genesis", "genesis-other-state", "Another state changes the name.", state_root=OTHER_ROOT)


def blocks(chain):
    def case(label, description, block, expect="ok"):
        data = block if isinstance(block, bytes) else block.encode()
        chain.case("block", f"block-{label}", description, expect, block=data)

    first, second = chain.first, chain.second
    good = first.encode()
    case("first", "On the genesis, with transactions.", first)
    case("second", "On the first, with none, and with a newer state.", second)
    last = 2**64 - 1
    case("largest", "The largest numbers.", replace(first, round=last, height=last, executed=(last - 1, ROOT), timestamp=last))
    case("largest-payload", "A block of maximum size.", replace(first, payload=g.Summary(1 << 18, 64 << 20, ROOT)))
    case("empty-transactions", "A block of maximum size with empty transactions.", replace(first, payload=g.Summary(3, 12, ROOT)))
    case("round-0", "Round 0 does not exist.", replace(first, round=0), "MALFORMED")
    case("height-0", "Only the genesis has height 0.", replace(first, height=0), "MALFORMED")
    case("executed-itself", "The block names its own state.", replace(first, executed=(1, ROOT)), "MALFORMED")
    case("other-epoch", "For another epoch.", replace(first, epoch=EPOCH + 1), "WRONG_CONTEXT")
    case("non-member", "The author is not a member.", replace(first, author=4), "UNKNOWN_SIGNER")
    both = replace(first, epoch=EPOCH + 1, author=4, round=0)
    case("all-wrong", "The first error is reported.", both, "WRONG_CONTEXT")
    case("non-member-round-0", "The author is checked before the round.", replace(first, author=4, round=0), "UNKNOWN_SIGNER")
    sizes = {
        "payload-too-many": g.Summary((1 << 18) + 1, 64 << 20, ROOT),
        "payload-too-long": g.Summary(1 << 18, (64 << 20) + 1, ROOT),
        "payload-too-short": g.Summary(3, 11, ROOT),
        "payload-none-of-a-size": replace(g.Summary.from_transactions([]), length=1),
        "payload-none-of-a-root": replace(g.Summary.from_transactions([]), root=ROOT),
    }
    for label, payload in sizes.items():
        case(label, "Sizes that no list of transactions has.", replace(first, payload=payload), "MALFORMED")
    at, length = 8 + 8 + 8 + 2 + 32, chain.scheme.sig_len
    case("no-proof", "Infinity as the seed's proof.", _put(good, at, infinity(length)), "INFINITY")
    case("proof-not-a-point", "Not a point.", _put(good, at, b"\x80" + b"\xff" * (length - 1)), "MALFORMED")
    case("proof-uncompressed", "Not marked as compressed.", flip(good, at, 0x80), "NON_CANONICAL")
    for cut in (0, 7, 25, at, at + length, len(good) - 1):
        case(f"truncated-{cut}", "Truncated.", good[:cut], "MALFORMED")
    case("extended", "A trailing byte.", good + b"\0", "MALFORMED")


def _put(data, at, part):
    return data[:at] + part + data[at + len(part) :]


def proposals(chain):
    def case(label, description, proposal, expect="ok"):
        data = proposal if isinstance(proposal, bytes) else proposal.encode()
        chain.case("proposal", f"proposal-{label}", description, expect, proposal=data)

    made = chain.proposals()
    for label, proposal in made.items():
        case(label, "It decodes, and its proposer signed it.", proposal)
        data = proposal.encode()
        case(f"{label}-extended", "A trailing byte.", data + b"\0", "MALFORMED")
        case(f"{label}-truncated", "Truncated.", data[:-1], "MALFORMED")
    again = made["again"]
    block, good = chain.first, again.encode()
    case("by-author-again", "Its author proposes it again.", chain.proposal(block, 5, 2, again.certificate))
    newer = chain.certify(g.PREPARE, 4, block)
    case("newer", "With a newer certificate.", chain.proposal(block, 5, 3, newer))
    oldest = chain.certify(g.PREPARE, 2, block)
    case("same-round", "Prepared in the round of the block itself.", chain.proposal(block, 5, 3, oldest))
    other = chain.proposal(block, 5, 3, again.certificate, signer=1)
    case("other-signer", "Another member's signature.", other, "BAD_SIGNATURE")
    round_at = len(block.encode())
    case("round-changed", "Another round than the signed one.", _put(good, round_at, u64(6)), "BAD_SIGNATURE")
    case("non-member", "The proposer is not a member.", chain.proposal(block, 5, 4, again.certificate), "UNKNOWN_SIGNER")
    case("option-2", "An invalid option tag.", _put(good, round_at + 10, u8(2)), "MALFORMED")
    ticket_at = len(good) - 64 - chain.scheme.sig_len
    case("no-ticket", "Infinity as ticket.", _put(good, ticket_at, infinity(chain.scheme.sig_len)), "INFINITY")
    case("signature-not-canonical", "The s of the signature is not below the group order.", good[:-32] + b"\xff" * 32, "NON_CANONICAL")
    case("certificate-other-suite", "A certificate of another suite.", _put(good, round_at + 11, u8(1)), "WRONG_CONTEXT")
    old = Statement(g.PREPARE, EPOCH - 1, 3, block.ballot()).encode()
    case("certificate-other-epoch", "A certificate for another epoch.", _put(good, round_at + 12, old), "WRONG_CONTEXT")
    few = chain.encode_certificate(again.certificate[0].statement, {0: 1, 1: 1})
    case("certificate-below-quorum", "Two of four.", chain.proposal(block, 5, 3, (again.certificate[0], few)), "BELOW_QUORUM")


def proposals_that_do_not_fit(chain):
    first, second = chain.first, chain.second
    made = chain.proposals()
    committed, prepared = made["next"].certificate, made["again"].certificate

    def case(label, description, *proposal):
        data = chain.proposal(*proposal).encode()
        chain.case("proposal", f"parts-{label}", description, "MALFORMED", proposal=data)

    case("new-by-other", "A new block by another author than the proposer.", first, 2, 3)
    case("new-of-older-round", "A new block of an older round.", first, 3, 2)
    case("next-by-other", "On a committed block, by another author than the proposer.", second, 5, 1, committed)
    case("next-of-older-round", "On a committed block, of an older round.", second, 6, 0, committed)
    case("next-in-its-round", "The parent was committed in the proposal's round.", second, 5, 0, chain.certify(2, 5, first))
    case("next-in-later-round", "The parent was committed in a later round.", second, 5, 0, chain.certify(2, 6, first))
    case("next-of-itself", "A commitment of the block itself.", second, 5, 0, chain.certify(2, 3, second))
    digest = g.ballot(second.height, second.parent)
    case("next-of-other-height", "The parent's digest at another height.", second, 5, 0, chain.certify(2, 3, first, digest=digest))
    case("again-without", "Proposed again without a certificate.", first, 5, 2)
    case("again-of-other", "With another block's certificate.", first, 5, 3, chain.certify(1, 3, second))
    case("again-committed", "With a commitment of itself.", first, 5, 3, chain.certify(2, 3, first))
    case("again-in-its-round", "Prepared in the proposal's round.", first, 3, 3, prepared)
    case("again-before-block", "Prepared before the block was made.", first, 5, 3, chain.certify(1, 1, first))
    case("prepared-parent", "A prepare certificate of the parent.", second, 5, 0, prepared)
    case("other-kind", "A certificate of another kind.", first, 5, 3, chain.certify(3, 3, first))


def verified(chain):
    made = chain.proposals()

    def case(label, description, proposal, expect="ok", seed=SEED, expected=EXPECTED):
        chain.case(
            "verify", f"verify-{label}", description, expect, proposal=proposal.encode(), seed=seed.encode(), expected=expected
        )

    case("first", "All parts are valid.", made["first"])
    case("next", "On the seed after the first block.", made["next"], "ok", chain.after_first)
    case("again", "With another proposer's ticket.", made["again"])
    one = Lottery(chain.c.voters, SEED, 5, 1)
    proposed = (chain.proposal(chain.first, 5, i, made["again"].certificate) for i in range(4))
    lost = next(p for p in proposed if not one.wins(Ticket(chain.scheme, 5, p.proposer, p.ticket).score()))
    case("not-drawn", "With one expected winner, this ticket does not win.", lost, "NOT_DRAWN", SEED, 1)
    case("old-seed", "The previous seed.", made["next"], "BAD_SIGNATURE")
    other = chain.proposal(chain.first, 2, 2, ticket=chain.ticket(SEED, 2, 1))
    case("other-ticket", "Another member's ticket.", other, "BAD_SIGNATURE")
    wrong = replace(chain.first, seed=chain.second.seed)
    case("wrong-proof", "The proof for another seed.", chain.proposal(wrong, 2, 2), "BAD_SIGNATURE")
    good, data = made["again"].certificate
    data = data[: -chain.scheme.sig_len] + chain.certify(1, 4, chain.first)[1][-chain.scheme.sig_len :]
    forged = chain.proposal(chain.first, 5, 3, (good, data))
    case("forged-certificate", "The certificate has an invalid signature.", forged, "BAD_SIGNATURE")


def commitments(chain):
    first = chain.first
    good = chain.certify(g.TENTATIVE, 3, first)[1]

    def case(label, description, certificate, expect="ok", block=first):
        chain.case("commitment", f"commitment-{label}", description, expect, block=block.encode(), certificate=certificate)

    case("good", "The block is final.", good)
    case("same-round", "In the round of the block.", chain.certify(g.TENTATIVE, 2, first)[1])
    case("counted", "With signatures counted more than once.", chain.certify(2, 3, first, counts={0: 3, 1: 1, 2: 2})[1])
    case("earlier", "In a round before the block's.", chain.certify(g.TENTATIVE, 1, first)[1], "WRONG_CONTEXT")
    case("other-block", "Another block's certificate.", good, "WRONG_CONTEXT", chain.second)
    case("prepared", "The certificate is for a prepare statement.", chain.certify(g.PREPARE, 3, first)[1], "WRONG_CONTEXT")
    forged = good[: -chain.scheme.sig_len] + chain.scheme.encode_signature(first.seed)
    case("forged", "The signature is invalid.", forged, "BAD_SIGNATURE")
    few = Statement(g.TENTATIVE, EPOCH, 3, first.ballot())
    case("below-quorum", "Two of four.", chain.encode_certificate(few, {1: 1, 2: 1}), "BELOW_QUORUM")


def weighted(chain):
    first, statement = chain.first, Statement(g.TENTATIVE, EPOCH, 3, chain.first.ballot())

    def case(label, description, signers, expect="ok"):
        certificate = chain.encode_certificate(statement, dict.fromkeys(signers, 1))
        inputs = {"block": first.encode(), "certificate": certificate}
        chain.case("commitment", f"commitment-{label}", description, expect, **inputs)

    case("two", "Two of four, with six of eight.", [0, 3])
    case("one", "The heaviest alone.", [0], "BELOW_QUORUM")
    case("three", "All but the heaviest.", [1, 2, 3], "BELOW_QUORUM")


def segments(chain):
    def case(label, description, segment, expect="ok"):
        data = segment if isinstance(segment, bytes) else segment.encode()
        chain.case("segment", f"segment-{label}", description, expect, segment=data)

    def bad(label, description, expect="MALFORMED", **fields):
        case(label, description, chain.segment(**{"entries": full, **fields}), expect)

    identifiers = [TRANSACTIONS.leaf(one) for one in PAYLOAD]
    shorts = b"".join(g.short_identifier(chain.first.digest(), one) for one in identifiers)
    full = u8(1) + u32(3) + b"".join(identifiers)

    def short(*beside, count=None):
        listed = b"".join(u32(number) + identifiers[0] for number in beside)
        return u8(0) + u32(3) + shorts + u32(len(beside) if count is None else count) + listed

    good = chain.segment(short()).encode()
    case("short", "With short identifiers.", good)
    case("short-and-full", "Some short identifiers with their full ones.", chain.segment(short(0, 2)))
    case("all-full", "With full identifiers.", chain.segment(full))
    case("raw", "With complete transactions.", chain.segment(u8(2) + u32(3) + b"".join(map(blob, PAYLOAD))))
    case("last", "The last segment of the maximum number.", chain.segment(full, index=255, segments=256, first=(1 << 18) - 3))
    case("other-signer", "Another member's signature.", chain.segment(full, by=1), "BAD_SIGNATURE")
    case("non-member", "The signer is not a member.", chain.segment(full, signer=4), "UNKNOWN_SIGNER")
    case("changed", "Another index than the signed one.", flip(good, 32 + 8 + 2 + 2 + 2), "BAD_SIGNATURE")
    bad("index", "A number of segments equal to the index.", index=1)
    bad("too-many", "257 segments.", segments=257)
    bad("none", "No segments.", segments=0)
    bad("too-far", "An index past the last segment.", first=(1 << 18) - 2)
    bad("far", "An index far past the last segment.", first=2**32 - 1)
    for form in range(3):
        nothing = u8(form) + u32(0) + (u32(0) if form == 0 else b"")
        bad(f"empty-{form}", "No entries.", entries=nothing)
        above = u8(form) + u32((1 << 18) + 1)
        bad(f"above-{form}", "More entries than a block can have.", "TOO_LARGE", entries=above)
    bad("form-3", "Form 3 does not exist.", entries=u8(3) + full[1:])
    bad("full-descending", "Numbers that descend.", "NON_CANONICAL", entries=short(2, 0))
    bad("full-twice", "A number twice.", "NON_CANONICAL", entries=short(1, 1))
    bad("full-beyond", "A number without an entry.", "NON_CANONICAL", entries=short(3))
    bad("full-too-many", "More full identifiers than entries.", "TOO_LARGE", entries=short(count=4))
    long = u8(2) + u32(1) + u32((1 << 20) + 1)
    bad("transaction-too-long", "A transaction that is too long.", "TOO_LARGE", entries=long)
    for cut in (0, 31, 41, 49, 50, 54, len(good) - 64, len(good) - 1):
        case(f"truncated-{cut}", "Truncated.", good[:cut], "MALFORMED")
    case("extended", "A trailing byte.", good + b"\0", "MALFORMED")
    case("signature-not-canonical", "The s of the signature is not below the group order.", good[:-32] + b"\xff" * 32, "NON_CANONICAL")
