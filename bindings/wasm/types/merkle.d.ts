/** Merkle trees. */

/**
 * A kind of Merkle tree over BLAKE3: the domain strings of its leaves and of its nodes, two different ones that are used
 * for nothing else.
 */
export class Merkle {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  constructor(leafDomain: string, nodeDomain: string);
  readonly leafDomain: string;
  readonly nodeDomain: string;
  /** The leaf of one item: 32 bytes. */
  leaf(item: Uint8Array): Uint8Array;
  /** The leaves of many items. */
  leaves(items: Iterable<Uint8Array>): Uint8Array[];
  /** The root over leaves of 32 bytes. It does not fix their number: sign the count with it. */
  root(leaves: Iterable<Uint8Array>): Uint8Array;
  /** The path of the leaf at `index`. @throws {@link MalformedError} if there is no such leaf */
  path(leaves: Iterable<Uint8Array>, index: number): Path;
  /**
   * Checks that `leaf` is where the path says in the tree under `root`.
   *
   * @throws {@link WrongContextError} if the path leads to another root
   */
  verify(root: Uint8Array, leaf: Uint8Array, path: Path): void;
  toString(): string;
}

/** The way from one leaf to the root. */
export class Path {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  static decode(bytes: Uint8Array): Path;
  encode(): Uint8Array;
  /** The leaf's place. */
  readonly index: number;
  /** How many leaves the tree has, as far as this path knows. Compare it with the count that was signed. */
  readonly count: number;
  /** The siblings on the way, bottom first. */
  siblings(): Uint8Array[];
  equals(other: Path): boolean;
  toString(): string;
}
