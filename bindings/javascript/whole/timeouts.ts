/** Timeouts: a quorum gives up a view. */

import * as check from '../common/check.js';
import { native } from './backend.js';
import { Committee } from './committee.js';
import { Handle, type Raw, TOKEN, named, open, wrap } from './handle.js';
import { CommitteeId } from './ids.js';
import { SecretKey, Signature } from './keys.js';
import { SignerSet } from './signers.js';
import { Statement, Verified } from './statement.js';
import { Suite } from './suites.js';
import { Vote } from './votes.js';

/** A member's vote to give up a view; it names a value, such as the view of the highest certificate that it knows. */
export class TimeoutVote extends Handle {
  declare private readonly brand: never;
  /** Creates a timeout vote. Nothing is verified. */
  constructor(fields: {
    readonly kind: number;
    readonly epoch: bigint;
    readonly view: bigint;
    readonly value: bigint;
    readonly signer: number;
    readonly signature: Signature;
  }) {
    const { kind, epoch, view, value, signer, signature } = check.object(fields, 'fields');
    const numbers = [check.u8(kind, 'kind'), check.u64(epoch, 'epoch'), check.u64(view, 'view'), check.u64(value, 'value')];
    const parts = [...numbers, check.u16(signer, 'signer'), open(signature, Signature, 'signature')];
    super(TOKEN, native.timeoutVoteNew(...parts));
  }
  /** Returns the statement that a timeout vote signs. */
  static statementOf(kind: number, epoch: bigint, view: bigint, value: bigint): Statement {
    const parts = [check.u8(kind, 'kind'), check.u64(epoch, 'epoch'), check.u64(view, 'view'), check.u64(value, 'value')];
    return wrap(Statement, native.timeoutVoteStatementOf(...parts));
  }
  /** Signs **without recording it**, for tests. A node signs through its {@link Guard}. */
  static signUnguarded(
    secret: SecretKey,
    committee: Committee,
    kind: number,
    view: bigint,
    value: bigint,
  ): TimeoutVote {
    const who = [open(secret, SecretKey, 'secret'), open(committee, Committee, 'committee')];
    const what = [check.u8(kind, 'kind'), check.u64(view, 'view'), check.u64(value, 'value')];
    return wrap(TimeoutVote, native.timeoutVoteSignUnguarded(...who, ...what));
  }
  /** @throws {@link MalformedError} and other decoding errors, {@link WrongContextError} for another suite */
  static decode(suite: Suite, bytes: Uint8Array): TimeoutVote {
    return wrap(TimeoutVote, native.timeoutVoteDecode(check.suite(suite), check.bytes(bytes, 'bytes')));
  }
  encode(): Uint8Array {
    return native.timeoutVoteEncode(open(this, TimeoutVote));
  }
  /** Decodes the form for direct links. */
  static decodeLink(suite: Suite, bytes: Uint8Array): TimeoutVote {
    return wrap(TimeoutVote, native.timeoutVoteDecodeLink(check.suite(suite), check.bytes(bytes, 'bytes')));
  }
  encodeLink(): Uint8Array {
    return native.timeoutVoteEncodeLink(open(this, TimeoutVote));
  }
  get suite(): Suite {
    return native.timeoutVoteSuite(open(this, TimeoutVote));
  }
  get kind(): number {
    return native.timeoutVoteKind(open(this, TimeoutVote));
  }
  get epoch(): bigint {
    return native.timeoutVoteEpoch(open(this, TimeoutVote));
  }
  /** The abandoned view. */
  get view(): bigint {
    return native.timeoutVoteView(open(this, TimeoutVote));
  }
  /** The value that the member names. */
  get value(): bigint {
    return native.timeoutVoteValue(open(this, TimeoutVote));
  }
  get signer(): number {
    return native.timeoutVoteSigner(open(this, TimeoutVote));
  }
  get signature(): Signature {
    return this.asVote().signature;
  }
  /** Returns the underlying vote. */
  asVote(): Vote {
    return wrap(Vote, native.timeoutVoteAsVote(open(this, TimeoutVote)));
  }
  /** As {@link Vote.verify}. */
  verify(committee: Committee): VerifiedTimeoutVote {
    const handle = open(this, TimeoutVote);
    return wrap(VerifiedTimeoutVote, native.timeoutVoteVerify(handle, open(committee, Committee, 'committee')));
  }
  equals(other: TimeoutVote): boolean {
    return native.timeoutVoteEquals(open(this, TimeoutVote), open(other, TimeoutVote, 'other'));
  }
  toString(): string {
    return `TimeoutVote(member ${this.signer}, view ${this.view}, value ${this.value})`;
  }
}

/** A timeout vote whose signature was verified. */
export class VerifiedTimeoutVote extends Handle implements Verified<TimeoutVote> {
  declare private readonly brand: never;
  private constructor() {
    super();
  }
  get value(): TimeoutVote {
    return wrap(TimeoutVote, native.verifiedTimeoutVoteValue(open(this, VerifiedTimeoutVote)));
  }
  get committee(): CommitteeId {
    return wrap(CommitteeId, native.verifiedTimeoutVoteCommittee(open(this, VerifiedTimeoutVote)));
  }
  toString(): string {
    return `VerifiedTimeoutVote(${this.value}, committee ${this.committee})`;
  }
}

/** A quorum's certificate that it gave up a view; the members are grouped by the values that they named. */
export class TimeoutCertificate extends Handle {
  declare private readonly brand: never;
  private constructor() {
    super();
  }
  /** @throws {@link MalformedError} and other decoding errors, {@link WrongContextError}, {@link BelowQuorumError} */
  static decode(bytes: Uint8Array, committee: Committee): TimeoutCertificate {
    const handle = native.timeoutCertificateDecode(check.bytes(bytes, 'bytes'), open(committee, Committee, 'committee'));
    return wrap(TimeoutCertificate, handle);
  }
  encode(): Uint8Array {
    return native.timeoutCertificateEncode(open(this, TimeoutCertificate));
  }
  get encodedLength(): number {
    return native.timeoutCertificateEncodedLength(open(this, TimeoutCertificate));
  }
  get suite(): Suite {
    return native.timeoutCertificateSuite(open(this, TimeoutCertificate));
  }
  get kind(): number {
    return native.timeoutCertificateKind(open(this, TimeoutCertificate));
  }
  get epoch(): bigint {
    return native.timeoutCertificateEpoch(open(this, TimeoutCertificate));
  }
  /** The abandoned view. */
  get view(): bigint {
    return native.timeoutCertificateView(open(this, TimeoutCertificate));
  }
  /** The highest value that a signer named. */
  get highestValue(): bigint {
    return native.timeoutCertificateHighestValue(open(this, TimeoutCertificate));
  }
  /** Returns the values, ascending, each with the members that named it. */
  groups(): { readonly value: bigint; readonly signers: SignerSet }[] {
    const groups = native.timeoutCertificateGroups(open(this, TimeoutCertificate));
    return groups.map(({ value, signers }: Raw) => ({ value, signers: wrap(SignerSet, signers) }));
  }
  /** The signers. */
  get signers(): SignerSet {
    return wrap(SignerSet, native.timeoutCertificateSigners(open(this, TimeoutCertificate)));
  }
  /**
   * Verifies the signatures. Cost (BLS): per group one pairing and one hash to the curve, and one addition per signer.
   */
  verify(committee: Committee): VerifiedTimeoutCertificate {
    const handles = [open(this, TimeoutCertificate), open(committee, Committee, 'committee')];
    return wrap(VerifiedTimeoutCertificate, native.timeoutCertificateVerify(...handles));
  }
  equals(other: TimeoutCertificate): boolean {
    const handles = [open(this, TimeoutCertificate), open(other, TimeoutCertificate, 'other')];
    return native.timeoutCertificateEquals(...handles);
  }
  toString(): string {
    const { signers } = this;
    return `TimeoutCertificate(${signers.size} of ${signers.committeeSize}, view ${this.view}, highest ${this.highestValue})`;
  }
}

/** A timeout certificate whose signatures were verified. */
export class VerifiedTimeoutCertificate extends Handle implements Verified<TimeoutCertificate> {
  declare private readonly brand: never;
  private constructor() {
    super();
  }
  get value(): TimeoutCertificate {
    return wrap(TimeoutCertificate, native.verifiedTimeoutCertificateValue(open(this, VerifiedTimeoutCertificate)));
  }
  get committee(): CommitteeId {
    return wrap(CommitteeId, native.verifiedTimeoutCertificateCommittee(open(this, VerifiedTimeoutCertificate)));
  }
  toString(): string {
    return `VerifiedTimeoutCertificate(${this.value}, committee ${this.committee})`;
  }
}

named({ TimeoutVote, VerifiedTimeoutVote, TimeoutCertificate, VerifiedTimeoutCertificate });
