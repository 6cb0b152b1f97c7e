"""Keys and signatures."""

from .. import wire
from ..ciphersuite import Ciphersuite
from ..committee import SCHEMES
from .committees import ciphersuite_of
from .registry import operation, raw


@operation("secret_key.decode")
def secret_key_decode(i):
    scheme = SCHEMES[i["suite"]]
    return {"public_key": scheme.encode_key(scheme.public_key(scheme.secret(raw(i["secret"])))).hex()}


@operation("public_key.decode")
def public_key_decode(i):
    scheme = SCHEMES[i["suite"]]
    return {"public_key": scheme.encode_key(scheme.decode_key(raw(i["public_key"]))).hex()}


@operation("signature.decode")
def signature_decode(i):
    scheme = SCHEMES[i["suite"]]
    signature = scheme.decode_signature(raw(i["signature"]))
    return {"link": scheme.encode_link_signature(signature).hex()}


@operation("signature.decode_link")
def signature_decode_link(i):
    scheme = SCHEMES[i["suite"]]
    signature = scheme.decode_link_signature(raw(i["link"]))
    return {"signature": scheme.encode_signature(signature).hex()}


@operation("sign")
def sign(i):
    scheme = SCHEMES[i["suite"]]
    signature = scheme.sign(scheme.secret(raw(i["secret"])), raw(i["message"]))
    return {"signature": scheme.encode_signature(signature).hex()}


@operation("verify")
def verify(i):
    scheme = SCHEMES[i["suite"]]
    key, signature = scheme.decode_key(raw(i["public_key"])), scheme.decode_signature(raw(i["signature"]))
    scheme.verify(key, raw(i["message"]), signature)
    return {}


@operation("ciphersuite.decode")
def ciphersuite_decode(i):
    return {"encoded": wire.whole(raw(i["bytes"]), Ciphersuite.read).encode().hex()}


@operation("signature.verify_with")
def signature_verify_with(i):
    scheme = SCHEMES[i["suite"]]
    ciphersuite = ciphersuite_of(i, scheme)
    key, signature = scheme.decode_key(raw(i["public_key"])), scheme.decode_signature(raw(i["signature"]))
    if scheme.has_ciphersuites:
        scheme.verify_with(ciphersuite, key, raw(i["message"]), signature)
    else:
        scheme.verify(key, raw(i["message"]), signature)
    return {}


@operation("possession.prove")
def possession_prove(i):
    scheme = SCHEMES[i["suite"]]
    return {"possession": scheme.encode_signature(scheme.prove_possession(scheme.secret(raw(i["secret"])))).hex()}


def _verified_key(scheme, i):
    key = scheme.decode_key(raw(i["public_key"]))
    scheme.verify_possession(key, scheme.decode_signature(raw(i["possession"])))
    return key


@operation("possession.verify")
def possession_verify(i):
    _verified_key(SCHEMES[i["suite"]], i)
    return {}


@operation("bls.aggregate")
def bls_aggregate(i):
    scheme = SCHEMES[i["suite"]]
    total = scheme.aggregate([scheme.decode_signature(raw(s)) for s in i["signatures"]])
    return {"signature": scheme.encode_signature(total).hex()}


@operation("bls.fast_aggregate_verify")
def bls_fast_aggregate_verify(i):
    scheme = SCHEMES[i["suite"]]
    keys = [_verified_key(scheme, key) for key in i["keys"]]
    scheme.fast_aggregate_verify(keys, raw(i["message"]), scheme.decode_signature(raw(i["signature"])))
    return {}


@operation("bls.aggregate_verify")
def bls_aggregate_verify(i):
    scheme = SCHEMES[i["suite"]]
    signed = [(_verified_key(scheme, key), raw(key["message"])) for key in i["keys"]]
    scheme.aggregate_verify(signed, scheme.decode_signature(raw(i["signature"])))
    return {}
