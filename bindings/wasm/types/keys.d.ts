/** Keys, signatures, and proofs of possession. */

import type { Suite } from '../index.js';

/**
 * A secret key. It never shows itself: not when printed, inspected, cloned, posted or put into JSON.
 *
 * It is overwritten by {@link SecretKey.close}, at the end of a `using` block, or when it is collected as garbage; a
 * {@link Guard} takes it over. After that every use throws {@link ClosedError}. Copies that computing with it left on the
 * module's stack remain until later calls overwrite them.
 */
export class SecretKey {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  private constructor();
  /** A new key from the operating system's generator. @throws {@link RngError} */
  static generate(suite: Suite): SecretKey;
  /** Reads a key back from its 32 bytes. The caller wipes `bytes`. @throws {@link MalformedError} */
  static fromBytes(suite: Suite, bytes: Uint8Array): SecretKey;
  /** The key as 32 bytes, for a key file. Treat them as what they are, and `fill(0)` them after use. */
  toBytes(): Uint8Array;
  readonly suite: Suite;
  /** The public key. Cost: one multiplication. */
  publicKey(): PublicKey;
  /** Signs the message as it is. Validators sign statements, and through a {@link Guard}. */
  sign(message: Uint8Array): Signature;
  /** The proof that one holds this key. */
  provePossession(): Signature;
  /** Overwrites the key, but not what was computed with it: see {@link SecretKey}. Closing twice does nothing. */
  close(): void;
  [Symbol.dispose](): void;
  /** Whether the key was closed or handed over. */
  readonly closed: boolean;
  /** `SecretKey(suite)`, nothing else. */
  toString(): string;
  /** As {@link SecretKey.toString}: a secret in a log or a response must not leak. */
  toJSON(): string;
}

/** A public key that decoded: a point of the right group, canonical, not the neutral element. */
export class PublicKey {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** Cost: one square root and one subgroup check. @throws {@link MalformedError} and its kin */
  static decode(suite: Suite, bytes: Uint8Array): PublicKey;
  encode(): Uint8Array;
  readonly suite: Suite;
  /** Checks a signature on the message as it is. @throws {@link BadSignatureError} */
  verify(message: Uint8Array, signature: Signature): void;
  /** Checks a proof of possession. @throws {@link BadPossessionError} */
  verifyPossession(possession: Signature): void;
  equals(other: PublicKey): boolean;
  /** The encoding in hex: right as the key of a `Map`. */
  toString(): string;
  toJSON(): string;
}

/** A signature that decoded. That says nothing about whether it verifies. */
export class Signature {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** @throws {@link MalformedError} and its kin */
  static decode(suite: Suite, bytes: Uint8Array): Signature;
  encode(): Uint8Array;
  /** Reads the form for direct links: BLS points uncompressed, which skips a square root. */
  static decodeLink(suite: Suite, bytes: Uint8Array): Signature;
  encodeLink(): Uint8Array;
  readonly suite: Suite;
  equals(other: Signature): boolean;
  /** The encoding in hex. */
  toString(): string;
  toJSON(): string;
}

/** A public key with a proof of possession that nobody checked yet: what a member hands in. */
export class UnverifiedKey {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** @throws {@link WrongContextError} for two suites */
  constructor(publicKey: PublicKey, possession: Signature);
  /** A key with its proof, made by its owner. */
  static prove(secret: SecretKey): UnverifiedKey;
  /** Public key, then proof. @throws {@link MalformedError} and its kin */
  static decode(suite: Suite, bytes: Uint8Array): UnverifiedKey;
  encode(): Uint8Array;
  readonly suite: Suite;
  readonly public: PublicKey;
  readonly possession: Signature;
  /** Checks the proof. Cost: one signature verification. @throws {@link BadPossessionError} */
  verify(): VerifiedKey;
  equals(other: UnverifiedKey): boolean;
  /** The encoding in hex. */
  toString(): string;
  toJSON(): string;
}

/** A public key whose owner proved to hold the secret key. Only {@link UnverifiedKey.verify} and `of` make one. */
export class VerifiedKey {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** One's own key, which needs no proof. */
  static fromSecret(secret: SecretKey): VerifiedKey;
  readonly suite: Suite;
  readonly public: PublicKey;
  equals(other: VerifiedKey): boolean;
  /** The public key in hex. */
  toString(): string;
  toJSON(): string;
}
