/** Votes, and what collects them. */

import type { Suite } from '../index.js';
import type { VerifiedCertificate } from './certificates.js';
import type { Committee, CommitteeId } from './committees.js';
import type { QuorateError } from './errors.js';
import type { VerifiedEquivocation } from './evidence.js';
import type { SecretKey, Signature } from './keys.js';

/** What was checked against a committee. Compare {@link Verified.committee} with the id of the one at hand. */
export interface Verified<T> {
  /** What was checked. */
  readonly value: T;
  /** Against which committee. Equal ids mean equal chain, epoch, suite, keys and weights. */
  readonly committee: CommitteeId;
}

/** What members sign: that `digest` is right for this kind, epoch and view. 49 bytes. */
export class Statement {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
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
  /** The bytes that a member of this committee signs. */
  signedBytes(committee: CommitteeId): Uint8Array;
  /** The name of what was certified: 32 bytes. Two different certificates can certify the same statement. */
  identity(committee: CommitteeId): Uint8Array;
  /** Whether one member must not sign both: the same kind, epoch and view, another digest. */
  contradicts(other: Statement): boolean;
  equals(other: Statement): boolean;
  toString(): string;
}

/** One member's signature on a statement. That it decoded says nothing about the signature. */
export class Vote {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** Puts a vote together. Nothing is checked. */
  constructor(statement: Statement, signer: number, signature: Signature);
  /**
   * Signs **without remembering it**: for statements that a member may contradict, and for tests. What decides
   * anything is signed by a {@link Guard}.
   *
   * @throws {@link WrongContextError} for another epoch or suite, or a key that is no member's
   */
  static signUnguarded(secret: SecretKey, committee: Committee, statement: Statement): Vote;
  /** @throws {@link MalformedError} and its kin, {@link WrongContextError} for a vote of another suite */
  static decode(suite: Suite, bytes: Uint8Array): Vote;
  encode(): Uint8Array;
  /** Reads the form for direct links, with an uncompressed signature: longer, and read without a square root. */
  static decodeLink(suite: Suite, bytes: Uint8Array): Vote;
  encodeLink(): Uint8Array;
  readonly suite: Suite;
  readonly statement: Statement;
  /** Who claims to have voted. */
  readonly signer: number;
  readonly signature: Signature;
  /**
   * Checks the vote by itself. Cost: one signature verification; a {@link VoteCollector} does with far less for many.
   *
   * @throws {@link WrongContextError}, {@link UnknownSignerError}, {@link BadSignatureError} naming the signer
   */
  verify(committee: Committee): VerifiedVote;
  equals(other: Vote): boolean;
  toString(): string;
}

/** A vote whose signature was checked. */
export class VerifiedVote implements Verified<Vote> {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly value: Vote;
  readonly committee: CommitteeId;
  toString(): string;
}

/**
 * Members in whose name bad signatures came in, shared by all collectors of one committee. Their votes are checked one
 * by one, and only when the others do not reach the quorum. Forgiven with time. Iterates in ascending order.
 */
export class Suspects implements Iterable<number> {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  constructor();
  contains(member: number): boolean;
  readonly size: number;
  [Symbol.iterator](): IterableIterator<number>;
  /** Counts an offence. Collectors do that themselves; for bad votes that were found elsewhere. */
  accuse(member: number): void;
  /** Takes one certificate off every term. Collectors do that themselves when they form one. */
  decay(): void;
  toString(): string;
}

/** Something is wrong with a vote. `signer` is whose vote it is, or claims to be. */
export type VoteFault =
  /** It does not belong here: another kind, epoch or view, no such member, or beyond a limit. Dropped unchecked. */
  | { readonly kind: 'stray'; readonly signer: number; readonly error: QuorateError }
  /** Its signature is bad: the member's doing only if the vote came over a link that authenticates the member. */
  | { readonly kind: 'bad-signature'; readonly signer: number }
  /** The member signed two contradicting statements. The first vote still counts. */
  | { readonly kind: 'equivocation'; readonly signer: number; readonly evidence: VerifiedEquivocation };

/** What adding a vote led to. */
export interface Collected<C> {
  /** The certificate, **once**: when the quorum was reached. */
  readonly certificate: C | undefined;
  /** What was found wrong with this vote or with earlier ones. */
  readonly faults: readonly VoteFault[];
}

/** How a collector works. */
export interface CollectorOptions {
  /** Check votes singly where fewer are pending; {@link DEFAULT_BATCH_THRESHOLD} unless set. */
  readonly batchThreshold?: number | undefined;
  /**
   * Drop a member's votes unseen once so many of them were bad (0 to 65,535). **Only for links that authenticate each
   * vote's signer**: elsewhere anybody could silence a member. No limit unless set.
   */
  readonly failureLimit?: number | undefined;
}

/**
 * Gathers the votes of one kind and view until some statement has a certificate. Holds at most one vote per member.
 * Cost: nothing until a quorum is held, then one sum and one check.
 */
export class VoteCollector {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  constructor(committee: Committee, kind: number, view: bigint, options?: CollectorOptions);
  /**
   * Takes a vote in; one that was verified against this committee is not checked again.
   *
   * @throws {@link WrongContextError} for a vote of another suite
   */
  add(vote: Vote | VerifiedVote, suspects: Suspects): Collected<VerifiedCertificate>;
  /** What is collected. */
  readonly topic: { readonly kind: number; readonly view: bigint };
  readonly committee: Committee;
  /** The weight of the votes held for a digest, verified or not. */
  weightFor(digest: Uint8Array): bigint;
  /** Whether the certificate was handed out. */
  readonly isDone: boolean;
  toString(): string;
}
