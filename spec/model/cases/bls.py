"""bls.json: suites 1 and 2."""

from ..book import Book
from ..committee import SCHEMES
from ..field import Fp, P, R
from . import ciphersuites
from .common import BLS_SUITES, NAMES, flip, key_pair, secret, small_order

MESSAGES = {"empty": b"", "abc": b"abc", "long": bytes(range(256))}


def book():
    b = Book("bls", "BLS keys, possession proofs, signatures and aggregates; suite 1 is MinSig, suite 2 is MinPk.")
    for suite in BLS_SUITES:
        secrets(b, suite)
        points(b, suite)
        signatures(b, suite)
        possessions(b, suite)
        aggregates(b, suite)
    ciphersuites.cases(b)
    return b


def secrets(b, suite):
    name = NAMES[suite]

    def case(label, description, data, expect="ok"):
        b.add(f"{name}/secret-{label}", description, "secret_key.decode", expect, suite=suite, secret=data.hex())

    case("one", "The smallest key, big endian.", (1).to_bytes(32, "big"))
    case("largest", "The group order minus one.", (R - 1).to_bytes(32, "big"))
    case("ordinary", "An ordinary key.", secret(suite, 0))
    case("zero", "Zero is not a key.", bytes(32), "MALFORMED")
    case("order", "The group order is not a key.", R.to_bytes(32, "big"), "MALFORMED")
    case("max", "All bits set.", b"\xff" * 32, "MALFORMED")
    case("short", "31 bytes.", secret(suite, 0)[1:], "MALFORMED")
    case("long", "33 bytes.", b"\0" + secret(suite, 0), "MALFORMED")


def strange_points(group):
    """Yields malformed encodings: label, description, compressed bytes, code."""
    good = group.encode(group.mul(group.generator, 5))
    beyond = P.to_bytes(48, "big")
    no_point = next(x for x in range(1, 100) if group._y(x if group.field is Fp else (x, 0)) is None)
    pad = bytes(group.compressed - 48)
    yield "infinity", "The point at infinity.", group.encode(None), "INFINITY"
    yield "infinity-signed", "Infinity with the sign bit set.", b"\xe0" + bytes(group.compressed - 1), "MALFORMED"
    yield "infinity-dirty", "Infinity with another bit set.", flip(group.encode(None), -1), "MALFORMED"
    yield "uncompressed-flag", "The bit for `compressed` is missing.", flip(good, 0, 0x80), "NON_CANONICAL"
    yield "x-is-p", "A coordinate equal to the field's prime.", flip(beyond + pad, 0, 0x80), "MALFORMED"
    yield "not-on-curve", "No point has this x.", flip(pad + no_point.to_bytes(48, "big"), 0, 0x80), "MALFORMED"
    yield "truncated", "The last byte is missing.", good[:-1], "MALFORMED"
    yield "extended", "A trailing byte.", good + b"\0", "MALFORMED"
    yield "empty", "No bytes.", b"", "MALFORMED"


def points(b, suite):
    scheme, name = SCHEMES[suite], NAMES[suite]
    for label, description, data, code in strange_points(scheme.keys):
        b.add(f"{name}/key-{label}", description, "public_key.decode", code, suite=suite, public_key=data.hex())
    for label, point in (("large", scheme.keys.outside_subgroup(1)), ("small", small_order(scheme.keys))):
        b.add(
            f"{name}/key-outside-subgroup-{label}-order",
            "On the curve, not in the subgroup of prime order.",
            "public_key.decode",
            "NOT_IN_SUBGROUP",
            suite=suite,
            public_key=scheme.keys.encode(point).hex(),
        )
    group = scheme.sigs
    for label, description, data, code in strange_points(group):
        b.add(f"{name}/signature-{label}", description, "signature.decode", code, suite=suite, signature=data.hex())
    both_signs = group.mul(group.generator, 5)
    for label, point in (("larger", both_signs), ("smaller", group.neg(both_signs))):
        b.add(
            f"{name}/signature-point-{label}",
            "A point and its negation.",
            "signature.decode",
            suite=suite,
            signature=group.encode(point).hex(),
        )
    b.add(
        f"{name}/signature-outside-subgroup",
        "A signature decodes without a subgroup check; verification checks it.",
        "signature.decode",
        suite=suite,
        signature=group.encode(group.outside_subgroup(1)).hex(),
    )
    links(b, suite, group, both_signs)


def links(b, suite, group, point):
    name, good = NAMES[suite], group.encode_uncompressed(point)

    def case(label, description, data, expect="ok"):
        b.add(f"{name}/link-{label}", description, "signature.decode_link", expect, suite=suite, link=data.hex())

    case("good", "Uncompressed, for direct links.", good)
    case("infinity", "Infinity.", group.encode_uncompressed(None), "INFINITY")
    case("infinity-dirty", "Infinity with another bit set.", flip(group.encode_uncompressed(None), -1), "MALFORMED")
    case(
        "compressed",
        "A compressed point and zeros.",
        group.encode(point).ljust(group.uncompressed, b"\0"),
        "NON_CANONICAL",
    )
    case("sign", "The sign bit is invalid in an uncompressed point.", flip(good, 0, 0x20), "MALFORMED")
    case("not-on-curve", "One coordinate changed.", flip(good, -1), "MALFORMED")
    case("x-is-p", "A coordinate equal to the field's prime.", P.to_bytes(48, "big") + good[48:], "MALFORMED")
    case("truncated", "The last byte is missing.", good[:-1], "MALFORMED")
    case("extended", "A trailing byte.", good + b"\0", "MALFORMED")


def signatures(b, suite):
    name = NAMES[suite]
    scheme, value, key = key_pair(suite, 0)
    _, _, other_key = key_pair(suite, 1)
    group = scheme.sigs
    for label, message in MESSAGES.items():
        made = b.add(
            f"{name}/sign-{label}",
            "Deterministic.",
            "sign",
            suite=suite,
            secret=secret(suite, 0).hex(),
            message=message.hex(),
        )
        b.add(
            f"{name}/verify-{label}",
            "Valid.",
            "verify",
            suite=suite,
            public_key=key.hex(),
            message=message.hex(),
            signature=made["signature"],
        )
    signature = scheme.sign(value, b"abc")

    def refused(label, description, code, point, message=b"abc", with_key=key):
        b.add(
            f"{name}/verify-{label}",
            description,
            "verify",
            code,
            suite=suite,
            public_key=with_key.hex(),
            message=message.hex(),
            signature=group.encode(point).hex(),
        )

    refused("other-message", "Another message.", "BAD_SIGNATURE", signature, b"abd")
    refused("other-key", "Another key.", "BAD_SIGNATURE", signature, with_key=other_key)
    refused("negated", "The signature negated.", "BAD_SIGNATURE", group.neg(signature))
    refused("generator", "The generator as signature.", "BAD_SIGNATURE", group.generator)
    refused(
        "possession",
        "A possession proof is not a signature of the key's bytes.",
        "BAD_SIGNATURE",
        scheme.prove_possession(value),
        key,
    )
    refused(
        "small-order-added",
        "A valid signature plus a point of small order: the pairing alone would accept it.",
        "NOT_IN_SUBGROUP",
        group.add(signature, small_order(group)),
    )
    refused(
        "large-order-added",
        "A valid signature plus a point of large cofactor order.",
        "NOT_IN_SUBGROUP",
        group.add(signature, group.mul(group.outside_subgroup(1), R)),
    )
    refused("small-order-alone", "A point of small order.", "NOT_IN_SUBGROUP", small_order(group))


def possessions(b, suite):
    name = NAMES[suite]
    scheme, value, key = key_pair(suite, 0)
    group = scheme.sigs
    proof = b.add(
        f"{name}/possession-prove", "Deterministic.", "possession.prove", suite=suite, secret=secret(suite, 0).hex()
    )
    good = scheme.prove_possession(value)

    def case(label, description, possession, expect="BAD_POSSESSION", with_key=key):
        b.add(
            f"{name}/possession-{label}",
            description,
            "possession.verify",
            expect,
            suite=suite,
            public_key=with_key.hex(),
            possession=possession,
        )

    case("good", "Valid.", proof["possession"], "ok")
    case("of-another", "The proof of another key.", proof["possession"], with_key=key_pair(suite, 1)[2])
    case(
        "signature",
        "A signature of the key's bytes is not a possession proof: the tags differ.",
        group.encode(scheme.sign(value, key)).hex(),
    )
    case("small-order-added", "Plus a point of small order.", group.encode(group.add(good, small_order(group))).hex())
    case("infinity", "Infinity.", group.encode(None).hex(), "INFINITY")
    rogue = scheme.keys.add(scheme.public_key(7), scheme.keys.neg(scheme.decode_key(key)))
    case(
        "rogue-key",
        "The key 7·G − K would let its owner sign for K too. No possession proof can be made for it; this one is "
        "made with 7.",
        group.encode(scheme.prove_possession(7)).hex(),
        with_key=scheme.encode_key(rogue),
    )


def aggregates(b, suite):
    name, scheme = NAMES[suite], SCHEMES[suite]
    pairs = [key_pair(suite, i) for i in range(3)]
    group, values = scheme.sigs, [value for _, value, _ in pairs]
    keys = [
        {"public_key": key.hex(), "possession": group.encode(scheme.prove_possession(v)).hex()} for _, v, key in pairs
    ]
    message = b"one message"
    same = [scheme.sign(v, message) for v in values]
    own = [scheme.sign(v, bytes([i])) for i, v in enumerate(values)]

    def encoded(points):
        return [group.encode(point).hex() for point in points]

    total = b.add(f"{name}/aggregate", "The sum.", "bls.aggregate", suite=suite, signatures=encoded(same))["signature"]
    b.add(f"{name}/aggregate-one", "One signature.", "bls.aggregate", suite=suite, signatures=encoded(same[:1]))
    b.add(
        f"{name}/aggregate-twice", "One signature twice.", "bls.aggregate", suite=suite, signatures=encoded(same[:1] * 2)
    )
    b.add(f"{name}/aggregate-none", "No signatures.", "bls.aggregate", "INFINITY", suite=suite, signatures=[])
    b.add(
        f"{name}/aggregate-cancelling",
        "Two signatures that cancel.",
        "bls.aggregate",
        "INFINITY",
        suite=suite,
        signatures=encoded([same[0], group.neg(same[0])]),
    )
    fast(b, suite, scheme, keys, message, same, total)
    each = [dict(key, message=bytes([i]).hex()) for i, key in enumerate(keys)]
    sum_of_own = group.encode(group.sum(own)).hex()
    op = "bls.aggregate_verify"
    b.add(f"{name}/distinct", "Three messages.", op, suite=suite, keys=each, signature=sum_of_own)
    b.add(
        f"{name}/distinct-one-missing",
        "A missing signer.",
        op,
        "BAD_SIGNATURE",
        suite=suite,
        keys=each[:2],
        signature=sum_of_own,
    )
    b.add(
        f"{name}/distinct-swapped",
        "Messages swapped.",
        op,
        "BAD_SIGNATURE",
        suite=suite,
        keys=[dict(each[0], message="01"), dict(each[1], message="00"), each[2]],
        signature=sum_of_own,
    )
    b.add(f"{name}/distinct-none", "No signers.", op, "INFINITY", suite=suite, keys=[], signature=sum_of_own)


def fast(b, suite, scheme, keys, message, signatures, total):
    name, group, op = NAMES[suite], scheme.sigs, "bls.fast_aggregate_verify"

    def case(label, description, expect="ok", keys=keys, message=message, signature=total):
        b.add(
            f"{name}/same-{label}",
            description,
            op,
            expect,
            suite=suite,
            keys=keys,
            message=message.hex(),
            signature=signature,
        )

    case("good", "Three signers of one message.")
    case("one-missing", "A missing signer.", "BAD_SIGNATURE", keys=keys[:2])
    case("one-too-many", "An additional signer.", "BAD_SIGNATURE", keys=keys + keys[:1])
    case("other-message", "Another message.", "BAD_SIGNATURE", message=b"other")
    case("none", "No signers.", "INFINITY", keys=[])
    x = group.mul(group.generator, 99)
    cancelling = [group.add(signatures[0], x), group.add(signatures[1], group.neg(x)), signatures[2]]
    assert group.encode(group.sum(cancelling)).hex() == total
    for i in (0, 1):
        b.add(
            f"{name}/cancelling-{i}",
            "σ₁ + X and σ₂ − X: neither is valid, but their sum equals that of the valid ones.",
            "verify",
            "BAD_SIGNATURE",
            suite=suite,
            public_key=keys[i]["public_key"],
            message=message.hex(),
            signature=group.encode(cancelling[i]).hex(),
        )
    b.add(
        f"{name}/cancelling-sum",
        "The sum with such a pair is a valid aggregate: the three signed, but a single vote may be invalid.",
        "bls.aggregate",
        suite=suite,
        signatures=[group.encode(s).hex() for s in cancelling],
    )
