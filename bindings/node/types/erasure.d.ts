/**
 * Erasure coding: a message becomes n shards, any k of which restore it. A commitment binds the sender to one message.
 *
 * A sender disperses a message and sends each member its {@link CheckedShard}; a member with k of them decodes. All
 * members that decode shards of one {@link Commitment} get the same message, or {@link BadEncodingError}, whichever
 * shards they have: decoding encodes again, and compares.
 */

import type { AsyncOptions } from '../dist/classes/offthread.js';

/** Maximum message length of any coding: 1 GiB. */
export const MAX_MESSAGE: number;
/** Maximum total length of all shards of a message, in bytes. */
export const MAX_SHARDS: number;

/** The parameters of Jerasure's code: bits per word, and bytes per packet as a power of two. */
export class Packets {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** @throws {@link BadShapeError} for words below 2 or above 16 bits, or packets above 65,536 bytes */
  constructor(word: number, log2Packet: number);
  readonly word: number;
  /** In bytes. */
  readonly packet: number;
  readonly log2Packet: number;
  equals(other: Packets): boolean;
  toString(): string;
}

/**
 * Code of the parity shards. It determines the bytes on the wire, so all members must use the same.
 *
 * | number | name | shards | |
 * |---|---|---|---|
 * | 1 | `leopard` | 32,768 | over GF(2¹⁶) |
 * | 2 | `gf8` | 256 | over GF(2⁸); faster, where it supports enough shards |
 * | 3 | `jerasure` | 2ʷ | for comparison; only in builds with that feature |
 */
export class Suite {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  static readonly Leopard: Suite;
  static readonly Gf8: Suite;
  static Jerasure(packets: Packets): Suite;
  /** Returns the recommended code. Only the shape determines it, so all members get the same. */
  static recommended(shape: Shape): Suite;
  static decode(bytes: Uint8Array): Suite;
  /** 3 bytes. */
  encode(): Uint8Array;
  readonly number: number;
  readonly name: 'leopard' | 'gf8' | 'jerasure';
  /** The parameters of Jerasure's code. */
  readonly packets: Packets | undefined;
  /** True if this build supports the code. */
  readonly isAvailable: boolean;
  /** Shard lengths are multiples of this number of bytes. */
  readonly unit: number;
  equals(other: Suite): boolean;
  toString(): string;
}

/** Number of shards: any `data` of them restore the message. */
export class Shape {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** @throws {@link BadShapeError} without data shards, or with more than 32,768 shards */
  constructor(data: number, parity: number);
  /**
   * One shard per member; the parity shards number twice the faulty members.
   *
   * @throws {@link BadShapeError} unless three times `faulty` is below `members`
   */
  static forCommittee(members: number, faulty: number): Shape;
  readonly data: number;
  readonly parity: number;
  /** Data and parity shards together. */
  readonly shards: number;
  equals(other: Shape): boolean;
  toString(): string;
}

/**
 * A code, a shape and the maximum message length: the parameters that a committee agrees on before any message is
 * encoded.
 */
export class Coding {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /**
   * @param suite - {@link Suite.recommended} if `undefined`
   * @throws {@link BadShapeError} if the suite does not support this shape
   * @throws {@link TooLargeError} if the maximum message length, or that of all its shards, is too large
   */
  constructor(suite: Suite | undefined, shape: Shape, maxMessage: number);
  readonly suite: Suite;
  readonly shape: Shape;
  readonly maxMessage: number;
  /** Length of each shard of a message of this length. */
  shardLength(message: number): number;
  equals(other: Coding): boolean;
  toString(): string;
}

/**
 * Encodes messages into shards and restores them. It holds tables and working memory, up to twice the size of the
 * largest message so far. Creating one takes longer than encoding a short message, so reuse it.
 */
export class Coder {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** @throws {@link BadShapeError} if this build does not support the code */
  constructor(coding: Coding);
  readonly coding: Coding;
  /**
   * Encodes a message into all its shards and commits to them. Cost: computing the parity shards, and hashing all
   * shards.
   * @throws {@link TooLargeError}
   */
  disperse(message: Uint8Array): Dispersal;
  /** As {@link Coder.disperse}, off this thread. */
  disperseAsync(message: Uint8Array, options?: AsyncOptions): Promise<Dispersal>;
  /**
   * Restores the message from at least as many shards of one commitment as there are data shards. **All members reach
   * the same verdict**, whichever shards they have.
   *
   * @throws {@link BadEncodingError} if the sender cheated; the shards, with the sender's signature on the commitment,
   * prove it
   * @throws {@link WrongContextError} for shards of several commitments or of another coding
   * @throws {@link DuplicateSignerError} @throws {@link BelowQuorumError}
   */
  decode(shards: Iterable<CheckedShard>): Dispersal;
  /** As {@link Coder.decode}, off this thread. */
  decodeAsync(shards: Iterable<CheckedShard>, options?: AsyncOptions): Promise<Dispersal>;
  toString(): string;
}

/**
 * Everything that determines a message's shards: code, shape, length, and the root of the tree over all of them. 43
 * bytes.
 */
export class Commitment {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** @throws {@link WrongContextError} for another coding */
  static decode(bytes: Uint8Array, coding: Coding): Commitment;
  encode(): Uint8Array;
  readonly suite: Suite;
  readonly shape: Shape;
  readonly messageLength: number;
  /** It binds neither the code nor the length: {@link Commitment.identity} identifies the message. */
  readonly root: Uint8Array;
  /** Identifier of the message in votes and certificates: 32 bytes. */
  identity(): Uint8Array;
  equals(other: Commitment): boolean;
  toString(): string;
}

/** A shard whose path leads to the root of its commitment. Only checked shards can be decoded. */
export class CheckedShard {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** Decodes a shard and checks it. @throws {@link WrongContextError} if it does not match its commitment */
  static decode(bytes: Uint8Array, coding: Coding): CheckedShard;
  encode(): Uint8Array;
  /** Maximum length of an encoded shard: the limit for a link. */
  static maxEncodedLength(coding: Coding): number;
  readonly commitment: Commitment;
  /** Index of the shard; the data shards come first. */
  readonly index: number;
  readonly bytes: Uint8Array;
  equals(other: CheckedShard): boolean;
  toString(): string;
}

/** A message and all its shards. */
export class Dispersal {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly commitment: Commitment;
  readonly message: Uint8Array;
  /** Returns the shard for the member with this index. @throws {@link MalformedError} for an index out of range */
  shard(index: number): CheckedShard;
  /** Number of all shards. */
  shards(): CheckedShard[];
  toString(): string;
}

/** Measurement of the tuner for a shape, a length and a suite. */
export class Row {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** With this suite, coding a message of this length takes `cost` nanoseconds. */
  constructor(shape: Shape, message: number, suite: Suite, cost: bigint);
  readonly shape: Shape;
  readonly message: number;
  readonly suite: Suite;
  readonly cost: bigint;
  equals(other: Row): boolean;
  toString(): string;
}

/**
 * The output of `quorate tune-erasure`: the fastest suite for each shape and length. All members must use one table.
 */
export class Table {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** An empty table. */
  constructor();
  /** Maximum number of rows. */
  static readonly MAX_ROWS: number;
  /** @throws {@link MalformedError} for a damaged file */
  static decode(bytes: Uint8Array): Table;
  encode(): Uint8Array;
  /** Ascending by shape, length and suite. */
  rows(): Row[];
  /**
   * Changes the table: adds a row, and replaces one for the same shape, length and suite. @throws {@link TooLargeError}
   */
  insert(row: Row): void;
  /** Changes the table: adds all rows of a newer one. @throws {@link TooLargeError} */
  merge(newer: Table): void;
  /**
   * Returns the fastest suite that `allow` accepts, measured with the length nearest to `message`.
   *
   * @param allow - by default, accepts the suites of this build
   */
  best(shape: Shape, message: number, allow?: (suite: Suite) => boolean): Row | undefined;
  equals(other: Table): boolean;
  toString(): string;
}
