/** Timeouts: a quorum gives up a view. */

import type { AsyncOptions } from './async.js';
import type { Collected, CollectorOptions, VoteFault } from './collectors.js';
import type { Committee, SignerSet } from './committees.js';
import type { CommitteeId } from './ids.js';
import type { SecretKey, Signature } from './keys.js';
import type { Statement, Verified } from './statements.js';
import type { Suite } from './suites.js';
import type { Suspects, Vote } from './votes.js';

/** A member's vote to give up a view; it names a value, such as the view of the highest certificate that it knows. */
export class TimeoutVote {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** Creates a timeout vote. Nothing is verified. */
  constructor(fields: {
    readonly kind: number;
    readonly epoch: bigint;
    readonly view: bigint;
    readonly value: bigint;
    readonly signer: number;
    readonly signature: Signature;
  });
  /** Returns the statement that a timeout vote signs. */
  static statementOf(kind: number, epoch: bigint, view: bigint, value: bigint): Statement;
  /** Signs **without recording it**, for tests. A node signs through its {@link Guard}. */
  static signUnguarded(
    secret: SecretKey,
    committee: Committee,
    kind: number,
    view: bigint,
    value: bigint,
  ): TimeoutVote;
  /** @throws {@link MalformedError} and other decoding errors, {@link WrongContextError} for another suite */
  static decode(suite: Suite, bytes: Uint8Array): TimeoutVote;
  encode(): Uint8Array;
  /** Decodes the form for direct links. */
  static decodeLink(suite: Suite, bytes: Uint8Array): TimeoutVote;
  encodeLink(): Uint8Array;
  readonly suite: Suite;
  readonly kind: number;
  readonly epoch: bigint;
  /** The abandoned view. */
  readonly view: bigint;
  /** The value that the member names. */
  readonly value: bigint;
  readonly signer: number;
  readonly signature: Signature;
  /** Returns the underlying vote. */
  asVote(): Vote;
  /** As {@link Vote.verify}. */
  verify(committee: Committee): VerifiedTimeoutVote;
  /** As {@link TimeoutVote.verify}, off this thread. */
  verifyAsync(committee: Committee, options?: AsyncOptions): Promise<VerifiedTimeoutVote>;
  equals(other: TimeoutVote): boolean;
  toString(): string;
}

/** A timeout vote whose signature was verified. */
export class VerifiedTimeoutVote implements Verified<TimeoutVote> {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly value: TimeoutVote;
  readonly committee: CommitteeId;
  toString(): string;
}

/** Collects timeout votes of one kind and view until a quorum, with whatever values, makes a certificate. */
export class TimeoutCollector {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  constructor(committee: Committee, kind: number, view: bigint, options?: CollectorOptions);
  /** As {@link VoteCollector.add}. */
  add(vote: TimeoutVote | VerifiedTimeoutVote, suspects: Suspects): Collected<VerifiedTimeoutCertificate>;
  readonly topic: { readonly kind: number; readonly view: bigint };
  readonly committee: Committee;
  /** Weight of the collected timeout votes, verified or not. */
  readonly weight: bigint;
  /** True if the collected votes weigh more than a third, **verified or not**. */
  readonly hasHonest: boolean;
  /**
   * Verifies the pending votes, if they may suffice, and returns whether **verified** votes weigh more than a third.
   */
  verifyHonest(suspects: Suspects): { readonly honest: boolean; readonly faults: readonly VoteFault[] };
  readonly isDone: boolean;
  toString(): string;
}

/** A quorum's certificate that it gave up a view; the members are grouped by the values that they named. */
export class TimeoutCertificate {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** @throws {@link MalformedError} and other decoding errors, {@link WrongContextError}, {@link BelowQuorumError} */
  static decode(bytes: Uint8Array, committee: Committee): TimeoutCertificate;
  encode(): Uint8Array;
  readonly encodedLength: number;
  readonly suite: Suite;
  readonly kind: number;
  readonly epoch: bigint;
  /** The abandoned view. */
  readonly view: bigint;
  /** The highest value that a signer named. */
  readonly highestValue: bigint;
  /** Returns the values, ascending, each with the members that named it. */
  groups(): { readonly value: bigint; readonly signers: SignerSet }[];
  /** The signers. */
  readonly signers: SignerSet;
  /**
   * Verifies the signatures. Cost (BLS): per group one pairing and one hash to the curve, and one addition per signer.
   */
  verify(committee: Committee): VerifiedTimeoutCertificate;
  /** As {@link TimeoutCertificate.verify}, off this thread. */
  verifyAsync(committee: Committee, options?: AsyncOptions): Promise<VerifiedTimeoutCertificate>;
  equals(other: TimeoutCertificate): boolean;
  toString(): string;
}

/** A timeout certificate whose signatures were verified. */
export class VerifiedTimeoutCertificate implements Verified<TimeoutCertificate> {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly value: TimeoutCertificate;
  readonly committee: CommitteeId;
  toString(): string;
}
