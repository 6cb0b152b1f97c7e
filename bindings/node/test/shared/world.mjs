// Objects of every kind for the tests: a committee of four, of which member 2 signs two statements.
export function world(q, suite = q.Suite.MinSig) {
  const secrets = Array.from({ length: 4 }, () => q.SecretKey.generate(suite));
  const unverified = secrets.map((secret) => q.UnverifiedKey.prove(secret));
  const members = unverified.map((key) => [key.verify(), 1n]);
  const chain = q.ChainId.fromName('test');
  const committee = new q.Committee(chain, 5n, members);
  const [statement, other] = [7, 8].map((byte) => committee.statement(1, 9n, new Uint8Array(32).fill(byte)));
  const votesFor = (voted) => secrets.map((secret) => q.Vote.signUnguarded(secret, committee, voted));
  const votes = votesFor(statement);
  const collect = (collector, list) => list.map((vote) => collector.add(vote, new q.Suspects()).certificate).find(Boolean);
  const certificate = collect(new q.VoteCollector(committee, 1, 9n), votes);
  const contrary = collect(new q.VoteCollector(committee, 1, 9n), votesFor(other));
  const timeouts = secrets.map((secret, at) => q.TimeoutVote.signUnguarded(secret, committee, 2, 9n, BigInt(at)));
  const timeout = collect(new q.TimeoutCollector(committee, 2, 9n), timeouts);
  const equivocation = new q.Equivocation(votes[2], q.Vote.signUnguarded(secrets[2], committee, other));
  const conflict = new q.Conflict(certificate.value, contrary.value);
  const guard = new q.Guard(q.SecretKey.fromBytes(suite, secrets[0].toBytes()), chain);
  const { record } = guard.sign(committee, statement);
  const merkle = new q.Merkle('leaf of a test', 'node of a test');
  const path = merkle.path(merkle.leaves([1, 2, 3].map((byte) => new Uint8Array([byte]))), 1);
  return {
    suite, secrets, unverified, members, chain, committee, statement, other, votes, certificate, timeouts, timeout,
    equivocation, conflict, guard, record, merkle, path,
  };
}
