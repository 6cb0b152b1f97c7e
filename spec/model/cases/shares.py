"""Shared parts of the cases of threshold encryption and the coin: keys, and invalid shares."""

from .. import dleq, wire
from ..ristretto import GENERATOR, ORDER, add, decode, encode, neg
from ..wire import u16
from .common import flip

COMMITTEE = bytes([0xC0] * 32)
ELSEWHERE = bytes([0xE1] * 32)
P = 2**255 - 19


def stream(what, length=64):
    """Returns deterministic bytes in place of random ones."""
    return wire.blake3.derive_key("quorate vectors: randomness", what.encode(), length)


def deal(purpose, needed, parties, committee=COMMITTEE, name="keys"):
    """Returns the keys, and the key shares in order."""
    coefficients = [dleq.wide(stream(f"{name} {purpose} {k}")) for k in range(needed)]
    keys, secrets = dleq.Keys.from_polynomial(purpose, committee, coefficients, parties)
    return keys, [dleq.KeyShare.from_secret(keys, member, secret) for member, secret in enumerate(secrets)]


def put(data, at, piece):
    """Returns the bytes with a part replaced."""
    return data[:at] + piece + data[at + len(piece) :]


def moved(share, by=GENERATOR):
    """Returns the share with another point and its old proof."""
    return dleq.Share(share.purpose, share.member, encode(add(decode(share.point), by)), share.a1, share.a2, share.z)


def made_wrong(key_share, instance, fresh):
    """Returns a share by another secret, whose proof satisfies the first equation."""
    return key_share.prove(instance, fresh, secret=key_share.secret + 1)


# Encodings that no element has, and their codes.
BAD_ELEMENTS = {
    "zero": (bytes(32), "INFINITY"),
    "prime": (P.to_bytes(32, "little"), "NON_CANONICAL"),
    "above-prime": ((P + 2).to_bytes(32, "little"), "NON_CANONICAL"),
    "odd": ((1).to_bytes(32, "little"), "NON_CANONICAL"),
    "high-bit": ((2**255).to_bytes(32, "little"), "NON_CANONICAL"),
    "no-square": (bytes.fromhex("26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371"), "MALFORMED"),
    "negative-xy": (bytes.fromhex("3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e"), "MALFORMED"),
    "y-zero": ((P - 1).to_bytes(32, "little"), "MALFORMED"),
}


def negated_encoding(data):
    """Returns p − s, which a lax decoder reads as s."""
    return (P - int.from_bytes(data, "little")).to_bytes(32, "little")


def key_cases(b, prefix, purpose, keys, key_shares):
    """Adds cases of valid and invalid public keys and key shares."""
    data = keys.encode()

    def case(label, description, data, expect="ok"):
        b.add(f"keys/{label}", description, f"{prefix}.keys", expect, keys=data.hex())

    def member(i):
        return 69 + 32 * i

    case("good", "The keys lie on one polynomial.", data)
    case("one-of-one", "The smallest threshold.", deal(purpose, 1, 1)[0].encode())
    case("any-of-three", "Each share is the key itself.", deal(purpose, 1, 3)[0].encode())
    case("all-of-three", "No polynomial to check: any three keys and H.", deal(purpose, 3, 3)[0].encode())
    case("higher-threshold", "A threshold above the dealt one is safe.", put(data, 65, u16(keys.needed + 1)))
    case("lower-threshold", "A threshold below the dealt one.", put(data, 65, u16(keys.needed - 1)), "BAD_COMMITTEE")
    case("threshold-zero", "A threshold of zero.", put(data, 65, u16(0)), "BAD_COMMITTEE")
    case("threshold-above", "A threshold above the number of members.", put(data, 65, u16(len(keys.members) + 1)), "BAD_COMMITTEE")
    swapped = put(data, member(0), keys.members[1] + keys.members[0])
    case("swapped", "The keys of two members are swapped.", swapped, "BAD_COMMITTEE")
    case("repeated", "A repeated key.", put(data, member(3), keys.members[2]), "BAD_COMMITTEE")
    case("other-h", "Another H.", put(data, 33, keys.members[0]), "BAD_COMMITTEE")
    case("too-many", "More than 1,024 parties.", put(data, 67, u16(1025)), "BAD_COMMITTEE")
    case("missing", "A key is missing.", data[:-32], "MALFORMED")
    case("truncated", "A byte is missing.", data[:-1], "MALFORMED")
    case("extended", "An additional byte.", data + b"\0", "MALFORMED")
    case("other-purpose", "Keys for another purpose.", put(data, 0, bytes([3 - purpose])), "WRONG_CONTEXT")
    for label, (bad, code) in BAD_ELEMENTS.items():
        case(f"h-{label}", "H is not a group element.", put(data, 33, bad), code)
        case(f"member-{label}", "A verification key is not a group element.", put(data, member(1), bad), code)

    def key_share(label, description, share, expect="ok"):
        fields = {"keys": data.hex(), "key_share": share.hex()}
        b.add(f"key-share/{label}", description, f"{prefix}.key_share", expect, **fields)

    share = key_shares[1].encode()
    key_share("good", "A valid key share.", share)
    key_share("other-member", "Another's.", put(share, 65, u16(2)), "BAD_SHARE")
    key_share("non-member", "The index of no member.", put(share, 65, u16(len(keys.members))), "UNKNOWN_SIGNER")
    key_share("last-index", "Index 65,535.", put(share, 65, u16(65535)), "UNKNOWN_SIGNER")
    key_share("other-secret", "Another secret.", flip(share, 67), "BAD_SHARE")
    key_share("zero", "Not a scalar.", put(share, 67, bytes(32)), "INFINITY")
    key_share("order", "The group order.", put(share, 67, ORDER.to_bytes(32, "little")), "NON_CANONICAL")
    key_share("other-committee", "For another committee.", put(share, 1, ELSEWHERE), "WRONG_CONTEXT")
    key_share("other-key", "For another key.", put(share, 33, keys.members[0]), "WRONG_CONTEXT")
    key_share("other-purpose", "For another purpose.", put(share, 0, bytes([3 - purpose])), "WRONG_CONTEXT")
    key_share("truncated", "A byte is missing.", share[:-1], "MALFORMED")
    key_share("extended", "An additional byte.", share + b"\0", "MALFORMED")


def share_cases(b, prefix, keys, key_shares, instance, other, fields, other_fields):
    """Shares as bytes, alone and together, and the evidence against their makers. `fields` name the instance in a case;
    there are `other` ones too."""
    good = [key_share.prove(instance, stream(f"share {key_share.member}", 32)) for key_share in key_shares]
    named = {"keys": keys.encode().hex(), **fields}

    def verify(label, description, shares, expect="ok", named=named):
        listed = [share if isinstance(share, bytes) else share.encode() for share in shares]
        output = b.add(
            f"shares/{label}",
            description,
            f"{prefix}.verify_shares",
            expect,
            **named,
            shares=[share.hex() for share in listed],
        )
        return output and ([v for v in output["verified"]], [f["member"] for f in output["faults"]])

    for member in (0, 2):
        b.add(
            f"share/{member}",
            "A member's share.",
            f"{prefix}.share",
            **named,
            key_share=key_shares[member].encode().hex(),
            random=stream(f"share {member}", 32).hex(),
        )
    foreign = put(key_shares[0].encode(), 1, ELSEWHERE)
    redealt = put(key_shares[0].encode(), 33, keys.members[0])
    for label, share in (("other-committee", foreign), ("other-key", redealt)):
        b.add(
            f"share/{label}",
            "A key share of other keys.",
            f"{prefix}.share",
            "WRONG_CONTEXT",
            **named,
            key_share=share.hex(),
            random=bytes(32).hex(),
        )
    all_members = [share.member for share in good]
    assert verify("good", "All shares are valid.", good) == (all_members, [])
    assert verify("none", "No shares.", []) == ([], [])
    assert verify("twice", "A member's share twice; combining counts it once.", [good[1], good[1]]) == ([1, 1], [])
    assert verify("moved", "Another point.", [good[0], moved(good[1]), good[2]]) == ([0, 2], [1])
    cancelling = [moved(good[0]), moved(good[1], neg(GENERATOR)), good[2]]
    assert verify("cancelling", "Two errors that cancel.", cancelling) == ([2], [0, 1])
    swapped = [put(good[0].encode(), 0, u16(1)), put(good[1].encode(), 0, u16(0))]
    assert verify("swapped", "The shares of two members are swapped.", swapped) == ([], [1, 0])
    assert verify("other-index", "A share with another index.", [put(good[0].encode(), 0, u16(3))]) == ([], [3])
    assert verify("other-instance", "For another instance.", good[:2], named={**named, **other_fields}) == ([], [0, 1])
    renonced = key_shares[0].prove(instance, stream("another nonce", 32)).encode()
    for at, what in ((34, "A1"), (66, "A2"), (98, "z")):
        mixed = put(good[0].encode(), at, renonced[at : at + 32])
        assert verify(f"other-{what}", "A part of another proof of the same share.", [mixed]) == ([], [0])
    bad = made_wrong(key_shares[2], instance, stream("wrong", 32))
    assert verify("made-wrong", "The member used another secret.", [good[0], bad, good[3]]) == ([0, 3], [2])
    verify("non-member", "The index of no member.", [good[0], put(good[1].encode(), 0, u16(len(keys.members)))], "UNKNOWN_SIGNER")
    verify("last-index", "Index 65,535.", [put(good[1].encode(), 0, u16(65535))], "UNKNOWN_SIGNER")
    data = good[1].encode()
    verify("truncated", "A byte is missing.", [data[:-1]], "MALFORMED")
    verify("extended", "An additional byte.", [data + b"\0"], "MALFORMED")
    verify("empty", "No bytes.", [b""], "MALFORMED")
    for at, what in ((2, "point"), (34, "A1"), (66, "A2")):
        for label, (replaced, code) in BAD_ELEMENTS.items():
            verify(f"{what}-{label}", "Not a group element.", [put(data, at, replaced)], code)
        negative = put(data, at, negated_encoding(data[at : at + 32]))
        verify(f"{what}-negative", "The negative square root.", [negative], "NON_CANONICAL")
    verify("z-order", "z is the group order.", [put(data, 98, ORDER.to_bytes(32, "little"))], "NON_CANONICAL")
    above = (int.from_bytes(data[98:], "little") + ORDER).to_bytes(32, "little")
    verify("z-above-order", "z plus the group order.", [put(data, 98, above)], "NON_CANONICAL")

    def evidence(label, description, data, expect="NOT_EVIDENCE"):
        b.add(f"wrong-share/{label}", description, f"{prefix}.wrong_share", expect, keys=named["keys"], evidence=data.hex())

    head = instance.base + instance.context
    proof = head + bad.encode()
    evidence("good", "The member signed an invalid share.", proof, "ok")
    evidence("right", "A valid share.", head + good[2].encode())
    evidence("framed", "A valid proof with another point, which needs no secret.", head + moved(good[1]).encode())
    evidence("other-member", "Another member.", put(proof, 64, u16(3)))
    evidence("non-member", "The index of no member.", put(proof, 64, u16(len(keys.members))), "UNKNOWN_SIGNER")
    evidence("other-context", "Other bytes than the signed ones.", flip(proof, 40))
    evidence("other-base", "Another base than the signed one.", put(proof, 0, keys.key))
    moved_away = other.base + other.context + good[2].encode()
    evidence("other-instance", "A valid share for another instance.", moved_away)
    evidence("zero-base", "A missing base.", put(proof, 0, bytes(32)), "INFINITY")
    evidence("truncated", "A byte is missing.", proof[:-1], "MALFORMED")
    evidence("extended", "An additional byte.", proof + b"\0", "MALFORMED")
    return good, bad
