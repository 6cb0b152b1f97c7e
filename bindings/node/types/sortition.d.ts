/**
 * Leader sortition: a lottery that each member plays in secret. A winner can prove that it won.
 *
 * A ticket is a unique signature, so no member has two; the smallest score ranks first. The next {@link Seed} is the
 * hash of another unique signature, so no member can choose it. Ed25519 signatures are not unique, so Ed25519
 * committees have no lottery.
 */

import type { AsyncOptions } from './async.js';
import type { Committee } from './committees.js';
import type { ChainId, CommitteeId } from './ids.js';
import type { SecretKey, Signature } from './keys.js';
import type { Suite } from './suites.js';

/** Default average number of winners: 7. */
export const EXPECTED_WINNERS: number;

/**
 * Randomness of the lotteries, renewed with each block. Members whose chains agree up to its height have the same seed.
 */
export class Seed {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /**
   * Returns the first seed of a chain, from bytes that **no member chose** and that were unknown when the keys were
   * fixed: control over them is control over the first proposers.
   */
  static genesis(chain: ChainId, bytes: Uint8Array): Seed;
  static decode(bytes: Uint8Array): Seed;
  /** 40 bytes. */
  encode(): Uint8Array;
  /** Number of proofs that precede it. */
  readonly height: bigint;
  /** Its 32 bytes. */
  readonly value: Uint8Array;
  /**
   * Derives the next seed: the hash of the proof. **The protocol determines the prover**, usually the proposer of the
   * block: compare {@link SeedProof.signer}. Cost: one subgroup check, one hash to the curve, two pairings.
   *
   * @throws {@link UnknownSignerError}
   * @throws {@link BadSignatureError}
   */
  next(proof: SeedProof, committee: Committee): Seed;
  equals(other: Seed): boolean;
  toString(): string;
}

/**
 * A member's signature on a {@link Seed}; its hash is the next seed. It is unique: the member's only choice is whether
 * to publish it. Until it is published, no other member knows the next seed.
 */
export class SeedProof {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** Creates a proof from its parts. Nothing is verified. */
  constructor(signer: number, signature: Signature);
  /**
   * Signs a seed: this member's proof. @throws {@link WrongContextError} if the key belongs to no member, and for
   * Ed25519
   */
  static sign(secret: SecretKey, committee: Committee, seed: Seed): SeedProof;
  static decode(suite: Suite, bytes: Uint8Array): SeedProof;
  encode(): Uint8Array;
  /** Decodes the signature, where the signer is known. */
  static decodeDetached(suite: Suite, bytes: Uint8Array, signer: number): SeedProof;
  /** Returns the signature alone, for formats that contain the rest already. */
  encodeDetached(): Uint8Array;
  readonly suite: Suite;
  /** The signer that the proof names. */
  readonly signer: number;
  readonly signature: Signature;
  equals(other: SeedProof): boolean;
  toString(): string;
}

/** One round's lottery among the members of a committee. Every member has the same chance, whatever its weight. */
export class Lottery {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /**
   * The lottery of `round`, in which `expected` members win on average.
   *
   * @param expected default: {@link EXPECTED_WINNERS}
   * @throws {@link WrongContextError} for a committee of Ed25519
   */
  constructor(committee: Committee, seed: Seed, round: bigint, expected?: number);
  /**
   * Returns this member's ticket, if it won. Cost: one multiplication, one signature.
   *
   * @throws {@link WrongContextError} if the key belongs to no member
   */
  draw(secret: SecretKey): VerifiedTicket | undefined;
  readonly committee: Committee;
  readonly seed: Seed;
  readonly round: bigint;
  readonly expected: number;
  toString(): string;
}

/** A member's claim to have won. A decoded ticket is not verified yet. */
export class Ticket {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** Creates a ticket from its parts. Nothing is verified. */
  constructor(round: bigint, member: number, signature: Signature);
  static decode(suite: Suite, bytes: Uint8Array): Ticket;
  encode(): Uint8Array;
  /** Decodes the signature of a ticket whose round and member are known. */
  static decodeDetached(suite: Suite, bytes: Uint8Array, round: bigint, member: number): Ticket;
  /** Returns the signature alone, for formats that contain the rest already. */
  encodeDetached(): Uint8Array;
  readonly suite: Suite;
  readonly round: bigint;
  /** Member that the ticket names. */
  readonly member: number;
  readonly signature: Signature;
  /**
   * Verifies that this member won this lottery. Cost: one subgroup check and a hash; for a winning ticket, also one
   * hash to the curve and two pairings.
   *
   * @throws {@link WrongContextError} for another round
   * @throws {@link NotDrawnError} if it does not win, before any pairing
   * @throws {@link BadSignatureError}
   */
  verify(lottery: Lottery): VerifiedTicket;
  /** As {@link Ticket.verify}, off this thread. */
  verifyAsync(lottery: Lottery, options?: AsyncOptions): Promise<VerifiedTicket>;
  equals(other: Ticket): boolean;
  toString(): string;
}

/** A verified winning ticket. */
export class VerifiedTicket {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly value: Ticket;
  /** Committee against which it was verified: compare it with the id of the current one. */
  readonly committee: CommitteeId;
  /** Score of the ticket: the **smallest** score ranks first. */
  readonly score: Score;
  toString(): string;
}

/** Score of a winning ticket: 32 pseudorandom bytes. The smallest score ranks first. */
export class Score {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly bytes: Uint8Array;
  /** Negative if this score is smaller, and so ranks first; positive if the other is. For `sort`. */
  compare(other: Score): number;
  equals(other: Score): boolean;
  /** Returns the bytes as 64 hex digits. */
  toString(): string;
  toJSON(): string;
}
