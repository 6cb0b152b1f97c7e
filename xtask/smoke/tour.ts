// The five steps with the installed package, in strict TypeScript: compiled to an ES module and to CommonJS, and run.
import {
  BadSignatureError, Certificate, ChainId, Committee, QuorateError, SecretKey, Signature, Suite, Suspects,
  UnverifiedKey, VERSION, Vote, VoteCollector,
} from 'quorate';

function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`it does not hold: ${what}`);
}

// 1. Keys. Each member proves to hold its own.
const secrets: SecretKey[] = Array.from({ length: 4 }, () => SecretKey.generate(Suite.MinSig));
const submitted: Uint8Array[] = secrets.map((secret) => UnverifiedKey.prove(secret).encode());

// 2. A committee.
const found = (): Committee =>
  new Committee(
    ChainId.fromName('smoke'),
    1n,
    submitted.map((bytes) => [UnverifiedKey.decode(Suite.MinSig, bytes).verify(), 1n] as const),
  );
const committee = found();

// 3. Votes, one of them forged: it carries another member's signature.
const statement = committee.statement(1, 7n, new Uint8Array(32).fill(42));
const votes = secrets.map((secret) => Vote.signUnguarded(secret, committee, statement));
const stolen: Signature = votes[2]!.signature;
votes[1] = new Vote(statement, 1, stolen);
const collector = new VoteCollector(committee, 1, 7n);
const suspects = new Suspects();
const collected = votes.map((vote) => collector.add(vote, suspects));
const blamed = collected.flatMap((one) => one.faults).map((fault) => `${fault.kind} ${fault.signer}`);
check(blamed.join() === 'bad-signature 1', `the forger and nobody else is blamed: ${blamed}`);

// 4. The certificate of the other three.
const certificate = collected.map((one) => one.certificate).find((one) => one !== undefined);
check(certificate !== undefined, 'three of four are a quorum');
const bytes: Uint8Array = certificate.value.encode();

// 5. Somebody else reads and checks it, with nothing but the bytes.
const theirs = found();
const verified = Certificate.decode(bytes, theirs).verify(theirs);
check(verified.committee.equals(committee.id), 'it is this committee that signed');
check([...verified.value.signers].join() === '0,2,3', 'the three are named');

// What fails says so with a code.
try {
  votes[1].verify(theirs);
  check(false, 'a forged vote does not verify');
} catch (error) {
  check(error instanceof BadSignatureError && error instanceof QuorateError, 'errors have their own classes');
  check(error.code === 'BAD_SIGNATURE' && error.culprits.join() === '1', 'and name the culprit');
}
console.log(`tour of ${VERSION}: ${bytes.length} bytes`);
