// Compiled, never run: a page with the types of browsers, whose AbortSignal fits, built by a bundler.

import { startWorker } from 'quorate-wasm/worker';

export async function verify(bytes: Uint8Array, keys: Uint8Array[]): Promise<number> {
  const worker = await startWorker({ signal: AbortSignal.timeout(1000), source: new URL('quorate.wasm', import.meta.url) });
  const committee = await worker.committee('bls-min-sig', 'main', 1n, keys.map((key) => [key, 1n] as const));
  const { signal } = new AbortController();
  return (await committee.verifyCertificate(bytes, { signal })).signers.length;
}
