/**
 * Sealed files: what a dealer gives to each party, over whatever carries bytes. X25519 and ChaCha20-Poly1305.
 *
 * **A seal hides and does not sign**: whoever knows the public key can seal something to it. A party compares the identities
 * of the key and the deal in its file with those that it was told.
 */

import type { AsyncOptions } from '../../index.js';

/** Bytes that a sealed file is longer than its content. */
export const OVERHEAD: number;
/** The longest content: 64 MiB. */
export const MAX_CONTENT: number;

/** What opens files that were sealed to its public key. It never shows itself; {@link SealingKey.close} wipes it. */
export class SealingKey {
  #private;
  private constructor();
  /** @throws {@link RngError} */
  static generate(): SealingKey;
  /** Reads a key back from its 32 bytes, which the caller wipes. @throws {@link MalformedError} */
  static fromBytes(bytes: Uint8Array): SealingKey;
  /** The key as 32 bytes, for a key file. Treat them as what they are, and `fill(0)` them after use. */
  toBytes(): Uint8Array;
  /** To whom to seal. */
  readonly public: SealingPublicKey;
  /**
   * Opens a file. The content is yours to `fill(0)`.
   *
   * @throws {@link WrongContextError} for what was not sealed to this key with this context
   * @throws {@link MalformedError} @throws {@link TooLargeError} @throws {@link InfinityError}
   */
  open(context: Uint8Array, sealed: Uint8Array): Uint8Array;
  /** As {@link SealingKey.open}, off this thread. Closing the key meanwhile does not keep it from ending. */
  openAsync(context: Uint8Array, sealed: Uint8Array, options?: AsyncOptions): Promise<Uint8Array>;
  /** Wipes the key. Closing twice does nothing. */
  close(): void;
  [Symbol.dispose](): void;
  readonly closed: boolean;
  /** Without the secret. */
  toString(): string;
  toJSON(): string;
}

/** To whom files are sealed: 32 bytes. */
export class SealingPublicKey {
  #private;
  private constructor();
  /** Any 32 bytes; one of small order is refused when it is used. @throws {@link MalformedError} */
  static decode(bytes: Uint8Array): SealingPublicKey;
  encode(): Uint8Array;
  /**
   * Seals content to this key. The same `context` is needed to open it.
   *
   * @throws {@link TooLargeError} @throws {@link InfinityError} @throws {@link RngError}
   */
  seal(context: Uint8Array, content: Uint8Array): Uint8Array;
  /** As {@link SealingPublicKey.seal}, off this thread. */
  sealAsync(context: Uint8Array, content: Uint8Array, options?: AsyncOptions): Promise<Uint8Array>;
  equals(other: SealingPublicKey): boolean;
  /** The encoding in hex. */
  toString(): string;
  toJSON(): string;
}
