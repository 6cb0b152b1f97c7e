"""Ciphersuites of other chains in bls.json: their encoding, and single signatures under them."""

from ..ciphersuite import AUGMENTATION, BASIC, CUSTOM, DEFAULT, Ciphersuite
from .common import BLS_SUITES, NAMES, key_pair, small_order

CIPHERSUITES = {
    "basic": Ciphersuite(BASIC),
    "augmentation": Ciphersuite(AUGMENTATION),
    "possession": DEFAULT,
    "custom": Ciphersuite(CUSTOM, b"CHAIN_V1"),
}
# Each with another one, under which its signatures do not verify.
OTHERS = dict(zip(CIPHERSUITES, [*list(CIPHERSUITES)[1:], "basic"]))
SHORTEST, LONGEST = Ciphersuite(CUSTOM, b"T"), Ciphersuite(CUSTOM, bytes(range(255)))
MESSAGE = b"block 17"
ED25519 = 3


def cases(b):
    encodings(b)
    for suite in BLS_SUITES:
        signatures(b, suite)
    without_ciphersuites(b, ED25519)
    drand(b)


def encodings(b):
    def case(label, description, data, expect="ok"):
        made = b.add(f"ciphersuite-{label}", description, "ciphersuite.decode", expect, bytes=data.hex())
        assert made is None or made["encoded"] == data.hex()

    for label, ciphersuite in CIPHERSUITES.items():
        case(label, "Valid.", ciphersuite.encode())
    case("shortest-tag", "A custom tag of one byte.", SHORTEST.encode())
    case("longest-tag", "A custom tag of 255 bytes.", LONGEST.encode())
    standard = Ciphersuite(CUSTOM, CIPHERSUITES["basic"].tag("G1"))
    case("standard-tag", "A custom tag equal to a standard one remains custom.", standard.encode())
    for label, own in (("vote", DEFAULT.tag("G2")), ("possession", DEFAULT.tag("G1").replace(b"SIG", b"POP", 1))):
        data = Ciphersuite(CUSTOM, own).encode()
        case(f"{label}-tag", "A custom tag equal to one under which quorate signs.", data, "NON_CANONICAL")
    case("empty", "No bytes.", b"", "MALFORMED")
    for number in (4, 255):
        case(f"unknown-{number}", "An unknown ciphersuite.", bytes([number]), "MALFORMED")
    case("no-tag", "A custom ciphersuite without a length.", b"\x03", "MALFORMED")
    case("empty-tag", "A custom tag of zero bytes.", b"\x03\0", "MALFORMED")
    case("truncated-tag", "A custom tag without its last byte.", CIPHERSUITES["custom"].encode()[:-1], "MALFORMED")
    case("longest-tag-truncated", "A length of 255 and 254 bytes.", LONGEST.encode()[:-1], "MALFORMED")
    for label in ("basic", "custom"):
        data = CIPHERSUITES[label].encode() + b"\0"
        case(f"{label}-extended", "A trailing byte.", data, "MALFORMED")


def verify_with(b, name, description, suite, ciphersuite, key, message, signature, expect="ok"):
    data = ciphersuite if isinstance(ciphersuite, bytes) else ciphersuite.encode()
    b.add(
        name,
        description,
        "signature.verify_with",
        expect,
        suite=suite,
        ciphersuite=data.hex(),
        public_key=key.hex(),
        message=message.hex(),
        signature=signature.hex(),
    )


def signatures(b, suite):
    scheme, value, key = key_pair(suite, 0)
    group = scheme.sigs

    def made(ciphersuite, message=MESSAGE):
        return group.encode(scheme.sign_with(ciphersuite, value, message))

    def case(label, description, ciphersuite, signature, expect="ok", message=MESSAGE, with_key=key):
        name = f"{NAMES[suite]}/with-{label}"
        verify_with(b, name, description, suite, ciphersuite, with_key, message, signature, expect)

    for label, ciphersuite in CIPHERSUITES.items():
        signature, other = made(ciphersuite), OTHERS[label]
        case(label, "Valid.", ciphersuite, signature)
        case(f"{label}-other-message", "Another message.", ciphersuite, signature, "BAD_SIGNATURE", b"block 18")
        case(
            f"{label}-as-{other}", "Verified under another ciphersuite.", CIPHERSUITES[other], signature, "BAD_SIGNATURE"
        )
    assert made(DEFAULT) == group.encode(scheme.sign(value, MESSAGE))
    for label, ciphersuite in (("shortest-tag", SHORTEST), ("longest-tag", LONGEST)):
        case(label, "A custom tag at a limit of its length.", ciphersuite, made(ciphersuite))
    other_tag = Ciphersuite(CUSTOM, b"CHAIN_V2")
    case("custom-other-tag", "Another custom tag.", other_tag, made(CIPHERSUITES["custom"]), "BAD_SIGNATURE")
    augmentation = CIPHERSUITES["augmentation"]
    for label, ciphersuite in (("augmentation", augmentation), ("basic", CIPHERSUITES["basic"])):
        case(f"{label}-empty-message", "An empty message.", ciphersuite, made(ciphersuite, b""), message=b"")
    _, _, other_key = key_pair(suite, 1)
    case(
        "augmentation-other-key",
        "Another key, with the message that was signed.",
        augmentation,
        made(augmentation),
        "BAD_SIGNATURE",
        with_key=other_key,
    )
    same_tag = Ciphersuite(CUSTOM, augmentation.tag(group.name))
    case(
        "augmentation-tag-alone",
        "A custom tag does not augment the message, whatever it is equal to.",
        same_tag,
        made(augmentation),
        "BAD_SIGNATURE",
    )
    case(
        "augmentation-tag-with-key",
        "The same tag, over the key's bytes followed by the message: what message augmentation signs.",
        same_tag,
        made(augmentation),
        message=key + MESSAGE,
    )
    same_tag = Ciphersuite(CUSTOM, DEFAULT.tag(group.name))
    description = "A custom tag equal to one under which quorate signs."
    case("custom-own-tag", description, same_tag, made(DEFAULT), "NON_CANONICAL")
    outside = group.add(scheme.sign_with(CIPHERSUITES["basic"], value, MESSAGE), small_order(group))
    case(
        "basic-small-order-added",
        "A valid signature plus a point of small order.",
        CIPHERSUITES["basic"],
        group.encode(outside),
        "NOT_IN_SUBGROUP",
    )
    case("basic-infinity", "Infinity.", CIPHERSUITES["basic"], group.encode(None), "INFINITY")
    case("unknown", "An unknown ciphersuite.", b"\x04", made(DEFAULT), "MALFORMED")
    case("empty-tag", "A custom tag of zero bytes.", b"\x03\0", made(DEFAULT), "MALFORMED")


def without_ciphersuites(b, suite):
    """Adds cases of a suite that accepts only the default."""
    scheme, value, key = key_pair(suite, 0)
    signature = scheme.encode_signature(scheme.sign(value, MESSAGE))
    for label, ciphersuite in CIPHERSUITES.items():
        expect = "ok" if ciphersuite == DEFAULT else "WRONG_CONTEXT"
        description = "Suites other than 1 and 2 accept only the default, and sign as always."
        verify_with(
            b, f"{NAMES[suite]}/with-{label}", description, suite, ciphersuite, key, MESSAGE, signature, expect
        )


# The SHA-256 of round 1000 as eight big-endian bytes.
ROUND_1000 = "f652498d092acd949bad74e40683bf3824fb817980504a0c7e6722cfc5a9c0a3"
QUICKNET = (
    1,
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
    "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
    ROUND_1000,
    "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
)
# The message is the SHA-256 of the previous signature and of round 1.
FIRST_NETWORK = (
    2,
    "868f005eb8e6e4ca0a47c8a77ceaa5309a47978a7c71bc5cce96366b5d7a569937c529eeda66c7293784a9402801af31",
    "3bdd496a35f3c3b6b4318da8b77d3ce4793cbdf26e08156f6fd8c49e85b727cb",
    "8d61d9100567de44682506aea1a7a6fa6e5491cd27a0a0ed349ef6910ac5ac20ff7bc3e09d7c046566c9f7f3c6f3b101"
    "04990e7cb424998203d8f7de586fb7fa5f60045417a432684f85093b06ca91c769f0e7ca19268375e659c2a2352b4655",
)
FASTNET = (
    1,
    "a0b862a7527fee3a731bcb59280ab6abd62d5c0b6ea03dc4ddf6612fdfc9d01f01c31542541771903475eb1ec6615f8d"
    "0df0b8b6dce385811d6dcf8cbefb8759e5e616a3dfd054c928940766d9a5b9db91e3b697e5d70a975181e007f87fca5e",
    ROUND_1000,
    "b09eacd45767c4d58306b98901ad0d6086e2663766f3a4ec71d00cf26f0f49eaf248abc7151c60cf419c4e8b37e80412",
)


def drand(b):
    """Adds beacons of drand's public networks."""

    def case(label, description, network, ciphersuite, expect="ok"):
        suite, *fields = network
        key, message, signature = (bytes.fromhex(field) for field in fields)
        verify_with(b, f"drand/{label}", description, suite, ciphersuite, key, message, signature, expect)

    basic = CIPHERSUITES["basic"]
    case("quicknet", "Round 1000 of quicknet.", QUICKNET, basic)
    case("quicknet-default", "Under the default ciphersuite.", QUICKNET, DEFAULT, "BAD_SIGNATURE")
    case("first-network", "Round 1 of the first network, which chains its signatures.", FIRST_NETWORK, basic)
    of_g2 = Ciphersuite(CUSTOM, basic.tag("G2"))
    case("fastnet", "Round 1000 of fastnet: signatures in G1 under the tag of signatures in G2.", FASTNET, of_g2)
    case("fastnet-basic", "Under the tag of signatures in G1.", FASTNET, basic, "BAD_SIGNATURE")
