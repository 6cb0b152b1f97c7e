// Five steps: keys, a committee, votes with a forged one among them, a certificate, and its check elsewhere.
import init, {
  Certificate, ChainId, Committee, SecretKey, Suite, Suspects, UnverifiedKey, Vote, VoteCollector,
} from 'quorate-wasm';

await init(); // fetches the module; the rest is the same as in Node

const [kind, view] = [1, 7n];

// 1. Each member makes a key and hands it in with a proof that it holds it.
const secrets = Array.from({ length: 4 }, () => SecretKey.generate(Suite.MinSig));
const handedIn = secrets.map((secret) => UnverifiedKey.prove(secret).encode());

// 2. Whoever makes the committee checks the proofs. Each member weighs 1; three of four are a quorum.
const keys = handedIn.map((bytes) => UnverifiedKey.decode(Suite.MinSig, bytes).verify());
const committee = new Committee(ChainId.fromName('example'), 0n, keys.map((key) => [key, 1n]));

// 3. Members vote. Member 1's vote is signed by somebody else.
const statement = committee.statement(kind, view, new Uint8Array(32));
const votes = secrets.map((secret) => Vote.signUnguarded(secret, committee, statement));
votes[1] = new Vote(statement, 1, votes[0].signature);

// 4. The collector finds the forgery and makes a certificate of the others.
const [collector, suspects] = [new VoteCollector(committee, kind, view), new Suspects()];
const forged = [];
let certificate;
for (const vote of votes) {
  const collected = collector.add(vote, suspects);
  forged.push(...collected.faults.map((fault) => fault.signer));
  certificate ??= collected.certificate;
}
const bytes = certificate.value.encode();
console.log(`forged: [${forged.join(', ')}]; certificate of ${bytes.length} bytes`);

// 5. Elsewhere: decoding checks form and quorum, `verify` the signatures.
const received = Certificate.decode(bytes, committee).verify(committee);
console.log(`signed by [${[...received.value.signers].join(', ')}]`);
