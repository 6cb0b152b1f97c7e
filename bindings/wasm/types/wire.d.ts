/** The encoding. */

/** Canonical, bounded encoding, as every type of this package has it. Integers are little endian. */
export namespace wire {
  /** Every domain string: each names one purpose of a hash or of signed bytes. */
  const DOMAINS: readonly string[];
  /** The 32-byte BLAKE3 hash of `bytes` under a domain string. */
  function hash(domain: string, bytes: Uint8Array): Uint8Array;

  /** Takes an encoding apart front to back. Too few bytes throw {@link MalformedError}; each call moves on. */
  class Reader {
    #private;
    /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
    free(): void;
    [Symbol.dispose](): void;
    /** A reader over a copy of `bytes`. */
    constructor(bytes: Uint8Array);
    /** How many bytes are left. */
    readonly remaining: number;
    /** The next `length` bytes. */
    raw(length: number): Uint8Array;
    u8(): number;
    u16(): number;
    u32(): number;
    u64(): bigint;
    u128(): bigint;
    /** LEB128 of 32 bits in its shortest form. @throws {@link NonCanonicalError} */
    varint(): number;
    /** A length of at most `cap`, then that many bytes. @throws {@link TooLargeError} */
    bytes(cap: number): Uint8Array;
    /** A list length of at most `cap`. @throws {@link TooLargeError} */
    count(cap: number): number;
    /** The tag of an option: whether a value follows. */
    option(): boolean;
    /** @throws {@link MalformedError} if bytes are left */
    finish(): void;
    toString(): string;
  }

  /** Builds an encoding front to back. */
  class Writer {
    #private;
    /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
    free(): void;
    [Symbol.dispose](): void;
    constructor();
    /** How many bytes were written. */
    readonly length: number;
    raw(bytes: Uint8Array): void;
    u8(value: number): void;
    u16(value: number): void;
    u32(value: number): void;
    u64(value: bigint): void;
    u128(value: bigint): void;
    varint(value: number): void;
    /** A length, then the bytes. */
    bytes(bytes: Uint8Array): void;
    /** A list length. */
    count(length: number): void;
    /** The tag of an option. */
    option(present: boolean): void;
    /** What was written. The writer is empty afterwards. */
    intoBytes(): Uint8Array;
    toString(): string;
  }
}
