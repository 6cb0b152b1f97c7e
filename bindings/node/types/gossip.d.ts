/**
 * Signatures that are summed in any order, and how the sums spread among thousands of members.
 *
 * An {@link Aggregate} says who signed a statement and how often each one's signature is in the sum; sums that were
 * verified are added. A {@link Gossip} says what to send to whom next, and has a certificate once a quorum has signed.
 * It does no input or output: who drives it carries bytes and tells the time. Suites: `MinSigCounted`, `MinPkCounted`.
 */

import type {
  AsyncOptions,
  Committee,
  CommitteeId,
  QuorateError,
  Signature,
  SignerSet,
  Statement,
  Suite,
  VerifiedCertificate,
  VerifiedVote,
} from '../index.js';

/** At most so many aggregates are kept in a {@link Pool}. */
export const POOL: number;
/** At most so many aggregates wait in a {@link Gossip} for their check. */
export const STACK: number;

/** What can be chosen. The values change how fast and how cheap spreading is, never what is accepted. */
export interface Parameters {
  /** No count grows past this. Default: 255. */
  readonly limit?: number | undefined;
  /** No count of a pool's sum grows past this, unless sums that are above it make a quorum. Default: 16. */
  readonly preferred?: number | undefined;
  /** How many aggregates are verified together at most. Default: 4. */
  readonly batch?: number | undefined;
  /** How many sends are under way at once at most, and to how many members news are told. Default: 5. */
  readonly fanOut?: number | undefined;
  /** How long a peer that failed is left alone, in microseconds; each further failure in a row adds as much. Default: 2 s. */
  readonly backOff?: bigint | undefined;
  /** How long a send that is not answered holds its place, in microseconds; then it has failed. Default: 0.5 s. */
  readonly patience?: bigint | undefined;
}

/**
 * Some members' signatures on one statement, summed in any order. It needs no quorum. That it decoded means that it is
 * canonical and of the committee's epoch; the sum is still to be checked.
 */
export class Aggregate {
  #private;
  private constructor();
  /** The aggregate of one vote that was checked by itself. @throws {@link WrongContextError} for a suite without counts */
  static ofVote(vote: VerifiedVote, committee: Committee): VerifiedAggregate;
  /** The aggregate that a certificate is. @throws {@link WrongContextError} for a suite without counts */
  static ofCertificate(certificate: VerifiedCertificate): VerifiedAggregate;
  /** @throws {@link WrongContextError} for another epoch or suite, and what is wrong with the bytes */
  static decode(bytes: Uint8Array, committee: Committee): Aggregate;
  encode(): Uint8Array;
  /** How many bytes {@link Aggregate.encode} gives. */
  readonly encodedLength: number;
  readonly suite: Suite;
  readonly statement: Statement;
  /** Who signed: a set of one's own. */
  readonly signers: SignerSet;
  /** How often each signer's signature is in the sum, in ascending order of the signers. */
  readonly counts: number[];
  /** How often a member's signature is in the sum: 0 for who did not sign. */
  count(member: number): number;
  /** The sum. */
  readonly signature: Signature;
  /**
   * Checks the sum. Cost: two pairings, one hash to the curve, one subgroup check, and an addition for each signer, or for
   * each member who is absent if all counts are 1.
   *
   * @throws {@link BadSignatureError}
   */
  verify(committee: Committee): VerifiedAggregate;
  /** As {@link Aggregate.verify}, off this thread. */
  verifyAsync(committee: Committee, options?: AsyncOptions): Promise<VerifiedAggregate>;
  /**
   * Checks many by a random linear combination: for each, in their order, the verified aggregate, or the error that
   * {@link Aggregate.verify} would have thrown.
   */
  static verifyBatch(committee: Committee, aggregates: Iterable<Aggregate>): (VerifiedAggregate | QuorateError)[];
  /** As {@link Aggregate.verifyBatch}, off this thread. */
  static verifyBatchAsync(
    committee: Committee,
    aggregates: Iterable<Aggregate>,
    options?: AsyncOptions,
  ): Promise<(VerifiedAggregate | QuorateError)[]>;
  /** As {@link Aggregate.verifyBatch}, with coefficients from a hash over everything, the same on every node. */
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

/** An aggregate whose sum was checked: only such are added. */
export class VerifiedAggregate {
  #private;
  private constructor();
  readonly value: Aggregate;
  /** Against which committee: compare it with the id of the one at hand. */
  readonly committee: CommitteeId;
  /**
   * The sum of two aggregates of one statement. Cost: one addition.
   *
   * @param limit the highest count that there may be; default: 255
   * @throws {@link TooLargeError} if a count would be above the limit
   * @throws {@link WrongContextError} for another committee or statement
   */
  merge(other: VerifiedAggregate, limit?: number): VerifiedAggregate;
  /**
   * The same signers with lower counts: of each of `parts`, in their order, as much is taken away as leaves every signer in
   * at least once. Parts of another statement or committee, and those whose signers are not all in this aggregate, are
   * passed over.
   */
  normalised(parts: Iterable<VerifiedAggregate>): VerifiedAggregate;
  /** The certificate that this is once the signers are a quorum. */
  certificate(committee: Committee): VerifiedCertificate | undefined;
  toString(): string;
}

/**
 * A few verified aggregates of one statement, from whatever source: the sum of what can be added with low counts. It is what
 * {@link Gossip} keeps beside its own sums, and all that a protocol needs that spreads in another way.
 */
export class Pool {
  #private;
  /** An empty pool of member `me`. @throws {@link WrongContextError} for a suite without counts */
  constructor(committee: Committee, me: number, statement: Statement, parameters?: Parameters);
  readonly statement: Statement;
  /**
   * Whether {@link Pool.insert} would take this in: it brings something new, and there is no certificate yet. It costs no
   * cryptography, so it comes before verifying. It throws as {@link Pool.insert} does.
   */
  wants(aggregate: Aggregate): boolean;
  /**
   * Takes in an aggregate that was verified. False if nothing changes by it.
   *
   * @throws {@link WrongContextError} for another committee's or statement's
   * @throws {@link TooLargeError} for a count above the limit
   */
  insert(aggregate: VerifiedAggregate): boolean;
  /** Everybody whose signature is in some aggregate of the pool: a set of one's own. */
  readonly signers: SignerSet;
  /** The sum of everything that can be added, or the certificate's. */
  readonly best: VerifiedAggregate | undefined;
  /** All aggregates that are kept. */
  readonly aggregates: VerifiedAggregate[];
  /** The certificate, once the signers are a quorum. */
  readonly certificate: VerifiedCertificate | undefined;
  toString(): string;
}

/** Randomness and a time, where either is used. */
export interface Choice {
  /** A random number below 2⁶⁴; the operating system's if there is none. */
  readonly draw?: bigint | undefined;
  /** Microseconds of any clock that does not run backwards; the system's if there are none. */
  readonly now?: bigint | undefined;
}

/**
 * The other members as one member sees them: who is being sent something, who did not answer and is left alone for a
 * while, who was heard lately. Every {@link Gossip} of a committee's term shares one, so that what is learnt of a peer holds
 * in all, and the limit of concurrent sends is one for all. `now` is in microseconds, of any clock that does not run
 * backwards; without it the system's is read.
 */
export class Peers {
  #private;
  /** The peers of member `me` in a committee of that size. */
  constructor(me: number, committeeSize: number, parameters?: Parameters);
  /**
   * A member to whom something may be sent now: not oneself, not in the middle of a send, not left alone. `undefined` if as
   * many sends as may be are under way, or there is nobody. Nothing is noted until {@link Peers.begin}.
   */
  pick(options?: Choice): number | undefined;
  /** Whether one more send may begin. */
  hasRoom(now?: bigint): boolean;
  /** Whether something may be sent to this peer, were there a place. */
  isAvailable(peer: number, now?: bigint): boolean;
  /**
   * A send to a peer begins: it holds a place until it has `left`, was `sent` or `failed`, at most for the patience.
   * {@link Gossip.next} says it itself.
   */
  begin(peer: number, now?: bigint): void;
  /** A message has left: its place is free again, though nobody knows yet whether it arrives. */
  left(peer: number): void;
  /** A send was answered. */
  sent(peer: number): void;
  /** A send failed: the peer is left alone for a while, after each further failure in a row for so much longer. */
  failed(peer: number, now?: bigint): void;
  /** Something came from a peer: it is there. */
  heard(peer: number): void;
  /**
   * A peer sent what does not verify: for a while nothing is sent to it, nor taken from it. {@link Gossip.check} says it
   * itself.
   */
  accuse(peer: number, now?: bigint): void;
  /** Whether nothing is taken from this peer now. */
  isRefused(peer: number, now?: bigint): boolean;
  /** When the next place gets free by itself, in microseconds, if no answer comes. */
  nextFree(): bigint | undefined;
  toString(): string;
}

/**
 * What became of an aggregate that came in: it waits for its check; it brings nothing that is not known; there is a
 * certificate already; its sender is not listened to for a while.
 */
export type Received = 'waiting' | 'nothing-new' | 'complete' | 'refused';

/** A member sent an aggregate that does not verify. That its sender is known is the link's doing. */
export interface Fault {
  /** Who sent it. */
  readonly culprit: number;
  /** What is wrong with it. */
  readonly evidence: QuorateError;
}

/** What a check found. */
export interface Checked {
  readonly faults: Fault[];
  /** How many aggregates were verified, together. */
  readonly aggregates: number;
  /** How many signers these had in all: the additions of the check. */
  readonly signers: number;
  /** Whether new signers are known now. */
  readonly grew: boolean;
}

/** What to send. */
export interface Send {
  /** To whom. */
  readonly to: number;
  readonly aggregate: Aggregate;
}

/** Options of {@link Gossip.check}. */
export interface CheckOptions {
  /** 32 bytes that nobody could foresee, for the coefficients; without them they are derived from all that is verified. */
  readonly entropy?: Uint8Array | undefined;
  /** Microseconds of the clock that the {@link Peers} are used with; the system's if there are none. */
  readonly now?: bigint | undefined;
}

/**
 * One member's part in spreading the signatures on one statement: {@link Gossip.vote} takes in one's own vote,
 * {@link Gossip.receive} what comes; {@link Gossip.check} verifies it together and merges what is good;
 * {@link Gossip.next} says what to send to whom; {@link Gossip.certificate} is there once a quorum has signed.
 */
export class Gossip {
  #private;
  /**
   * Member `me` knows of no signature on the statement yet.
   *
   * @throws {@link WrongContextError} for a statement of another epoch, and for a suite without counts
   * @throws {@link UnknownSignerError} for a member whom the committee does not have
   */
  constructor(committee: Committee, me: number, statement: Statement, parameters?: Parameters);
  readonly statement: Statement;
  /** Takes in a vote that was checked by itself, above all one's own. False if it was known. */
  vote(vote: VerifiedVote): boolean;
  /** Takes in an aggregate that was verified elsewhere, for example a certificate in a proposal. False if it brings nothing new. */
  adopt(aggregate: VerifiedAggregate): boolean;
  /**
   * Takes in what `peer` sent, over a link that says who it is. Nothing is verified yet.
   *
   * @throws what is wrong with an aggregate that is not of this statement and committee, or has a count above the limit
   */
  receive(peer: number, aggregate: Aggregate, peers: Peers, now?: bigint): Received;
  /** How many aggregates wait for their check. */
  readonly waiting: number;
  /**
   * Verifies the newest of what waits, together, and merges what is good; who sent what is bad is left alone for a while.
   * Cost: as {@link Aggregate.verifyBatch} of at most `batch` aggregates.
   */
  check(peers: Peers, options?: CheckOptions): Checked;
  /**
   * What to send, and to whom. Tell `peers` when it has `left`, was `sent` or `failed`: it holds a place until then.
   * `undefined` if there is nothing to say now or no place is free: ask again when one is, when something was taken in, or
   * after 50 ms.
   */
  next(peers: Peers, options?: Choice): Send | undefined;
  /** What to send to this peer, which somebody else picked; `undefined` if there is nothing that it may lack. */
  offer(peer: number): Aggregate | undefined;
  /** Everybody whose signature is known and verified: a set of one's own. */
  readonly signers: SignerSet;
  /** What was taken in that is not of one half of the committee, as it is now. */
  readonly pool: Pool;
  /** The certificate, once a quorum has signed. */
  readonly certificate: VerifiedCertificate | undefined;
  toString(): string;
}
