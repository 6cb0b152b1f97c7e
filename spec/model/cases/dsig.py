"""dsig.json: hybrid signatures, the state of a verifier, and evidence of key reuse."""

from .. import dsig as d
from .. import ed25519 as e
from ..book import Book
from ..wire import blob, u8, u16, u32
from .common import flip, key_pair, secret

SEED, FRESH, TIME = bytes([0x5E] * 32), bytes(range(32)), 1_000_000
SIGNER = key_pair(3, 70)[2]
OTHER = key_pair(3, 71)[2]
NAMES = {
    1: "wots-haraka-512",
    2: "wots-haraka-256",
    3: "wots-blake3",
    4: "wots-blake3-256",
    5: "hors-f-blake3",
    6: "hors-m-blake3",
    7: "hors-f-haraka-256",
    8: "hors-m-haraka-256",
    9: "wots-sha-256",
    10: "hors-f-sha-256",
    11: "hors-m-sha-256",
}
# A message of one block with its prefix, one more, and one of more than a chunk.
MESSAGES = (b"", b"SET key value", b"14 bytes long.", b"15 bytes long..", b"m" * 2000)


def book():
    b = Book("dsig", "DSig: one-time keys in batches that Ed25519 signs.")
    signing(b)
    refusals(b)
    wide(b)
    hors(b, 5)
    hors(b, 6)
    announcements(b)
    sessions(b)
    evidence(b)
    return b


def batch(suite, log2=1, number=70, fresh=FRESH):
    return d.batch(suite, secret(3, number), SEED, fresh, TIME, log2)


def signing(b):
    for suite, name in NAMES.items():
        log2 = 2 if suite == 3 else 0 if d.SUITES[suite].signature_len == 4608 else 1
        b.add(
            f"{name}/sign",
            "A batch, and the signatures of its first keys.",
            "dsig.sign",
            suite=suite,
            secret=secret(3, 70).hex(),
            seed=SEED.hex(),
            fresh=FRESH.hex(),
            time=str(TIME),
            log2=log2,
            messages=[message.hex() for message in (MESSAGES[1:5] if suite == 3 else MESSAGES[1:2])],
        )
        made = batch(suite, log2)
        verify(b, f"{name}/verify", "Valid.", suite, made.sign(0, b"GET key"), b"GET key")
        if suite in (3, 4):
            verify(b, f"{name}/verify-empty", "An empty message.", suite, made.sign(1, b""), b"")
    seven = batch(3, 7)
    verify(b, "wots-blake3/last-of-128", "The last key of the largest batch.", 3, seven.sign(127, b"m"), b"m")


def verify(b, name, description, suite, signature, message=b"m", expect="ok", key=SIGNER):
    data = signature if isinstance(signature, bytes) else signature.encode()
    fields = {"public_key": key.hex(), "message": message.hex(), "signature": data.hex()}
    b.add(name, description, "dsig.verify", expect, suite=suite, **fields)


def altered(signature, **fields):
    values = {**vars(signature), **fields}
    return d.Signature(*(values[field] for field in vars(signature)))


def refusals(b):
    suite = 3
    name, made = NAMES[suite], batch(suite, 2)
    good = made.sign(1, b"m")
    data = good.encode()

    def case(label, description, signature, expect="BAD_SIGNATURE", message=b"m", key=SIGNER, suite=suite):
        verify(b, f"{name}/{label}", description, suite, signature, message, expect, key)

    case("other-message", "Another message.", good, message=b"n")
    case("other-signer", "Another signer: the Ed25519 signature covers its signer.", good, key=OTHER)
    case("other-suite", "Bytes of another suite.", data, "WRONG_CONTEXT", suite=suite - 1)
    case("suite-relabelled", "The byte of another suite with the same length.", u8(suite - 1) + data[1:], suite=suite - 1)
    case("unknown-suite", "An unknown suite.", b"\x7f" + data[1:], "WRONG_CONTEXT")
    case("batch-too-large", "A batch of 256.", flip(data, 1, 2 ^ 8), "MALFORMED")
    case("batch-smaller", "A smaller batch: there is a sibling above the root.", flip(data, 1, 2 ^ 1), "NON_CANONICAL")
    larger = altered(good, log2=3, siblings=[*good.siblings, bytes(32)])
    case("batch-larger", "A larger batch: zeros are not a sibling.", larger)
    case("index-out-of-batch", "The first index past the batch.", data[:2] + u16(4) + data[4:], "MALFORMED")
    case("index-far-out", "Index 65,535.", data[:2] + u16(65535) + data[4:], "MALFORMED")
    case("other-index", "Another index of the batch.", data[:2] + u16(2) + data[4:])
    for at in (4, 7, 52, 55):
        case(f"reserved-{at}", "A reserved byte is not zero.", flip(data, at), "NON_CANONICAL")
    for at in (200, 231, 359):
        case(f"above-root-{at}", "A byte above the root is not zero.", flip(data, at), "NON_CANONICAL")
    case("other-root", "A root without a signature.", flip(data, 8))
    case("other-salt", "Another salt changes the chains.", flip(data, 40))
    case("other-nonce", "Another nonce changes the digest.", flip(data, 56))
    case("other-r", "R of the Ed25519 signature changed.", flip(data, 72))
    case("other-s", "s of the Ed25519 signature changed.", flip(data, 104))
    high = (int.from_bytes(good.eddsa[32:], "little") + e.L).to_bytes(32, "little")
    case("s-above-order", "s and the group order: not canonical.", altered(good, eddsa=good.eddsa[:32] + high))
    for level in range(2):
        case(f"other-sibling-{level}", "A sibling changed.", flip(data, 136 + 32 * level))
    case("siblings-swapped", "Siblings in the other order.", altered(good, siblings=good.siblings[::-1]))
    case("truncated-path", "A missing sibling: the following bytes move up.", data[:136] + data[168:], "NON_CANONICAL")
    case("truncated", "A byte is missing.", data[:-1], "MALFORMED")
    case("extended", "An additional byte.", data + b"\0", "MALFORMED")
    case("empty", "No bytes.", b"", "MALFORMED")
    chains(case, good)
    other = made.sign(2, b"m")
    case("other-key", "Another key's one-time signature.", altered(good, one_time=other.one_time))
    case("other-keys-nonce", "Another key's nonce.", altered(good, nonce=other.nonce))
    foreign = batch(suite, 2, fresh=bytes(32))
    case("other-batch", "The Ed25519 signature of another batch.", altered(good, eddsa=foreign.announcement.eddsa))
    torsion(case, good)
    b.add(f"{name}/decode", "The fields of a signature.", "dsig.decode", suite=suite, signature=data.hex())


def chains(case, good):
    """Adds cases of changed W-OTS chains."""
    scheme, n, data = d.SUITES[good.suite], d.SUITES[good.suite].n, good.encode()
    values = d.split(good.one_time, n)
    digest = scheme.digits(good.digest(b"m"))
    for label, chain in (("digest", 0), ("checksum", scheme.message_digits)):
        place = next(i for i in range(chain, scheme.chains) if digest[i] < 3)
        advanced = list(values)
        advanced[place] = scheme.walk(values[place], place, digest[place], digest[place] + 1, good.salt)
        case(f"advanced-{label}", "A chain with one step too many.", altered(good, one_time=b"".join(advanced)))
    ends = [scheme.walk(x, i, s, 3, good.salt) for i, (x, s) in enumerate(zip(values, digest))]
    case("all-ends", "All chains at their ends.", altered(good, one_time=b"".join(ends)))
    swapped = [values[1], values[0], *values[2:]]
    case("swapped", "Two chains are swapped.", altered(good, one_time=b"".join(swapped)))
    case("last-byte", "The last byte changed.", flip(data, len(data) - 1))


def wide(b):
    """Adds cases of suite 4, whose digests and values are longer."""
    name, made = NAMES[4], batch(4, 1)
    good = made.sign(1, b"m")
    data, scheme = good.encode(), d.SUITES[4]

    def case(label, description, signature, expect="BAD_SIGNATURE", message=b"m", suite=4):
        verify(b, f"{name}/{label}", description, suite, signature, message, expect)

    case("other-message", "Another message.", good, message=b"n")
    case("other-suite", "Bytes of another suite.", data, "WRONG_CONTEXT", suite=3)
    case("suite-relabelled", "The byte of a suite with shorter signatures.", u8(3) + data[1:], "MALFORMED", suite=3)
    case("shorter-suite", "A length of suite 3's signatures.", data[:1584], "MALFORMED")
    case("truncated", "A byte is missing.", data[:-1], "MALFORMED")
    case("extended", "An additional byte.", data + b"\0", "MALFORMED")
    case("other-salt", "Another salt changes the chains.", flip(data, 40))
    case("other-nonce", "Another nonce changes the digest.", flip(data, 56))
    case("second-half", "A chain of the digest's second half changed.", flip(data, 360 + scheme.n * 100))
    case("last-checksum", "The last checksum chain changed.", flip(data, 360 + scheme.n * (scheme.chains - 1)))
    chains(case, good)
    # One step too far in the second half only: a verifier that reads half of the digest accepts it.
    digest, values = scheme.digits(good.digest(b"m")), d.split(good.one_time, scheme.n)
    place = next(i for i in range(64, 128) if digest[i] < 3)
    values[place] = scheme.walk(values[place], place, digest[place], digest[place] + 1, good.salt)
    case("advanced-second-half", "One step too many in the second half.", altered(good, one_time=b"".join(values)))


def torsion(case, good):
    """Adds cases of an R with a torsion component, which the cofactored rule of votes would accept."""
    scalar, prefix = e.expand(secret(3, 70))
    message = d.batch_bytes(good.suite, good.log2, SIGNER, good.root)
    r = int.from_bytes(prefix, "little") % e.L
    point = e.compress(e.add(e.mul(r, e.BASE), e.TORSION))
    s = (r + e.challenge(point, SIGNER, message) * scalar) % e.L
    eddsa = point + s.to_bytes(32, "little")
    e.ED25519.verify(SIGNER, message, eddsa)
    case("torsion-in-r", "R has a component of order 8, which batch verification would not detect.", altered(good, eddsa=eddsa))
    case("small-r", "R of small order and s zero.", altered(good, eddsa=e.compress(e.TORSION) + bytes(32)))


def hors(b, suite):
    name, scheme, made = NAMES[suite], d.SUITES[suite], batch(suite, 0)
    good = made.sign(0, b"m")
    data = good.encode()

    def case(label, description, signature, expect="BAD_SIGNATURE", message=b"m"):
        verify(b, f"{name}/{label}", description, suite, signature, message, expect)

    first = scheme.indices(good.digest(b"m"))[0]
    case("other-message", "Another message.", good, message=b"n")
    if suite == 5:
        case("other-secret", "A secret changed.", flip(data, 360 + 16 * first))
        starts, values = made.keys[0][2]
        public = b"".join(values)
        case("values-only", "All values and no secret.", altered(good, one_time=public))
        hidden = next(i for i in range(256) if i not in scheme.indices(good.digest(b"m")))
        case("other-value", "A value changed.", flip(data, 360 + 16 * hidden))
        parts = d.split(good.one_time, 16)
        parts[hidden] = starts[hidden]
        case("secret-too-many", "A secret instead of a value.", altered(good, one_time=b"".join(parts)))
    else:
        entry = scheme.signature_len // scheme.k - 32
        case("other-secret", "A secret changed.", flip(data, 360))
        case("other-neighbour", "A sibling value changed.", flip(data, 360 + 16))
        case("other-sibling", "A sibling node changed.", flip(data, 360 + entry - 1))
        case("other-root", "A root changed.", flip(data, len(data) - 1))
        paths, roots = good.one_time[: 16 * entry], good.one_time[16 * entry :]
        swapped = altered(good, one_time=paths + roots[32:] + roots[:32])
        case("roots-rotated", "The roots in another order.", swapped)
        split = d.split(paths, entry)
        swapped = altered(good, one_time=b"".join([split[1], split[0], *split[2:]]) + roots)
        case("paths-swapped", "Two paths are swapped.", swapped)
    case("truncated", "A byte is missing.", data[:-1], "MALFORMED")


def announcements(b):
    made = batch(3, 1).announcement
    data = made.encode()

    def case(label, description, data, expect="BAD_SIGNATURE", key=SIGNER, suite=3):
        fields = {"public_key": key.hex(), "announcement": data.hex()}
        b.add(f"announcement/{label}", description, "dsig.announcement", expect, suite=suite, **fields)

    case("good", "Valid.", data, "ok")
    case("one", "A batch of one: the root is the leaf.", batch(3, 0).announcement.encode(), "ok")
    case("other-signer", "Another signer.", data, key=OTHER)
    case("other-suite", "Another suite.", data, "WRONG_CONTEXT", suite=2)
    case("relabelled", "Another suite byte.", u8(2) + data[1:], suite=2)
    case("other-leaf", "A leaf changed.", flip(data, 68))
    case("leaves-swapped", "The leaves in the other order.", data[:68] + data[100:] + data[68:100])
    case("reserved", "A reserved byte is not zero.", flip(data, 2), "NON_CANONICAL")
    case("batch-too-large", "A batch of 256.", u8(3) + u8(8) + data[2:], "MALFORMED")
    case("leaf-missing", "A leaf is missing.", data[:-32], "MALFORMED")
    case("leaf-too-many", "An additional leaf.", data + bytes(32), "MALFORMED")
    case("smaller", "Half of the batch.", u8(3) + u8(0) + data[2:100])


def sessions(b):
    first, second, third = (batch(3, 1, fresh=bytes([i] * 32)) for i in (1, 2, 3))
    unadmitted = batch(3, 0, number=71)
    # The first batch's key 0 signs twice.
    signed = [(first.sign(0, b"a"), 0), (first.sign(0, b"b"), 1), (first.sign(1, b"a"), 0), (second.sign(0, b"a"), 0)]
    late = (third.sign(0, b"a"), 0)
    ambiguous = two_sizes(first, second)
    listed = {
        "signers": [SIGNER.hex(), OTHER.hex()],
        "messages": [b"a".hex(), b"b".hex()],
        "bytes": [x.announcement.encode().hex() for x in (first, second, third, unadmitted)]
        + [s.encode().hex() for s, _ in (*signed, late)]
        + [unadmitted.sign(0, b"a").encode().hex()]
        + [x.encode().hex() for x in ambiguous],
    }

    def announce(place, time=TIME, signer=0):
        return {"do": "announce", "signer": signer, "bytes": place, "time": str(time)}

    def fast(place, signer=0):
        return {"do": "fast", "signer": signer, "bytes": place}

    def check(place, message=0, signer=0):
        return {"do": "verify", "signer": signer, "bytes": place, "message": message}

    def case(label, description, steps, expected, admitted=1, announced=8, checked=8, burst=16, interval=200):
        output = b.add(
            f"session/{label}",
            description,
            "dsig.session",
            suite=3,
            admitted=admitted,
            announced=announced,
            checked=checked,
            burst=burst,
            interval=interval,
            **listed,
            steps=steps,
        )
        assert output["outcomes"] == expected, (label, output)

    case(
        "announced",
        "Announced batches verify fast, others slowly; a slow verification makes the root known.",
        [fast(4), announce(0), fast(4), check(4), fast(7), check(7), fast(7), check(7)],
        ["no", "ok", "yes", "ok", "no", "ok", "yes", "ok"],
    )
    case(
        "reuse",
        "A key's second digest is refused, its first is accepted again; announced before, between or never.",
        [check(4), check(4), check(5, 1), announce(0), check(5, 1), check(4), check(6), check(5, 0)],
        ["ok", "ok", "ONE_TIME_REUSE", "ok", "ONE_TIME_REUSE", "ok", "ok", "BAD_SIGNATURE"],
    )
    case(
        "oldest-goes",
        "The oldest announced batch is evicted, with the digests of its keys.",
        [announce(0), check(4), announce(1), fast(4), announce(2), fast(4), fast(7), fast(8), check(5, 1)],
        ["ok", "ok", "ok", "yes", "ok", "no", "yes", "yes", "ok"],
        announced=2,
    )
    case(
        "not-admitted",
        "A signer that was not admitted is refused, and its announcements are ignored.",
        [announce(3, signer=1), check(9, signer=1), fast(9, signer=1), announce(3), check(9)],
        ["WRONG_CONTEXT", "WRONG_CONTEXT", "no", "BAD_SIGNATURE", "BAD_SIGNATURE"],
    )
    case(
        "rate",
        "A burst of two, then one per interval, for valid and invalid announcements alike.",
        [announce(4, 0), announce(0, 0), announce(1, 0), announce(1, 199), announce(1, 200), announce(2, 399)],
        ["MALFORMED", "ok", "RATE_LIMITED", "RATE_LIMITED", "ok", "RATE_LIMITED"],
        burst=2,
    )
    case(
        "rate-rest",
        "The rest of an interval counts for the next one.",
        [announce(0, 0), announce(0, 399), announce(0, 400), announce(0, 599), announce(0, 600)],
        ["ok", "ok", "ok", "RATE_LIMITED", "ok"],
        burst=1,
    )
    case(
        "rate-clock-back",
        "After the clock is set back, intervals count from the new time.",
        [announce(0, 10_000), announce(0, 10_000), announce(0, 100), announce(0, 299), announce(0, 300)],
        ["ok", "RATE_LIMITED", "RATE_LIMITED", "RATE_LIMITED", "ok"],
        burst=1,
    )
    case(
        "rate-each",
        "A signer's rate limit does not affect other signers.",
        [announce(0), announce(0), announce(3, signer=1), fast(9, signer=1)],
        ["ok", "RATE_LIMITED", "ok", "yes"],
        admitted=2,
        burst=1,
    )
    # 10 and 11: a root announced as that of two leaves, and a signature by a key below its second leaf, as of four. 12
    # to 14: the same with the first leaf, and two keys with one index.
    case(
        "two-sizes",
        "One root is signed as that of two and of four leaves: each signature is valid in every state.",
        [check(11), announce(10), check(11), fast(11), check(11)],
        ["ok", "ok", "ok", "yes", "ok"],
    )
    case(
        "two-sizes-announced",
        "The same, with the batch of two leaves announced first.",
        [announce(10), fast(11), check(11), check(11), fast(11)],
        ["ok", "no", "ok", "ok", "yes"],
    )
    case(
        "two-sizes-one-index",
        "The second key of two and the second key of four differ: no reuse.",
        [announce(12), check(13), check(14, 1), check(13), check(14, 1), check(13, 1), check(14)],
        ["ok", "ok", "ok", "ok", "ok", "BAD_SIGNATURE", "BAD_SIGNATURE"],
    )


def two_sizes(above, below):
    """Returns roots over a leaf of one batch and the root of another, which a malicious signer signs for both sizes:
    the announcements, and the signatures of such keys."""

    def signed(made, place, log2, index, root, siblings, message):
        salt, nonce, key = made.keys[place]
        eddsa = e.ED25519.sign(secret(3, 70), d.batch_bytes(3, log2, SIGNER, root))
        signature = d.Signature(3, log2, index, root, salt, nonce, eddsa, siblings, b"")
        signature.one_time = d.SUITES[3].sign(key, signature.digest(message), salt)
        return signature

    def announced(leaves):
        eddsa = e.ED25519.sign(secret(3, 70), d.batch_bytes(3, 1, SIGNER, d.node(*leaves)))
        return d.Announcement(3, 1, eddsa, leaves)

    leaf, (one, other) = above.announcement.leaves[1], below.announcement.leaves
    inner = d.node(one, other)
    right, left = announced([leaf, inner]), announced([inner, leaf])
    return [
        right,
        signed(below, 0, 2, 2, right.root, [other, leaf], b"a"),
        left,
        signed(above, 1, 1, 1, left.root, [inner], b"a"),
        signed(below, 1, 2, 1, left.root, [one, leaf], b"b"),
    ]


def evidence(b):
    made = batch(3, 1)
    first, second, honest = made.sign(0, b"a"), made.sign(0, b"b"), made.sign(1, b"b")

    def case(label, description, signed, expect="NOT_EVIDENCE", signer=SIGNER, tail=b""):
        data = signer + b"".join(blob(m) + s.encode() for m, s in signed) + tail
        b.add(f"reuse/{label}", description, "dsig.reuse", expect, suite=3, evidence=data.hex())
        return data

    data = case("two-messages", "One key, two messages.", [(b"a", first), (b"b", second)], "ok")
    case("same", "The same signature twice.", [(b"a", first), (b"a", first)])
    case("two-keys", "Two keys.", [(b"a", first), (b"b", honest)])
    case("not-signed", "Another message than the signed one.", [(b"a", first), (b"c", second)])
    case("other-signer", "The keys of another signer.", [(b"a", first), (b"b", second)], "BAD_SIGNATURE", OTHER)
    case("extended", "An additional byte.", [(b"a", first), (b"b", second)], "MALFORMED", tail=b"\0")
    small = e.compress(e.TORSION)
    case("small-signer", "A key of small order.", [(b"a", first), (b"b", second)], "INFINITY", small)
    b.add("reuse/truncated", "A byte is missing.", "dsig.reuse", "MALFORMED", suite=3, evidence=data[:-1].hex())
    huge = SIGNER + u32((1 << 24) + 1)
    b.add("reuse/huge", "A message above the maximum length.", "dsig.reuse", "TOO_LARGE", suite=3, evidence=huge.hex())
