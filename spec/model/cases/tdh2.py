"""tdh2.json: threshold encryption."""

from .. import chacha20poly1305, dleq, tdh2
from ..book import Book
from ..ristretto import GENERATOR, ORDER, add, decode, encode, mul, neg, total
from ..wire import u16, u32, u64
from .common import flip
from .shares import BAD_ELEMENTS, ELSEWHERE, deal, key_cases, moved, negated_encoding, put, share_cases, stream

EPOCH, PROPOSER = 12, 3
KEYS, SHARES = deal(tdh2.PURPOSE, 3, 7)
PLAINTEXT = b"pay 5 to Bob"
RANDOM = stream("encryption", 160)
CIPHERTEXT = tdh2.encrypt(KEYS, EPOCH, PROPOSER, PLAINTEXT, RANDOM)
FIELDS = {"epoch": str(EPOCH), "proposer": PROPOSER, "ciphertext": CIPHERTEXT.encode().hex()}
# Offsets of the fields.
C, U, U_BAR, E, F, LABEL, PAYLOAD = 0, 32, 64, 96, 128, 160, 238


def book():
    b = Book("tdh2", "TDH2: public encryption, decryption by t members; the ciphertext is checked before any share.")
    key_cases(b, "tdh2", tdh2.PURPOSE, KEYS, SHARES)
    encrypting(b)
    checking(b)
    other = tdh2.encrypt(KEYS, EPOCH, PROPOSER, b"another", stream("other encryption", 160))
    instance, elsewhere = (c.check(KEYS, EPOCH, PROPOSER) for c in (CIPHERTEXT, other))
    other_fields = {**FIELDS, "ciphertext": other.encode().hex()}
    good, bad = share_cases(b, "tdh2", KEYS, SHARES, instance, elsewhere, FIELDS, other_fields)
    relabelled(b)
    decrypting(b, good, bad, elsewhere)
    sessions(b, good, bad)
    return b


def encrypting(b):
    for label, plaintext in (("short", PLAINTEXT), ("empty", b""), ("blocks", bytes(range(200)))):
        b.add(
            f"encrypt/{label}",
            "Encryption with these random bytes.",
            "tdh2.encrypt",
            keys=KEYS.encode().hex(),
            epoch=str(EPOCH),
            proposer=PROPOSER,
            plaintext=plaintext.hex(),
            random=RANDOM.hex(),
        )
    data = KEYS.encode()[:65]
    for label, description, key, expect in (
        ("good", "The encryption key for clients.", data, "ok"),
        ("other-purpose", "A key of a coin.", put(data, 0, b"\x02"), "WRONG_CONTEXT"),
        ("truncated", "A byte is missing.", data[:-1], "MALFORMED"),
        ("extended", "An additional byte.", data + b"\0", "MALFORMED"),
        *((f"h-{label}", "H is not a group element.", put(data, 33, bad), code) for label, (bad, code) in BAD_ELEMENTS.items()),
    ):
        b.add(f"encryption-key/{label}", description, "tdh2.encryption_key", expect, encryption_key=key.hex())


def check(b, label, description, data, expect="BAD_CIPHERTEXT", epoch=EPOCH, proposer=PROPOSER, keys=KEYS):
    data = data if isinstance(data, bytes) else data.encode()
    fields = {"epoch": str(epoch), "proposer": proposer, "ciphertext": data.hex()}
    return b.add(f"check/{label}", description, "tdh2.check", expect, keys=keys.encode().hex(), **fields)


def scalars(*changes):
    """Returns the ciphertext with scalars and elements replaced."""
    data = CIPHERTEXT.encode()
    for at, value in changes:
        data = put(data, at, value.to_bytes(32, "little") if isinstance(value, int) else encode(value))
    return data


def checking(b):
    data = CIPHERTEXT.encode()
    u, u_bar, e, f = decode(CIPHERTEXT.u), decode(CIPHERTEXT.u_bar), CIPHERTEXT.e, CIPHERTEXT.f
    a, g_bar = 3, tdh2.g_bar()
    check(b, "good", "Valid.", data, "ok")

    # Changes that would decrypt another ciphertext if members returned shares for them.
    check(b, "scaled", "u and u-bar multiplied by a scalar.", scalars((U, mul(a, u)), (U_BAR, mul(a, u_bar))))
    check(b, "scaled-with-f", "u, u-bar and f multiplied by a scalar.", scalars((U, mul(a, u)), (U_BAR, mul(a, u_bar)), (F, a * f % ORDER)))
    shifted = scalars((U, add(u, mul(a, GENERATOR))), (U_BAR, add(u_bar, mul(a, g_bar))), (F, (f + a * e) % ORDER))
    check(b, "shifted", "u and u-bar shifted, and f adjusted so that the commitments do not change.", shifted)
    check(b, "negated", "u and u-bar negated.", scalars((U, neg(u)), (U_BAR, neg(u_bar))))
    check(b, "u-alone", "u multiplied by a scalar, u-bar unchanged.", scalars((U, mul(a, u))))
    check(b, "u-bar-alone", "u-bar with another logarithm.", scalars((U_BAR, add(u_bar, g_bar))))
    check(b, "swapped", "u and u-bar swapped.", scalars((U, u_bar), (U_BAR, u)))
    check(b, "other-c", "Another wrapped key.", flip(data, C))
    check(b, "other-e", "Another e.", flip(data, E))
    check(b, "other-f", "Another f.", scalars((F, (f + 1) % ORDER)))
    unequal = tdh2.read(data)
    unequal.u_bar = encode(mul(7, g_bar))
    unequal.prove(KEYS.key, dleq.wide(RANDOM[32:96]), 5)
    check(b, "unequal", "A proof by the rules, but the logarithms of u and u-bar differ.", unequal)

    # Labels.
    check(b, "other-epoch", "Another epoch than requested.", data, "WRONG_CONTEXT", epoch=EPOCH + 1)
    check(b, "other-proposer", "Another proposer than requested.", data, "WRONG_CONTEXT", proposer=PROPOSER + 1)
    elsewhere, _ = deal(tdh2.PURPOSE, 3, 7, ELSEWHERE, "elsewhere")
    check(b, "other-committee", "A label of another committee.", data, "WRONG_CONTEXT", keys=elsewhere)
    redealt, _ = deal(tdh2.PURPOSE, 3, 7, name="dealt again")
    check(b, "dealt-again", "A label of this committee under another H.", data, keys=redealt)
    at = LABEL + 32
    check(b, "epoch-rewritten", "The label matches the requested epoch.", put(data, at, u64(EPOCH + 1)), epoch=EPOCH + 1)
    check(b, "proposer-rewritten", "The label matches the requested proposer.", put(data, at + 8, u16(PROPOSER + 1)), proposer=PROPOSER + 1)
    check(b, "committee-rewritten", "The label matches the requested committee.", put(data, LABEL, ELSEWHERE), keys=elsewhere)

    # Payloads.
    for at, what in ((PAYLOAD, "commitment"), (PAYLOAD + 32, "cipher"), (len(data) - 1, "tag")):
        tampered = flip(data, at)
        check(b, f"payload-{what}", "A byte of the payload changed.", tampered)
        rehashed = put(tampered, LABEL + 42, dleq.h("tdh2-payload", tampered[PAYLOAD:]))
        check(b, f"payload-{what}-rehashed", "The payload and its hash in the label changed.", rehashed)

    # Bytes.
    for at, what in ((U, "u"), (U_BAR, "u-bar")):
        for label, (bad, code) in BAD_ELEMENTS.items():
            check(b, f"{what}-{label}", "Not a group element.", put(data, at, bad), code)
        check(b, f"{what}-negative", "The negative square root.", put(data, at, negated_encoding(data[at : at + 32])), "NON_CANONICAL")
    check(b, "e-long", "e of more than 128 bits.", flip(data, E + 16), "NON_CANONICAL")
    check(b, "e-order", "e plus the group order.", scalars((E, e + ORDER)), "NON_CANONICAL")
    check(b, "f-order", "f is the group order.", scalars((F, ORDER)), "NON_CANONICAL")
    check(b, "f-above-order", "f plus the group order.", scalars((F, f + ORDER)), "NON_CANONICAL")
    check(b, "payload-short", "A payload shorter than its overhead.", data[: PAYLOAD - 4] + u32(47) + bytes(47), "MALFORMED")
    check(b, "payload-huge", "A payload above the maximum length.", put(data, PAYLOAD - 4, u32(tdh2.MAX_PLAINTEXT + 49)), "TOO_LARGE")
    check(b, "truncated", "A byte is missing.", data[:-1], "MALFORMED")
    check(b, "header-only", "No payload.", data[: PAYLOAD - 4], "MALFORMED")
    check(b, "extended", "An additional byte.", data + b"\0", "MALFORMED")
    check(b, "empty", "No bytes.", b"", "MALFORMED")


def relabelled(b):
    """Adds cases of one u under two labels, which only its author can create: equal shares, different proofs."""
    other = tdh2.encrypt(KEYS, EPOCH + 1, PROPOSER, PLAINTEXT, RANDOM)
    assert other.u == CIPHERTEXT.u
    share = SHARES[0].prove(CIPHERTEXT.check(KEYS, EPOCH, PROPOSER), bytes(32))
    fields = {"epoch": str(EPOCH + 1), "proposer": PROPOSER, "ciphertext": other.encode().hex()}
    output = b.add(
        "shares/other-epoch",
        "A share for the same u in another epoch.",
        "tdh2.verify_shares",
        keys=KEYS.encode().hex(),
        **fields,
        shares=[share.encode().hex()],
    )
    assert [fault["member"] for fault in output["faults"]] == [0]


def decrypting(b, good, bad, elsewhere):
    def case(label, description, shares, expect="ok", ciphertext=CIPHERTEXT):
        fields = {**FIELDS, "ciphertext": ciphertext.encode().hex()}
        listed = [share.encode().hex() for share in shares]
        return b.add(
            f"decrypt/{label}", description, "tdh2.decrypt", expect, keys=KEYS.encode().hex(), **fields, shares=listed
        )

    for members in ([0, 1, 2], [6, 3, 0], [0, 1, 2, 3, 4, 5, 6]):
        name = "-".join(map(str, members))
        assert case(name, "A sufficient number of shares.", [good[i] for i in members])["plaintext"] == PLAINTEXT.hex()
    case("too-few", "Too few shares.", good[:2], "BELOW_QUORUM")
    case("none", "No shares.", [], "BELOW_QUORUM")
    case("duplicate", "A member's share twice.", [good[0], good[1], good[1]], "DUPLICATE_SIGNER")
    case("one-wrong", "A sufficient number, but one is invalid.", [good[0], good[1], bad], "BELOW_QUORUM")
    case("wrong-left-out", "A sufficient number without the invalid one.", [good[0], moved(good[4]), good[1], good[3]])
    other = SHARES[2].prove(elsewhere, bytes(32))
    case("other-ciphertext", "One share is for another ciphertext.", [good[0], good[1], other], "BELOW_QUORUM")


def broken(payload):
    """Adds cases of a malicious author: a valid proof over an arbitrary payload."""
    return tdh2.encrypt(KEYS, EPOCH, PROPOSER, b"", RANDOM, payload)


def sessions(b, good, bad):
    def case(label, description, shares, expected, ciphertext=CIPHERTEXT):
        fields = {**FIELDS, "ciphertext": ciphertext.encode().hex()}
        output = b.add(
            f"session/{label}",
            description,
            "tdh2.session",
            keys=KEYS.encode().hex(),
            **fields,
            shares=[share.encode().hex() for share in shares],
        )
        got = [(step["output"], step["faults"]) for step in output["outcomes"]]
        assert got == expected, (label, got)

    opened, quiet = (PLAINTEXT.hex(), []), (None, [])
    case("good", "The third share decrypts; later ones are ignored.", [good[i] for i in (4, 0, 6, 1)], [quiet, quiet, opened, quiet])
    case("again", "One share, repeated.", [good[0], good[0], good[1], good[0], good[2]], [quiet] * 4 + [opened])
    case(
        "wrong",
        "An invalid share is dropped, reported, and replaced by another member's.",
        [good[0], bad, good[1], good[3]],
        [quiet, quiet, (None, [2]), opened],
    )
    case(
        "wrong-last",
        "The third and the fourth share are invalid.",
        [good[0], good[1], bad, moved(good[5]), good[6]],
        [quiet, quiet, (None, [2]), (None, [5]), opened],
    )
    case(
        "forged-first",
        "A forged share does not block the member's valid one.",
        [moved(good[0]), good[0], good[1], good[2]],
        [quiet, (None, [0]), quiet, opened],
    )
    case(
        "forged-later",
        "A later forged share does not block it either.",
        [good[0], moved(good[0]), good[1], good[2]],
        [quiet, quiet, quiet, opened],
    )
    non_member = dleq.Share(tdh2.PURPOSE, 7, good[0].point, good[0].a1, good[0].a2, good[0].z)
    case("non-member", "The index of no member.", [non_member], [("UNKNOWN_SIGNER", [])])
    for label, payload in (
        ("other-key", tdh2.seal(bytes(32), PLAINTEXT)),
        ("other-tag", flip(CIPHERTEXT.payload, len(CIPHERTEXT.payload) - 1)),
    ):
        ciphertext = broken(payload)
        instance = ciphertext.check(KEYS, EPOCH, PROPOSER)
        shares = [share.prove(instance, bytes(32)) for share in SHARES]
        never = ("BAD_CIPHERTEXT", [])
        case(
            f"author-{label}",
            "The author's payload is invalid: it is detected once, and no member is blamed.",
            [shares[0], shares[1], shares[2], shares[3]],
            [quiet, quiet, never, quiet],
            ciphertext,
        )
        with_wrong = [shares[0], moved(shares[1]), shares[2], shares[3]]
        expected = [quiet, quiet, (None, [1]), never]
        if label == "other-tag":
            assert tdh2.payload_keys(RANDOM[:32])[1] == payload[:32]
        case(f"author-{label}-and-wrong", "The same with an invalid share.", with_wrong, expected, ciphertext)
    two_keys(case, quiet)


def two_keys(case, quiet):
    """Adds cases of an author that colludes with member 2: the payload decrypts under the wrapped key and, by the cipher's
    tag, under the key of an invalid share of member 2. Only the commitment distinguishes the two."""
    plain = tdh2.encrypt(KEYS, EPOCH, PROPOSER, PLAINTEXT, RANDOM)
    members = [0, 1, 2]
    coefficients = dleq.lagrange(members)
    honest = [decode(dleq.times(plain.u, SHARES[i].secret)) for i in members]
    # The three shares shall give an arbitrary element; the invalid share makes up the difference.
    wanted = mul(1234567, GENERATOR)
    rest = total(zip(coefficients[:2], honest[:2]))
    steered = encode(mul(pow(coefficients[2], -1, ORDER), add(wanted, neg(rest))))
    first, second = RANDOM[:32], plain.unwrap(wanted)
    (key1, commitment), (key2, _) = tdh2.payload_keys(first), tdh2.payload_keys(second)
    body = colliding(key1, key2)
    payload = commitment + body
    meant = [chacha20poly1305.decrypt(key, tdh2.NONCE, b"", body) for key in (key1, key2)]
    assert None not in meant and meant[0] != meant[1]
    ciphertext = tdh2.encrypt(KEYS, EPOCH, PROPOSER, b"", RANDOM, payload)
    assert (ciphertext.u, ciphertext.wrapped) == (plain.u, plain.wrapped)
    instance = ciphertext.check(KEYS, EPOCH, PROPOSER)
    shares = [share.prove(instance, bytes(32)) for share in SHARES]
    wrong = dleq.Share(tdh2.PURPOSE, 2, steered, shares[2].a1, shares[2].a2, shares[2].z)
    case(
        "two-keys",
        "A payload that decrypts under two keys, and a share that leads to the second key.",
        [shares[0], shares[1], wrong, shares[3]],
        [quiet, quiet, (None, [2]), (meant[0].hex(), [])],
        ciphertext,
    )


def colliding(key1, key2):
    """Returns two blocks and a tag that ChaCha20-Poly1305 accepts under both keys. The first block solves the equation of
    the two tags; the second is varied until the solution is a block."""
    p = 2**130 - 5
    halves = [chacha20poly1305.block(key, 0, tdh2.NONCE)[:32] for key in (key1, key2)]
    (r1, s1), (r2, s2) = (
        (int.from_bytes(h[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF, int.from_bytes(h[16:], "little"))
        for h in halves
    )
    lengths = (32 << 64) + 2**128
    inverse = pow(r1**3 - r2**3, -1, p)
    for tried in range(1000):
        last = tried + 2**128
        known = (last * (r1**2 - r2**2) + lengths * (r1 - r2)) % p
        for carry in range(-4, 5):
            block = ((s2 - s1 + carry * 2**128) - known) * inverse % p
            if 2**128 <= block < 2**129:
                body = (block - 2**128).to_bytes(16, "little") + tried.to_bytes(16, "little")
                tags = [chacha20poly1305.tag(key, tdh2.NONCE, b"", body) for key in (key1, key2)]
                if tags[0] == tags[1]:
                    return body + tags[0]
    raise AssertionError
