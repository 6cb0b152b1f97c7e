"""Cases of abft.json: the scheme `presigned`. Those of BLS are the same as for the scheme `bls`."""

from .. import abft, ecdsa
from ..presigned import ECDSA, GROUP, PresignedKey, presignature
from ..wire import u8, u16, u32
from .abft_world import EPOCH
from .common import flip

VALUE, ID = b"a value", bytes(range(32))
ORDER = GROUP.math.ORDER


def presignatures(w):
    files(w)
    ecdsa_signatures(w)
    for kind in (abft.AGREED, abft.UNAGREED):
        collections(w, kind)
    messages(w)
    sessions(w)


# --- what members sign ----------------------------------------------------------------------------------------


def statement_of(w, kind):
    return w.delivery(EPOCH, 2, ID) if kind == abft.AGREED else w.promotion(1, 2, 3, VALUE)


def share(w, member, statement):
    """With the member's presignature."""
    _, index, _ = presignature(w.setup.committee, w.n, statement)
    return w.presignatures[member].sign(index, statement)


def opening(w, member, statement):
    _, index, _ = presignature(w.setup.committee, w.n, statement)
    return w.presignatures[member].open(index)


def signature(w, statement, members):
    epoch, index, _ = presignature(w.setup.committee, w.n, statement)
    file = w.presignatures[0]
    signing = ecdsa.Signing(file.key, file.deal, file.nonces[index], index, statement)
    assert epoch == EPOCH
    return u8(ECDSA) + signing.combine([share(w, member, statement) for member in members])


def write(share):
    return PresignedKey.write_share((ECDSA, share))


# --- the file of an epoch -------------------------------------------------------------------------------------


def files(w):
    length = len(w.entry["presignatures"]) // 2

    def case(label, description, expect="ok", epoch=EPOCH, member=0, length=length, flip=None):
        fields = {"epoch": str(epoch), "member": member, "length": length, "flip": flip}
        w.add(f"file/{label}", description, "abft.presignatures", expect, **fields)

    case("good", "The presignatures of member 0.")
    case("other-epoch", "Sealed for another epoch.", "WRONG_CONTEXT", epoch=EPOCH + 1)
    case("other-member", "Sealed for another member.", "WRONG_CONTEXT", member=1)
    case("truncated", "A byte is missing.", "WRONG_CONTEXT", length=length - 1)
    case("ephemeral", "Another ephemeral key.", "WRONG_CONTEXT", flip=0)
    case("content", "A changed byte of the content.", "WRONG_CONTEXT", flip=length // 2)
    case("tag", "A changed byte of the tag.", "WRONG_CONTEXT", flip=length - 1)
    case("short", "Too short for a sealed file.", "MALFORMED", length=47)


# --- signatures -----------------------------------------------------------------------------------------------


def ecdsa_signatures(w):
    def verify(label, description, data, expect="ok", kind=abft.UNAGREED, statement=None):
        statement = statement_of(w, kind) if statement is None else statement
        fields = {"key": kind, "statement": statement.hex(), "signature": data.hex()}
        w.add(f"ecdsa/{label}", description, "abft.verify", expect, **fields)

    for kind in (abft.AGREED, abft.UNAGREED):
        t, statement = w.setup.key(kind).needed, statement_of(w, kind)
        good = signature(w, statement, range(t))
        assert good == signature(w, statement, range(w.n - t, w.n))
        verify(f"{kind}-good", "Of t members; that of any others is the same.", good, kind=kind)
        other = w.promotion(1, 2, 2, VALUE)
        verify(f"{kind}-other-statement", "Of another statement.", good, "BAD_SIGNATURE", kind, other)
    good = signature(w, statement_of(w, abft.UNAGREED), range(3))
    r, s = good[1:33], int.from_bytes(good[33:], "big")
    verify("other-key", "ECDSA has one key for both classes.", good, kind=abft.AGREED, statement=statement_of(w, abft.UNAGREED))
    verify("high-s", "The same signature with a high s.", u8(1) + r + (ORDER - s).to_bytes(32, "big"), "NON_CANONICAL")
    verify("zero-s", "s is zero.", good[:33] + bytes(32), "NON_CANONICAL")
    verify("zero-r", "r is zero.", u8(1) + bytes(32) + good[33:], "NON_CANONICAL")
    verify("r-order", "r is the group order.", u8(1) + ORDER.to_bytes(32, "big") + good[33:], "NON_CANONICAL")
    verify("changed", "A changed bit.", flip(good, 64), "BAD_SIGNATURE")
    verify("as-bls", "An ECDSA signature as one of BLS.", u8(2) + good[1:49], "MALFORMED")
    for kind in (0, 3):
        verify(f"kind-{kind}", "A kind of no signature.", u8(kind) + good[1:], "MALFORMED")
    verify("truncated", "Truncated.", good[:-1], "MALFORMED")
    verify("extended", "A trailing byte.", good + b"\0", "MALFORMED")
    verify("empty", "No bytes.", b"", "MALFORMED")


# --- collecting -----------------------------------------------------------------------------------------------


def collections(w, kind):
    """Shares of both kinds; wrong ones of agreed statements are found by decoding, others by their openings."""
    statement, t = statement_of(w, kind), w.setup.key(kind).needed
    with_bls = [w.share(kind, member, statement) for member in range(w.n)]
    quiet, done = (False, []), (True, [])

    def case(label, description, listed, expected):
        shares = []
        for sender, one in listed:
            shares.append({"from": sender, **({"opening": one.encode().hex()} if isinstance(one, ecdsa.Opening) else {"share": one.hex()})})
        fields = {"key": kind, "statement": statement.hex(), "shares": shares}
        out = w.add(f"collect-ecdsa-{kind}/{label}", description, "abft.collect", **fields)
        got = [(one["signature"] is not None, one["wrong"]) for one in out["outcomes"]]
        assert got == expected, (label, got)

    mine = [(member, write(share(w, member, statement))) for member in range(w.n)]
    case("good", "The first t shares.", mine[w.n - t :][::-1], [quiet] * (t - 1) + [done])
    case("repeated", "A second share of one sender does not count.", [mine[0], mine[0], *mine[1:t]], [quiet] * t + [done])
    bls = list(enumerate(with_bls))
    mixed = [mine[0], *bls[1:t], *mine[t:][: t - 2], bls[0]]
    case("mixed", "Shares of two kinds are collected by themselves.", mixed, [quiet] * (len(mixed) - 1) + [done])
    right = share(w, 0, statement)
    wrong = 0, write(ecdsa.Share(GROUP, 0, right.epoch, right.index, right.digest, (right.s + 1) % ORDER))
    if kind == abft.AGREED:
        case("wrong", "A wrong share among t + 2.", [wrong, *mine[1:]], [quiet] * 3 + [(True, [0])])
    else:
        opened = [(member, opening(w, member, statement)) for member in range(3)]
        listed = [wrong, *mine[1:], *opened]
        case("wrong", "The openings of t shares that do not combine.", listed, [quiet] * 4 + [(False, [0]), quiet, done])
    later = w.delivery(EPOCH + 1, 2, ID) if kind == abft.AGREED else w.promotion(1, 2, 3, VALUE, EPOCH + 1)
    ignored = write(ecdsa.Share(GROUP, 1, EPOCH + 1, right.index, ecdsa.Slot(w.presignatures[0].key.id, EPOCH + 1, right.index).digest(later), 1))
    shares = [{"from": 1, "share": ignored.hex()}]
    w.add(
        f"collect-ecdsa-{kind}/no-presignatures",
        "ECDSA shares of an epoch without presignatures are ignored.",
        "abft.collect",
        key=kind,
        statement=later.hex(),
        shares=shares,
    )


# --- messages -------------------------------------------------------------------------------------------------


def messages(w):
    def case(protocol, label, description, data, expect="ok"):
        w.add(f"{protocol}/ecdsa-{label}", description, "abft.message", expect, protocol=protocol, message=data.hex())

    statement = statement_of(w, abft.UNAGREED)
    certificate = signature(w, statement, range(3))
    vote = u8(3) + u32(1) + u8(3) + write(share(w, 0, statement))
    advance = u8(2) + u32(1) + u8(4) + certificate
    answer = u8(10) + u32(1) + u8(3) + opening(w, 0, statement).encode()
    delivered = u8(2) + write(share(w, 0, statement_of(w, abft.AGREED)))
    made = {"mvba": {"vote": vote, "advance": advance, "opening": answer}, "prbc": {"share": delivered}}
    for protocol, listed in made.items():
        for label, data in listed.items():
            case(protocol, label, "A message.", data)
            case(protocol, f"{label}-truncated", "Truncated.", data[:-1], "MALFORMED")
            case(protocol, f"{label}-extended", "A trailing byte.", data + b"\0", "MALFORMED")
    for kind in (0, 3):
        case("mvba", f"vote-kind-{kind}", "A kind of no share.", vote[:6] + u8(kind) + vote[7:], "MALFORMED")
    case("mvba", "vote-suite", "A share of the other group.", vote[:7] + u8(1) + vote[8:], "WRONG_CONTEXT")
    s_at = len(vote) - 36
    case("mvba", "vote-s-order", "The number is the group order.", vote[:s_at] + ORDER.to_bytes(32, "big") + vote[-4:], "NON_CANONICAL")
    attested = vote[:-4] + u32(64) + bytes(64)
    case("mvba", "vote-attested", "A share with the optional attestation.", attested)
    case("mvba", "vote-attestation-too-long", "A longer attestation than any.", vote[:-4] + u32(8193), "TOO_LARGE")
    for stage in (0, 5):
        case("mvba", f"opening-stage-{stage}", "A stage out of range.", answer[:5] + u8(stage) + answer[6:], "MALFORMED")
    case("mvba", "opening-neutral", "An element that is neutral.", answer[:41] + bytes(33) + answer[74:], "INFINITY")
    case("mvba", "opening-no-element", "Bytes that are no element.", answer[:41] + b"\xff" * 33 + answer[74:], "MALFORMED")
    proof = u16(2) + ID + signature(w, statement_of(w, abft.AGREED), range(2))
    w.add("proof/ecdsa-good", "It verifies.", "abft.proof", epoch=str(EPOCH), proof=proof.hex())
    w.add("proof/ecdsa-other-sender", "Of another sender.", "abft.proof", "BAD_SIGNATURE", epoch=str(EPOCH), proof=(u16(1) + proof[2:]).hex())


# --- what a member signs and records --------------------------------------------------------------------------


def sessions(w):
    def sign(kind, statement):
        return {"do": "sign", "key": kind, "statement": statement.hex()}

    def do(what, epoch=EPOCH):
        return {"do": what, "epoch": str(epoch)}

    def case(label, description, steps, kinds, records=(), has_file=True):
        """`kinds` are those of the shares of each step."""
        fields = {"steps": steps, "records": list(records), "has_file": has_file}
        out = w.add(f"presign/{label}", description, "abft.presign", **fields)
        got = [[int(share[:2], 16) for share in one["shares"]] if "shares" in one else one.get("opened") for one in out["outcomes"]]
        assert got == kinds, (label, got)
        return out["records"]

    agreed, unagreed = abft.AGREED, abft.UNAGREED
    last = w.promotion(20, 3, 4, VALUE)
    uses = [
        sign(agreed, w.delivery(EPOCH, 0, ID)),
        sign(agreed, w.delivery(EPOCH, 3, ID)),
        sign(unagreed, w.promotion(1, 0, 1, VALUE)),
        sign(unagreed, w.promotion(2, 1, 3, VALUE)),
        sign(unagreed, last),
        sign(agreed, abft.completion(w.setup.committee, EPOCH, 1)),
        sign(agreed, abft.completion(w.setup.committee, EPOCH, 20)),
    ]
    case("uses", "The first, the last and other presignatures.", [do("open"), *uses], [True] + [[1]] * 7)
    late = [
        sign(unagreed, w.promotion(21, 0, 1, VALUE)),
        sign(agreed, abft.completion(w.setup.committee, EPOCH, 21)),
        sign(agreed, w.delivery(EPOCH + 1, 0, ID)),
    ]
    case("bls", "View 21, and an epoch without presignatures.", [do("open"), do("open", EPOCH + 1), *late], [True, False] + [[2]] * 3)
    one, two = (sign(agreed, w.delivery(EPOCH, 1, id)) for id in (ID, ID[::-1]))
    case("not-open", "The epoch has not begun.", [one], [[2]])
    records = case("again", "One statement for each presignature; the same one gives the same share.", [do("open"), one, two, one], [True, [1], [], [1]])
    case("restart", "The records of an earlier process.", [do("open"), two, one], [True, [], [1]], records)
    other = sign(agreed, w.delivery(EPOCH, 2, ID))
    kinds = [True, [2], [], [2]]
    case("lost", "The file is gone: the records bind what BLS signs.", [do("open"), one, two, other], kinds, records, False)
    case("never", "There was no file.", [do("open"), one, two], [False, [2], [2]], (), False)
    case("fall-back", "Both kinds after the fall-back.", [do("open"), one, do("fall_back"), other, one], [True, [1], None, [1, 2], [1, 2]])
    records = case("closed", "Nothing more is signed in an epoch that is over.", [do("open"), one, do("close"), do("open"), one, other], [True, [1], None, True, [], []])
    assert len(records) == 1
    case("closed-restart", "The same after a restart.", [do("open"), one], [True, []], records)
