/** Statements that members sign, and verified values. */

import type { CommitteeId } from './ids.js';

/**
 * A value that was verified against a committee. Compare {@link Verified.committee} with the id of the current
 * committee.
 */
export interface Verified<T> {
  /** The verified value. */
  readonly value: T;
  /** Committee against which it was verified. Equal ids mean equal chain, epoch, suite, keys and weights. */
  readonly committee: CommitteeId;
}

/** A statement that members sign: that `digest` is valid for this kind, epoch and view. 49 bytes. */
export class Statement {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /**
   * @param fields - `kind` 0 to 255 (a protocol gives each of its phases one), `digest` 32 bytes
   * @throws {@link MalformedError} for a digest of another length
   */
  constructor(fields: {
    readonly kind: number;
    readonly epoch: bigint;
    readonly view: bigint;
    readonly digest: Uint8Array;
  });
  static decode(bytes: Uint8Array): Statement;
  encode(): Uint8Array;
  readonly kind: number;
  readonly epoch: bigint;
  readonly view: bigint;
  readonly digest: Uint8Array;
  /** Returns the bytes that a member of this committee signs. */
  signedBytes(committee: CommitteeId): Uint8Array;
  /** Identifier of the certified statement: 32 bytes. Two different certificates can certify the same statement. */
  identity(committee: CommitteeId): Uint8Array;
  /** Returns true if a member must not sign both: same kind, epoch and view, different digest. */
  contradicts(other: Statement): boolean;
  equals(other: Statement): boolean;
  toString(): string;
}
