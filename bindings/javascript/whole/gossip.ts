/**
 * Signatures that can be summed in any order, and the gossip that spreads the sums among thousands of members.
 *
 * An {@link Aggregate} records the signers of a statement and how often each signature is in the sum; verified
 * aggregates can be merged. A {@link Gossip} chooses the next message and its recipient, and holds a certificate once a
 * quorum has signed. It does no I/O: the caller transports the bytes and passes the time. Suites: `MinSigCounted`,
 * `MinPkCounted`.
 */

import * as check from '../common/check.js';
import { QuorateError } from '../common/errors.js';
import { errorOf, native } from './backend.js';
import { batch, verdicts } from './batches.js';
import { VerifiedCertificate } from './certificates.js';
import { Committee } from './committee.js';
import { Handle, TOKEN, named, open, opener, type Raw, wrap, wrapAll, wrapMaybe } from './handle.js';
import { CommitteeId } from './ids.js';
import { Signature } from './keys.js';
import { type Choice, type Parameters, Peers, completed } from './peers.js';
import { SignerSet } from './signers.js';
import { Statement } from './statement.js';
import { Suite } from './suites.js';
import { time } from './time.js';
import { VerifiedVote } from './votes.js';

export { type Choice, type Parameters, Peers } from './peers.js';

/** Maximum number of aggregates in a {@link Pool}. */
export const MAX_POOL = 8;

/** Maximum number of aggregates queued for verification in a {@link Gossip}. */
export const MAX_STACK = 64;

/**
 * Signatures of some members on one statement, summed in any order. A quorum is not required. A decoded aggregate is
 * canonical and has the committee's epoch; its sum is not verified yet.
 */
export class Aggregate extends Handle {
  declare private readonly brand: never;
  private constructor() {
    super();
  }
  /** Returns the aggregate of one verified vote. @throws {@link WrongContextError} for a suite without counts */
  static fromVote(vote: VerifiedVote, committee: Committee): VerifiedAggregate {
    const parts = [open(vote, VerifiedVote, 'vote'), open(committee, Committee, 'committee')];
    return wrap(VerifiedAggregate, native.aggregateFromVote(...parts));
  }
  /** Returns the aggregate of a certificate. @throws {@link WrongContextError} for a suite without counts */
  static fromCertificate(certificate: VerifiedCertificate): VerifiedAggregate {
    const handle = open(certificate, VerifiedCertificate, 'certificate');
    return wrap(VerifiedAggregate, native.aggregateFromCertificate(handle));
  }
  /** @throws {@link WrongContextError} for another epoch or suite, and decoding errors */
  static decode(bytes: Uint8Array, committee: Committee): Aggregate {
    return wrap(Aggregate, native.aggregateDecode(check.bytes(bytes, 'bytes'), open(committee, Committee, 'committee')));
  }
  encode(): Uint8Array {
    return native.aggregateEncode(open(this, Aggregate));
  }
  /** Length of the encoding in bytes. */
  get encodedLength(): number {
    return native.aggregateEncodedLength(open(this, Aggregate));
  }
  get suite(): Suite {
    return native.aggregateSuite(open(this, Aggregate));
  }
  get statement(): Statement {
    return wrap(Statement, native.aggregateStatement(open(this, Aggregate)));
  }
  /** A new set of the signers. */
  get signers(): SignerSet {
    return wrap(SignerSet, native.aggregateSigners(open(this, Aggregate)));
  }
  /** Count of each signer's signature in the sum, in ascending order of the signers. */
  get counts(): number[] {
    return [...native.aggregateCounts(open(this, Aggregate))];
  }
  /** Count of a member's signature in the sum: 0 for a non-signer. */
  count(member: number): number {
    return native.aggregateCount(open(this, Aggregate), check.u16(member, 'member'));
  }
  /** The sum. */
  get signature(): Signature {
    return wrap(Signature, native.aggregateSignature(open(this, Aggregate)));
  }
  /**
   * Verifies the sum. Cost: two pairings, one hash to the curve, one subgroup check, and one addition for each signer,
   * or for each absent member if all counts are 1.
   *
   * @throws {@link BadSignatureError}
   */
  verify(committee: Committee): VerifiedAggregate {
    const handle = open(this, Aggregate);
    return wrap(VerifiedAggregate, native.aggregateVerify(handle, open(committee, Committee, 'committee')));
  }
  /**
   * Verifies several by a random linear combination: returns for each, in input order, the verified aggregate, or the
   * error that {@link Aggregate.verify} would have thrown.
   */
  static verifyBatch(committee: Committee, aggregates: Iterable<Aggregate>): (VerifiedAggregate | QuorateError)[] {
    return verifyBatch(committee, aggregates, false);
  }
  /** As {@link Aggregate.verifyBatch}, with coefficients derived by hashing the whole input, the same on every node. */
  static verifyBatchDerived(
    committee: Committee,
    aggregates: Iterable<Aggregate>,
  ): (VerifiedAggregate | QuorateError)[] {
    return verifyBatch(committee, aggregates, true);
  }
  equals(other: Aggregate): boolean {
    return native.aggregateEquals(open(this, Aggregate), open(other, Aggregate, 'other'));
  }
  toString(): string {
    const { signers } = this;
    return `Aggregate(${signers.size} of ${signers.committeeSize}, ${this.statement})`;
  }
}

/** An aggregate whose sum was verified; only such aggregates are merged. */
export class VerifiedAggregate extends Handle {
  declare private readonly brand: never;
  private constructor() {
    super();
  }
  get value(): Aggregate {
    return wrap(Aggregate, native.verifiedAggregateValue(open(this, VerifiedAggregate)));
  }
  /** Committee against which it was verified: compare it with the id of the current one. */
  get committee(): CommitteeId {
    return wrap(CommitteeId, native.verifiedAggregateCommittee(open(this, VerifiedAggregate)));
  }
  /**
   * Adds two aggregates of one statement. Cost: one addition.
   *
   * @param limit the maximum count; default: 255
   * @throws {@link TooLargeError} if a count would exceed the limit
   * @throws {@link WrongContextError} for another committee or statement
   */
  merge(other: VerifiedAggregate, limit?: number): VerifiedAggregate {
    const parts = [open(this, VerifiedAggregate), open(other, VerifiedAggregate, 'other')];
    return wrap(VerifiedAggregate, native.verifiedAggregateMerge(...parts, check.optional(check.u16)(limit, 'limit')));
  }
  /**
   * Returns the same signers with lower counts: subtracts each of `parts`, in order, as often as leaves every signer in
   * the sum at least once. Skips parts of another statement or committee, and parts with signers outside this
   * aggregate.
   */
  normalised(parts: Iterable<VerifiedAggregate>): VerifiedAggregate {
    open(this, VerifiedAggregate);
    const handles = check.list(parts, 'parts', opener(VerifiedAggregate));
    return wrap(VerifiedAggregate, native.verifiedAggregateNormalised(open(this, VerifiedAggregate), handles));
  }
  /** Returns the certificate, if the signers are a quorum. */
  certificate(committee: Committee): VerifiedCertificate | undefined {
    const parts = [open(this, VerifiedAggregate), open(committee, Committee, 'committee')];
    return wrapMaybe(VerifiedCertificate, native.verifiedAggregateCertificate(...parts));
  }
  toString(): string {
    return `VerifiedAggregate(${this.value}, committee ${this.committee})`;
  }
}

/**
 * Some verified aggregates of one statement from any source: the sum of those that can be added with low counts.
 * {@link Gossip} uses one beside its own sums; a protocol with another dissemination method needs only this.
 */
export class Pool extends Handle {
  declare private readonly brand: never;
  /** An empty pool of member `me`. @throws {@link WrongContextError} for a suite without counts */
  constructor(committee: Committee, me: number, statement: Statement, parameters?: Parameters) {
    const parts = [open(committee, Committee, 'committee'), check.u16(me, 'me'), open(statement, Statement, 'statement')];
    super(TOKEN, native.poolNew(...parts, completed(parameters)));
  }
  get statement(): Statement {
    return wrap(Statement, native.poolStatement(open(this, Pool)));
  }
  /**
   * Returns true if {@link Pool.insert} would accept this: it adds a new signer, and there is no certificate yet. It
   * uses no cryptography, so call it before verifying. It throws as {@link Pool.insert} does.
   */
  wants(aggregate: Aggregate): boolean {
    return native.poolWants(open(this, Pool), open(aggregate, Aggregate, 'aggregate'));
  }
  /**
   * Inserts a verified aggregate. Returns false if it changes nothing.
   *
   * @throws {@link WrongContextError} for another committee or statement
   * @throws {@link TooLargeError} for a count above the limit
   */
  insert(aggregate: VerifiedAggregate): boolean {
    return native.poolInsert(open(this, Pool), open(aggregate, VerifiedAggregate, 'aggregate'));
  }
  /** A new set of all members whose signature is in some aggregate of the pool. */
  get signers(): SignerSet {
    return wrap(SignerSet, native.poolSigners(open(this, Pool)));
  }
  /** The sum of all aggregates that can be added, or that of the certificate. */
  get best(): VerifiedAggregate | undefined {
    return wrapMaybe(VerifiedAggregate, native.poolBest(open(this, Pool)));
  }
  /** All aggregates in the pool. */
  get aggregates(): VerifiedAggregate[] {
    return wrapAll(VerifiedAggregate, native.poolAggregates(open(this, Pool)));
  }
  /** The certificate, once the signers are a quorum. */
  get certificate(): VerifiedCertificate | undefined {
    return wrapMaybe(VerifiedCertificate, native.poolCertificate(open(this, Pool)));
  }
  toString(): string {
    const { signers } = this;
    return `Pool(${signers.size} of ${signers.committeeSize} signed)`;
  }
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
export class Gossip extends Handle {
  declare private readonly brand: never;
  /**
   * A gossip of member `me` that knows no signature on the statement yet.
   *
   * @throws {@link WrongContextError} for a statement of another epoch, and for a suite without counts
   * @throws {@link UnknownSignerError} for a member outside the committee
   */
  constructor(committee: Committee, me: number, statement: Statement, parameters?: Parameters) {
    const parts = [open(committee, Committee, 'committee'), check.u16(me, 'me'), open(statement, Statement, 'statement')];
    super(TOKEN, native.gossipNew(...parts, completed(parameters)));
  }
  get statement(): Statement {
    return wrap(Statement, native.gossipStatement(open(this, Gossip)));
  }
  /** Adds a verified vote, usually the member's own. Returns false if it was known. */
  vote(vote: VerifiedVote): boolean {
    return native.gossipVote(open(this, Gossip), open(vote, VerifiedVote, 'vote'));
  }
  /**
   * Adds an aggregate that was verified elsewhere, for example a certificate in a proposal. Returns false if it adds
   * nothing new.
   */
  adopt(aggregate: VerifiedAggregate): boolean {
    return native.gossipAdopt(open(this, Gossip), open(aggregate, VerifiedAggregate, 'aggregate'));
  }
  /**
   * Queues an aggregate that `peer` sent over an authenticated link. It is not verified yet.
   *
   * @throws if the aggregate has another statement or committee, or a count above the limit
   */
  receive(peer: number, aggregate: Aggregate, peers: Peers, now?: bigint): Received {
    const parts = [check.u16(peer, 'peer'), open(aggregate, Aggregate, 'aggregate'), open(peers, Peers, 'peers'), time(now)];
    return native.gossipReceive(open(this, Gossip), ...parts);
  }
  /** Number of aggregates queued for verification. */
  get waiting(): number {
    return native.gossipWaiting(open(this, Gossip));
  }
  /**
   * Verifies the newest queued aggregates together and merges the valid ones; the senders of invalid ones are
   * suspended. Cost: as {@link Aggregate.verifyBatch} of at most `batch` aggregates.
   */
  check(peers: Peers, options?: CheckOptions): Checked {
    const { entropy, now } = check.options(options);
    const parts = [
      open(peers, Peers, 'peers'),
      check.optional(check.bytes)(entropy, 'options.entropy'),
      time(now, 'options.now'),
    ];
    const { faults, aggregates, signers, grew } = native.gossipCheck(open(this, Gossip), ...parts);
    const fault = ({ culprit, evidence }: Raw) => ({ culprit, evidence: errorOf(evidence)! });
    return { faults: faults.map(fault), aggregates, signers, grew };
  }
  /**
   * Returns the next message and its recipient. Report to `peers` that it has `left`, was `sent` or `failed`; until then it
   * occupies a slot. `undefined` if there is nothing to send now or no slot is free: call again when a slot is free,
   * after an aggregate was added, or after 50 ms.
   */
  next(peers: Peers, options?: Choice): Send | undefined {
    const { draw, now } = check.options(options);
    const parts = [open(peers, Peers, 'peers'), check.optional(check.u64)(draw, 'options.draw'), time(now, 'options.now')];
    const send = native.gossipNext(open(this, Gossip), ...parts);
    return send ? { to: send.to, aggregate: wrap(Aggregate, send.aggregate) } : undefined;
  }
  /**
   * Returns the aggregate to send to this peer, for a caller that picks peers itself; `undefined` if the peer lacks
   * nothing.
   */
  offer(peer: number): Aggregate | undefined {
    return wrapMaybe(Aggregate, native.gossipOffer(open(this, Gossip), check.u16(peer, 'peer')));
  }
  /** A new set of all members whose signature is known and verified. */
  get signers(): SignerSet {
    return wrap(SignerSet, native.gossipSigners(open(this, Gossip)));
  }
  /** Snapshot of the added aggregates that do not lie within one half of the committee. */
  get pool(): Pool {
    return wrap(Pool, native.gossipPool(open(this, Gossip)));
  }
  /** The certificate, once a quorum has signed. */
  get certificate(): VerifiedCertificate | undefined {
    return wrapMaybe(VerifiedCertificate, native.gossipCertificate(open(this, Gossip)));
  }
  toString(): string {
    const { signers } = this;
    return `Gossip(${signers.size} of ${signers.committeeSize} signed, ${this.waiting} waiting)`;
  }
}

function verifyBatch(committee: Committee, aggregates: Iterable<Aggregate>, derived: boolean) {
  const handles = batch(Aggregate, committee, aggregates, 'aggregates');
  return verdicts(VerifiedAggregate)(native.aggregateVerifyBatch(...handles, derived));
}

named({ Aggregate, VerifiedAggregate, Pool, Gossip });
