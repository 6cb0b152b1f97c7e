"""ed25519.json: suite 3 and its verification rule."""

from .. import ed25519 as e
from ..book import Book
from ..wire import POSSESSION_ED25519
from .common import flip, key_pair, secret

SUITE = 3


def book():
    b = Book("ed25519", "Ed25519 under the cofactored rule of spec/ed25519.md.")
    keys(b)
    signatures(b)
    torsion(b)
    possessions(b)
    return b


def keys(b):
    for length in (31, 33):
        b.add(
            f"secret-{length}-bytes",
            "A seed has 32 bytes.",
            "secret_key.decode",
            "MALFORMED",
            suite=SUITE,
            secret="11" * length,
        )
    b.add("secret", "Any 32 bytes are a seed.", "secret_key.decode", suite=SUITE, secret="ff" * 32)

    def case(label, description, data, expect):
        b.add(f"key-{label}", description, "public_key.decode", expect, suite=SUITE, public_key=data.hex())

    case("good", "An ordinary key.", key_pair(SUITE, 0)[2], "ok")
    for i, point in enumerate(e.SMALL_ORDER):
        case(f"small-order-{i}", "One of the eight points whose order divides 8.", e.compress(point), "INFINITY")
    mixed = e.add(e.decompress(key_pair(SUITE, 0)[2]), e.TORSION)
    case(
        "mixed-order",
        "A valid key plus a point of order 8: the cofactored rule ignores the torsion.",
        e.compress(mixed),
        "ok",
    )
    for value in (e.P, e.P + 1, e.P + 18):
        for sign in (0, 1):
            data = (value | sign << 255).to_bytes(32, "little")
            case(f"y-is-p-plus-{value - e.P}-sign-{sign}", "y is not below the field's prime.", data, "NON_CANONICAL")
    for label, y in (("one", 1), ("minus-one", e.P - 1)):
        case(
            f"negative-zero-{label}",
            "x is zero and its sign bit is set.",
            (y | 1 << 255).to_bytes(32, "little"),
            "NON_CANONICAL",
        )
    off = next(y for y in range(2, 100) if e.decompress(y.to_bytes(32, "little")) is None)
    case("not-on-curve", "No point has this y.", off.to_bytes(32, "little"), "MALFORMED")
    case("short", "31 bytes.", key_pair(SUITE, 0)[2][:-1], "MALFORMED")
    case("long", "33 bytes.", key_pair(SUITE, 0)[2] + b"\0", "MALFORMED")


def forge(secret_scalar, key, nonce, message, r_torsion=0):
    """Signs for the given key bytes with a nonce point that has a torsion component."""
    r = e.compress(e.add(e.mul(nonce, e.BASE), e.SMALL_ORDER[r_torsion]))
    s = (nonce + e.challenge(r, key, message) * secret_scalar) % e.L
    return r + s.to_bytes(32, "little")


def verify(b, name, description, key, message, signature, expect="ok"):
    b.add(
        name,
        description,
        "verify",
        expect,
        suite=SUITE,
        public_key=key.hex(),
        message=message.hex(),
        signature=signature.hex(),
    )


def signatures(b):
    scheme, value, key = key_pair(SUITE, 0)
    for label, message in (("empty", b""), ("abc", b"abc"), ("long", bytes(range(256)))):
        made = b.add(
            f"sign-{label}",
            "Deterministic, as in RFC 8032.",
            "sign",
            suite=SUITE,
            secret=secret(SUITE, 0).hex(),
            message=message.hex(),
        )
        verify(b, f"verify-{label}", "Valid.", key, message, bytes.fromhex(made["signature"]))
    good = scheme.sign(value, b"abc")
    r, s = good[:32], int.from_bytes(good[32:], "little")
    verify(b, "other-message", "Another message.", key, b"abd", good, "BAD_SIGNATURE")
    verify(b, "other-key", "Another key.", key_pair(SUITE, 1)[2], b"abc", good, "BAD_SIGNATURE")
    verify(b, "s-changed", "A bit of s changed.", key, b"abc", flip(good, 32), "BAD_SIGNATURE")
    verify(b, "s-negated", "−s.", key, b"abc", r + (e.L - s).to_bytes(32, "little"), "BAD_SIGNATURE")
    verify(
        b,
        "s-plus-order",
        "s + ℓ: the same number modulo ℓ, other bytes.",
        key,
        b"abc",
        r + (s + e.L).to_bytes(32, "little"),
        "NON_CANONICAL",
    )
    verify(b, "s-is-order", "s = ℓ.", key, b"abc", r + e.L.to_bytes(32, "little"), "NON_CANONICAL")
    verify(b, "s-max", "All bits of s set.", key, b"abc", r + b"\xff" * 32, "NON_CANONICAL")
    off = next(y for y in range(2, 100) if e.decompress(y.to_bytes(32, "little")) is None).to_bytes(32, "little")
    verify(
        b,
        "r-not-on-curve",
        "R is not a point; detected by verification.",
        key,
        b"abc",
        off + good[32:],
        "BAD_SIGNATURE",
    )
    beyond = (e.P + 3).to_bytes(32, "little")
    verify(
        b, "r-above-p", "The y of R is not below the field's prime.", key, b"abc", beyond + good[32:], "NON_CANONICAL"
    )
    b.add("signature-short", "63 bytes.", "signature.decode", "MALFORMED", suite=SUITE, signature=good[:-1].hex())
    b.add("signature-long", "65 bytes.", "signature.decode", "MALFORMED", suite=SUITE, signature=(good + b"\0").hex())


def torsion(b):
    """Adds cases on which implementations of Ed25519 disagree."""
    scheme, value, key = key_pair(SUITE, 0)
    scalar, _ = e.expand(value)
    nonce = 1234567
    for i in (1, 2, 4):
        order = 8 // i
        signature = forge(scalar, key, nonce, b"abc", i)
        verify(
            b,
            f"r-with-torsion-of-order-{order}",
            "R carries torsion: 8 times the equation holds, the equation itself does not. Libraries that check it "
            "without the factor refuse this, and their batches accept it now and then.",
            key,
            b"abc",
            signature,
        )
    mixed = e.compress(e.add(e.decompress(key), e.TORSION))
    for label, want in (("divisible", True), ("not-divisible", False)):
        n = next(
            n for n in range(1, 1000) if (e.challenge(e.compress(e.mul(n, e.BASE)), mixed, b"abc") % 8 == 0) is want
        )
        verify(
            b,
            f"key-with-torsion-k-{label}",
            "The key has a torsion component; divisibility of k by 8 does not matter.",
            mixed,
            b"abc",
            forge(scalar, mixed, n, b"abc"),
        )
    verify(b, "both-with-torsion", "Key and R have torsion components.", mixed, b"abc", forge(scalar, mixed, nonce, b"abc", 3))
    verify(
        b,
        "both-with-torsion-wrong",
        "The same over another message.",
        mixed,
        b"abd",
        forge(scalar, mixed, nonce, b"abc", 3),
        "BAD_SIGNATURE",
    )
    # R of small order is fine: s·B = R + k·A with R torsion is a signature with the nonce zero (it gives the key
    # away, but it is one).
    for i in (0, 1, 4):
        verify(
            b,
            f"r-small-order-{i}",
            "R has small order: the nonce is zero.",
            key,
            b"abc",
            forge(scalar, key, 0, b"abc", i),
        )
    for i in (0, 1, 4):
        small = e.compress(e.SMALL_ORDER[i])
        verify(
            b,
            f"verify-key-small-order-{i}",
            "A key of small order would make (R, s) = (s·B, s) valid for every message.",
            small,
            b"abc",
            e.compress(e.mul(5, e.BASE)) + (5).to_bytes(32, "little"),
            "INFINITY",
        )


def possessions(b):
    scheme, value, key = key_pair(SUITE, 0)
    b.add(
        "possession-prove",
        "A signature of the domain string and the key.",
        "possession.prove",
        suite=SUITE,
        secret=secret(SUITE, 0).hex(),
    )

    def case(label, description, possession, expect, with_key=key):
        b.add(
            f"possession-{label}",
            description,
            "possession.verify",
            expect,
            suite=SUITE,
            public_key=with_key.hex(),
            possession=possession.hex(),
        )

    good = scheme.prove_possession(value)
    assert good == scheme.sign(value, POSSESSION_ED25519.encode() + key)
    case("good", "Valid.", good, "ok")
    case("of-another", "The proof of another key.", good, "BAD_POSSESSION", key_pair(SUITE, 1)[2])
    case(
        "plain-signature",
        "A signature of the key without the domain string.",
        scheme.sign(value, key),
        "BAD_POSSESSION",
    )
