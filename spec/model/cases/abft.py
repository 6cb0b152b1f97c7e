"""abft.json: the asynchronous protocols."""

from .. import abft
from ..book import Book
from ..wire import u16, u32
from .abft_chain import chain
from .abft_messages import messages
from .abft_presigned import presignatures
from .abft_world import World
from .shares import ELSEWHERE

TOP32, TOP64 = 2**32 - 1, 2**64 - 1


def book():
    b = Book("abft", "Asynchronous protocols: statements, signatures, messages, elections, sets, batches, order.")
    four, seven, bls = World(b, "four", 4, 1), World(b, "seven", 7, 2), World(b, "bls", 4, 1, "bls")
    statements(b)
    presigned = World(b, "presigned", 4, 1, "presigned")
    for world in (four, seven, bls, presigned):
        signatures(world)
        leaders(world)
        messages(world)
    for world in (four, bls, presigned):
        proofs(world)
    lists(four)
    votes(four)
    batches(b)
    epochs(four)
    presignatures(presigned)
    chain(four)
    return b


def statements(b):
    for label, value in {"empty": b"", "short": b"a value", "long": bytes(range(256)) * 9}.items():
        b.add(f"digest/{label}", "The digest of a value.", "abft.digest", value=value.hex())
    committee, id = bytes([7] * 32), bytes(range(32))
    seen = set()

    def case(kind, label, **fields):
        out = b.add(f"{kind}/{label}", "A statement that members sign.", f"abft.{kind}", **fields)
        assert out["statement"] not in seen
        seen.add(out["statement"])

    deliveries = ("first", 0, 0, committee), ("last", TOP64, 65535, committee), ("elsewhere", 0, 0, ELSEWHERE)
    for label, epoch, sender, by in deliveries:
        case("delivery", label, committee_id=by.hex(), epoch=str(epoch), sender=sender, id=id.hex())
    for stage in range(1, 5):
        fields = {"epoch": "5", "view": 1, "proposer": 3, "stage": stage, "digest": id.hex()}
        case("promotion", f"stage-{stage}", committee_id=committee.hex(), **fields)
    fields = {"epoch": str(TOP64), "view": TOP32, "proposer": 65535, "stage": 4, "digest": id.hex()}
    case("promotion", "last", committee_id=committee.hex(), **fields)
    case("completion", "first", committee_id=committee.hex(), epoch="0", view=1)
    case("completion", "last", committee_id=committee.hex(), epoch=str(TOP64), view=TOP32)


def signatures(w):
    """Shares and signatures with both keys, and wrong ones."""
    statement = w.promotion(1, 0, 1, b"a value")
    other = w.promotion(1, 0, 2, b"a value")

    def collect(label, description, kind, shares, expected):
        listed = [{"from": sender, "share": share.hex()} for sender, share in shares]
        out = w.add(f"collect-{kind}/{label}", description, "abft.collect", key=kind, statement=statement.hex(), shares=listed)
        got = [(one["signature"] is not None, one["wrong"]) for one in out["outcomes"]]
        assert got == expected, (label, got)

    for kind in (abft.AGREED, abft.UNAGREED):
        key = w.setup.key(kind)
        t = key.needed

        def verify(label, description, data, expect="ok", statement=statement, kind=kind):
            fields = {"key": kind, "statement": statement.hex(), "signature": data.hex()}
            w.add(f"verify-{kind}/{label}", description, "abft.verify", expect, **fields)

        for member in range(2):
            w.add(f"sign-{kind}/{member}", "A share.", "abft.sign", key=kind, member=member, statement=statement.hex())
        good = w.signature(kind, statement)
        verify("good", "t members.", good)
        verify("other-members", "t other members.", w.signature(kind, statement, range(w.n - t, w.n)))
        verify("other-statement", "A signature of another statement.", good, "BAD_SIGNATURE", other)
        mine = [(member, w.share(kind, member, statement)) for member in range(w.n)]
        wrong = 0, w.wrong_share(kind, 0, statement, other)
        quiet, done = (False, []), (True, [])
        collect("good", "The first t shares.", kind, mine[w.n - t :][::-1], [quiet] * (t - 1) + [done])
        collect("repeated", "A second share of one sender does not count.", kind, [mine[0], mine[0], *mine[1:t]], [quiet] * t + [done])
        collect(
            "wrong",
            "A wrong share is found when the signature fails, and its sender is ignored from then on.",
            kind,
            [wrong, *mine[1:t], mine[0], mine[t]],
            [quiet] * (t - 1) + [(False, [0])] + [quiet, done],
        )
    other_key = w.signature(abft.UNAGREED, statement)
    expect = "BELOW_QUORUM" if w.is_list else "BAD_SIGNATURE"
    fields = {"key": abft.AGREED, "statement": statement.hex(), "signature": other_key.hex()}
    w.add("verify-agreed/other-key", "A signature of the other key.", "abft.verify", expect, **fields)


def lists(w):
    """Signatures of the scheme `list` that are refused."""
    statement = w.promotion(1, 0, 1, b"a value")
    shares = [w.share(abft.UNAGREED, member, statement) for member in range(w.n)]

    def case(label, description, data, expect):
        fields = {"key": abft.UNAGREED, "statement": statement.hex(), "signature": data.hex()}
        w.add(f"list/{label}", description, "abft.verify", expect, **fields)

    def made(*members):
        return u32(len(members)) + b"".join(shares[member] for member in members)

    good = made(0, 1, 3)
    case("empty", "No share.", made(), "BELOW_QUORUM")
    case("few", "One share fewer.", made(0, 1), "BELOW_QUORUM")
    case("many", "One share more.", made(0, 1, 2, 3), "BELOW_QUORUM")
    case("order", "Not ascending.", made(1, 0, 2), "DUPLICATE_SIGNER")
    case("repeated", "One member twice.", made(0, 1, 1), "DUPLICATE_SIGNER")
    case("non-member", "A member that does not exist.", u32(3) + shares[0] + shares[1] + u16(4) + shares[2][2:], "UNKNOWN_SIGNER")
    case("swapped", "Another member's signature.", u32(3) + shares[0] + u16(1) + shares[2][2:] + shares[3], "BAD_SIGNATURE")
    case("truncated", "Truncated.", good[:-1], "MALFORMED")
    case("extended", "A trailing byte.", good + b"\0", "MALFORMED")
    case("not-canonical", "The s of a signature is not below the group order.", good[:-32] + b"\xff" * 32, "NON_CANONICAL")
    case("too-many", "More shares than any committee has members.", u32(1025) + good[4:], "TOO_LARGE")
    agreed = u32(3) + b"".join(w.share(abft.AGREED, member, statement) for member in (0, 1, 3))
    case("class", "Shares of the agreed key.", agreed, "BAD_SIGNATURE")


def leaders(w):
    seen = set()

    def case(label, description, epoch, view, shares, expect="ok"):
        listed = [share.encode().hex() for share in shares]
        return w.add(f"leader/{label}", description, "abft.leader", expect, epoch=str(epoch), view=view, shares=listed)

    f = w.setup.faulty
    for epoch, view in ((0, 1), (0, 2), (1, 1), (7, 3), (TOP64, TOP32)):
        shares = [w.coin_share(member, epoch, view) for member in range(w.n)]
        one = case(f"{epoch}-{view}", "The first f + 1 members' shares.", epoch, view, shares[: f + 1])
        other = case(f"{epoch}-{view}-others", "The last f + 1 members' shares.", epoch, view, shares[-f - 1 :][::-1])
        assert one == other
        seen.add(one["leader"])
    assert len(seen) > 1
    shares = [w.coin_share(member, 0, 1) for member in range(f + 1)]
    case("few", "f shares.", 0, 1, shares[:f], "BELOW_QUORUM")
    case("other-view", "Shares of another view.", 0, 2, shares, "BELOW_QUORUM")
    case("other-epoch", "Shares of another epoch.", 1, 1, shares, "BELOW_QUORUM")


def proofs(w):
    id = bytes(range(32))
    signature = w.signature(abft.AGREED, w.delivery(5, 2, id))

    def case(label, description, data, expect="ok", epoch=5):
        w.add(f"proof/{label}", description, "abft.proof", expect, epoch=str(epoch), proof=data.hex())

    good = u16(2) + id + signature
    case("good", "It verifies.", good)
    case("other-epoch", "The proof of another epoch.", good, "BAD_SIGNATURE", 6)
    case("other-sender", "The proof of another sender.", u16(1) + id + signature, "BAD_SIGNATURE")
    case("other-id", "The proof of another message.", u16(2) + id[::-1] + signature, "BAD_SIGNATURE")
    case("non-member", "A sender that is not a member.", u16(w.n) + id + signature, "UNKNOWN_SIGNER")
    case("truncated", "Truncated.", good[:-1], "MALFORMED")
    case("extended", "A trailing byte.", good + b"\0", "MALFORMED")


def votes(w):
    """The predicate of the agreement on the subset, by the vote of member 0."""
    epoch = 5
    ids = [bytes([member] * 32) for member in range(w.n)]
    made = [w.proof(epoch, member, ids[member]) for member in range(w.n)]

    def case(label, description, value, votes=False, proposer=3):
        out = w.add(f"vote/{label}", description, "abft.vote", epoch=str(epoch), proposer=proposer, value=value.hex())
        assert (out["vote"] is not None) == votes, label

    def listed(*proofs):
        return u32(len(proofs)) + b"".join(proofs)

    case("good", "The proofs of N - f senders.", listed(*made[:3]), True)
    case("other-senders", "Those of others.", listed(made[0], made[2], made[3]), True, 1)
    case("few", "One proof fewer.", listed(*made[:2]))
    case("many", "One proof more.", listed(*made))
    case("order", "Not ascending by sender.", listed(made[1], made[0], made[2]))
    case("repeated", "One sender twice.", listed(made[0], made[1], made[1]))
    case("other-epoch", "A proof of another epoch.", listed(made[0], made[1], w.proof(epoch + 1, 2, ids[2])))
    case("other-message", "A proof that names another message.", listed(made[0], made[1], u16(2) + ids[3] + made[2][34:]))
    case("non-member", "A sender that is not a member.", listed(made[0], made[1], w.proof(epoch, 4, ids[3])))
    case("truncated", "Truncated.", listed(*made[:3])[:-1])
    case("empty", "No bytes.", b"")


def batches(b):
    def case(label, description, data, expect="ok"):
        b.add(f"batch/{label}", description, "abft.batch", expect, batch=data.hex())

    case("none", "No transaction.", abft.write_batch([]))
    case("one", "One transaction.", abft.write_batch([b"a transaction"]))
    case("some", "Several, some of them equal or empty.", abft.write_batch([b"a", b"", b"a", bytes(300)]))
    good = abft.write_batch([b"a", b"bc"])
    case("truncated", "Truncated.", good[:-1], "MALFORMED")
    case("extended", "A trailing byte.", good + b"\0", "MALFORMED")
    case("nothing", "No bytes.", b"", "MALFORMED")
    case("count", "More transactions than a quarter of the bytes.", u32(4) + good[4:], "TOO_LARGE")
    case("length", "A transaction that is longer than the batch.", u32(1) + u32(9) + b"abc", "TOO_LARGE")
    ten = [bytes([i]) for i in range(10)]
    choices = {
        "quarter": (ten, 8, 4, 2),
        "rounded-up": (ten, 9, 4, 3),
        "few": (ten[:3], 100, 4, 3),
        "alone": (ten, 6, 1, 6),
        "one": (ten, 1, 4, 1),
        "repeated": ([b"a", b"b", b"a", b"a", b"c"], 4, 1, 2),
        "zero": (ten, 0, 4, 0),
        "none": ([], 8, 4, 0),
    }
    for label, (pending, batch, members, count) in choices.items():
        fields = {"pending": [one.hex() for one in pending], "batch": batch, "members": members}
        out = b.add(f"choose/{label}", "How many transactions a member proposes, and from which it chooses.", "abft.choose", **fields)
        assert out["count"] == count, label


def epochs(w):
    """Whole epochs: the messages that member 0 gets, and its output."""
    mine = {member: [b"of %d" % member, b"common", b"also of %d" % member] for member in range(w.n)}
    plain = {member: abft.write_batch(batch) for member, batch in mine.items()}

    def case(label, description, epoch, values, senders, proposers, faults=(), shares=()):
        """`proposers` are those of the output's transactions, in order."""
        encrypted = label.startswith("encrypted")
        sent = w.epoch_messages(epoch, values, senders) + list(shares)
        out = w.add(f"epoch/{label}", description, "abft.epoch", epoch=str(epoch), encrypted=encrypted, messages=sent)
        assert [one["proposer"] for one in out["ordered"]] == proposers, (label, out)
        assert out["faults"] == list(faults), (label, out)

    case("first", "Epoch 0 begins with member 0; the second common transaction is left out.", 0, plain, (0, 1, 2), [0, 0, 0, 1, 1, 2, 2])
    case("second", "Epoch 1 begins with member 1.", 1, plain, (0, 1, 3), [1, 1, 1, 3, 3, 0, 0])
    case("seventh", "Epoch 7 begins with member 3, which is not in the subset.", 7, plain, (0, 1, 2), [0, 0, 0, 1, 1, 2, 2])
    case("last", "The highest epoch begins with member 3.", TOP64, plain, (1, 2, 3), [3, 3, 3, 1, 1, 2, 2])
    bad = plain | {2: u32(1) + u32(9) + b"abc"}
    case("no-batch", "A value that is no batch counts as empty.", 0, bad, (1, 2, 3), [1, 1, 1, 3, 3], [2])
    repeated = plain | {1: abft.write_batch([b"x", b"x", b"y", b"x"])}
    case("repeated", "Repetitions in a batch are left out.", 1, repeated, (1, 2, 3), [1, 1, 2, 2, 2, 3, 3])
    sealed = {member: w.encrypt(0, member, text) for member, text in plain.items()}
    opening = w.decryptions(0, sealed, (0, 1, 2))
    case("encrypted", "The batches are encrypted.", 0, sealed, (0, 1, 2), [0, 0, 0, 1, 1, 2, 2], shares=opening)

    def empty(label, description, values, opened, at_fault=1):
        """The value of one member of the subset 0, 1, 2 counts as empty; shares are sent for the opened ones."""
        proposers = [0, 0, 0, 2, 2] if at_fault == 1 else [0, 0, 0, 1, 1]
        shares = w.decryptions(0, values, opened)
        case(f"encrypted-{label}", description, 0, values, (0, 1, 2), proposers, [at_fault], shares)

    empty("copied", "A member proposes another one's ciphertext.", sealed | {1: sealed[0]}, (0, 2))
    empty("other-epoch", "The ciphertext of another epoch.", sealed | {1: w.encrypt(1, 1, plain[1])}, (0, 2))
    empty("no-batch", "A plaintext that is no batch.", sealed | {1: w.encrypt(0, 1, b"\x09no batch")}, (0, 1, 2))
    empty("not", "A value that is no ciphertext.", sealed | {2: plain[2]}, (0, 1), 2)
    broken = w.encrypt(0, 1, plain[1], broken=True)
    empty("broken", "A payload that does not open.", sealed | {1: broken}, (0, 1, 2))
