/**
 * The common coin: one value per name, the same for all members, and unpredictable until f + 1 members have released
 * their shares. **A coin is secret until it is needed**: release a share only when the protocol permits it.
 */

import type { AsyncOptions } from '../../dist/classes/offthread.js';
import type { CommitteeId } from '../../dist/classes/ids.js';
import type { Cache, Threshold } from './common.js';

/** The public keys of a dealt key. They were checked to lie on one polynomial. */
export class PublicKeys {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /**
   * Deals a new key: the threshold is f + 1 if f members may be faulty. **The process that runs this knows the key.**
   *
   * @throws {@link RngError}
   */
  static deal(committee: CommitteeId, threshold: Threshold): Dealt;
  /** As {@link PublicKeys.deal}, off this thread. */
  static dealAsync(committee: CommitteeId, threshold: Threshold, options?: AsyncOptions): Promise<Dealt>;
  /**
   * Cost: a square root and a product per member. @throws {@link BadCommitteeError} for keys that do not lie on one
   * polynomial
   */
  static decode(bytes: Uint8Array): PublicKeys;
  encode(): Uint8Array;
  /**
   * Returns the same keys with a table for each member, which makes verifying between n/8 and 46 shares at once
   * somewhat cheaper. Memory: 10 kB for each member.
   */
  precomputed(): PublicKeys;
  readonly committee: CommitteeId;
  readonly threshold: Threshold;
  /** The public key: 32 bytes. */
  readonly key: Uint8Array;
  /** Returns a member's verification key: 32 bytes; `undefined` if there is no such member. */
  verificationKey(member: number): Uint8Array | undefined;
  /**
   * Verifies one share. @throws {@link BadShareError} @throws {@link UnknownSignerError} @throws
   * {@link WrongContextError}
   */
  verifyShare(coin: Coin, share: CoinShare): VerifiedShare;
  /**
   * Verifies several shares with one sum, and identifies every wrong one; these raise no error. Cost: 0.6
   * multiplications per share.
   */
  verifyShares(coin: Coin, shares: Iterable<CoinShare>): Checked;
  /** As {@link PublicKeys.verifyShares}, off this thread. */
  verifySharesAsync(coin: Coin, shares: Iterable<CoinShare>, options?: AsyncOptions): Promise<Checked>;
  equals(other: PublicKeys): boolean;
  toString(): string;
}

/** Keys and one share for each member, in order. */
export interface Dealt {
  readonly keys: PublicKeys;
  readonly shares: KeyShare[];
}

/** A member's share of the secret key. It never reveals itself; {@link KeyShare.close} wipes it. */
export class KeyShare {
  #private;
  /** Does what `close` does. */
  free(): void;
  private constructor();
  /** Decodes the result of `toBytes`; call {@link KeyShare.check} next. The caller wipes `bytes`. */
  static fromBytes(bytes: Uint8Array): KeyShare;
  /** Returns 99 bytes, as secret as a signing key. */
  toBytes(): Uint8Array;
  readonly member: number;
  readonly committee: CommitteeId;
  /** Its public verification key: 32 bytes. */
  readonly verificationKey: Uint8Array;
  /**
   * Verifies that the dealer gave this member the secret of its verification key. Call it once: with a wrong secret the
   * member makes wrong shares later and is blamed for them.
   *
   * @throws {@link BadShareError} @throws {@link WrongContextError} @throws {@link UnknownSignerError}
   */
  check(keys: PublicKeys): void;
  /** Returns this member's share of a coin. @throws {@link WrongContextError} @throws {@link RngError} */
  coinShare(coin: Coin): CoinShare;
  /** Wipes the share. Closing twice does nothing. */
  close(): void;
  [Symbol.dispose](): void;
  readonly closed: boolean;
  /** Without the secret. */
  toString(): string;
  toJSON(): string;
}

/** A member's share of a coin with its proof, as received: 130 bytes. */
export class CoinShare {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  static decode(bytes: Uint8Array): CoinShare;
  encode(): Uint8Array;
  /** Member that the share names. Unproven until the share is verified. */
  readonly member: number;
  equals(other: CoinShare): boolean;
  toString(): string;
}

/** A verified share. Only verified shares can be combined. */
export class VerifiedShare {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly member: number;
  toString(): string;
}

/** Evidence that a member made a wrong share, for every holder of the public keys. 194 bytes. */
export class WrongShare {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** Decodes the bytes; the evidence is not verified yet. */
  static decode(bytes: Uint8Array): WrongShare;
  encode(): Uint8Array;
  /**
   * Verifies the evidence and returns the culprit. @throws {@link NotEvidenceError} if the share is right, or not the
   * member's own
   */
  verify(keys: PublicKeys): number;
  equals(other: WrongShare): boolean;
  toString(): string;
}

/** A share that did not verify: proven to be the member's own, or possibly forged by its sender. */
export type ShareFault =
  | { readonly kind: 'proven'; readonly member: number; readonly evidence: WrongShare }
  | { readonly kind: 'forged'; readonly member: number; readonly share: CoinShare };

/** Result of checking several shares. */
export interface Checked {
  readonly verified: VerifiedShare[];
  readonly faults: ShareFault[];
}

/** Name of a coin. Use each name for one decision only. */
export interface CoinName {
  /** Number of the protocol, so that two protocols never share a coin: 0 to 255. */
  readonly protocol: number;
  readonly epoch: bigint;
  readonly instance: bigint;
  readonly round: bigint;
}

/** A name hashed to the group for a set of keys. */
export class Coin {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  static fromName(keys: PublicKeys, name: CoinName): Coin;
  readonly name: CoinName;
  /** Identifier in the proofs of its shares: 32 bytes. */
  readonly id: Uint8Array;
  /** The element whose multiples are the shares: 32 bytes. */
  readonly base: Uint8Array;
  /**
   * Combines verified shares into the value. @throws {@link WrongContextError} @throws {@link DuplicateSignerError}
   * @throws {@link BelowQuorumError}
   */
  combine(keys: PublicKeys, shares: Iterable<VerifiedShare>, cache?: Cache): CoinValue;
  toString(): string;
}

/** 32 random bytes, the same for all members. */
export class CoinValue {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  static fromBytes(bytes: Uint8Array): CoinValue;
  readonly bytes: Uint8Array;
  /** Returns one bit. */
  bit(): boolean;
  /** Returns a number below n, for leader election; `undefined` if n is 0. */
  below(n: number): number | undefined;
  equals(other: CoinValue): boolean;
  /** Returns the bytes in hex. */
  toString(): string;
  toJSON(): string;
}

/** Collects the shares of one coin until enough are valid. */
export class CoinCombiner {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** @throws {@link WrongContextError} if the coin belongs to other keys */
  constructor(keys: PublicKeys, coin: Coin, cache?: Cache);
  /** Adds a share. @throws {@link UnknownSignerError} */
  add(share: CoinShare): Collected;
  readonly isDone: boolean;
  toString(): string;
}

/** Result of adding a share. */
export interface Collected {
  /** The value, returned once. */
  readonly output: CoinValue | undefined;
  readonly faults: ShareFault[];
}
