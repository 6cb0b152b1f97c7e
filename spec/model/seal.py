"""Sealed files (`spec/threshold.md`), with X25519 after RFC 7748, section 5."""

from . import chacha20poly1305, wire
from .errors import Refused

P, BASE = 2**255 - 19, (9).to_bytes(32, "little")
NONCE, MAX_CONTENT = bytes(12), 1 << 26


def x25519(scalar, point):
    k = int.from_bytes(scalar, "little") & ~7 & (1 << 255) - 1 | 1 << 254
    x1 = int.from_bytes(point, "little") & (1 << 255) - 1
    x2, z2, x3, z3 = 1, 0, x1, 1
    for bit in reversed(range(255)):
        one = k >> bit & 1
        if one:
            x2, z2, x3, z3 = x3, z3, x2, z2
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        aa, bb, da, cb = a * a, b * b, d * a, c * b
        e = aa - bb
        x2, z2 = aa * bb % P, e * (aa + 121665 * e) % P
        x3, z3 = (da + cb) ** 2 % P, x1 * (da - cb) ** 2 % P
        if one:
            x2, z2, x3, z3 = x3, z3, x2, z2
    return (x2 * pow(z2, P - 2, P) % P).to_bytes(32, "little")


def public_key(secret):
    return x25519(secret, BASE)


def _key(shared, fresh, recipient, context):
    if shared == bytes(32):
        raise Refused("INFINITY")
    return wire.derive("quorate-v1-sealed-file", shared + fresh + recipient + context)


def seal(recipient, context, content, fresh):
    """Seals with the ephemeral secret key `fresh`."""
    public = public_key(fresh)
    key = _key(x25519(fresh, recipient), public, recipient, context)
    return public + chacha20poly1305.encrypt(key, NONCE, b"", content)


def unseal(secret, context, sealed):
    if len(sealed) > MAX_CONTENT + 48:
        raise Refused("TOO_LARGE")
    if len(sealed) < 48:
        raise Refused("MALFORMED")
    fresh = sealed[:32]
    key = _key(x25519(secret, fresh), fresh, public_key(secret), context)
    content = chacha20poly1305.decrypt(key, NONCE, b"", sealed[32:])
    if content is None:
        raise Refused("WRONG_CONTEXT")
    return content
