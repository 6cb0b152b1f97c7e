/**
 * Who may propose in a round: a lottery that each member plays in secret and whose winners can prove that they won.
 *
 * A ticket is a unique signature, so nobody has two; the smallest score is the best. The next {@link Seed} is the hash of
 * another unique signature, so nobody chooses it. Ed25519's signatures are not unique: its committees have no lottery.
 */

import type { ChainId, Committee, CommitteeId, SecretKey, Signature, Suite } from '../index.js';

/** How many win on average unless a protocol chooses: 7. */
export const EXPECTED_WINNERS: number;

/** What lotteries draw from: after each block another one. All whose chains are equal to that height have the same. */
export class Seed {
  #private;
  private constructor();
  /**
   * The first seed of a chain, from bytes that **no member chose** and nobody knew when the keys were fixed: whoever chooses
   * them decides who proposes first.
   */
  static genesis(chain: ChainId, bytes: Uint8Array): Seed;
  static decode(bytes: Uint8Array): Seed;
  /** 40 bytes. */
  encode(): Uint8Array;
  /** How many proofs lead to it. */
  readonly height: bigint;
  /** Its 32 bytes. */
  readonly value: Uint8Array;
  /**
   * The seed that follows: the hash of the proof. **Who has to prove** is the protocol's rule, usually who proposed the block:
   * compare {@link SeedProof.signer}. Cost: one subgroup check, one hash to the curve, two pairings.
   *
   * @throws {@link UnknownSignerError}
   * @throws {@link BadSignatureError}
   */
  next(proof: SeedProof, committee: Committee): Seed;
  equals(other: Seed): boolean;
  toString(): string;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
}

/**
 * A member's signature on a {@link Seed}, whose hash is the next one. It is unique: the member can show it or not, and has
 * nothing else to choose. Until it is shown nobody else knows the next seed.
 */
export class SeedProof {
  #private;
  /** Puts a proof together from its parts. Nothing is checked. */
  constructor(signer: number, signature: Signature);
  /** This member's proof for a seed. @throws {@link WrongContextError} if the key is no member's, and for Ed25519 */
  static sign(secret: SecretKey, committee: Committee, seed: Seed): SeedProof;
  static decode(suite: Suite, bytes: Uint8Array): SeedProof;
  encode(): Uint8Array;
  /** Reads the signature of a member who is known. */
  static decodeDetached(suite: Suite, bytes: Uint8Array, signer: number): SeedProof;
  /** The signature alone, for formats that hold the rest already. */
  encodeDetached(): Uint8Array;
  readonly suite: Suite;
  /** Whose it is, or claims to be. */
  readonly signer: number;
  readonly signature: Signature;
  equals(other: SeedProof): boolean;
  toString(): string;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
}

/** One round's lottery among the members of a committee. Every member counts once, whatever its weight. */
export class Lottery {
  #private;
  /**
   * The lottery of `round`, in which `expected` members win on average.
   *
   * @param expected default: {@link EXPECTED_WINNERS}
   * @throws {@link WrongContextError} for a committee of Ed25519
   */
  constructor(committee: Committee, seed: Seed, round: bigint, expected?: number);
  /**
   * This member's ticket, if it won. Cost: one multiplication, one signature.
   *
   * @throws {@link WrongContextError} if the key is no member's
   */
  draw(secret: SecretKey): VerifiedTicket | undefined;
  readonly committee: Committee;
  readonly seed: Seed;
  readonly round: bigint;
  readonly expected: number;
  toString(): string;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
}

/** A member's claim to have won. That it decoded says nothing. */
export class Ticket {
  #private;
  /** Puts a ticket together from its parts. Nothing is checked. */
  constructor(round: bigint, member: number, signature: Signature);
  static decode(suite: Suite, bytes: Uint8Array): Ticket;
  encode(): Uint8Array;
  /** Reads the signature of a ticket whose round and member are known. */
  static decodeDetached(suite: Suite, bytes: Uint8Array, round: bigint, member: number): Ticket;
  /** The signature alone, for formats that hold the rest already. */
  encodeDetached(): Uint8Array;
  readonly suite: Suite;
  readonly round: bigint;
  /** Whose it is, or claims to be. */
  readonly member: number;
  readonly signature: Signature;
  /**
   * Checks that this member won this lottery. Cost: one subgroup check and a hash; if it wins, one hash to the curve and two
   * pairings.
   *
   * @throws {@link WrongContextError} for another round
   * @throws {@link NotDrawnError} if it does not win, before any pairing
   * @throws {@link BadSignatureError}
   */
  verify(lottery: Lottery): VerifiedTicket;
  equals(other: Ticket): boolean;
  toString(): string;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
}

/** A ticket that won. */
export class VerifiedTicket {
  #private;
  private constructor();
  readonly value: Ticket;
  /** Against which committee: compare it with the id of the one at hand. */
  readonly committee: CommitteeId;
  /** What the ticket is worth: the **smallest** score is the best. */
  readonly score: Score;
  toString(): string;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
}

/** What a winning ticket is worth: 32 bytes that are as good as random. The smallest is the best. */
export class Score {
  #private;
  private constructor();
  readonly bytes: Uint8Array;
  /** Below 0 if this one is smaller, and so better; above 0 if the other is. For `sort`. */
  compare(other: Score): number;
  equals(other: Score): boolean;
  /** The bytes as 64 hex digits. */
  toString(): string;
  toJSON(): string;
}
