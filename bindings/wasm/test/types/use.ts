// Compiled, never run: the declarations under `tsc --strict`.

import init, { ChainId, Ciphersuite, Committee, PublicKey, QuorateError, SecretKey, SignerSet, Suite, UntrustedHeader, VerifiedKey, Vote, VoteCollector, Suspects, dsig, erasure, threshold, wire } from 'quorate-wasm';
import { Certificate, Committee as SmallCommittee, UntrustedHeader as SmallHeader } from 'quorate-wasm/certificate';
import { startWorker, type QuorateWorker, type WorkerCommittee } from 'quorate-wasm/worker';

await init();
const secret: SecretKey = SecretKey.generate(Suite.MinPk);
const committee = new Committee(ChainId.fromName('types'), 1n, [[VerifiedKey.fromSecret(secret), 1n]]);
const statement = committee.statement(1, 2n, new Uint8Array(32));
const collected = new VoteCollector(committee, 1, 2n, { batchThreshold: 3 }).add(
  Vote.signUnguarded(secret, committee, statement),
  new Suspects(),
);
for (const fault of collected.faults) {
  if (fault.kind === 'equivocation') fault.evidence.value.culprits();
}
export const weight: bigint = committee.totalWeight;
export const view: bigint | undefined = collected.certificate?.value.statement.view;
export const left: number = new wire.Reader(new Uint8Array(1)).remaining;
export const check = (bytes: Uint8Array, own: SmallCommittee): number => Certificate.decode(bytes, own).verify(own).value.signers.size;
export const code = (error: unknown): string => (error instanceof QuorateError ? error.code : 'none');
// @ts-expect-error a number is not a bigint
committee.statement(1, 2, new Uint8Array(32));
// @ts-expect-error a committee of the other module does not fit this one
check(new Uint8Array(1), committee);
secret.free();
const basic = Ciphersuite.basic();
export const weights: (bigint | QuorateError)[] = committee.withCiphersuite(basic).verifyRawBatch([[basic.encode(), new SignerSet(1), basic.encode()]]);
export const epochs: bigint[] = [UntrustedHeader, SmallHeader].map((header) => header.peek(new Uint8Array(18)).epoch);
export const foreign = (chain: WorkerCommittee): Promise<WorkerCommittee> => chain.withCiphersuite(new Uint8Array([0]));
// @ts-expect-error the small module has no ciphersuites
export const none = (chain: SmallCommittee) => chain.withCiphersuite(basic);

const owner = new dsig.Signer(SecretKey.generate(Suite.Ed25519), { suite: 'wots-blake3', groups: [[1]], lifetime: 5n });
const batch: dsig.Announced | undefined = owner.prepare();
const verifier = new dsig.Verifier({ burst: 1 });
if (batch) verifier.announce(owner.publicKey(), batch.announcement);
export const fast: boolean = verifier.canVerifyFast(owner.publicKey(), owner.sign(new Uint8Array(1), { hint: [1], now: 3n }));
// @ts-expect-error threads are Workers here
owner.prepareAsync();
owner.detectCopies(() => 1n);
verifier.checkRevocation((key) => key.equals(owner.publicKey()));
// @ts-expect-error a promise is not an answer
verifier.checkRevocation(async () => false);
const entry: readonly [PublicKey, Uint8Array, Uint8Array] = [owner.publicKey(), new Uint8Array(3), new Uint8Array(dsig.signatureLength('wots-blake3'))];
new dsig.Auditor({ roots: 16 }).check(...entry);
export const outcomes: (QuorateError | undefined)[] = dsig.verifyAll('wots-blake3', [entry]);
verifier.free();

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

const dealer = new threshold.ecdsa.TrustedDealer(threshold.Group.Ristretto255, committee.id, new threshold.Tolerance(4, 1));
const [party] = dealer.deal(1n, threshold.ecdsa.Plan.forAgreed(3));
export const remaining: number | undefined = party?.left;
const coding = new erasure.Coding(new erasure.Shape(3, 4), 100, erasure.Suite.Gf8);
export const restored: Uint8Array = new erasure.Coder(coding).decode([erasure.CheckedShard.decode(new Uint8Array(1), coding)]).message;
export const drawn = (value: threshold.coin.CoinValue): boolean => value.bit();
// @ts-expect-error threads are Workers here
dealer.dealAsync(1n, threshold.ecdsa.Plan.forAgreed(3));
dealer.free();
