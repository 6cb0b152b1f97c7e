/**
 * Threshold cryptography: what t of n members can do together, and fewer cannot.
 *
 * Keys are dealt by a trusted dealer, who knows them: run it once, away from the network, and give each member its share
 * alone, sealed ({@link seal}). Shares are checked late, and whoever sent a wrong one is named.
 */

export * as bls from './threshold/bls.js';
export * as coin from './threshold/coin.js';
export * as ecdsa from './threshold/ecdsa.js';
export * as seal from './threshold/seal.js';
export * as tdh2 from './threshold/tdh2.js';

/** The most parties that a secret is shared among: 1,024. */
export const MAX_PARTIES: number;

/** A group, by its name: `Secp256k1`'s signatures verify anywhere; `Ristretto255` is faster, and verified here only. */
export const Group: {
  readonly Ristretto255: 'ristretto255';
  readonly Secp256k1: 'secp256k1';
};
export type Group = (typeof Group)[keyof typeof Group];

/**
 * Whether the parties agree beforehand on what is signed.
 *
 * - `agreed`: no two honest parties ever sign different messages under the tag. Then f + 1 shares suffice.
 * - `unagreed`: somebody else chooses the message and may tell each party another. Then ⌊(N + f)/2⌋ + 1 are needed. With
 *   f + 1, a leader who tells two stories would get two signatures from one presignature, and from them the key.
 */
export const Agreement: {
  readonly Agreed: 'agreed';
  readonly Unagreed: 'unagreed';
};
export type Agreement = (typeof Agreement)[keyof typeof Agreement];

/** How many of how many: any `needed` of `parties` shares do. */
export class Threshold {
  #private;
  /** @throws {@link BadCommitteeError} unless 1 ≤ needed ≤ parties ≤ {@link MAX_PARTIES} */
  constructor(needed: number, parties: number);
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  readonly needed: number;
  readonly parties: number;
  equals(other: Threshold): boolean;
  toString(): string;
}

/** How many of how many parties may be faulty. */
export class Tolerance {
  #private;
  /** @throws {@link BadCommitteeError} unless 3·faulty < parties ≤ {@link MAX_PARTIES} */
  constructor(parties: number, faulty: number);
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  readonly parties: number;
  readonly faulty: number;
  /** How many shares a signature needs. */
  threshold(agreement: Agreement): Threshold;
  equals(other: Tolerance): boolean;
  toString(): string;
}

/** Remembers what combining computed for the sets of members that combined last. One serves all combiners of a committee. */
export class Cache {
  #private;
  /** @param capacity - sets that are remembered for each group. Default: 16 */
  constructor(capacity?: number);
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  toString(): string;
}
