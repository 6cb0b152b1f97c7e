/** Certificates: that a quorum signed a statement. */

import type { Suite } from '../index.js';
import type { Committee, CommitteeId, SignerSet } from './committees.js';
import type { QuorateError } from './errors.js';
import type { Statement, Verified } from './votes.js';

/**
 * A quorum's signatures on one statement. What decoded is canonical, of the committee's epoch and above the quorum; the
 * signatures are still to be checked. With `MinSig` at most 99 + ⌈n/8⌉ bytes.
 *
 * Two certificates of one statement may differ in their signers. Compare statements, never certificates.
 */
export class Certificate {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** @throws {@link MalformedError} and its kin, {@link WrongContextError}, {@link BelowQuorumError} */
  static decode(bytes: Uint8Array, committee: Committee): Certificate;
  encode(): Uint8Array;
  /** Reads the form for where the statement is known. */
  static decodeDetached(bytes: Uint8Array, statement: Statement, committee: Committee): Certificate;
  encodeDetached(): Uint8Array;
  /** Bytes of the encoding. */
  readonly encodedLength: number;
  readonly suite: Suite;
  readonly statement: Statement;
  readonly signers: SignerSet;
  /** The aggregate signature, or one signature per signer in ascending order. */
  proof(): Uint8Array;
  /**
   * Checks the signatures. Cost: BLS two pairings, one hash to the curve, one subgroup check.
   *
   * @throws {@link WrongContextError}, {@link BelowQuorumError}, {@link BadSignatureError}
   */
  verify(committee: Committee): VerifiedCertificate;
  /**
   * Checks many by a random linear combination: sixteen of one signer set cost about a quarter of sixteen checks.
   *
   * @returns for each the checked certificate or what is wrong with it, in order
   */
  static verifyBatch(
    committee: Committee,
    certificates: Iterable<Certificate>,
  ): (VerifiedCertificate | QuorateError)[];
  /** As {@link Certificate.verifyBatch} without a generator: all nodes compute the same. */
  static verifyBatchDerived(
    committee: Committee,
    certificates: Iterable<Certificate>,
  ): (VerifiedCertificate | QuorateError)[];
  /** Whether both are the same certificate, signers and all. */
  equals(other: Certificate): boolean;
  toString(): string;
}

/** A certificate whose signatures were checked. */
export class VerifiedCertificate implements Verified<Certificate> {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly value: Certificate;
  readonly committee: CommitteeId;
  toString(): string;
}
