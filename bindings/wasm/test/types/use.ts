// Compiled, never run: the declarations of this package alone, under `tsc --strict`. Those of both packages for JavaScript
// are in the test of Node's.

import init, { ChainId, Ciphersuite, Committee, QuorateError, SecretKey, Suite, UntrustedHeader, VerifiedKey, dsig, threshold } from 'quorate-wasm';
import { Certificate, Committee as SmallCommittee, UntrustedHeader as SmallHeader } from 'quorate-wasm/certificate';
import { startWorker, type QuorateWorker, type WorkerCommittee } from 'quorate-wasm/worker';

await init();
const secret: SecretKey = SecretKey.generate(Suite.MinPk);
const committee = new Committee(ChainId.fromName('types'), 1n, [[VerifiedKey.fromSecret(secret), 1n]]);
export const check = (bytes: Uint8Array, own: SmallCommittee): number => Certificate.decode(bytes, own).verify(own).value.signers.size;
// @ts-expect-error a committee of the other module does not fit this one
check(new Uint8Array(1), committee);
export const epochs: bigint[] = [UntrustedHeader, SmallHeader].map((header) => header.peek(new Uint8Array(18)).epoch);
export const foreign = (chain: WorkerCommittee): Promise<WorkerCommittee> => chain.withCiphersuite(new Uint8Array([0]));
// @ts-expect-error the small module has no ciphersuites
export const none = (chain: SmallCommittee) => chain.withCiphersuite(Ciphersuite.basic());

const owner = new dsig.Signer(SecretKey.generate(Suite.Ed25519));
// @ts-expect-error threads are Workers here
owner.prepareAsync();
const dealer = new threshold.ecdsa.TrustedDealer(threshold.Group.Ristretto255, committee.id, new threshold.Tolerance(4, 1));
// @ts-expect-error threads are Workers here
dealer.dealAsync(1n, threshold.ecdsa.Plan.forAgreed(3));
for (const object of [secret, dealer, owner, new dsig.Verifier()]) object.free();

const worker = await startWorker({ build: 'certificate', source: new Uint8Array(1) });
const small = await worker.committeeFromAttested(Suite.MinPk, 'main', 1n, [[new Uint8Array(48), 1n]], { allowRepeats: true });
export const signed: bigint = (await small.verifyCertificate(new Uint8Array(1))).statement.view;
// @ts-expect-error the small build has no votes
small.verifyVote(new Uint8Array(1));
// @ts-expect-error nor proofs of possession
worker.committee(Suite.MinPk, 'main', 1n, []);
const all: QuorateWorker = await startWorker();
const large: WorkerCommittee = await all.committee(Suite.MinSig, new Uint8Array(32), 1n, []);
export const signer: number = (await large.verifyVote(new Uint8Array(1))).signer;
for (const verdict of await large.verifyCertificates([new Uint8Array(1)])) {
  if (verdict instanceof QuorateError) verdict.code satisfies string;
  else verdict.signers.length satisfies number;
}
