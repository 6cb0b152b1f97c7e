/**
 * Sealed files: a dealer's delivery to each party over any channel. X25519 and ChaCha20-Poly1305.
 *
 * **A seal does not authenticate the sender**: every holder of the public key can seal to it. A party compares the
 * identifiers of the key and the deal in its file with the expected ones.
 */

import type { AsyncOptions } from '../../dist/classes/offthread.js';

/** Bytes by which a sealed file is longer than its content. */
export const OVERHEAD: number;
/** Maximum length of the content: 64 MiB. */
export const MAX_CONTENT: number;

/**
 * A private key that opens files sealed to its public key. It never reveals itself; {@link SealingKey.close} wipes it.
 */
export class SealingKey {
  #private;
  /** Does what `close` does. */
  free(): void;
  private constructor();
  /** @throws {@link RngError} */
  static generate(): SealingKey;
  /** Decodes a key from its 32 bytes, which the caller wipes. @throws {@link MalformedError} */
  static fromBytes(bytes: Uint8Array): SealingKey;
  /** Returns the key as 32 bytes, for a key file. They are secret: `fill(0)` them after use. */
  toBytes(): Uint8Array;
  /** The public key. */
  readonly public: SealingPublicKey;
  /**
   * Opens a file. The caller may `fill(0)` the content after use.
   *
   * @throws {@link WrongContextError} unless it was sealed to this key with this context
   * @throws {@link MalformedError} @throws {@link TooLargeError} @throws {@link InfinityError}
   */
  open(context: Uint8Array, sealed: Uint8Array): Uint8Array;
  /** As {@link SealingKey.open}, off this thread. Closing the key does not stop a call in progress. */
  openAsync(context: Uint8Array, sealed: Uint8Array, options?: AsyncOptions): Promise<Uint8Array>;
  /** Wipes the key. Closing twice does nothing. */
  close(): void;
  [Symbol.dispose](): void;
  readonly closed: boolean;
  /** Without the secret. */
  toString(): string;
  toJSON(): string;
}

/** The public key to which files are sealed: 32 bytes. */
export class SealingPublicKey {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** Accepts any 32 bytes; a key of small order is rejected when it is used. @throws {@link MalformedError} */
  static decode(bytes: Uint8Array): SealingPublicKey;
  encode(): Uint8Array;
  /**
   * Seals content to this key. Opening requires the same `context`.
   *
   * @throws {@link TooLargeError} @throws {@link InfinityError} @throws {@link RngError}
   */
  seal(context: Uint8Array, content: Uint8Array): Uint8Array;
  /** As {@link SealingPublicKey.seal}, off this thread. */
  sealAsync(context: Uint8Array, content: Uint8Array, options?: AsyncOptions): Promise<Uint8Array>;
  equals(other: SealingPublicKey): boolean;
  /** Returns the encoding in hex. */
  toString(): string;
  toJSON(): string;
}
