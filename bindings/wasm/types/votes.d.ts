/** Votes and their collectors. */

import type { Suite } from '../index.js';
import type { VerifiedCertificate } from './certificates.js';
import type { Committee, CommitteeId } from './committees.js';
import type { QuorateError } from './errors.js';
import type { VerifiedEquivocation } from './evidence.js';
import type { SecretKey, Signature } from './keys.js';

/**
 * A value that was verified against a committee. Compare {@link Verified.committee} with the id of the current
 * committee.
 */
export interface Verified<T> {
  /** The verified value. */
  readonly value: T;
  /** Committee against which it was verified. Equal ids mean equal chain, epoch, suite, keys and weights. */
  readonly committee: CommitteeId;
}

/** A statement that members sign: that `digest` is valid for this kind, epoch and view. 49 bytes. */
export class Statement {
  #private;
  /** Frees the memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /**
   * @param fields - `kind` 0 to 255 (a protocol gives each of its phases one), `digest` 32 bytes
   * @throws {@link MalformedError} for a digest of another length
   */
  constructor(fields: {
    readonly kind: number;
    readonly epoch: bigint;
    readonly view: bigint;
    readonly digest: Uint8Array;
  });
  static decode(bytes: Uint8Array): Statement;
  encode(): Uint8Array;
  readonly kind: number;
  readonly epoch: bigint;
  readonly view: bigint;
  readonly digest: Uint8Array;
  /** Returns the bytes that a member of this committee signs. */
  signedBytes(committee: CommitteeId): Uint8Array;
  /** Identifier of the certified statement: 32 bytes. Two different certificates can certify the same statement. */
  identity(committee: CommitteeId): Uint8Array;
  /** Returns true if a member must not sign both: same kind, epoch and view, different digest. */
  contradicts(other: Statement): boolean;
  equals(other: Statement): boolean;
  toString(): string;
}

/** One member's signature on a statement. A decoded vote is not verified yet. */
export class Vote {
  #private;
  /** Frees the memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
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
  /** Reads the form for direct links, with an uncompressed signature: longer, and decoded without a square root. */
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
  equals(other: Vote): boolean;
  toString(): string;
}

/** A vote whose signature was verified. */
export class VerifiedVote implements Verified<Vote> {
  #private;
  /** Frees the memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
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
  /** Frees the memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
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

/** A fault found while a vote was added. `signer` is the member that the vote names. */
export type VoteFault =
  /**
   * The vote does not belong to this collector: another kind, epoch or view, an unknown signer, or above a limit. It
   * was dropped without verification.
   */
  | { readonly kind: 'stray'; readonly signer: number; readonly error: QuorateError }
  /**
   * Its signature is invalid; the member is at fault only if the vote came over a link that authenticates the member.
   */
  | { readonly kind: 'bad-signature'; readonly signer: number }
  /** The member signed two contradicting statements. The first vote still counts. */
  | { readonly kind: 'equivocation'; readonly signer: number; readonly evidence: VerifiedEquivocation };

/** Result of adding a vote. */
export interface Collected<C> {
  /** The certificate, returned **once**, when the quorum is reached. */
  readonly certificate: C | undefined;
  /** Faults found in this vote or in earlier ones. */
  readonly faults: readonly VoteFault[];
}

/** Options of a collector. */
export interface CollectorOptions {
  /** Fewer pending votes than this are verified one by one; default: {@link DEFAULT_BATCH_THRESHOLD}. */
  readonly batchThreshold?: number | undefined;
  /**
   * Drops a member's votes unverified once this number of them were invalid (0 to 65,535). **Only for links that
   * authenticate each vote's signer**: on other links any sender could silence a member. Default: no limit.
   */
  readonly failureLimit?: number | undefined;
}

/**
 * Collects the votes of one kind and view until one statement has a certificate. It stores at most one vote per member.
 * Cost: nothing until it has a quorum, then one sum and one verification.
 */
export class VoteCollector {
  #private;
  /** Frees the memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  constructor(committee: Committee, kind: number, view: bigint, options?: CollectorOptions);
  /**
   * Adds a vote; one that was verified against this committee is not verified again.
   *
   * @throws {@link WrongContextError} for a vote of another suite
   */
  add(vote: Vote | VerifiedVote, suspects: Suspects): Collected<VerifiedCertificate>;
  /** Kind and view of the collected votes. */
  readonly topic: { readonly kind: number; readonly view: bigint };
  readonly committee: Committee;
  /** The weight of the votes for a digest, verified or not. */
  weightFor(digest: Uint8Array): bigint;
  /** True if the certificate was returned. */
  readonly isDone: boolean;
  toString(): string;
}
