// The five-step tour of the README: keys, a committee, votes including a forged one, a certificate, and its
// verification by a recipient. Returns its results for a test to examine.
export function tour({ Certificate, ChainId, Committee, SecretKey, Suite, Suspects, UnverifiedKey, Vote, VoteCollector }) {
  // 1. Each member generates a key and submits the public key with a proof of possession.
  const secrets = Array.from({ length: 4 }, () => SecretKey.generate(Suite.MinSig));
  const submitted = secrets.map((secret) => UnverifiedKey.prove(secret).encode());

  // 2. The committee's creator verifies the proofs.
  const members = submitted.map((bytes) => [UnverifiedKey.decode(Suite.MinSig, bytes).verify(), 1n]);
  const committee = new Committee(ChainId.fromName('tour'), 0n, members);

  // 3. The members vote; the vote of member 1 carries another member's signature.
  const statement = committee.statement(1, 7n, new Uint8Array(32).fill(42));
  const votes = secrets.map((secret) => Vote.signUnguarded(secret, committee, statement));
  votes[1] = new Vote(statement, 1, votes[0].signature);

  // 4. Three of four are a quorum; the collector reports the forged vote and makes a certificate from the remaining votes.
  const collector = new VoteCollector(committee, 1, 7n);
  const suspects = new Suspects();
  const culprits = [];
  let certificate;
  for (const vote of votes) {
    const collected = collector.add(vote, suspects);
    culprits.push(...collected.faults.map((fault) => fault.signer));
    certificate ??= collected.certificate;
  }
  const bytes = certificate.value.encode();

  // 5. The recipient: decoding checks form and quorum, `verify` checks the signatures.
  const received = Certificate.decode(bytes, committee).verify(committee).value;
  return { culprits, signers: [...received.signers], length: bytes.length, same: received.statement.equals(statement) };
}
