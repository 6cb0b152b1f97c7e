"""Published test vectors (`spec/vectors/public`), which are read, but not written."""

import json

from .. import chacha20poly1305, ristretto
from ..committee import SCHEMES
from ..errors import Refused
from ..haraka import haraka256, haraka512
from ..hash_to_curve import hash_to_curve

MIN_PK, ED25519 = SCHEMES[2], SCHEMES[3]


def check(folder):
    """Checks the model against all of them and returns their number."""
    return sum(
        len(list(cases(json.loads((folder / name).read_text()))))
        for name, cases in {
            "rfc9380.json": rfc9380,
            "rfc8032.json": rfc8032,
            "cctv-ed25519.json": cctv,
            "ethereum-bls.json": ethereum,
            "haraka-v2.json": haraka,
            "rfc9496.json": rfc9496,
            "rfc8439.json": rfc8439,
        }.items()
    )


def rfc9380(data):
    for suite in data["suites"]:
        for case in suite["cases"]:
            x, y = (tuple(int(part, 16) for part in case[axis]) for axis in "xy")
            if suite["group"] == "G1":
                x, y = x[0], y[0]
            assert hash_to_curve(suite["group"], bytes.fromhex(case["message"]), suite["dst"].encode()) == (x, y), case
            yield case


def rfc8032(data):
    for case in data["cases"]:
        secret, key, message, signature = (
            bytes.fromhex(case[field]) for field in ("secret", "public_key", "message", "signature")
        )
        assert ED25519.public_key(secret) == key and ED25519.sign(secret, message) == signature, case
        ED25519.verify(ED25519.decode_key(key), message, ED25519.decode_signature(signature))
        yield case


# Edge cases of CCTV that the rule refuses; it accepts all others.
REFUSED_FLAGS = {"low_order_A", "non_canonical_A", "non_canonical_R"}


def cctv(data):
    for case in data["cases"]:
        key, message, signature = (bytes.fromhex(case[field]) for field in ("public_key", "message", "signature"))
        verdict = accepted(
            lambda: ED25519.verify(ED25519.decode_key(key), message, ED25519.decode_signature(signature))  # noqa: B023
        )
        assert verdict == REFUSED_FLAGS.isdisjoint(case["flags"]), case
        yield case


def accepted(function):
    try:
        function()
        return True
    except Refused:
        return False


def ethereum(data):
    def key(text):
        return MIN_PK.decode_key(bytes.fromhex(text))

    def signature(text):
        return MIN_PK.decode_signature(bytes.fromhex(text))

    for case in data["sign"]:
        made = MIN_PK.sign(MIN_PK.secret(bytes.fromhex(case["secret"])), bytes.fromhex(case["message"]))
        assert MIN_PK.encode_signature(made).hex() == case["signature"], case
        yield case
    for case in data["aggregate"]:
        total = MIN_PK.aggregate([signature(s) for s in case["signatures"]])
        assert MIN_PK.encode_signature(total).hex() == case["aggregate"], case
        yield case
    for case in data["verify"]:
        message = bytes.fromhex(case["message"])
        verdict = accepted(lambda: MIN_PK.verify(key(case["public_key"]), message, signature(case["signature"])))
        assert verdict == case["expect"], case
        yield case
    for case in data["fast_aggregate_verify"]:
        message = bytes.fromhex(case["message"])
        verdict = accepted(
            lambda: MIN_PK.fast_aggregate_verify(
                [key(k) for k in case["public_keys"]], message, signature(case["signature"])
            )
        )
        assert verdict == case["expect"], case
        yield case
    for case in data["aggregate_verify"]:
        messages = [bytes.fromhex(m) for m in case["messages"]]
        verdict = accepted(
            lambda: MIN_PK.aggregate_verify(
                list(zip([key(k) for k in case["public_keys"]], messages)), signature(case["signature"])
            )
        )
        assert verdict == case["expect"], case
        yield case


def haraka(data):
    functions = {"haraka-256": haraka256, "haraka-512": haraka512}
    for case in data["cases"]:
        assert functions[case["function"]](bytes.fromhex(case["input"])).hex() == case["output"], case
        yield case


def rfc9496(data):
    for factor, text in enumerate(data["multiples"]):
        element = ristretto.mul(factor, ristretto.GENERATOR)
        assert ristretto.encode(element).hex() == text and ristretto.equal(ristretto.decode(bytes.fromhex(text)), element)
        yield text
    for case in data["invalid"]:
        assert not accepted(lambda: ristretto.decode(bytes.fromhex(case["bytes"]))), case  # noqa: B023
        yield case
    for case in data["maps"]:
        assert ristretto.encode(ristretto.from_uniform(bytes.fromhex(case["input"]))).hex() == case["output"], case
        yield case


def rfc8439(data):
    for case in data["cases"]:
        key, nonce, aad, plaintext, ciphertext, tag = (
            bytes.fromhex(case[field]) for field in ("key", "nonce", "aad", "plaintext", "ciphertext", "tag")
        )
        assert chacha20poly1305.encrypt(key, nonce, aad, plaintext) == ciphertext + tag, case
        assert chacha20poly1305.decrypt(key, nonce, aad, ciphertext + tag) == plaintext, case
        yield case
