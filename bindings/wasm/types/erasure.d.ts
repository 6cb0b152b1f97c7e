/**
 * Erasure coding: a message as n shards of which any k restore it, with a commitment that keeps senders honest.
 *
 * A sender disperses a message and sends each member its {@link CheckedShard}; whoever has k of them decodes. Everybody
 * who decodes shards of one {@link Commitment} comes to the same message, or to {@link BadEncodingError}, whichever shards
 * they have: decoding codes again, and compares.
 */

/** The longest message that any coding allows: 1 GiB. */
export const MAX_MESSAGE: number;
/** The most bytes that all shards of a message have together. */
export const MAX_SHARDS: number;

/** The parameters of Jerasure's code: bits of a word, and bytes of a packet as a power of two. */
export class Packets {
  #private;
  /** @throws {@link BadShapeError} for words below 2 or above 16 bits, or packets above 65,536 bytes */
  constructor(word: number, log2Packet: number);
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  readonly word: number;
  /** Bytes. */
  readonly packet: number;
  readonly log2Packet: number;
  equals(other: Packets): boolean;
  toString(): string;
}

/**
 * Which code makes the parity shards. The bytes on the wire depend on it, so all members use the same.
 *
 * | number | name | shards | |
 * |---|---|---|---|
 * | 1 | `leopard` | 32,768 | over GF(2¹⁶) |
 * | 2 | `gf8` | 256 | over GF(2⁸); the faster one where it has enough shards |
 * | 3 | `jerasure` | 2ʷ | to compare with; in no module of WebAssembly |
 */
export class Suite {
  #private;
  private constructor();
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  static readonly Leopard: Suite;
  static readonly Gf8: Suite;
  static Jerasure(packets: Packets): Suite;
  /** The one to take unless there is a reason for another. Only the shape decides, so all members come to the same. */
  static recommended(shape: Shape): Suite;
  static decode(bytes: Uint8Array): Suite;
  /** 3 bytes. */
  encode(): Uint8Array;
  readonly number: number;
  readonly name: 'leopard' | 'gf8' | 'jerasure';
  /** Those of Jerasure's code. */
  readonly packets: Packets | undefined;
  /** Whether this build has the code. */
  readonly isAvailable: boolean;
  /** Lengths of shards are multiples of this many bytes. */
  readonly unit: number;
  equals(other: Suite): boolean;
  toString(): string;
}

/** How many shards: any `data` of them restore the message. */
export class Shape {
  #private;
  /** @throws {@link BadShapeError} without data shards, or with more than 32,768 shards */
  constructor(data: number, parity: number);
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /**
   * One shard for each member, twice as many parity shards as faulty members.
   *
   * @throws {@link BadShapeError} unless three times `faulty` is below `members`
   */
  static ofCommittee(members: number, faulty: number): Shape;
  readonly data: number;
  readonly parity: number;
  /** Both together. */
  readonly shards: number;
  equals(other: Shape): boolean;
  toString(): string;
}

/** A code, a shape and the longest message: what a committee agrees on before anything is coded. */
export class Coding {
  #private;
  /**
   * @param suite - {@link Suite.recommended} if it is `undefined`
   * @throws {@link BadShapeError} if the suite cannot make these shards
   * @throws {@link TooLargeError} if the longest message, or all its shards, are too long
   */
  constructor(suite: Suite | undefined, shape: Shape, maxMessage: number);
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  readonly suite: Suite;
  readonly shape: Shape;
  readonly maxMessage: number;
  /** How long each shard of a message of so many bytes is. */
  shardLength(message: number): number;
  equals(other: Coding): boolean;
  toString(): string;
}

/**
 * Makes shards and restores messages. It keeps its tables and working memory, up to twice the size of the largest message
 * so far: making one takes longer than coding a short message, so keep it.
 */
export class Coder {
  #private;
  /**
   * @throws {@link BadShapeError} for Jerasure's code, which no module has
   * @throws {@link TooLargeError} if all shards of the longest message are more than 256 MiB
   */
  constructor(coding: Coding);
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  readonly coding: Coding;
  /** Makes all shards of a message and commits to them. Cost: making the parity shards, and hashing all. @throws {@link TooLargeError} */
  disperse(message: Uint8Array): Dispersal;
  /**
   * Restores the message from as many shards of one commitment as there are data shards, or more. **Everybody comes to the
   * same verdict**, whichever shards they have.
   *
   * @throws {@link BadEncodingError} if the sender cheated; the shards, with the sender's signature of the commitment, show it
   * @throws {@link WrongContextError} for shards of several commitments or of another coding
   * @throws {@link DuplicateSignerError} @throws {@link BelowQuorumError}
   */
  decode(shards: Iterable<CheckedShard>): Dispersal;
  toString(): string;
}

/** What decides what a message's shards are: code, shape, length, and the root of the tree over all of them. 43 bytes. */
export class Commitment {
  #private;
  private constructor();
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** @throws {@link WrongContextError} for one of another coding */
  static decode(bytes: Uint8Array, coding: Coding): Commitment;
  encode(): Uint8Array;
  readonly suite: Suite;
  readonly shape: Shape;
  readonly messageLength: number;
  /** It fixes neither the code nor the length: {@link Commitment.identity} names the message. */
  readonly root: Uint8Array;
  /** What votes and certificates name the message by: 32 bytes. */
  identity(): Uint8Array;
  equals(other: Commitment): boolean;
  toString(): string;
}

/** A shard whose path leads to the root of its commitment. Nothing else can be decoded. */
export class CheckedShard {
  #private;
  private constructor();
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** Checks it as it is read. @throws {@link WrongContextError} if it is not what was committed to */
  static decode(bytes: Uint8Array, coding: Coding): CheckedShard;
  encode(): Uint8Array;
  /** The most bytes of an encoded shard: what a link should let through. */
  static maxEncodedLength(coding: Coding): number;
  readonly commitment: Commitment;
  /** Its place: the data shards come first. */
  readonly index: number;
  readonly bytes: Uint8Array;
  equals(other: CheckedShard): boolean;
  toString(): string;
}

/** A message and all its shards. */
export class Dispersal {
  #private;
  private constructor();
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  readonly commitment: Commitment;
  readonly message: Uint8Array;
  /** The shard for the member at this place. @throws {@link MalformedError} if there is none */
  shard(index: number): CheckedShard;
  /** All shards. */
  shards(): CheckedShard[];
  toString(): string;
}

/** What the tuner measured for a shape, a length and a suite. */
export class Row {
  #private;
  /** With this suite, coding a message of so many bytes takes `cost` nanoseconds. */
  constructor(shape: Shape, message: number, suite: Suite, cost: bigint);
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  readonly shape: Shape;
  readonly message: number;
  readonly suite: Suite;
  readonly cost: bigint;
  equals(other: Row): boolean;
  toString(): string;
}

/** What `quorate tune-erasure` writes: which suite is the fastest for which shape and length. All members use one table. */
export class Table {
  #private;
  /** An empty one. */
  constructor();
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** The most rows of a table. */
  static readonly MAX_ROWS: number;
  /** @throws {@link MalformedError} for a damaged file */
  static decode(bytes: Uint8Array): Table;
  encode(): Uint8Array;
  /** Ascending by shape, length and suite. */
  rows(): Row[];
  /** Changes the table: adds a row, in the place of one for the same shape, length and suite. @throws {@link TooLargeError} */
  insert(row: Row): void;
  /** Changes the table: adds all rows of a newer one. @throws {@link TooLargeError} */
  merge(newer: Table): void;
  /**
   * The fastest of the suites that `allow` allows, as measured with the length that is nearest to `message`.
   *
   * @param allow - by default, the suites that this build has
   */
  best(shape: Shape, message: number, allow?: (suite: Suite) => boolean): Row | undefined;
  equals(other: Table): boolean;
  toString(): string;
}
