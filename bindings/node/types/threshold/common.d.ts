/** Groups, classes of messages, thresholds, and the cache of combiners. */

/** Maximum number of parties that share a secret: 1,024. */
export const MAX_PARTIES: number;

/**
 * A group, by its name: signatures over `Secp256k1` are standard ECDSA; `Ristretto255` is faster, and only quorate
 * verifies its signatures.
 */
export const Group: {
  readonly Ristretto255: 'ristretto255';
  readonly Secp256k1: 'secp256k1';
};
export type Group = (typeof Group)[keyof typeof Group];

/**
 * Class of a message: whether the parties agree on it before they sign.
 *
 * - `agreed`: no two honest parties ever sign different messages under the tag. Then the threshold is f + 1.
 * - `unagreed`: an outside party chooses the message and may give different ones to different parties. Then the
 *   threshold is ⌊(N + f)/2⌋ + 1. With f + 1, an equivocating leader would get two signatures from one presignature,
 *   and from them the key.
 */
export const Agreement: {
  readonly Agreed: 'agreed';
  readonly Unagreed: 'unagreed';
};
export type Agreement = (typeof Agreement)[keyof typeof Agreement];

/** A threshold: any `needed` of `parties` shares suffice. */
export class Threshold {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** @throws {@link BadCommitteeError} unless 1 ≤ needed ≤ parties ≤ {@link MAX_PARTIES} */
  constructor(needed: number, parties: number);
  readonly needed: number;
  readonly parties: number;
  equals(other: Threshold): boolean;
  toString(): string;
}

/** Number of parties, and the maximum number of faulty ones. */
export class Tolerance {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** @throws {@link BadCommitteeError} unless 3·faulty < parties ≤ {@link MAX_PARTIES} */
  constructor(parties: number, faulty: number);
  readonly parties: number;
  readonly faulty: number;
  /** Number of shares that a signature needs. */
  threshold(agreement: Agreement): Threshold;
  equals(other: Tolerance): boolean;
  toString(): string;
}

/**
 * A cache of the Lagrange coefficients of recently used sets of members. Share one among all combiners of a committee.
 */
export class Cache {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** @param capacity - number of cached sets for each group. Default: 16 */
  constructor(capacity?: number);
  toString(): string;
}
