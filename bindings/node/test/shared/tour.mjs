// The five-step tour of the README: make keys, a committee, collect votes with one forged, a certificate, verify it
// elsewhere. Returns what it found, so that a test can look at it.
export function tour({ Certificate, ChainId, Committee, SecretKey, Suite, Suspects, UnverifiedKey, Vote, VoteCollector }) {
  // 1. Each member makes a key and hands in the public half with a proof of possession.
  const secrets = Array.from({ length: 4 }, () => SecretKey.generate(Suite.MinSig));
  const handedIn = secrets.map((secret) => UnverifiedKey.prove(secret).encode());

  // 2. Whoever makes the committee checks the proofs.
  const members = handedIn.map((bytes) => [UnverifiedKey.decode(Suite.MinSig, bytes).verify(), 1n]);
  const committee = new Committee(ChainId.fromName('tour'), 0n, members);

  // 3. Members vote; member 1's vote is signed by somebody else.
  const statement = committee.statement(1, 7n, new Uint8Array(32).fill(42));
  const votes = secrets.map((secret) => Vote.signUnguarded(secret, committee, statement));
  votes[1] = new Vote(statement, 1, votes[0].signature);

  // 4. Three of four are a quorum; the forged vote is found and blamed, and the others are the certificate.
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

  // 5. Elsewhere: decoding checks form and quorum, `verify` the signature.
  const received = Certificate.decode(bytes, committee).verify(committee).value;
  return { culprits, signers: [...received.signers], length: bytes.length, same: received.statement.equals(statement) };
}
