/**
 * TDH2 threshold encryption: any client encrypts to a committee, and f + 1 of its members decrypt together.
 *
 * Verify a ciphertext with {@link Ciphertext.check} before making a share: a member that makes shares for unchecked
 * ciphertexts would decrypt other ciphertexts for the sender. A ciphertext binds its epoch and proposer; no other
 * member can propose it.
 */

import type { AsyncOptions } from '../../dist/classes/offthread.js';
import type { QuorateError } from '../../dist/common/errors.js';
import type { CommitteeId } from '../../dist/classes/ids.js';
import type { Cache, Threshold } from './common.js';

/** Maximum length of a plaintext: 32 MiB. */
export const MAX_PLAINTEXT: number;
/** Bytes by which an encrypted payload is longer than its plaintext. */
export const OVERHEAD: number;

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
  verifyShare(ciphertext: ValidCiphertext, share: DecryptionShare): VerifiedShare;
  /**
   * Verifies several shares with one sum, and identifies every wrong one; these raise no error. Cost: 0.6
   * multiplications per share.
   */
  verifyShares(ciphertext: ValidCiphertext, shares: Iterable<DecryptionShare>): Checked;
  /** As {@link PublicKeys.verifyShares}, off this thread. */
  verifySharesAsync(ciphertext: ValidCiphertext, shares: Iterable<DecryptionShare>, options?: AsyncOptions): Promise<Checked>;
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
  /** Returns this member's share of a decryption. @throws {@link WrongContextError} @throws {@link RngError} */
  decryptionShare(ciphertext: ValidCiphertext): DecryptionShare;
  /** Wipes the share. Closing twice does nothing. */
  close(): void;
  [Symbol.dispose](): void;
  readonly closed: boolean;
  /** Without the secret. */
  toString(): string;
  toJSON(): string;
}

/** A member's share of a decryption with its proof, as received: 130 bytes. */
export class DecryptionShare {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  static decode(bytes: Uint8Array): DecryptionShare;
  encode(): Uint8Array;
  /** Member that the share names. Unproven until the share is verified. */
  readonly member: number;
  equals(other: DecryptionShare): boolean;
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
  | { readonly kind: 'forged'; readonly member: number; readonly share: DecryptionShare };

/** Result of checking several shares. */
export interface Checked {
  readonly verified: VerifiedShare[];
  readonly faults: ShareFault[];
}

/** The key for encrypting and checking ciphertexts: 65 bytes. */
export class EncryptionKey {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  static fromPublicKeys(keys: PublicKeys): EncryptionKey;
  static decode(bytes: Uint8Array): EncryptionKey;
  encode(): Uint8Array;
  /** Returns the same key with tables, whose cost is recovered after some fifty ciphertexts. Memory: 60 kB. */
  precomputed(): EncryptionKey;
  readonly committee: CommitteeId;
  /** 32 bytes. */
  readonly key: Uint8Array;
  /** Encrypts at most {@link MAX_PLAINTEXT} bytes. Cost: five multiplications. @throws {@link TooLargeError} @throws {@link RngError} */
  encrypt(epoch: bigint, proposer: number, plaintext: Uint8Array): Ciphertext;
  /** As {@link EncryptionKey.encrypt}, off this thread. */
  encryptAsync(epoch: bigint, proposer: number, plaintext: Uint8Array, options?: AsyncOptions): Promise<Ciphertext>;
  equals(other: EncryptionKey): boolean;
  /** Returns the encoding in hex. */
  toString(): string;
  toJSON(): string;
}

/** Context of a ciphertext. The ciphertext's proof covers it. */
export interface Label {
  readonly committee: CommitteeId;
  readonly epoch: bigint;
  readonly proposer: number;
  /** Hash of the encrypted payload. */
  readonly payload: Uint8Array;
}

/** A ciphertext as sent by a proposer. Only its form is checked. */
export class Ciphertext {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  static decode(bytes: Uint8Array): Ciphertext;
  encode(): Uint8Array;
  /** Not verified yet. */
  readonly label: Label;
  /** The encrypted payload. */
  readonly payload: Uint8Array;
  /**
   * Checks that it is a ciphertext for this key, that its author made it for `proposer` and this epoch, and its proof.
   * Cost: three multiplications, plus a hash of the payload.
   *
   * @throws {@link WrongContextError} if it belongs to another context
   * @throws {@link BadCiphertextError} if payload or proof are wrong
   */
  check(key: EncryptionKey, epoch: bigint, proposer: number): ValidCiphertext;
  /** As {@link Ciphertext.check}, off this thread. */
  checkAsync(key: EncryptionKey, epoch: bigint, proposer: number, options?: AsyncOptions): Promise<ValidCiphertext>;
  equals(other: Ciphertext): boolean;
  toString(): string;
}

/** A checked ciphertext, for which shares can be made. */
export class ValidCiphertext {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** The ciphertext without the proof that it was checked. */
  readonly ciphertext: Ciphertext;
  readonly label: Label;
  /** Identifier in the proofs of its shares: 32 bytes. */
  readonly id: Uint8Array;
  /** The element whose multiples are the shares: 32 bytes. */
  readonly base: Uint8Array;
  /**
   * Decrypts with verified shares.
   *
   * @throws {@link BadCiphertextError} if the author encrypted no valid plaintext: treat it as empty, as all members
   * will
   * @throws {@link WrongContextError} @throws {@link DuplicateSignerError} @throws {@link BelowQuorumError}
   */
  combine(keys: PublicKeys, shares: Iterable<VerifiedShare>, cache?: Cache): Uint8Array;
  /** As {@link ValidCiphertext.combine}, off this thread. */
  combineAsync(keys: PublicKeys, shares: Iterable<VerifiedShare>, cache?: Cache, options?: AsyncOptions): Promise<Uint8Array>;
  toString(): string;
}

/**
 * Collects the shares of one ciphertext until it can be decrypted. Shares are verified only if the first f + 1 do not
 * decrypt it.
 */
export class Decryption {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** @throws {@link WrongContextError} if the ciphertext was checked for other keys */
  constructor(keys: PublicKeys, ciphertext: ValidCiphertext, cache?: Cache);
  /** Adds a share. @throws {@link UnknownSignerError} */
  add(share: DecryptionShare): Collected;
  /** True if the ciphertext is decrypted, or known to be invalid. */
  readonly isDone: boolean;
  toString(): string;
}

/** Result of adding a share. */
export interface Collected {
  /** The plaintext, returned once. */
  readonly output: Uint8Array | undefined;
  /** Set once, in place of the plaintext: the author encrypted no valid plaintext. Its code is `BAD_CIPHERTEXT`. */
  readonly error: QuorateError | undefined;
  readonly faults: ShareFault[];
}
