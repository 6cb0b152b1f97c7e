"""Five steps: keys, a committee, votes with a forged one among them, a certificate, and its check elsewhere."""

from quorate import Certificate, ChainId, Committee, SecretKey, Suite, Suspects, UnverifiedKey, Vote, VoteCollector

KIND, VIEW = 1, 7

# 1. Each member makes a key and hands it in with a proof that it holds it.
secrets = [SecretKey.generate(Suite.MIN_SIG) for _ in range(4)]
handed_in = [UnverifiedKey.prove(secret).encode() for secret in secrets]

# 2. Whoever makes the committee checks the proofs. Each member weighs 1; three of four are a quorum.
keys = [UnverifiedKey.decode(Suite.MIN_SIG, data).verify() for data in handed_in]
committee = Committee(ChainId.from_name("example"), 0, [(key, 1) for key in keys])

# 3. Members vote. Member 1's vote is signed by somebody else.
statement = committee.statement(KIND, VIEW, bytes(32))
votes = [Vote.sign_unguarded(secret, committee, statement) for secret in secrets]
votes[1] = Vote(statement, 1, votes[0].signature)

# 4. The collector finds the forgery and makes a certificate of the others.
collector, suspects = VoteCollector(committee, KIND, VIEW), Suspects()
forged, certificate = [], None
for vote in votes:
    collected = collector.add(vote, suspects)
    forged += [fault.signer for fault in collected.faults]
    certificate = certificate or collected.certificate
assert certificate is not None
data = certificate.value.encode()
print(f"forged: {forged}; certificate of {len(data)} bytes")

# 5. Elsewhere: decoding checks form and quorum, `verify` the signatures.
received = Certificate.decode(data, committee).verify(committee)
print(f"signed by {list(received.value.signers)}")
