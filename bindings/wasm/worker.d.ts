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

import type { QuorateError, RawSigners, Suite as SuiteName } from './index.js';

export { MAX_MEMBERS, Suite, VERSION } from './index.js';
export * from './dist/common/public-errors.js';
export type { RawSigners } from './index.js';

/** Maximum number of calls that wait for one Worker: 16,384. One more rejects with {@link TooLargeError}. */
export const MAX_WAITING: number;

/**
 * The part of `AbortSignal` that is used; written out so that this file needs neither the types of browsers nor those
 * of Node.
 */
export interface Signal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Options of every call. */
export interface CallOptions {
  /** Cancels the call. */
  readonly signal?: Signal | undefined;
}

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

/** A chain: its name, or the 32 bytes of its id. */
export type Chain = string | Uint8Array;

/** The signed statement. */
export interface StatementData {
  readonly kind: number;
  readonly epoch: bigint;
  readonly view: bigint;
  readonly digest: Uint8Array;
}

interface Checked {
  readonly suite: SuiteName;
  /** The id of the committee that it was verified against. */
  readonly committee: Uint8Array;
}

/** A verified certificate. */
export interface CertificateData extends Checked {
  readonly statement: StatementData;
  /** Ascending. */
  readonly signers: readonly number[];
}

/** A verified vote. */
export interface VoteData extends Checked {
  readonly statement: StatementData;
  readonly signer: number;
}

/** A verified timeout vote. */
export interface TimeoutVoteData extends Checked {
  readonly kind: number;
  readonly epoch: bigint;
  readonly view: bigint;
  readonly value: bigint;
  readonly signer: number;
}

/** A verified timeout certificate. */
export interface TimeoutCertificateData extends Checked {
  readonly kind: number;
  readonly epoch: bigint;
  readonly view: bigint;
  readonly highestValue: bigint;
  /** Ascending. */
  readonly signers: readonly number[];
}

/** Verified evidence. */
export interface EvidenceData extends Checked {
  /** The members at fault, ascending. */
  readonly culprits: readonly number[];
}

/** A committee in a Worker that runs the small build. */
export class CertificateWorkerCommittee {
  #private;
  protected constructor();
  readonly suite: SuiteName;
  readonly id: Uint8Array;
  readonly epoch: bigint;
  readonly size: number;
  readonly totalWeight: bigint;
  readonly quorumWeight: bigint;
  readonly honestWeight: bigint;
  /** Decodes a certificate and verifies it. */
  verifyCertificate(bytes: Uint8Array, options?: CallOptions): Promise<CertificateData>;
  /** As {@link verifyCertificate}, for `Certificate.encodeDetached` and the encoding of its statement. */
  verifyDetached(bytes: Uint8Array, statement: Uint8Array, options?: CallOptions): Promise<CertificateData>;
  /**
   * Verifies several certificates together, which is faster than one by one, and returns for each, in input order, its
   * data or its error. At most 65,536; later calls wait until it is done.
   */
  verifyCertificates(
    certificates: Iterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<(CertificateData | QuorateError)[]>;
  /**
   * Verifies that `signers` signed exactly the bytes of `message`, as `Committee.verifyRaw` does.
   *
   * @returns the signers' weight: **compare it with your threshold**
   */
  verifyRaw(message: Uint8Array, signers: RawSigners, proof: Uint8Array, options?: CallOptions): Promise<bigint>;
  /** Releases it in the Worker; after that every use rejects with {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  toString(): string;
}

/** A committee in a Worker. */
export class WorkerCommittee extends CertificateWorkerCommittee {
  #private;
  private constructor();
  /**
   * Verifies that each member signed its own message, as `Committee.verifyRawEach` does.
   *
   * @param signed - pairs of member and message, ascending by member
   * @returns the members' weight: **compare it with your threshold**
   */
  verifyRawEach(
    signed: Iterable<readonly [member: number, message: Uint8Array]>,
    proof: Uint8Array,
    options?: CallOptions,
  ): Promise<bigint>;
  /**
   * Verifies several proofs, each over its own message, as `Committee.verifyRawBatch` does, and returns for each, in
   * input order, the signers' weight or its error. At most 65,536; later calls wait until it is done.
   */
  verifyRawBatch(
    items: Iterable<readonly [message: Uint8Array, signers: RawSigners, proof: Uint8Array]>,
    options?: CallOptions,
  ): Promise<(bigint | QuorateError)[]>;
  /**
   * Creates a committee of the same members, who sign the messages of another chain under another ciphersuite, as
   * `Committee.withCiphersuite` does. This committee stays usable.
   *
   * @param ciphersuite - the encoding of a `Ciphersuite`: one byte, 0 for the basic scheme, 1 for message augmentation, 2
   * for proof of possession; or 3, the length of a custom tag in one byte, and the tag
   */
  withCiphersuite(ciphersuite: Uint8Array, options?: CallOptions): Promise<WorkerCommittee>;
  /** Decodes a timeout certificate and verifies it. */
  verifyTimeoutCertificate(bytes: Uint8Array, options?: CallOptions): Promise<TimeoutCertificateData>;
  /** Decodes a vote of this committee's suite and verifies it. */
  verifyVote(bytes: Uint8Array, options?: CallOptions): Promise<VoteData>;
  /** Decodes a timeout vote of this committee's suite and verifies it. */
  verifyTimeoutVote(bytes: Uint8Array, options?: CallOptions): Promise<TimeoutVoteData>;
  /** Decodes an equivocation and verifies it. */
  verifyEquivocation(bytes: Uint8Array, options?: CallOptions): Promise<EvidenceData>;
  /** Decodes a conflict of two certificates and verifies it. */
  verifyConflict(bytes: Uint8Array, options?: CallOptions): Promise<EvidenceData>;
}

/** A Worker that runs the small build. */
export class CertificateWorker {
  #private;
  protected constructor();
  /**
   * Creates a committee of keys whose proofs of possession were verified by a trusted party, as
   * `Committee.fromAttested` does.
   *
   * @param members - encodings of public keys with their weights
   */
  committeeFromAttested(
    suite: SuiteName,
    chain: Chain,
    epoch: bigint,
    members: Iterable<readonly [Uint8Array, bigint]>,
    options?: CallOptions & { readonly allowRepeats?: boolean | undefined },
  ): Promise<CertificateWorkerCommittee>;
  /**
   * Ends the Worker at once, whatever it is doing. Pending and later calls reject with {@link ClosedError}. Further
   * calls do nothing.
   */
  terminate(): void;
  readonly terminated: boolean;
  [Symbol.dispose](): void;
}

/** A Worker. */
export class QuorateWorker extends CertificateWorker {
  #private;
  private constructor();
  committeeFromAttested(
    suite: SuiteName,
    chain: Chain,
    epoch: bigint,
    members: Iterable<readonly [Uint8Array, bigint]>,
    options?: CallOptions & { readonly allowRepeats?: boolean | undefined },
  ): Promise<WorkerCommittee>;
  /**
   * Creates a committee and verifies the proof of possession of every key.
   *
   * @param members - encodings of `UnverifiedKey`s with their weights
   */
  committee(
    suite: SuiteName,
    chain: Chain,
    epoch: bigint,
    members: Iterable<readonly [Uint8Array, bigint]>,
    options?: CallOptions,
  ): Promise<WorkerCommittee>;
  /**
   * Verifies the proofs of possession of several keys, and returns for each, in input order, the encoding of the public
   * key, or the error.
   *
   * @param keys - encodings of `UnverifiedKey`s; at most 65,536
   */
  verifyKeys(
    suite: SuiteName,
    keys: Iterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<(Uint8Array | QuorateError)[]>;
}
