/** Signing without contradictions: a durable record of each signature. */

import type { Committee } from './committees.js';
import type { ChainId } from './ids.js';
import type { PublicKey, SecretKey } from './keys.js';
import type { Statement } from './statements.js';
import type { Suite } from './suites.js';
import type { TimeoutVote } from './timeouts.js';
import type { Vote } from './votes.js';

/**
 * A secret key that never signs contradicting statements: per kind, the pair (epoch, view) strictly increases, or it
 * repeats with the identical statement. Make each record durable **before** its vote leaves.
 */
export class Guard {
  #private;
  /** Does what `close` does. */
  free(): void;
  /**
   * The guard of a key that has **never signed on this chain**. Takes ownership of the secret: `secret` is closed
   * afterwards.
   */
  constructor(secret: SecretKey, chain: ChainId);
  /**
   * Returns the guard of a key that may have signed before, from all durable records, in any order. Takes ownership of
   * the secret, even if it fails.
   *
   * @throws {@link WrongContextError} for a record of another key, chain or suite; {@link ContradictionError} if two
   * records contradict each other
   */
  static restore(secret: SecretKey, chain: ChainId, records: Iterable<GuardRecord>): Guard;
  /**
   * Signs a statement, unless it contradicts an earlier one. **Make the record durable before the vote leaves.** The
   * same statement again gives the same vote and record.
   *
   * @throws {@link ContradictionError}, {@link WrongContextError}; then nothing is signed or recorded
   */
  sign(committee: Committee, statement: Statement): { readonly vote: Vote; readonly record: GuardRecord };
  /** Signs a timeout vote under the same rule: one value per view of a kind. */
  signTimeout(
    committee: Committee,
    kind: number,
    view: bigint,
    value: bigint,
  ): { readonly vote: TimeoutVote; readonly record: GuardRecord };
  /**
   * Reserves the block of 1,024 presignatures that contains `index`. Once its record is durable and confirmed, signing
   * with one of them needs no further record. After a crash the whole block is burnt.
   *
   * @param key - the identifier of the threshold key: 32 bytes
   * @throws {@link ExhaustedError} if the block is burnt, or its epoch is closed
   */
  reserve(key: Uint8Array, epoch: bigint, index: number): GuardRecord;
  /** Confirms that the record of a reservation is durable. @throws {@link WrongContextError} for another record */
  confirm(reservation: GuardRecord): void;
  /**
   * Closes an epoch of a threshold key and all earlier ones: their remaining presignatures never sign. Make the record
   * durable.
   */
  closeEpoch(key: Uint8Array, epoch: bigint): GuardRecord;
  publicKey(): PublicKey;
  readonly suite: Suite;
  readonly chain: ChainId;
  /** Epoch and view of the last statement of a kind. */
  last(kind: number): { readonly epoch: bigint; readonly view: bigint } | undefined;
  /**
   * Returns the last record of each kind, and the spent presignatures of open epochs: all that a compacted log must
   * contain.
   */
  records(): GuardRecord[];
  /** Wipes the key. Closing twice does nothing. */
  close(): void;
  [Symbol.dispose](): void;
  readonly closed: boolean;
  /** Without the secret. */
  toString(): string;
  toJSON(): string;
}

/** Record of the last statement of one kind: 81 bytes. */
export class GuardRecord {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  static decode(bytes: Uint8Array): GuardRecord;
  encode(): Uint8Array;
  readonly kind: number;
  readonly epoch: bigint;
  readonly view: bigint;
  equals(other: GuardRecord): boolean;
  toString(): string;
}
