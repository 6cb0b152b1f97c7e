// Encodings of everything that a Worker verifies, as a page would receive them.

export function sample(q, suite, members = 4) {
  const secrets = Array.from({ length: members }, () => q.SecretKey.generate(suite));
  const unverified = secrets.map((secret) => q.UnverifiedKey.prove(secret));
  const committee = new q.Committee(q.ChainId.fromName('worker'), 5n, unverified.map((key) => [key.verify(), 1n]));
  const [statement, other] = [7, 8].map((byte) => committee.statement(1, 9n, new Uint8Array(32).fill(byte)));
  const votesFor = (voted) => secrets.map((secret) => q.Vote.signUnguarded(secret, committee, voted));
  const votes = votesFor(statement);
  const contrary = votesFor(other);
  const suspects = new q.Suspects();
  const collect = (collector, all) => all.map((vote) => collector.add(vote, suspects).certificate).find(Boolean).value;
  const certificate = collect(new q.VoteCollector(committee, 1, 9n), votes);
  const opposite = collect(new q.VoteCollector(committee, 1, 9n), contrary);
  const timeouts = secrets.map((secret, at) => q.TimeoutVote.signUnguarded(secret, committee, 2, 9n, BigInt(at % 4)));
  const timeoutCertificate = collect(new q.TimeoutCollector(committee, 2, 9n), timeouts);
  const hasCiphersuites = suite === q.Suite.MinSig || suite === q.Suite.MinPk;
  const ciphersuite = hasCiphersuites ? q.Ciphersuite.basic() : q.Ciphersuite.proofOfPossession();
  const each = secrets.map((_, member) => [member, new Uint8Array([member])]);
  const eachSigned = each.map(([member, bytes]) => secrets[member].signWith(ciphersuite, bytes));
  const joined = () => Uint8Array.from(eachSigned.flatMap((one) => [...one.encode()]));
  const eachProof = suite === q.Suite.Ed25519 ? joined() : hasCiphersuites && q.bls.aggregate(eachSigned).encode();
  const message = statement.signedBytes(committee.id);
  const forged = Uint8Array.from(certificate.encode());
  // Another signature: the certificate still decodes.
  const swapped = q.Certificate.decode(opposite.encode(), committee).encodeDetached();
  return {
    suite,
    id: committee.id.bytes,
    keys: unverified.map((key) => key.encode()),
    publicKeys: unverified.map((key) => key.public.encode()),
    // The key of one member and the proof of another.
    badKey: new q.UnverifiedKey(unverified[0].public, unverified[1].possession).encode(),
    statement: statement.encode(),
    certificate: forged,
    detached: certificate.encodeDetached(),
    swapped,
    opposite: opposite.encode(),
    signers: [...certificate.signers],
    message,
    proof: certificate.proof(),
    ciphersuite: ciphersuite.encode(),
    each,
    // A proof of the counted suites has counts beside the sum.
    eachProof,
    vote: votes[1].encode(),
    timeoutVote: timeouts[1].encode(),
    timeoutCertificate: timeoutCertificate.encode(),
    equivocation: new q.Equivocation(votes[2], contrary[2]).encode(),
    conflict: new q.Conflict(certificate, opposite).encode(),
  };
}
