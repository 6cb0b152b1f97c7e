/** The collector of votes, and its results. */

import type { VerifiedCertificate } from './certificates.js';
import type { Committee } from './committees.js';
import type { QuorateError } from './errors.js';
import type { VerifiedEquivocation } from './evidence.js';
import type { Suspects, VerifiedVote, Vote } from './votes.js';

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
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
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
  /** Returns the weight of the votes for a digest, verified or not. */
  weightFor(digest: Uint8Array): bigint;
  /** True if the certificate was returned. */
  readonly isDone: boolean;
  toString(): string;
}
