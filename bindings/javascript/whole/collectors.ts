/** The collectors of votes and timeout votes, and their results. */

import * as check from '../common/check.js';
import { QuorateError } from '../common/errors.js';
import { errorOf, native } from './backend.js';
import { VerifiedCertificate } from './certificates.js';
import { Committee } from './committee.js';
import { VerifiedEquivocation } from './evidence.js';
import { type Class, Handle, type Raw, TOKEN, is, named, open, opener, wrap, wrapMaybe } from './handle.js';
import { TimeoutVote, VerifiedTimeoutCertificate, VerifiedTimeoutVote } from './timeouts.js';
import { Suspects, VerifiedVote, Vote } from './votes.js';

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
export class VoteCollector extends Handle {
  declare private readonly brand: never;
  #committee: Committee;
  #topic: { readonly kind: number; readonly view: bigint };
  constructor(committee: Committee, kind: number, view: bigint, options?: CollectorOptions) {
    super(TOKEN, native.voteCollectorNew(...parts(committee, kind, view, options)));
    this.#committee = committee;
    this.#topic = { kind, view };
  }
  /**
   * Adds a vote; one that was verified against this committee is not verified again.
   *
   * @throws {@link WrongContextError} for a vote of another suite
   */
  add(vote: Vote | VerifiedVote, suspects: Suspects): Collected<VerifiedCertificate> {
    const handle = open(this, VoteCollector);
    const found = is(vote, VerifiedVote)
      ? native.voteCollectorAddVerified(handle, open(vote, VerifiedVote, 'vote'), open(suspects, Suspects, 'suspects'))
      : native.voteCollectorAdd(handle, open(vote, Vote, 'vote'), open(suspects, Suspects, 'suspects'));
    return collected(found, VerifiedCertificate);
  }
  /** Kind and view of the collected votes. */
  get topic(): { readonly kind: number; readonly view: bigint } {
    open(this, VoteCollector);
    return { ...this.#topic };
  }
  get committee(): Committee {
    open(this, VoteCollector);
    return this.#committee;
  }
  /** Returns the weight of the votes for a digest, verified or not. */
  weightFor(digest: Uint8Array): bigint {
    return native.voteCollectorWeightFor(open(this, VoteCollector), check.bytes(digest, 'digest'));
  }
  /** True if the certificate was returned. */
  get isDone(): boolean {
    return native.voteCollectorIsDone(open(this, VoteCollector));
  }
  toString(): string {
    const { kind, view } = this.topic;
    return `VoteCollector(kind ${kind}, view ${view}, done: ${this.isDone})`;
  }
}

/** Collects timeout votes of one kind and view until a quorum, with whatever values, makes a certificate. */
export class TimeoutCollector extends Handle {
  declare private readonly brand: never;
  #committee: Committee;
  #topic: { readonly kind: number; readonly view: bigint };
  constructor(committee: Committee, kind: number, view: bigint, options?: CollectorOptions) {
    super(TOKEN, native.timeoutCollectorNew(...parts(committee, kind, view, options)));
    this.#committee = committee;
    this.#topic = { kind, view };
  }
  /** As {@link VoteCollector.add}. */
  add(vote: TimeoutVote | VerifiedTimeoutVote, suspects: Suspects): Collected<VerifiedTimeoutCertificate> {
    const handle = open(this, TimeoutCollector);
    const found = is(vote, VerifiedTimeoutVote)
      ? native.timeoutCollectorAddVerified(
          handle,
          open(vote, VerifiedTimeoutVote, 'vote'),
          open(suspects, Suspects, 'suspects'),
        )
      : native.timeoutCollectorAdd(handle, open(vote, TimeoutVote, 'vote'), open(suspects, Suspects, 'suspects'));
    return collected(found, VerifiedTimeoutCertificate);
  }
  get topic(): { readonly kind: number; readonly view: bigint } {
    open(this, TimeoutCollector);
    return { ...this.#topic };
  }
  get committee(): Committee {
    open(this, TimeoutCollector);
    return this.#committee;
  }
  /** Weight of the collected timeout votes, verified or not. */
  get weight(): bigint {
    return native.timeoutCollectorWeight(open(this, TimeoutCollector));
  }
  /** True if the collected votes weigh more than a third, **verified or not**. */
  get hasHonest(): boolean {
    return native.timeoutCollectorHasHonest(open(this, TimeoutCollector));
  }
  /**
   * Verifies the pending votes, if they may suffice, and returns whether **verified** votes weigh more than a third.
   */
  verifyHonest(suspects: Suspects): { readonly honest: boolean; readonly faults: readonly VoteFault[] } {
    const handle = open(this, TimeoutCollector);
    const { honest, faults } = native.timeoutCollectorVerifyHonest(handle, open(suspects, Suspects, 'suspects'));
    return { honest, faults: faults.map(fault) };
  }
  get isDone(): boolean {
    return native.timeoutCollectorIsDone(open(this, TimeoutCollector));
  }
  toString(): string {
    const { kind, view } = this.topic;
    return `TimeoutCollector(kind ${kind}, view ${view}, done: ${this.isDone})`;
  }
}

/** A fault as the union of the public interface. */
function fault({ signer, error, evidence }: Raw): VoteFault {
  if (error) return { kind: 'stray', signer, error: errorOf(error)! };
  if (evidence) return { kind: 'equivocation', signer, evidence: wrap(VerifiedEquivocation, evidence) };
  return { kind: 'bad-signature', signer };
}

const collected = <C>({ certificate, faults }: Raw, of: Class<C>): Collected<C> => ({
  certificate: wrapMaybe(of, certificate),
  faults: faults.map(fault),
});

/** Common parts of both collectors. */
function parts(committee: Committee, kind: number, view: bigint, options?: CollectorOptions): unknown[] {
  const { batchThreshold, failureLimit } = check.options(options);
  return [
    open(committee, Committee, 'committee'),
    check.u8(kind, 'kind'),
    check.u64(view, 'view'),
    check.optional(check.u32)(batchThreshold, 'options.batchThreshold'),
    check.optional(check.u16)(failureLimit, 'options.failureLimit'),
  ];
}

named({ VoteCollector, TimeoutCollector });
