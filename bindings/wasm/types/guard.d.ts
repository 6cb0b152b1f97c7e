/** What a key signed, so that it never contradicts itself. */

import type { ChainId, Committee, PublicKey, SecretKey, Statement, Suite, Vote } from '../index.js';
import type { TimeoutVote } from './timeouts.js';

/**
 * A secret key that signs nothing contradictory: per kind, the pair (epoch, view) strictly increases, or is the last one
 * again with the identical statement. Make each record durable **before** its vote leaves.
 */
export class Guard {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  /** The guard of a key that has **never signed on this chain**. Takes the secret: `secret` is closed afterwards. */
  constructor(secret: SecretKey, chain: ChainId);
  /**
   * The guard of a key that may have signed before, from all durable records, in any order. Takes the secret, even if
   * it fails.
   *
   * @throws {@link WrongContextError} for a record of another key, chain or suite; {@link ContradictionError} if two
   * records contradict each other
   */
  static restore(secret: SecretKey, chain: ChainId, records: Iterable<GuardRecord>): Guard;
  /**
   * Signs a statement, unless it contradicts an earlier one. **Make the record durable before the vote leaves.** The
   * same statement again gives the same vote and record.
   *
   * @throws {@link ContradictionError}, {@link WrongContextError}; nothing is signed or remembered then
   */
  sign(committee: Committee, statement: Statement): { readonly vote: Vote; readonly record: GuardRecord };
  /** Signs a timeout vote under the same rule: in one view of a kind only ever one value. */
  signTimeout(
    committee: Committee,
    kind: number,
    view: bigint,
    value: bigint,
  ): { readonly vote: TimeoutVote; readonly record: GuardRecord };
  /**
   * Reserves the block of 1,024 presignatures that `index` lies in. Once its record is durable and confirmed, signing with one
   * of them needs no record. After a crash all of the block is burnt.
   *
   * @param key - the name of the threshold key: 32 bytes
   * @throws {@link ExhaustedError} if the block is burnt, or its epoch over
   */
  reserve(key: Uint8Array, epoch: bigint, index: number): GuardRecord;
  /** Says that the record of a reservation is durable. @throws {@link WrongContextError} for another record */
  confirm(reservation: GuardRecord): void;
  /** Ends an epoch of a threshold key and all before it: what is left of their presignatures never signs. Make the record durable. */
  closeEpoch(key: Uint8Array, epoch: bigint): GuardRecord;
  publicKey(): PublicKey;
  readonly suite: Suite;
  readonly chain: ChainId;
  /** Epoch and view of the last statement of a kind. */
  last(kind: number): { readonly epoch: bigint; readonly view: bigint } | undefined;
  /** The last record of each kind, and what is spent of open epochs: all that a compacted log must keep. */
  records(): GuardRecord[];
  /** Overwrites the key, but not what was computed with it: see {@link SecretKey}. Closing twice does nothing. */
  close(): void;
  [Symbol.dispose](): void;
  readonly closed: boolean;
  /** Without the secret. */
  toString(): string;
  toJSON(): string;
}

/** What was signed last of one kind: 81 bytes. */
export class GuardRecord {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
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
