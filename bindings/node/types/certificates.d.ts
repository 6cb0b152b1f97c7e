/** Certificates: a quorum's signatures on a statement. */

import type { AsyncOptions } from './async.js';
import type { Committee, SignerSet } from './committees.js';
import type { QuorateError } from './errors.js';
import type { CommitteeId } from './ids.js';
import type { Statement, Verified } from './statements.js';
import type { Suite } from './suites.js';

/**
 * A quorum's signatures on one statement. A decoded certificate is canonical, has the committee's epoch and reaches the
 * quorum; its signatures are not verified yet. With `MinSig` at most 99 + ⌈n/8⌉ bytes.
 *
 * Two certificates of one statement may differ in their signers. Compare statements, never certificates.
 */
export class Certificate {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** @throws {@link MalformedError} and other decoding errors, {@link WrongContextError}, {@link BelowQuorumError} */
  static decode(bytes: Uint8Array, committee: Committee): Certificate;
  encode(): Uint8Array;
  /** Decodes the form for use where the statement is known. */
  static decodeDetached(bytes: Uint8Array, statement: Statement, committee: Committee): Certificate;
  encodeDetached(): Uint8Array;
  /** Length of the encoding in bytes. */
  readonly encodedLength: number;
  readonly suite: Suite;
  readonly statement: Statement;
  readonly signers: SignerSet;
  /** Returns the aggregate signature, or one signature per signer in ascending order. */
  proof(): Uint8Array;
  /**
   * Verifies the signatures. Cost (BLS): two pairings, one hash to the curve, one subgroup check.
   *
   * @throws {@link WrongContextError}, {@link BelowQuorumError}, {@link BadSignatureError}
   */
  verify(committee: Committee): VerifiedCertificate;
  /** As {@link Certificate.verify}, off this thread. */
  verifyAsync(committee: Committee, options?: AsyncOptions): Promise<VerifiedCertificate>;
  /**
   * Verifies several by a random linear combination: sixteen with one signer set cost about a quarter of sixteen
   * verifications.
   *
   * @returns for each, in input order, the verified certificate or its error
   */
  static verifyBatch(
    committee: Committee,
    certificates: Iterable<Certificate>,
  ): (VerifiedCertificate | QuorateError)[];
  /** As {@link Certificate.verifyBatch}, off this thread. */
  static verifyBatchAsync(
    committee: Committee,
    certificates: Iterable<Certificate>,
    options?: AsyncOptions,
  ): Promise<(VerifiedCertificate | QuorateError)[]>;
  /** As {@link Certificate.verifyBatch}, with coefficients derived from the input: all nodes compute the same. */
  static verifyBatchDerived(
    committee: Committee,
    certificates: Iterable<Certificate>,
  ): (VerifiedCertificate | QuorateError)[];
  /** As {@link Certificate.verifyBatchDerived}, off this thread. */
  static verifyBatchDerivedAsync(
    committee: Committee,
    certificates: Iterable<Certificate>,
    options?: AsyncOptions,
  ): Promise<(VerifiedCertificate | QuorateError)[]>;
  /** Returns true if both are the same certificate, including signers. */
  equals(other: Certificate): boolean;
  toString(): string;
}

/** A certificate whose signatures were verified. */
export class VerifiedCertificate implements Verified<Certificate> {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly value: Certificate;
  readonly committee: CommitteeId;
  toString(): string;
}
