"""Five steps: keys, a committee, votes including a forged one, a certificate, and its verification by a recipient."""

from quorate import Certificate, ChainId, Committee, SecretKey, Suite, Suspects, UnverifiedKey, Vote, VoteCollector

KIND, VIEW = 1, 7

# 1. Each member generates a key and submits it with a proof of possession.
secrets = [SecretKey.generate(Suite.MIN_SIG) for _ in range(4)]
submitted = [UnverifiedKey.prove(secret).encode() for secret in secrets]

# 2. The committee's creator verifies the proofs. Each member has weight 1; three of four are a quorum.
keys = [UnverifiedKey.decode(Suite.MIN_SIG, data).verify() for data in submitted]
committee = Committee(ChainId.from_name("example"), 0, [(key, 1) for key in keys])

# 3. The members vote. The vote of member 1 carries another member's signature.
statement = committee.statement(KIND, VIEW, bytes(32))
votes = [Vote.sign_unguarded(secret, committee, statement) for secret in secrets]
votes[1] = Vote(statement, 1, votes[0].signature)

# 4. The collector finds the forgery and makes a certificate from the remaining votes.
collector, suspects = VoteCollector(committee, KIND, VIEW), Suspects()
forged, certificate = [], None
for vote in votes:
    collected = collector.add(vote, suspects)
    forged += [fault.signer for fault in collected.faults]
    certificate = certificate or collected.certificate
assert certificate is not None
data = certificate.value.encode()
print(f"forged: {forged}; certificate of {len(data)} bytes")

# 5. The recipient: decoding checks form and quorum, `verify` checks the signatures.
received = Certificate.decode(data, committee).verify(committee)
print(f"signed by {list(received.value.signers)}")
