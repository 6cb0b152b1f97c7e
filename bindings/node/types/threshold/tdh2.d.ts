/**
 * TDH2 threshold encryption: anybody encrypts to a committee, and f + 1 of its members decrypt together.
 *
 * {@link Ciphertext.check} comes before any share: a member that made one for whatever it is sent would decrypt other
 * ciphertexts for its sender. Epoch and proposer are part of a ciphertext; nobody else can propose it.
 */

import type { QuorateError, AsyncOptions, CommitteeId } from '../../index.js';
import type { Cache, Threshold } from '../threshold.js';

/** The longest payload that is encrypted: 32 MiB. */
export const MAX_PLAINTEXT: number;
/** How much longer a payload is when it is encrypted. */
export const OVERHEAD: number;

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
  verifyShare(ciphertext: ValidCiphertext, share: DecryptionShare): VerifiedShare;
  /** Checks many shares with one sum, and finds every wrong one; these are no error. Cost: 0.6 multiplications for each. */
  verifyShares(ciphertext: ValidCiphertext, shares: Iterable<DecryptionShare>): Checked;
  /** As {@link PublicKeys.verifyShares}, off this thread. */
  verifySharesAsync(ciphertext: ValidCiphertext, shares: Iterable<DecryptionShare>, options?: AsyncOptions): Promise<Checked>;
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
  /** This member's part in a decryption. @throws {@link WrongContextError} @throws {@link RngError} */
  decryptionShare(ciphertext: ValidCiphertext): DecryptionShare;
  /** Wipes the share. Closing twice does nothing. */
  close(): void;
  [Symbol.dispose](): void;
  readonly closed: boolean;
  /** Without the secret. */
  toString(): string;
  toJSON(): string;
}

/** A member's part in a decryption with its proof, as it came in: 130 bytes. */
export class DecryptionShare {
  #private;
  private constructor();
  static decode(bytes: Uint8Array): DecryptionShare;
  encode(): Uint8Array;
  /** Whose it says it is. Nothing is proven before it is verified. */
  readonly member: number;
  equals(other: DecryptionShare): boolean;
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
  | { readonly kind: 'forged'; readonly member: number; readonly share: DecryptionShare };

/** What came of checking many shares. */
export interface Checked {
  readonly verified: VerifiedShare[];
  readonly faults: ShareFault[];
}

/** What encrypting and checking ciphertexts need: 65 bytes. */
export class EncryptionKey {
  #private;
  private constructor();
  static fromPublicKeys(keys: PublicKeys): EncryptionKey;
  static decode(bytes: Uint8Array): EncryptionKey;
  encode(): Uint8Array;
  /** The same key with tables: what some fifty ciphertexts win back. Memory: 60 kB. */
  precomputed(): EncryptionKey;
  readonly committee: CommitteeId;
  /** 32 bytes. */
  readonly key: Uint8Array;
  /** Encrypts at most {@link MAX_PLAINTEXT} bytes. Cost: five multiplications. @throws {@link TooLargeError} @throws {@link RngError} */
  encrypt(epoch: bigint, proposer: number, plaintext: Uint8Array): Ciphertext;
  /** As {@link EncryptionKey.encrypt}, off this thread. */
  encryptAsync(epoch: bigint, proposer: number, plaintext: Uint8Array, options?: AsyncOptions): Promise<Ciphertext>;
  equals(other: EncryptionKey): boolean;
  /** The encoding in hex. */
  toString(): string;
  toJSON(): string;
}

/** Where a ciphertext belongs. It is under the ciphertext's proof. */
export interface Label {
  readonly committee: CommitteeId;
  readonly epoch: bigint;
  readonly proposer: number;
  /** The hash of the encrypted payload. */
  readonly payload: Uint8Array;
}

/** What a proposer sends. Nothing of it is checked but that it is one. */
export class Ciphertext {
  #private;
  private constructor();
  static decode(bytes: Uint8Array): Ciphertext;
  encode(): Uint8Array;
  /** Unchecked. */
  readonly label: Label;
  /** The encrypted payload. */
  readonly payload: Uint8Array;
  /**
   * Checks that it is a ciphertext for this key, that `proposer` proposed it in this epoch as far as its author says, and its
   * proof. Cost: three multiplications, and a hash of the payload.
   *
   * @throws {@link WrongContextError} if it belongs elsewhere
   * @throws {@link BadCiphertextError} if payload or proof are wrong
   */
  check(key: EncryptionKey, epoch: bigint, proposer: number): ValidCiphertext;
  /** As {@link Ciphertext.check}, off this thread. */
  checkAsync(key: EncryptionKey, epoch: bigint, proposer: number, options?: AsyncOptions): Promise<ValidCiphertext>;
  equals(other: Ciphertext): boolean;
  toString(): string;
}

/** A ciphertext that was checked: what shares are made of. */
export class ValidCiphertext {
  #private;
  private constructor();
  /** Without the mark that it was checked. */
  readonly ciphertext: Ciphertext;
  readonly label: Label;
  /** What the proofs of its shares name: 32 bytes. */
  readonly id: Uint8Array;
  /** The element that its shares are multiples of: 32 bytes. */
  readonly base: Uint8Array;
  /**
   * Decrypts with verified shares.
   *
   * @throws {@link BadCiphertextError} if the author encrypted nothing sensible: take it for empty, as everybody will
   * @throws {@link WrongContextError} @throws {@link DuplicateSignerError} @throws {@link BelowQuorumError}
   */
  combine(keys: PublicKeys, shares: Iterable<VerifiedShare>, cache?: Cache): Uint8Array;
  /** As {@link ValidCiphertext.combine}, off this thread. */
  combineAsync(keys: PublicKeys, shares: Iterable<VerifiedShare>, cache?: Cache, options?: AsyncOptions): Promise<Uint8Array>;
  toString(): string;
}

/** Collects the shares of one ciphertext until it opens. Shares are checked only if the first f + 1 do not fit. */
export class Decryption {
  #private;
  /** @throws {@link WrongContextError} if the ciphertext was checked for other keys */
  constructor(keys: PublicKeys, ciphertext: ValidCiphertext, cache?: Cache);
  /** Takes a share in. @throws {@link UnknownSignerError} */
  add(share: DecryptionShare): Collected;
  /** Whether it is open, or known never to open. */
  readonly isDone: boolean;
  toString(): string;
}

/** What came of one share more. */
export interface Collected {
  /** The payload, once. */
  readonly output: Uint8Array | undefined;
  /** In its place, once and for good: the author encrypted nothing sensible. Its code is `BAD_CIPHERTEXT`. */
  readonly error: QuorateError | undefined;
  readonly faults: ShareFault[];
}
