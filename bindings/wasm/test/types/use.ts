// Compiled, never run: the declarations under `tsc --strict`.

import init, { ChainId, Committee, QuorateError, SecretKey, Suite, VerifiedKey, Vote, VoteCollector, Suspects, wire } from 'quorate-wasm';
import { Certificate, Committee as SmallCommittee } from 'quorate-wasm/certificate';

await init();
const secret: SecretKey = SecretKey.generate(Suite.MinPk);
const committee = new Committee(ChainId.fromName('types'), 1n, [[VerifiedKey.of(secret), 1n]]);
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
// @ts-expect-error a number is no bigint
committee.statement(1, 2, new Uint8Array(32));
// @ts-expect-error a committee of the other module is none of this one
check(new Uint8Array(1), committee);
secret.free();
