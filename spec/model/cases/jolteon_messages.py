"""Cases of jolteon.json: messages and records."""

from .. import jolteon as j
from ..certificate import Statement, Vote
from ..guard import Guard
from ..wire import option, u8, u32, u64
from .common import CHAIN, flip, key_pair
from .jolteon_chain import EPOCH


def message(chain, label, description, data, expect="ok"):
    chain.case("message", f"message-{label}", description, expect, message=data)


def messages(chain):
    ballot = Vote.sign(chain.voter(2), chain.c.voters, 2, Statement(j.BLOCK, EPOCH, 4, chain.third.digest()))
    stored = Vote.sign(key_pair(3, 0)[1], chain.c.identities, 0, chain.batch.header().statement(EPOCH))
    qc, tc = option(chain.qc2[1]), option(chain.tc3[1])
    good = {
        "proposal": u8(1) + chain.third.encode(),
        "vote": u8(2) + ballot.encode_link(),
        "advance": u8(4) + qc + tc,
        "advance-certificate": u8(4) + qc + option(None),
        "advance-timeout": u8(4) + option(None) + option(chain.timeout_certificate(3, {0: 0, 1: 0, 2: 0})[1]),
        "advance-nothing": u8(4) + option(None) + option(None),
        "hello": u8(5) + u64(2),
        "batch": u8(6) + chain.batch.encode(),
        "acknowledge": u8(7) + stored.encode_link(),
        "certified": u8(8) + chain.ref.encode(),
        "block-request": u8(9) + u64(2) + chain.third.digest(),
        "blocks": u8(10) + u32(2) + chain.first.encode() + chain.second.encode(),
        "blocks-none": u8(10) + u32(0),
        "batch-request": u8(11) + u32(2) + chain.batch.header().digest() + bytes(32),
        "batch-reply": u8(12) + chain.batch.encode(),
        "view-request": u8(13) + u64(7),
        "view-reply": u8(14) + u64(7) + qc + tc,
        "view-reply-nothing": u8(14) + u64(7) + option(None) + option(None),
        "pruned": u8(15) + u64(9),
    }
    for label, data in good.items():
        message(chain, label, "Valid.", data)
        message(chain, f"{label}-extended", "A trailing byte.", data + b"\0", "MALFORMED")
        message(chain, f"{label}-truncated", "Truncated.", data[:-1], "MALFORMED")
    message(chain, "empty", "No bytes.", b"", "MALFORMED")
    for tag in (0, 16, 255):
        message(chain, f"tag-{tag}", "No message has this tag.", u8(tag), "MALFORMED")
    message(
        chain,
        "vote-compressed" if chain.suite == 1 else "vote-other-suite",
        "Not the direct-link encoding, or not the suite.",
        u8(2) + (ballot.encode() if chain.suite == 1 else flip(ballot.encode(), 0)),
        "MALFORMED" if chain.suite == 1 else "WRONG_CONTEXT",
    )
    message(
        chain,
        "acknowledge-other-suite",
        "Acknowledgements are Ed25519 votes.",
        u8(7) + flip(stored.encode_link(), 0),
        "WRONG_CONTEXT",
    )
    message(chain, "blocks-too-many", "65 blocks.", u8(10) + u32(65), "TOO_LARGE")
    message(chain, "batch-request-too-many", "17 batches.", u8(11) + u32(17), "TOO_LARGE")
    for label, high in (("nothing", None), ("lower", chain.qc1)):
        message(
            chain,
            f"advance-unbacked-{label}",
            "The timeout certificate names a view above that of the certificate beside it.",
            u8(4) + option(high and high[1]) + tc,
            "MALFORMED",
        )
    message(
        chain,
        "view-reply-unbacked",
        "The timeout certificate names a view above that of the certificate beside it.",
        u8(14) + u64(7) + option(None) + tc,
        "MALFORMED",
    )
    wrong = chain.certify(chain.second, kind=j.AVAILABLE)
    message(
        chain,
        "advance-other-kind", "A certificate of another kind.", u8(4) + option(wrong[1]) + option(None), "MALFORMED"
    )
    wrong = chain.timeout_certificate(3, {0: 2, 1: 1, 3: 2}, kind=j.BLOCK)
    message(
        chain,
        "advance-timeout-other-kind",
        "A timeout certificate of another kind.",
        u8(4) + option(None) + option(wrong[1]),
        "MALFORMED",
    )


def timeouts(chain):
    ballot = Vote.sign(chain.voter(2), chain.c.voters, 2, Statement(j.BLOCK, EPOCH, 4, chain.third.digest()))

    def case(label, description, vote, high, tc, ballot=None, expect="ok"):
        parts = [option(part and part[1]) for part in (high, tc)]
        data = u8(3) + vote.encode_link() + b"".join(parts) + option(ballot and ballot.encode_link())
        message(chain, f"timeout-{label}", description, data, expect)

    def bad(label, description, *rest, ballot=None):
        case(label, description, *rest, ballot, "MALFORMED")

    case("after-genesis", "In view 1.", chain.timeout_vote(2, 1, 0), None, None)
    case("after-certificate", "In the view after a certificate.", chain.timeout_vote(2, 3, 2), chain.qc2, None)
    case(
        "after-timeout",
        "In the view after a timeout certificate, with a ballot.",
        chain.timeout_vote(2, 4, 2),
        chain.qc2,
        chain.tc3,
        ballot,
    )
    bad("other-value", "Another view than its certificate's.", chain.timeout_vote(2, 3, 1), chain.qc2, None)
    bad("skipped", "No certificate leads to its view.", chain.timeout_vote(2, 4, 2), chain.qc2, None)
    bad("other-kind", "A timeout vote with another kind.", chain.timeout_vote(2, 3, 2, j.BLOCK), chain.qc2, None)
    bad(
        "unbacked",
        "The timeout certificate names a view above that of the certificate.",
        chain.timeout_vote(2, 4, 1),
        chain.qc1,
        chain.tc3,
    )
    case(
        "old-tc",
        "The timeout certificate is older than the certificate.",
        chain.timeout_vote(2, 3, 2),
        chain.qc2,
        chain.timeout_certificate(1, {0: 0, 1: 0, 2: 0}),
        None,
        "NON_CANONICAL",
    )
    other = Vote.sign(chain.voter(1), chain.c.voters, 1, Statement(j.BLOCK, EPOCH, 4, chain.third.digest()))
    bad("other-ballot", "Another member's ballot.", chain.timeout_vote(2, 4, 2), chain.qc2, chain.tc3, ballot=other)
    old = Vote.sign(chain.voter(2), chain.c.voters, 2, Statement(j.BLOCK, EPOCH, 2, chain.second.digest()))
    bad("old-ballot", "A ballot of another view.", chain.timeout_vote(2, 4, 2), chain.qc2, chain.tc3, ballot=old)


def records(chain):
    def case(label, description, data, expect="ok"):
        chain.case("record", f"record-{label}", description, expect, record=data)

    guard = Guard(chain.c.voters.scheme, chain.voter(2), CHAIN)
    voted = guard.sign(chain.c.voters, Statement(j.BLOCK, EPOCH, 4, chain.third.digest()))[1]
    guard = Guard(chain.c.identities.scheme, key_pair(3, 0)[1], CHAIN)
    proposed = guard.sign(chain.c.identities, chain.third.proposal())[1]
    timeout = chain.timeout_vote(2, 4, 2).encode_link() + option(chain.qc2[1]) + option(chain.tc3[1]) + option(None)
    good = {
        "batch": u8(1) + chain.batch.encode(),
        "block": u8(2) + chain.third.encode(),
        "vote-guard": u8(3) + voted.encode(),
        "proposal-guard": u8(4) + proposed.encode(),
        "timeout": u8(5) + timeout,
        "committed": u8(6) + committed(chain),
    }
    for label, data in good.items():
        case(label, "Valid.", data)
        case(f"{label}-extended", "A trailing byte.", data + b"\0", "MALFORMED")
        case(f"{label}-truncated", "Truncated.", data[:-1], "MALFORMED")
    case("empty", "No bytes.", b"", "MALFORMED")
    for tag in (0, 7):
        case(f"tag-{tag}", "No record has this tag.", u8(tag), "MALFORMED")
    case("no-top", "The highest sequence is not in the set.", u8(6) + committed(chain, seen=2), "NON_CANONICAL")
    case("strikes", "More strikes than the maximum.", u8(6) + committed(chain, strikes=11), "MALFORMED")
    case("too-many-authors", "65,536 authors.", u8(6) + committed(chain, authors=65_536), "TOO_LARGE")
    case("too-many-members", "65,536 members.", u8(6) + committed(chain, members=65_536), "TOO_LARGE")


def committed(chain, seen=None, strikes=None, authors=None, members=None):
    """Returns the record after the commit of the first block; arguments replace its fields."""
    sequences, reputation = [j.Sequences() for _ in range(4)], j.LeaderReputation(chain.c.voters)
    assert sequences[chain.batch.author].record(chain.batch.sequence)
    reputation.append(1, 1, 1, 0, None, [])
    listed = [s.encode() for s in sequences]
    if seen is not None:
        listed[0] = u64(9) + u64(seen)
    if strikes is not None:
        reputation.members[0]["strikes"] = strikes
    inventory = u32(len(listed) if authors is None else authors) + b"".join(listed)
    state = reputation.encode()
    if members is not None:
        state = state[:8] + u32(members) + state[12:]
    tip = u64(1) + u64(1) + chain.first.digest() + chain.second.digest() + chain.qc2[1]
    return tip + inventory + state + u64(1) + u64(0)
