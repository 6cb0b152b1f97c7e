// Five steps: keys, a committee, votes including a forged one, a certificate, and its verification by a recipient.
import init, {
  Certificate, ChainId, Committee, SecretKey, Suite, Suspects, UnverifiedKey, Vote, VoteCollector,
} from 'quorate-wasm';

await init(); // fetches the module; the rest is the same as in Node

const [kind, view] = [1, 7n];

// 1. Each member generates a key and submits it with a proof of possession.
const secrets = Array.from({ length: 4 }, () => SecretKey.generate(Suite.MinSig));
const submitted = secrets.map((secret) => UnverifiedKey.prove(secret).encode());

// 2. The committee's creator verifies the proofs. Each member has weight 1; three of four are a quorum.
const keys = submitted.map((bytes) => UnverifiedKey.decode(Suite.MinSig, bytes).verify());
const committee = new Committee(ChainId.fromName('example'), 0n, keys.map((key) => [key, 1n]));

// 3. The members vote. The vote of member 1 carries another member's signature.
const statement = committee.statement(kind, view, new Uint8Array(32));
const votes = secrets.map((secret) => Vote.signUnguarded(secret, committee, statement));
votes[1] = new Vote(statement, 1, votes[0].signature);

// 4. The collector finds the forgery and makes a certificate from the remaining votes.
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

// 5. The recipient: decoding checks form and quorum, `verify` checks the signatures.
const received = Certificate.decode(bytes, committee).verify(committee);
console.log(`signed by [${[...received.value.signers].join(', ')}]`);
