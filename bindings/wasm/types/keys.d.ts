/** Keys, signatures, and proofs of possession. */

import type { Suite } from './suites.js';
import type { Ciphersuite } from '../generated/ciphersuite.js';

/**
 * A secret key. It never reveals itself: not when printed, inspected, cloned, posted or converted to JSON.
 *
 * It is overwritten by {@link SecretKey.close}, at the end of a `using` block, or when it is garbage-collected; a
 * {@link Guard} takes ownership of it. After that every use throws {@link ClosedError}. Copies left on the module's
 * stack by computations remain until later calls overwrite them.
 */
export class SecretKey {
  #private;
  /** Frees the memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  private constructor();
  /** Generates a key with the operating system's random number generator. @throws {@link RngError} */
  static generate(suite: Suite): SecretKey;
  /** Decodes a key from its 32 bytes. The caller wipes `bytes`. @throws {@link MalformedError} */
  static fromBytes(suite: Suite, bytes: Uint8Array): SecretKey;
  /** Returns the key as 32 bytes, for a key file. They are secret: `fill(0)` them after use. */
  toBytes(): Uint8Array;
  readonly suite: Suite;
  /** Returns the public key. Cost: one multiplication. */
  publicKey(): PublicKey;
  /** Signs exactly the bytes of the message. Validators sign statements through a {@link Guard} instead. */
  sign(message: Uint8Array): Signature;
  /**
   * Signs exactly the bytes of the message for another chain. Never sign with a key that signs statements: a
   * {@link Guard} does not record it.
   *
   * @throws {@link WrongContextError} for another ciphersuite than the default, unless the suite is `MinSig` or `MinPk`
   */
  signWith(ciphersuite: Ciphersuite, message: Uint8Array): Signature;
  /** Creates a proof of possession of this key. */
  provePossession(): Signature;
  /**
   * Overwrites the key, but not the intermediate results of computing with it: see {@link SecretKey}. Closing twice
   * does nothing.
   */
  close(): void;
  [Symbol.dispose](): void;
  /** True if the key was closed or its ownership was transferred. */
  readonly closed: boolean;
  /** `SecretKey(suite)` and nothing else. */
  toString(): string;
  /** As {@link SecretKey.toString}: a secret in a log or a response must not leak. */
  toJSON(): string;
}

/** A decoded public key: a point of the right group, canonical, and not the neutral element. */
export class PublicKey {
  #private;
  /** Frees the memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** Cost: one square root and one subgroup check. @throws {@link MalformedError} and other decoding errors */
  static decode(suite: Suite, bytes: Uint8Array): PublicKey;
  encode(): Uint8Array;
  readonly suite: Suite;
  /** Verifies a signature on exactly the bytes of the message. @throws {@link BadSignatureError} */
  verify(message: Uint8Array, signature: Signature): void;
  /**
   * Verifies a signature of another chain on exactly the bytes of the message. Cost: two pairings, a hash to the curve, a
   * subgroup check.
   *
   * @throws {@link BadSignatureError}; {@link WrongContextError} for a signature of another suite, or for another
   * ciphersuite than the default, unless the suite is `MinSig` or `MinPk`
   */
  verifyWith(ciphersuite: Ciphersuite, message: Uint8Array, signature: Signature): void;
  /** Verifies a proof of possession. @throws {@link BadPossessionError} */
  verifyPossession(possession: Signature): void;
  equals(other: PublicKey): boolean;
  /** Returns the encoding in hex, suitable as the key of a `Map`. */
  toString(): string;
  toJSON(): string;
}

/** A decoded signature. It is not verified yet. */
export class Signature {
  #private;
  /** Frees the memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** @throws {@link MalformedError} and other decoding errors */
  static decode(suite: Suite, bytes: Uint8Array): Signature;
  encode(): Uint8Array;
  /** Decodes the form for direct links: BLS points uncompressed, which skips a square root. */
  static decodeLink(suite: Suite, bytes: Uint8Array): Signature;
  encodeLink(): Uint8Array;
  readonly suite: Suite;
  equals(other: Signature): boolean;
  /** Returns the encoding in hex. */
  toString(): string;
  toJSON(): string;
}

/** A public key with an unverified proof of possession, as a member submits it. */
export class UnverifiedKey {
  #private;
  /** Frees the memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** @throws {@link WrongContextError} for two suites */
  constructor(publicKey: PublicKey, possession: Signature);
  /** Creates the key of `secret` with its proof. */
  static prove(secret: SecretKey): UnverifiedKey;
  /** Public key, then proof. @throws {@link MalformedError} and other decoding errors */
  static decode(suite: Suite, bytes: Uint8Array): UnverifiedKey;
  encode(): Uint8Array;
  readonly suite: Suite;
  readonly public: PublicKey;
  readonly possession: Signature;
  /** Verifies the proof. Cost: one signature verification. @throws {@link BadPossessionError} */
  verify(): VerifiedKey;
  equals(other: UnverifiedKey): boolean;
  /** Returns the encoding in hex. */
  toString(): string;
  toJSON(): string;
}

/**
 * A public key whose owner proved possession of the secret key. Only {@link UnverifiedKey.verify} and `fromSecret`
 * create one.
 */
export class VerifiedKey {
  #private;
  /** Frees the memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** Returns the key of a secret key, which needs no proof. */
  static fromSecret(secret: SecretKey): VerifiedKey;
  readonly suite: Suite;
  readonly public: PublicKey;
  equals(other: VerifiedKey): boolean;
  /** Returns the public key in hex. */
  toString(): string;
  toJSON(): string;
}
