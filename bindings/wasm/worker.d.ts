/**
 * quorate-wasm/worker: verifies in a Worker, so that a page never blocks. Calls send bytes to the Worker and return
 * promises. The page itself does not download the WebAssembly module; the Worker downloads the requested build.
 *
 * - Arguments are checked and copied when a method is called; an invalid argument rejects the promise, as all errors
 *   do.
 * - Calls are processed in order, one after another. A call cancelled through `options.signal` rejects at once with the
 *   signal's reason: a waiting call is skipped, and the result of one in progress is dropped.
 * - Errors have the same classes as those of `quorate-wasm`, which this module also exports.
 *
 * @packageDocumentation
 */

/// <reference lib="es2020" />
/// <reference lib="esnext.disposable" />

import type { CallOptions, CertificateWorker, QuorateWorker } from './dist/whole/worker-classes.js';

export { MAX_MEMBERS, Suite, VERSION } from './index.js';
export * from './dist/common/public-errors.js';
export type { RawSigners } from './index.js';
export { CertificateWorker, CertificateWorkerCommittee, QuorateWorker, WorkerCommittee } from './dist/whole/worker-classes.js';
export type {
  CallOptions, CertificateData, Chain, Checked, EvidenceData, StatementData, TimeoutCertificateData,
  TimeoutVoteData, VoteData,
} from './dist/whole/worker-classes.js';
export type { AbortSignalLike } from './dist/common/signal.js';

/** Maximum number of calls that wait for one Worker: 16,384. One more rejects with {@link TooLargeError}. */
export const MAX_WAITING: number;

export interface StartOptions extends CallOptions {
  /**
   * The module that the Worker downloads: everything (`'full'`, the default), or the small one that only verifies
   * certificates.
   */
  readonly build?: 'full' | 'certificate' | undefined;
  /**
   * Location of the module, if it is not beside the package: a URL, bytes or a `WebAssembly.Module`. Ignored in Node.
   */
  readonly source?: unknown;
}

/**
 * Starts a Worker and waits until it is ready. Start one and reuse it: it stores the committees passed to it.
 *
 * Rejects if the Worker or its module cannot be loaded.
 */
export function startWorker(options: StartOptions & { readonly build: 'certificate' }): Promise<CertificateWorker>;
export function startWorker(options?: StartOptions & { readonly build?: 'full' | undefined }): Promise<QuorateWorker>;
