"""The five steps with the installed package."""

from importlib.resources import files

import quorate
from quorate import (
    BadSignatureError,
    Certificate,
    ChainId,
    Committee,
    SecretKey,
    Suite,
    Suspects,
    UnverifiedKey,
    Vote,
    VoteCollector,
)

# 1. Keys. Each member proves possession of its key.
secrets = [SecretKey.generate(Suite.MIN_SIG) for _ in range(4)]
submitted = [UnverifiedKey.prove(secret).encode() for secret in secrets]


# 2. A committee.
def new_committee() -> Committee:
    members = [(UnverifiedKey.decode(Suite.MIN_SIG, data).verify(), 1) for data in submitted]
    return Committee(ChainId.from_name("smoke"), 1, members)


committee = new_committee()

# 3. Votes, one of them forged: it carries another member's signature.
statement = committee.statement(1, 7, bytes([42] * 32))
votes = [Vote.sign_unguarded(secret, committee, statement) for secret in secrets]
votes[1] = Vote(statement, 1, votes[2].signature)
collector, suspects = VoteCollector(committee, 1, 7), Suspects()
collected = [collector.add(vote, suspects) for vote in votes]
blamed = [(type(fault).__name__, fault.signer) for one in collected for fault in one.faults]
assert blamed == [("BadSignature", 1)], blamed

# 4. The certificate of the other three.
(certificate,) = [one.certificate for one in collected if one.certificate is not None]
data = certificate.value.encode()

# 5. The receiver decodes and verifies the certificate from its bytes alone.
theirs = new_committee()
verified = Certificate.decode(data, theirs).verify(theirs)
assert verified.committee == committee.id
assert list(verified.value.signers) == [0, 2, 3]

# An error has a code and names the culprit.
try:
    votes[1].verify(theirs)
except BadSignatureError as error:
    assert isinstance(error, quorate.QuorateError)
    assert error.code == "BAD_SIGNATURE" and list(error.culprits) == [1]
else:
    raise AssertionError("a forged vote verified")

# The package contains its type declarations.
for name in ("py.typed", "_native.pyi"):
    assert (files(quorate) / name).is_file(), name
print(f"tour of {quorate.VERSION}: {len(data)} bytes")
