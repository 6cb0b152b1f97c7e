// Declarations of Node's package alone: calls off the thread, and `using`.
import * as quorate from 'quorate';
import { Certificate, Committee, SecretKey, Suite } from 'quorate';

export async function check(certificate: Certificate, committee: Committee, signal: AbortSignal): Promise<bigint> {
  const verified = await certificate.verifyAsync(committee, { signal });
  const { value } = verified;
  const members: number[] = [...value.signers];
  void members;
  return committee.weightOf(value.signers);
}

export async function background(signer: quorate.dsig.Signer, send: (to: readonly number[] | undefined, bytes: Uint8Array) => void): Promise<void> {
  const { signal } = new AbortController();
  const batch: quorate.dsig.Announced | undefined = await signer.prepareAsync(undefined, { signal });
  if (batch) send(batch.to, batch.announcement);
}
using secret = SecretKey.generate(Suite.Ed25519);
const [key, bytes] = [secret.publicKey(), new Uint8Array(3)];
export const taken: Promise<void> = new quorate.dsig.Verifier().announceAsync(key, bytes, 5n, {});
const entry: readonly [quorate.PublicKey, Uint8Array, Uint8Array] = [key, bytes, bytes];
export const later: Promise<(quorate.QuorateError | undefined)[]> = quorate.dsig.verifyAllAsync('wots-blake3', new Set([entry]), {});

const { ecdsa, seal, Cache } = quorate.threshold;
export async function deal(dealer: quorate.threshold.ecdsa.TrustedDealer, signal: AbortSignal): Promise<quorate.threshold.ecdsa.Presignatures[]> {
  return dealer.dealAsync(1n, ecdsa.Plan.forUnagreed(16), { signal });
}
export async function open(valid: quorate.threshold.tdh2.ValidCiphertext, keys: quorate.threshold.tdh2.PublicKeys): Promise<Uint8Array> {
  return valid.combineAsync(keys, new Set<quorate.threshold.tdh2.VerifiedShare>(), new Cache(3));
}
export const sealed: Promise<Uint8Array> = seal.SealingKey.generate().public.sealAsync(new Uint8Array(), new Uint8Array());
export async function restore(coding: quorate.erasure.Coding, received: Uint8Array[]): Promise<Uint8Array> {
  return (await new quorate.erasure.Coder(coding).decodeAsync(received.map((bytes) => quorate.erasure.CheckedShard.decode(bytes, coding)))).message;
}
