/** The wire encoding: readers, writers, and hashes under a domain. */

/** Canonical, bounded encoding, as used by every type of this package. Integers are little-endian. */
export namespace wire {
  /** Every domain string: each identifies one purpose of a hash or of signed bytes. */
  const DOMAINS: readonly string[];
  /** Returns the 32-byte BLAKE3 hash of `bytes` under a domain string. */
  function hash(domain: string, bytes: Uint8Array): Uint8Array;

  /** Reads an encoding front to back. Too few bytes raise {@link MalformedError}; each call advances the position. */
  class Reader {
    #private;
    /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
    free(): void;
    [Symbol.dispose](): void;
    /** A reader over a copy of `bytes`. */
    constructor(bytes: Uint8Array);
    /** Number of bytes left. */
    readonly remaining: number;
    /** Reads the next `length` bytes. */
    raw(length: number): Uint8Array;
    u8(): number;
    u16(): number;
    u32(): number;
    u64(): bigint;
    u128(): bigint;
    /** Reads LEB128 of 32 bits in its shortest form. @throws {@link NonCanonicalError} */
    varint(): number;
    /** Reads a length of at most `cap`, then that many bytes. @throws {@link TooLargeError} */
    bytes(cap: number): Uint8Array;
    /** Reads a list length of at most `cap`. @throws {@link TooLargeError} */
    count(cap: number): number;
    /** Reads the tag of an option: whether a value follows. */
    option(): boolean;
    /** @throws {@link MalformedError} if bytes are left */
    finish(): void;
    toString(): string;
  }

  /** Writes an encoding front to back. */
  class Writer {
    #private;
    /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
    free(): void;
    [Symbol.dispose](): void;
    constructor();
    /** Number of bytes written. */
    readonly length: number;
    raw(bytes: Uint8Array): void;
    u8(value: number): void;
    u16(value: number): void;
    u32(value: number): void;
    u64(value: bigint): void;
    u128(value: bigint): void;
    varint(value: number): void;
    /** Writes a length, then the bytes. */
    bytes(bytes: Uint8Array): void;
    /** Writes a list length. */
    count(length: number): void;
    /** Writes the tag of an option. */
    option(present: boolean): void;
    /** Returns the written bytes. The writer is empty afterwards. */
    intoBytes(): Uint8Array;
    toString(): string;
  }
}
