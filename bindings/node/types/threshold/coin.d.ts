/**
 * The common coin: a value for each name that is the same for all, and that nobody knows before f + 1 members have shown
 * their shares. **A coin is a secret until it is wanted**: show a share only when the protocol says so.
 */

import type { AsyncOptions, CommitteeId } from '../../index.js';
import type { Cache, Threshold } from '../threshold.js';

/** What everybody knows of dealt keys. They were checked to lie on one polynomial. */
export class PublicKeys {
  #private;
  private constructor();
  /**
   * Deals a fresh key: f + 1 shares are needed if f members may be faulty. **Whoever runs this knows the key.**
   *
   * @throws {@link RngError}
   */
  static deal(committee: CommitteeId, threshold: Threshold): Dealt;
  /** As {@link PublicKeys.deal}, off this thread. */
  static dealAsync(committee: CommitteeId, threshold: Threshold, options?: AsyncOptions): Promise<Dealt>;
  /** Cost: a square root and a product for each member. @throws {@link BadCommitteeError} for keys that lie on no polynomial */
  static decode(bytes: Uint8Array): PublicKeys;
  encode(): Uint8Array;
  /** The same keys with a table for each member, which makes checking between n/8 and 46 shares at once somewhat cheaper. Memory: 10 kB for each member. */
  precomputed(): PublicKeys;
  readonly committee: CommitteeId;
  readonly threshold: Threshold;
  /** The public key: 32 bytes. */
  readonly key: Uint8Array;
  /** A member's: 32 bytes; `undefined` if there is no such member. */
  verificationKey(member: number): Uint8Array | undefined;
  /** Checks one share. @throws {@link BadShareError} @throws {@link UnknownSignerError} @throws {@link WrongContextError} */
  verifyShare(coin: Coin, share: CoinShare): VerifiedShare;
  /** Checks many shares with one sum, and finds every wrong one; these are no error. Cost: 0.6 multiplications for each. */
  verifyShares(coin: Coin, shares: Iterable<CoinShare>): Checked;
  /** As {@link PublicKeys.verifyShares}, off this thread. */
  verifySharesAsync(coin: Coin, shares: Iterable<CoinShare>, options?: AsyncOptions): Promise<Checked>;
  equals(other: PublicKeys): boolean;
  toString(): string;
}

/** Keys and one share for each member, in their order. */
export interface Dealt {
  readonly keys: PublicKeys;
  readonly shares: KeyShare[];
}

/** A member's secret. It never shows itself; {@link KeyShare.close} wipes it. */
export class KeyShare {
  #private;
  private constructor();
  /** Reads what `toBytes` wrote; {@link KeyShare.check} it then. The caller wipes `bytes`. */
  static fromBytes(bytes: Uint8Array): KeyShare;
  /** 99 bytes, to be kept as secret as a signing key. */
  toBytes(): Uint8Array;
  readonly member: number;
  readonly committee: CommitteeId;
  /** What everybody knows of it: 32 bytes. */
  readonly verificationKey: Uint8Array;
  /**
   * Checks that the dealer gave this member the secret of its verification key. To be done once: a wrong one would make
   * wrong shares later, and their maker the culprit.
   *
   * @throws {@link BadShareError} @throws {@link WrongContextError} @throws {@link UnknownSignerError}
   */
  check(keys: PublicKeys): void;
  /** This member's part in a coin. @throws {@link WrongContextError} @throws {@link RngError} */
  coinShare(coin: Coin): CoinShare;
  /** Wipes the share. Closing twice does nothing. */
  close(): void;
  [Symbol.dispose](): void;
  readonly closed: boolean;
  /** Without the secret. */
  toString(): string;
  toJSON(): string;
}

/** A member's part in a coin with its proof, as it came in: 130 bytes. */
export class CoinShare {
  #private;
  private constructor();
  static decode(bytes: Uint8Array): CoinShare;
  encode(): Uint8Array;
  /** Whose it says it is. Nothing is proven before it is verified. */
  readonly member: number;
  equals(other: CoinShare): boolean;
  toString(): string;
}

/** A share that was verified. Nothing else can be combined. */
export class VerifiedShare {
  #private;
  private constructor();
  readonly member: number;
  toString(): string;
}

/** Proof that a member made a wrong share, for anybody who has the public keys. 194 bytes. */
export class WrongShare {
  #private;
  private constructor();
  /** The bytes only: it still is to be verified. */
  static decode(bytes: Uint8Array): WrongShare;
  encode(): Uint8Array;
  /** Names the culprit. @throws {@link NotEvidenceError} if the share is right, or not the member's own */
  verify(keys: PublicKeys): number;
  equals(other: WrongShare): boolean;
  toString(): string;
}

/** A share that did not verify: proven to be the member's own, or forged by whoever sent it. */
export type ShareFault =
  | { readonly kind: 'proven'; readonly member: number; readonly evidence: WrongShare }
  | { readonly kind: 'forged'; readonly member: number; readonly share: CoinShare };

/** What came of checking many shares. */
export interface Checked {
  readonly verified: VerifiedShare[];
  readonly faults: ShareFault[];
}

/** Which coin. Each name is used for one decision. */
export interface CoinName {
  /** Which protocol asks, so that two of them never share a coin: 0 to 255. */
  readonly protocol: number;
  readonly epoch: bigint;
  readonly instance: bigint;
  readonly round: bigint;
}

/** A name, hashed to the group for the members of certain keys. */
export class Coin {
  #private;
  private constructor();
  static fromName(keys: PublicKeys, name: CoinName): Coin;
  readonly name: CoinName;
  /** What the proofs of its shares name: 32 bytes. */
  readonly id: Uint8Array;
  /** The element that its shares are multiples of: 32 bytes. */
  readonly base: Uint8Array;
  /** The value, from verified shares. @throws {@link WrongContextError} @throws {@link DuplicateSignerError} @throws {@link BelowQuorumError} */
  combine(keys: PublicKeys, shares: Iterable<VerifiedShare>, cache?: Cache): CoinValue;
  toString(): string;
}

/** 32 random bytes that all have in common. */
export class CoinValue {
  #private;
  private constructor();
  static fromBytes(bytes: Uint8Array): CoinValue;
  readonly bytes: Uint8Array;
  /** One bit. */
  bit(): boolean;
  /** A number below n, for choosing a leader; `undefined` for 0. */
  below(n: number): number | undefined;
  equals(other: CoinValue): boolean;
  /** The bytes in hex. */
  toString(): string;
  toJSON(): string;
}

/** Collects the shares of one coin until there are enough good ones. */
export class Toss {
  #private;
  /** @throws {@link WrongContextError} if the coin is of other keys */
  constructor(keys: PublicKeys, coin: Coin, cache?: Cache);
  /** Takes a share in. @throws {@link UnknownSignerError} */
  add(share: CoinShare): Collected;
  readonly isDone: boolean;
  toString(): string;
}

/** What came of one share more. */
export interface Collected {
  /** The value, once. */
  readonly output: CoinValue | undefined;
  readonly faults: ShareFault[];
}
