/** Votes, and suspected members. */

import type { AsyncOptions } from './async.js';
import type { Committee } from './committees.js';
import type { CommitteeId } from './ids.js';
import type { SecretKey, Signature } from './keys.js';
import type { Statement, Verified } from './statements.js';
import type { Suite } from './suites.js';

/** One member's signature on a statement. A decoded vote is not verified yet. */
export class Vote {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** Creates a vote. Nothing is verified. */
  constructor(statement: Statement, signer: number, signature: Signature);
  /**
   * Signs **without recording it**, for statements that a member may contradict, and for tests. Use a {@link Guard} to
   * sign anything that a protocol acts on.
   *
   * @throws {@link WrongContextError} for another epoch or suite, or a key that belongs to no member
   */
  static signUnguarded(secret: SecretKey, committee: Committee, statement: Statement): Vote;
  /** @throws {@link MalformedError} and other decoding errors, {@link WrongContextError} for a vote of another suite */
  static decode(suite: Suite, bytes: Uint8Array): Vote;
  encode(): Uint8Array;
  /** Decodes the form for direct links, with an uncompressed signature: longer, and decoded without a square root. */
  static decodeLink(suite: Suite, bytes: Uint8Array): Vote;
  encodeLink(): Uint8Array;
  readonly suite: Suite;
  readonly statement: Statement;
  /** The signer that the vote names. */
  readonly signer: number;
  readonly signature: Signature;
  /**
   * Verifies this vote alone. Cost: one signature verification; a {@link VoteCollector} verifies many at far lower
   * cost.
   *
   * @throws {@link WrongContextError}, {@link UnknownSignerError}, {@link BadSignatureError} naming the signer
   */
  verify(committee: Committee): VerifiedVote;
  /** As {@link Vote.verify}, off this thread. */
  verifyAsync(committee: Committee, options?: AsyncOptions): Promise<VerifiedVote>;
  equals(other: Vote): boolean;
  toString(): string;
}

/** A vote whose signature was verified. */
export class VerifiedVote implements Verified<Vote> {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly value: Vote;
  readonly committee: CommitteeId;
  toString(): string;
}

/**
 * Members in whose name invalid signatures were received, shared by all collectors of one committee. Their votes are
 * verified one by one, and only if the remaining votes do not reach the quorum. The suspicion ends after some time.
 * Iteration is in ascending order.
 */
export class Suspects implements Iterable<number> {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  constructor();
  contains(member: number): boolean;
  readonly size: number;
  [Symbol.iterator](): IterableIterator<number>;
  /** Records an offence. Collectors call it themselves; call it for invalid votes found elsewhere. */
  accuse(member: number): void;
  /**
   * Reduces the remaining suspicion of every member by one certificate. Collectors call it themselves when they form a
   * certificate.
   */
  decay(): void;
  toString(): string;
}
