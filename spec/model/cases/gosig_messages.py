"""Cases of gosig.json: messages and records."""

from .. import gosig as g
from ..certificate import Statement
from ..guard import Guard
from ..wire import blob, option, u8, u16, u32, u64, varint
from .common import CHAIN, flip, key_pair
from .gosig_chain import EPOCH, PAYLOAD

DIGEST = b"\x33" * 32
MIB = 1 << 20


def _envelope(tag, fields, epoch=EPOCH):
    return u64(epoch) + u8(tag) + fields


def _list(items):
    return u32(len(items)) + b"".join(items)


def _transactions(items):
    return b"".join(map(blob, items))


def _votes(chain, kind=g.PREPARE):
    return Statement(kind, EPOCH, 3, chain.first.ballot())


def _messages(chain):
    """Returns a message of each type, and short variants: label, tag, fields."""
    made = chain.proposals()
    committed = made["next"].certificate[1]
    raw = chain.segment(u8(2) + _list([blob(one) for one in PAYLOAD]))
    one = chain.aggregate(_votes(chain), {2: 1})
    several = chain.aggregate(_votes(chain, g.TENTATIVE), {0: 1, 1: 3, 3: 2})
    final = chain.certify(g.TENTATIVE, 5, chain.second)[1]
    return [
        ("proposal", 1, made["first"].encode()),
        ("proposal-next", 1, made["next"].encode()),
        ("proposal-again", 1, made["again"].encode()),
        ("segment", 2, raw.encode()),
        ("signatures", 3, _list([one, several])),
        ("signatures-one", 3, _list([several])),
        ("heard", 4, b""),
        ("transactions", 5, _list([blob(one) for one in PAYLOAD])),
        ("transaction-request", 6, DIGEST + u64(1) + g.places([0, 1, 7, 500, 2**32 - 1])),
        ("transaction-request-none", 6, DIGEST + u64(1) + g.places([])),
        ("transaction-reply", 7, DIGEST + g.places([2, 3, 300]) + _transactions(PAYLOAD)),
        ("transaction-reply-none", 7, DIGEST + g.places([])),
        ("body-request", 8, DIGEST + u64(3) + g.places([0, 4, 255])),
        ("body-request-all", 8, DIGEST + u64(3) + g.places([])),
        ("proposal-request", 9, u64(3) + chain.first.ballot()),
        ("hello", 10, u64(2)),
        ("welcome", 11, u64(2**64 - 1)),
        ("block-request", 12, u64(1)),
        ("blocks", 13, _list([chain.first.encode() + committed, chain.second.encode() + final])),
        ("blocks-none", 13, _list([])),
        ("pruned", 14, u64(3)),
    ]


def _case(chain, label, description, data, expect="ok", **more):
    chain.case("message", f"message-{label}", description, expect, message=data, **more)


def well_formed(chain):
    for label, tag, fields in _messages(chain):
        data = _envelope(tag, fields)
        _case(chain, label, "Valid.", data)
        _case(chain, f"{label}-extended", "A trailing byte.", data + b"\0", "MALFORMED")
        _case(chain, f"{label}-truncated", "Truncated.", data[:-1], "MALFORMED")
        expect = "ok" if tag in g.FOR_ALL else "WRONG_CONTEXT"
        for epoch in (EPOCH - 1, EPOCH + 1):
            description = "A message of another epoch is decoded only if it does not depend on a committee."
            _case(chain, f"{label}-of-{epoch}", description, _envelope(tag, fields, epoch), expect)


def refused(chain):
    def case(label, description, tag, fields, expect="MALFORMED", **more):
        _case(chain, label, description, _envelope(tag, fields), expect, **more)

    for tag in (0, 15, 255):
        case(f"tag-{tag}", "No message has this tag.", tag, b"")
        foreign = _envelope(tag, b"", EPOCH + 1)
        _case(chain, f"tag-{tag}-other-epoch", "The epoch is checked before the tag.", foreign, "WRONG_CONTEXT")
    for cut in (0, 7, 8):
        _case(chain, f"truncated-{cut}", "No epoch, or no tag.", _envelope(4, b"")[:cut], "MALFORMED")
    broken = _envelope(6, DIGEST, EPOCH + 1)
    _case(chain, "other-epoch-truncated", "A message that does not depend on a committee is decoded completely.", broken, "MALFORMED")
    non_member = chain.segment(u8(1) + u32(1) + DIGEST, signer=4).encode()
    case("segment-of-a-non-member", "Decoding does not check the signature.", 2, non_member, "ok")
    inner = flip(chain.proposals()["first"].encode(), 0)
    case("proposal-other-epoch", "A message of this epoch, with a block of another one.", 1, inner, "WRONG_CONTEXT")
    _signatures(chain, case)
    _places(case)
    _sizes(chain, case)
    pair = chain.first.encode()
    case("blocks-too-many", "65 blocks.", 13, u32(65), "TOO_LARGE")
    prepared = chain.certify(g.PREPARE, 3, chain.first)[1]
    case("blocks-prepared", "A block that is only prepared.", 13, _list([pair + prepared]), "WRONG_CONTEXT")


def _signatures(chain, case):
    good = chain.aggregate(_votes(chain), {0: 1, 2: 1})
    case("signatures-eight", "The maximum number.", 3, _list([good] * 8), "ok")
    case("signatures-nine", "A count above the limit.", 3, u32(9) + good, "TOO_LARGE")
    case("signatures-none", "An empty list.", 3, _list([]))
    other = chain.aggregate(Statement(g.PROPOSAL, EPOCH, 3, DIGEST), {0: 1})
    case("signatures-other-kind", "For another kind of statement.", 3, _list([good, other]))
    case("signatures-other-suite", "With another suite.", 3, _list([flip(good, 0)]), "WRONG_CONTEXT")
    case("signatures-other-epoch", "For another epoch.", 3, _list([flip(good, 2)]), "WRONG_CONTEXT")
    no_signers = good[:50] + b"\0\0" + good[52:]
    case("signatures-without-signers", "An aggregate without signers.", 3, _list([no_signers]), "BELOW_QUORUM")
    case("signatures-of-non-members", "Signers that are not members.", 3, _list([flip(good, 51, 16)]), "NON_CANONICAL")


def _places(case):
    def request(places):
        return DIGEST + u64(1) + places

    most = g.places(range(16_384))
    case("places-most", "The maximum number of places.", 6, request(most), "ok")
    case("places-too-many", "A count above the limit.", 6, request(u32(16_385)), "TOO_LARGE")
    case("places-too-many-in-a-reply", "The maximum number of places in an answer.", 7, DIGEST + u32(16_385), "TOO_LARGE")
    case("places-segments-too-many", "257 segments.", 8, request(u32(257)), "TOO_LARGE")
    case("places-segment-256", "Segments count from 0 to 255.", 8, request(g.places([256])))
    case("places-missing", "Fewer items than announced.", 6, request(u32(2) + varint(0)))
    case("places-not-shortest", "A varint that is not the shortest.", 6, request(u32(1) + b"\x80\0"), "NON_CANONICAL")
    case("places-varint-too-large", "A varint above 2³² − 1.", 6, request(u32(1) + b"\xff" * 4 + b"\x1f"))
    beyond = u32(2) + varint(2**32 - 1) + varint(0)
    case("places-beyond", "A place above 2³² − 1.", 6, request(beyond))
    sum_beyond = u32(2) + varint(2**31) + varint(2**31)
    case("places-sum-beyond", "Two gaps whose sum exceeds the maximum.", 6, request(sum_beyond))


def _sizes(chain, case):
    case("transactions-none", "No transactions.", 5, _list([]))
    case("transactions-above", "More than a block can have.", 5, u32((1 << 18) + 1), "TOO_LARGE")
    case("transaction-too-long", "A transaction that is too long.", 5, u32(1) + u32(MIB + 1), "TOO_LARGE")
    case("transaction-missing", "Fewer items than announced.", 5, u32(2) + blob(b"one"))
    reply = DIGEST + g.places([1, 2])
    case("transaction-reply-missing", "Fewer transactions than places.", 7, reply + blob(b"one"))
    for label, tag, head in (("transactions", 5, u32(2)), ("reply", 7, reply)):
        longest = "Transactions of zeros, of 2 MiB together with their lengths."
        case(f"{label}-longest", longest, tag, head, "ok", zeros=[MIB, MIB - 8])
        case(f"{label}-too-long", "One byte above 2 MiB.", tag, head, "TOO_LARGE", zeros=[MIB, MIB - 7])
    segment = DIGEST + u64(3) + u16(1) + u16(0) + u16(1) + u32(0) + u8(2) + u32(2)
    signature = chain.segment(u8(1) + u32(1) + DIGEST).signature
    case("segment-longest", "A segment of 2 MiB.", 2, segment, "ok", zeros=[MIB - 8, MIB], end=signature)
    case("segment-too-long", "One byte above 2 MiB.", 2, segment, "TOO_LARGE", zeros=[MIB - 7, MIB], end=signature)


def records(chain):
    def case(label, description, tag, fields, expect="ok"):
        chain.case("record", f"record-{label}", description, expect, record=u8(tag) + fields)

    first, (prepared, committed) = chain.first, (chain.certify(k, 3, chain.first)[1] for k in (1, 2))
    voter, identity = chain.c.voters, chain.c.identities
    voted = Guard(voter.scheme, chain.secret(2), CHAIN).sign(voter, _votes(chain))[1].encode()
    statement = Statement(g.PROPOSAL, EPOCH, 2, chain.proposals()["first"].digest())
    proposed = Guard(identity.scheme, key_pair(3, 2)[1], CHAIN).sign(identity, statement)[1].encode()
    lock = first.digest() + u64(1) + prepared
    tip = u64(1) + first.digest() + committed + chain.after_first.encode() + u64(1)
    good = [
        ("payload", 1, _list([blob(one) for one in PAYLOAD])),
        ("payload-none", 1, _list([])),
        ("block", 2, first.encode()),
        ("vote-guard", 3, voted),
        ("proposal-guard", 4, proposed),
        ("lock", 5, option(lock)),
        ("lock-none", 5, option(None)),
        ("committed", 6, tip),
    ]
    for label, tag, fields in good:
        case(label, "Valid.", tag, fields)
        case(f"{label}-extended", "A trailing byte.", tag, fields + b"\0", "MALFORMED")
        case(f"{label}-truncated", "Truncated.", tag, fields[:-1], "MALFORMED")
    chain.case("record", "record-empty", "No bytes.", "MALFORMED", record=b"")
    for tag in (0, 7):
        case(f"tag-{tag}", "No record has this tag.", tag, b"", "MALFORMED")
    case("payload-above", "More transactions than a block can have.", 1, u32((1 << 18) + 1), "TOO_LARGE")
    case("block-other-epoch", "A block of another epoch.", 2, flip(first.encode(), 0), "WRONG_CONTEXT")
    case("lock-other-height", "A certificate for another height.", 5, option(first.digest() + u64(2) + prepared), "MALFORMED")
    case("lock-other-block", "A certificate for another block.", 5, option(DIGEST + u64(1) + prepared), "MALFORMED")
    case("lock-committed", "A certificate for another kind.", 5, option(first.digest() + u64(1) + committed), "MALFORMED")
    case("lock-option-2", "An invalid option tag.", 5, u8(2) + lock, "MALFORMED")
    case("committed-prepared", "The certificate is for a prepare statement.", 6, tip.replace(committed, prepared), "WRONG_CONTEXT")
