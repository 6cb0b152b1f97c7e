"""py_ecc: the reference implementation in Python that Ethereum's specifications use."""

from importlib.metadata import version

from loop import refuses, require, serve, world
from py_ecc.bls import G2ProofOfPossession as Scheme
from py_ecc.bls.g2_primitives import pubkey_to_G1, signature_to_G2, subgroup_check
from py_ecc.bls.hash_to_curve import hash_to_G2
from py_ecc.optimized_bls12_381 import FQ12, G1, Z1, add, final_exponentiate, neg, pairing

given = world()["sync"]
encoded = [bytes.fromhex(given["keys"][i]) for i in given["signers"]]
message, signature, forged = (bytes.fromhex(given[field]) for field in ("message", "signature", "forged"))
points = [pubkey_to_G1(key) for key in encoded]


def of_points(signature: bytes = signature) -> bool:
    """The part of `FastAggregateVerify` after the decoding and checks of the keys."""
    point = signature_to_G2(signature)
    if not subgroup_check(point):
        return False
    total = Z1
    for key in points:
        total = add(total, key)
    hashed = hash_to_G2(message, Scheme.DST, Scheme.xmd_hash_function)
    pairings = pairing(point, G1, final_exponentiate=False) * pairing(hashed, neg(total), final_exponentiate=False)
    return final_exponentiate(pairings) == FQ12.one()


def of_bytes() -> bool:
    return Scheme.FastAggregateVerify(encoded, message, signature)


require(of_points(), "points")
require(not of_points(forged), "points, forged")
# With few keys, because each one takes about 40 ms.
require(refuses(lambda: Scheme.FastAggregateVerify(encoded[:4], message, signature)), "bytes, keys missing")


def checked(work):
    def run():
        require(work(), work.__name__)

    return run


serve(f"py_ecc {version('py_ecc')}", {"sync-keys": checked(of_points), "sync-bytes": checked(of_bytes)})
