"""Keys and committees that the cases share. A secret key is the hash of its number."""

from functools import cache

from ..committee import SCHEMES, chain_id_from_name
from ..field import R
from ..wire import derive, u8, u16

CHAIN = chain_id_from_name("vectors")
OTHER_CHAIN = chain_id_from_name("another chain")
NAMES = {1: "min-sig", 2: "min-pk", 3: "ed25519", 4: "min-sig-counted", 5: "min-pk-counted"}
SUITES = (1, 2, 3)
BLS_SUITES = (1, 2)
COUNTED_SUITES = (4, 5)


def secret(suite, number):
    """32 bytes."""
    seed = derive("quorate vectors: secret key", u8(suite) + u16(number))
    return seed if suite == 3 else (int.from_bytes(seed, "big") % (R - 1) + 1).to_bytes(32, "big")


@cache
def key_pair(suite, number):
    """Returns the scheme, the scheme's secret key, and the encoded public key."""
    scheme = SCHEMES[suite]
    value = scheme.secret(secret(suite, number))
    return scheme, value, scheme.encode_key(scheme.public_key(value))


def member(suite, number, weight=1):
    """Returns a member as in a vector file, with its secret key, so that readers can create more cases."""
    _, _, key = key_pair(suite, number)
    return {"public_key": key.hex(), "weight": str(weight), "secret": secret(suite, number).hex()}


def members(suite, n, weights=None):
    return [member(suite, i, weights[i] if weights else 1) for i in range(n)]


def cancelling_members(suite, weights, groups):
    """Returns members of a BLS suite such that the keys of each group of indices sum to infinity."""
    secrets = [int.from_bytes(secret(suite, i), "big") for i in range(len(weights))]
    for *others, last in groups:
        secrets[last] = -sum(secrets[i] for i in others) % R
    scheme, listed = SCHEMES[suite], []
    for value, weight in zip(secrets, weights):
        key = scheme.encode_key(scheme.public_key(value)).hex()
        listed.append({"public_key": key, "weight": str(weight), "secret": value.to_bytes(32, "big").hex()})
    return listed


def flip(data, position, mask=1):
    """Returns the bytes with one of them changed."""
    changed = bytearray(data)
    changed[position] ^= mask
    return bytes(changed)


def small_order(group):
    """Returns a point of the smallest prime order that divides the cofactor."""
    n = group.cofactor
    prime = next(q for q in range(2, 10**6) if n % q == 0)
    while n % prime == 0:
        n //= prime
    seed = 1
    while True:
        point = group.mul(group.outside_subgroup(seed), n * R)
        while point is not None and group.mul(point, prime) is not None:
            point = group.mul(point, prime)
        if point is not None:
            return point
        seed += 1
