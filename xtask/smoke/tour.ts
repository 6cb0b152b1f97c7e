// The five steps with the installed package, in strict TypeScript: compiled to an ES module and to CommonJS, and run.
import {
  BadSignatureError, Certificate, ChainId, Committee, QuorateError, SecretKey, Signature, Suite, Suspects,
  UnverifiedKey, VERSION, Vote, VoteCollector,
} from 'quorate';

function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`failed check: ${what}`);
}

// 1. Keys. Each member proves possession of its key.
const secrets: SecretKey[] = Array.from({ length: 4 }, () => SecretKey.generate(Suite.MinSig));
const submitted: Uint8Array[] = secrets.map((secret) => UnverifiedKey.prove(secret).encode());

// 2. A committee.
const newCommittee = (): Committee =>
  new Committee(
    ChainId.fromName('smoke'),
    1n,
    submitted.map((bytes) => [UnverifiedKey.decode(Suite.MinSig, bytes).verify(), 1n] as const),
  );
const committee = newCommittee();

// 3. Votes, one of them forged: it carries another member's signature.
const statement = committee.statement(1, 7n, new Uint8Array(32).fill(42));
const votes = secrets.map((secret) => Vote.signUnguarded(secret, committee, statement));
const othersSignature: Signature = votes[2]!.signature;
votes[1] = new Vote(statement, 1, othersSignature);
const collector = new VoteCollector(committee, 1, 7n);
const suspects = new Suspects();
const collected = votes.map((vote) => collector.add(vote, suspects));
const blamed = collected.flatMap((one) => one.faults).map((fault) => `${fault.kind} ${fault.signer}`);
check(blamed.join() === 'bad-signature 1', `expected a fault of the forger alone: ${blamed}`);

// 4. The certificate of the other three.
const certificate = collected.map((one) => one.certificate).find((one) => one !== undefined);
check(certificate !== undefined, 'three of four are a quorum');
const bytes: Uint8Array = certificate.value.encode();

// 5. The receiver decodes and verifies the certificate from its bytes alone.
const theirs = newCommittee();
const verified = Certificate.decode(bytes, theirs).verify(theirs);
check(verified.committee.equals(committee.id), 'the certificate belongs to this committee');
check([...verified.value.signers].join() === '0,2,3', 'the certificate names the three signers');

// An error has a code and names the culprit.
try {
  votes[1].verify(theirs);
  check(false, 'a forged vote does not verify');
} catch (error) {
  check(error instanceof BadSignatureError && error instanceof QuorateError, 'errors have their own classes');
  check(error.code === 'BAD_SIGNATURE' && error.culprits.join() === '1', 'errors name the culprit');
}
console.log(`tour of ${VERSION}: ${bytes.length} bytes`);
