"""quorate in Python."""

import platform
from itertools import cycle

from loop import Work, refuses, require, serve, world
from quorate import (
    VERSION,
    Certificate,
    ChainId,
    Committee,
    PublicKey,
    SecretKey,
    Signature,
    Suite,
    VerifiedKey,
    bls,
    dsig,
)

WORLD = world()
CHAIN = ChainId.from_name("bench")


def certificates(suite: Suite, name: str) -> dict[str, Work]:
    given = WORLD["certificates"][name]
    members = [(PublicKey.decode(suite, bytes.fromhex(key)), 1) for key in given["keys"]]
    committee = Committee.from_attested(CHAIN, 1, members)
    encoded, forged = bytes.fromhex(given["certificate"]), bytes.fromhex(given["forged"])
    certificate = Certificate.decode(encoded, committee)
    require(certificate.verify(committee).value == certificate, name)
    require(refuses(lambda: Certificate.decode(forged, committee).verify(committee)), f"{name}, forged")
    return {
        f"verify-{name}": lambda: certificate.verify(committee),
        f"decode-{name}": lambda: Certificate.decode(encoded, committee).verify(committee),
    }


def sync() -> dict[str, Work]:
    given = WORLD["sync"]
    encoded = [bytes.fromhex(key) for key in given["keys"]]
    message, proof, forged = (bytes.fromhex(given[field]) for field in ("message", "signature", "forged"))

    def committee_of_bytes() -> Committee:
        members = [(PublicKey.decode(Suite.MIN_PK, key), 1) for key in encoded]
        return Committee.from_attested(CHAIN, 1, members, allow_repeats=True)

    committee = committee_of_bytes()
    signers = committee.signer_set(indices=given["signers"])
    secrets = [SecretKey.from_bytes(Suite.MIN_PK, bytes.fromhex(given["secrets"][i])) for i in given["signers"]]
    keys = [VerifiedKey.from_secret(secret) for secret in secrets]
    signature = Signature.decode(Suite.MIN_PK, proof)

    def from_bytes() -> int:
        fresh = committee_of_bytes()
        return fresh.verify_raw(message, fresh.signer_set(indices=given["signers"]), proof)

    require(committee.verify_raw(message, signers, proof) == len(keys), "the cached committee")
    require(refuses(lambda: committee.verify_raw(message, signers, forged)), "the cached committee, forged")
    require(refuses(lambda: bls.fast_aggregate_verify(keys[1:], message, signature)), "decoded keys, one missing")
    return {
        "sync-cached": lambda: committee.verify_raw(message, signers, proof),
        "sync-keys": lambda: bls.fast_aggregate_verify(keys, message, signature),
        "sync-bytes": from_bytes,
    }


def one_time() -> dict[str, Work]:
    given = WORLD["dsig"]
    signer = PublicKey.decode(Suite.ED25519, bytes.fromhex(given["signer"]))
    message, other, announcement = (bytes.fromhex(given[field]) for field in ("message", "other", "announcement"))
    signatures = [bytes.fromhex(signature) for signature in given["signatures"]]
    verifier = dsig.Verifier()
    verifier.admit(signer)
    verifier.announce(signer, announcement, given["now"])
    require(verifier.can_verify_fast(signer, signatures[0]), "DSig, announced")
    require(refuses(lambda: verifier.verify(signer, other, signatures[0])), "DSig, forged")
    turn = cycle(signatures)
    return {"dsig-verify": lambda: verifier.verify(signer, message, next(turn))}


operations = sync() | one_time()
for suite, name in ((Suite.MIN_SIG, "min-sig"), (Suite.MIN_PK, "min-pk"), (Suite.ED25519, "ed25519")):
    operations |= certificates(suite, name)
serve(f"quorate {VERSION}, {platform.python_implementation()} {platform.python_version()}", operations)
