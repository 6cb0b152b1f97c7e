/**
 * Signatures that can be summed in any order, and the gossip that spreads the sums among thousands of members.
 *
 * An {@link Aggregate} records the signers of a statement and how often each signature is in the sum; verified
 * aggregates can be merged. A {@link Gossip} chooses the next message and its recipient, and holds a certificate once a
 * quorum has signed. It does no I/O: the caller transports the bytes and passes the time. Suites: `MinSigCounted`,
 * `MinPkCounted`.
 */

import type { AsyncOptions } from './async.js';
import type { VerifiedCertificate } from './certificates.js';
import type { Committee, SignerSet } from './committees.js';
import type { QuorateError } from './errors.js';
import type { CommitteeId } from './ids.js';
import type { Signature } from './keys.js';
import type { Statement } from './statements.js';
import type { Suite } from './suites.js';
import type { VerifiedVote } from './votes.js';

/** Maximum number of aggregates in a {@link Pool}. */
export const MAX_POOL: number;
/** Maximum number of aggregates queued for verification in a {@link Gossip}. */
export const MAX_STACK: number;

/** Parameters of gossip. They affect the speed and cost of dissemination, never the validity of a certificate. */
export interface Parameters {
  /** Maximum of every count. Default: 255. */
  readonly limit?: number | undefined;
  /** Preferred maximum of the counts of a pool's sum; only sums that make a quorum exceed it. Default: 16. */
  readonly preferred?: number | undefined;
  /** Maximum number of aggregates that are verified together. Default: 4. */
  readonly batch?: number | undefined;
  /** Maximum number of concurrent sends, and number of members to which a new aggregate is sent. Default: 5. */
  readonly fanOut?: number | undefined;
  /** Back-off after a failed send to a peer, in microseconds; each further failure in a row adds as much. Default: 2 s. */
  readonly backOff?: bigint | undefined;
  /** Time after which an unanswered send counts as failed and frees its slot, in microseconds. Default: 0.5 s. */
  readonly sendTimeout?: bigint | undefined;
}

/**
 * Signatures of some members on one statement, summed in any order. A quorum is not required. A decoded aggregate is
 * canonical and has the committee's epoch; its sum is not verified yet.
 */
export class Aggregate {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** Returns the aggregate of one verified vote. @throws {@link WrongContextError} for a suite without counts */
  static fromVote(vote: VerifiedVote, committee: Committee): VerifiedAggregate;
  /** Returns the aggregate of a certificate. @throws {@link WrongContextError} for a suite without counts */
  static fromCertificate(certificate: VerifiedCertificate): VerifiedAggregate;
  /** @throws {@link WrongContextError} for another epoch or suite, and decoding errors */
  static decode(bytes: Uint8Array, committee: Committee): Aggregate;
  encode(): Uint8Array;
  /** Length of the encoding in bytes. */
  readonly encodedLength: number;
  readonly suite: Suite;
  readonly statement: Statement;
  /** A new set of the signers. */
  readonly signers: SignerSet;
  /** Count of each signer's signature in the sum, in ascending order of the signers. */
  readonly counts: number[];
  /** Count of a member's signature in the sum: 0 for a non-signer. */
  count(member: number): number;
  /** The sum. */
  readonly signature: Signature;
  /**
   * Verifies the sum. Cost: two pairings, one hash to the curve, one subgroup check, and one addition for each signer,
   * or for each absent member if all counts are 1.
   *
   * @throws {@link BadSignatureError}
   */
  verify(committee: Committee): VerifiedAggregate;
  /** As {@link Aggregate.verify}, off this thread. */
  verifyAsync(committee: Committee, options?: AsyncOptions): Promise<VerifiedAggregate>;
  /**
   * Verifies several by a random linear combination: returns for each, in input order, the verified aggregate, or the
   * error that {@link Aggregate.verify} would have thrown.
   */
  static verifyBatch(committee: Committee, aggregates: Iterable<Aggregate>): (VerifiedAggregate | QuorateError)[];
  /** As {@link Aggregate.verifyBatch}, off this thread. */
  static verifyBatchAsync(
    committee: Committee,
    aggregates: Iterable<Aggregate>,
    options?: AsyncOptions,
  ): Promise<(VerifiedAggregate | QuorateError)[]>;
  /** As {@link Aggregate.verifyBatch}, with coefficients derived by hashing the whole input, the same on every node. */
  static verifyBatchDerived(
    committee: Committee,
    aggregates: Iterable<Aggregate>,
  ): (VerifiedAggregate | QuorateError)[];
  /** As {@link Aggregate.verifyBatchDerived}, off this thread. */
  static verifyBatchDerivedAsync(
    committee: Committee,
    aggregates: Iterable<Aggregate>,
    options?: AsyncOptions,
  ): Promise<(VerifiedAggregate | QuorateError)[]>;
  equals(other: Aggregate): boolean;
  toString(): string;
}

/** An aggregate whose sum was verified; only such aggregates are merged. */
export class VerifiedAggregate {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly value: Aggregate;
  /** Committee against which it was verified: compare it with the id of the current one. */
  readonly committee: CommitteeId;
  /**
   * Adds two aggregates of one statement. Cost: one addition.
   *
   * @param limit the maximum count; default: 255
   * @throws {@link TooLargeError} if a count would exceed the limit
   * @throws {@link WrongContextError} for another committee or statement
   */
  merge(other: VerifiedAggregate, limit?: number): VerifiedAggregate;
  /**
   * Returns the same signers with lower counts: subtracts each of `parts`, in order, as often as leaves every signer in
   * the sum at least once. Skips parts of another statement or committee, and parts with signers outside this
   * aggregate.
   */
  normalised(parts: Iterable<VerifiedAggregate>): VerifiedAggregate;
  /** Returns the certificate, if the signers are a quorum. */
  certificate(committee: Committee): VerifiedCertificate | undefined;
  toString(): string;
}

/**
 * Some verified aggregates of one statement from any source: the sum of those that can be added with low counts.
 * {@link Gossip} uses one beside its own sums; a protocol with another dissemination method needs only this.
 */
export class Pool {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** An empty pool of member `me`. @throws {@link WrongContextError} for a suite without counts */
  constructor(committee: Committee, me: number, statement: Statement, parameters?: Parameters);
  readonly statement: Statement;
  /**
   * Returns true if {@link Pool.insert} would accept this: it adds a new signer, and there is no certificate yet. It
   * uses no cryptography, so call it before verifying. It throws as {@link Pool.insert} does.
   */
  wants(aggregate: Aggregate): boolean;
  /**
   * Inserts a verified aggregate. Returns false if it changes nothing.
   *
   * @throws {@link WrongContextError} for another committee or statement
   * @throws {@link TooLargeError} for a count above the limit
   */
  insert(aggregate: VerifiedAggregate): boolean;
  /** A new set of all members whose signature is in some aggregate of the pool. */
  readonly signers: SignerSet;
  /** The sum of all aggregates that can be added, or that of the certificate. */
  readonly best: VerifiedAggregate | undefined;
  /** All aggregates in the pool. */
  readonly aggregates: VerifiedAggregate[];
  /** The certificate, once the signers are a quorum. */
  readonly certificate: VerifiedCertificate | undefined;
  toString(): string;
}

/** Randomness and a time, for methods that use them. */
export interface Choice {
  /** A random number below 2⁶⁴; by default from the operating system. */
  readonly draw?: bigint | undefined;
  /** Microseconds of any monotonic clock; by default the system's. */
  readonly now?: bigint | undefined;
}

/**
 * One member's view of the other members: sends in progress, suspended peers, and peers heard from recently. Every
 * {@link Gossip} of a committee's epoch shares one, so that knowledge about a peer and the limit of concurrent sends
 * apply to all. `now` is in microseconds of any monotonic clock; it defaults to the system's.
 */
export class Peers {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** The peers of member `me` in a committee of that size. */
  constructor(me: number, committeeSize: number, parameters?: Parameters);
  /**
   * Picks a peer that may be sent to now: neither this member, nor a peer with a send in progress, nor a suspended one.
   * `undefined` if the maximum number of sends is in progress, or no peer is available. The pick takes effect only with
   * {@link Peers.begin}.
   */
  pick(options?: Choice): number | undefined;
  /** Returns true if another send may begin. */
  hasRoom(now?: bigint): boolean;
  /** Returns true if this peer may be sent to, slots aside. */
  isAvailable(peer: number, now?: bigint): boolean;
  /**
   * Registers the start of a send: it occupies a slot until it has `left`, was `sent` or `failed`, at most for the
   * send timeout. {@link Gossip.next} calls it itself.
   */
  begin(peer: number, now?: bigint): void;
  /** Registers that a message has left: its slot is free again, although its delivery is unknown. */
  left(peer: number): void;
  /** Registers that a send was answered. */
  sent(peer: number): void;
  /** Registers that a send failed: the peer is suspended, and longer after each further failure in a row. */
  failed(peer: number, now?: bigint): void;
  /** Registers that a message came from a peer: it is reachable. */
  heard(peer: number): void;
  /**
   * Registers that a peer sent an invalid message: nothing is sent to it or accepted from it for a while.
   * {@link Gossip.check} calls it itself.
   */
  accuse(peer: number, now?: bigint): void;
  /** Returns true if nothing is accepted from this peer now. */
  isRefused(peer: number, now?: bigint): boolean;
  /** Time at which the next slot becomes free without an answer, in microseconds. */
  nextFree(): bigint | undefined;
  toString(): string;
}

/**
 * Result of receiving an aggregate: it is queued for verification; it adds no new signer; a certificate exists already;
 * its sender is suspended for now.
 */
export type Received = 'waiting' | 'nothing-new' | 'complete' | 'refused';

/** A member sent an aggregate that does not verify. The link authenticates the sender. */
export interface Fault {
  /** The member that sent it. */
  readonly culprit: number;
  /** The verification error. */
  readonly evidence: QuorateError;
}

/** Result of verifying queued aggregates. */
export interface Checked {
  readonly faults: Fault[];
  /** Number of aggregates that were verified together. */
  readonly aggregates: number;
  /** Total number of signers in these aggregates: the additions that the verification cost. */
  readonly signers: number;
  /** True if new signers became known. */
  readonly grew: boolean;
}

/** A message to send. */
export interface Send {
  /** Recipient. */
  readonly to: number;
  readonly aggregate: Aggregate;
}

/** Options of {@link Gossip.check}. */
export interface CheckOptions {
  /** 32 unpredictable bytes, for the coefficients; by default these are derived from all aggregates of the batch. */
  readonly entropy?: Uint8Array | undefined;
  /** Microseconds of the clock that the {@link Peers} use; by default the system's. */
  readonly now?: bigint | undefined;
}

/**
 * One member's part in spreading the signatures on one statement: {@link Gossip.vote} adds the member's own vote,
 * {@link Gossip.receive} queues a received aggregate; {@link Gossip.check} verifies the queue together and merges the
 * valid ones; {@link Gossip.next} returns the next message and its recipient; {@link Gossip.certificate} is set once a
 * quorum has signed.
 */
export class Gossip {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /**
   * A gossip of member `me` that knows no signature on the statement yet.
   *
   * @throws {@link WrongContextError} for a statement of another epoch, and for a suite without counts
   * @throws {@link UnknownSignerError} for a member outside the committee
   */
  constructor(committee: Committee, me: number, statement: Statement, parameters?: Parameters);
  readonly statement: Statement;
  /** Adds a verified vote, usually the member's own. Returns false if it was known. */
  vote(vote: VerifiedVote): boolean;
  /**
   * Adds an aggregate that was verified elsewhere, for example a certificate in a proposal. Returns false if it adds
   * nothing new.
   */
  adopt(aggregate: VerifiedAggregate): boolean;
  /**
   * Queues an aggregate that `peer` sent over an authenticated link. It is not verified yet.
   *
   * @throws if the aggregate has another statement or committee, or a count above the limit
   */
  receive(peer: number, aggregate: Aggregate, peers: Peers, now?: bigint): Received;
  /** Number of aggregates queued for verification. */
  readonly waiting: number;
  /**
   * Verifies the newest queued aggregates together and merges the valid ones; the senders of invalid ones are
   * suspended. Cost: as {@link Aggregate.verifyBatch} of at most `batch` aggregates.
   */
  check(peers: Peers, options?: CheckOptions): Checked;
  /**
   * Returns the next message and its recipient. Report to `peers` that it has `left`, was `sent` or `failed`; until then it
   * occupies a slot. `undefined` if there is nothing to send now or no slot is free: call again when a slot is free,
   * after an aggregate was added, or after 50 ms.
   */
  next(peers: Peers, options?: Choice): Send | undefined;
  /**
   * Returns the aggregate to send to this peer, for a caller that picks peers itself; `undefined` if the peer lacks
   * nothing.
   */
  offer(peer: number): Aggregate | undefined;
  /** A new set of all members whose signature is known and verified. */
  readonly signers: SignerSet;
  /** Snapshot of the added aggregates that do not lie within one half of the committee. */
  readonly pool: Pool;
  /** The certificate, once a quorum has signed. */
  readonly certificate: VerifiedCertificate | undefined;
  toString(): string;
}
