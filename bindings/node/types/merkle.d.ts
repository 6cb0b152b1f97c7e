/** Merkle trees. */

/**
 * A kind of Merkle tree over BLAKE3: the domain strings of its leaves and of its nodes, which must differ and have no
 * other use.
 */
export class Merkle {
  #private;
  constructor(leafDomain: string, nodeDomain: string);
  readonly leafDomain: string;
  readonly nodeDomain: string;
  /** Returns the leaf of one item: 32 bytes. */
  leaf(item: Uint8Array): Uint8Array;
  /** Returns the leaves of several items. */
  leaves(items: Iterable<Uint8Array>): Uint8Array[];
  /** Returns the root over leaves of 32 bytes. It does not bind their number: sign the count with it. */
  root(leaves: Iterable<Uint8Array>): Uint8Array;
  /** Returns the path of the leaf at `index`. @throws {@link MalformedError} for an index out of range */
  path(leaves: Iterable<Uint8Array>, index: number): Path;
  /**
   * Verifies that `leaf` is at the path's position in the tree under `root`.
   *
   * @throws {@link WrongContextError} if the path leads to another root
   */
  verify(root: Uint8Array, leaf: Uint8Array, path: Path): void;
  toString(): string;
}

/** The path from one leaf to the root. */
export class Path {
  #private;
  private constructor();
  static decode(bytes: Uint8Array): Path;
  encode(): Uint8Array;
  /** Index of the leaf. */
  readonly index: number;
  /** Number of leaves of the tree, as this path claims. Compare it with the signed count. */
  readonly count: number;
  /** Returns the siblings along the path, bottom first. */
  siblings(): Uint8Array[];
  equals(other: Path): boolean;
  toString(): string;
}
