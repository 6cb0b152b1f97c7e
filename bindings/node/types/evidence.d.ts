/** Evidence of protocol violations. */

import type { AsyncOptions } from './async.js';
import type { Certificate } from './certificates.js';
import type { Committee, SignerSet } from './committees.js';
import type { CommitteeId } from './ids.js';
import type { Verified } from './statements.js';
import type { Suite } from './suites.js';
import type { Vote } from './votes.js';

/** Two votes of one member on contradicting statements. No honest member can be accused. */
export class Equivocation {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** @throws {@link NotEvidenceError} for different members or votes that do not contradict each other */
  constructor(first: Vote, second: Vote);
  /** @throws {@link MalformedError} and other decoding errors, {@link WrongContextError} for another suite */
  static decode(suite: Suite, bytes: Uint8Array): Equivocation;
  encode(): Uint8Array;
  readonly suite: Suite;
  /** Returns the one with the lower digest first. */
  votes(): [Vote, Vote];
  /** The member that signed both. */
  readonly signer: number;
  /** Returns the signer, which is at fault if {@link Equivocation.verify} succeeds. */
  culprits(): number[];
  /** Verifies both signatures. */
  verify(committee: Committee): VerifiedEquivocation;
  /** As {@link Equivocation.verify}, off this thread. */
  verifyAsync(committee: Committee, options?: AsyncOptions): Promise<VerifiedEquivocation>;
  equals(other: Equivocation): boolean;
  toString(): string;
}

/** A verified equivocation. */
export class VerifiedEquivocation implements Verified<Equivocation> {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly value: Equivocation;
  readonly committee: CommitteeId;
  toString(): string;
}

/** Two certificates of contradicting statements: the members that signed both violated the protocol. */
export class Conflict {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** @throws {@link NotEvidenceError} for certificates that do not contradict each other */
  constructor(first: Certificate, second: Certificate);
  static decode(bytes: Uint8Array, committee: Committee): Conflict;
  encode(): Uint8Array;
  readonly suite: Suite;
  /** Returns the one with the lower digest first. */
  certificates(): [Certificate, Certificate];
  /**
   * Returns the members that signed both, more than a third of the weight; they are at fault if {@link Conflict.verify}
   * succeeds.
   */
  culprits(): SignerSet;
  /** Verifies both certificates. */
  verify(committee: Committee): VerifiedConflict;
  /** As {@link Conflict.verify}, off this thread. */
  verifyAsync(committee: Committee, options?: AsyncOptions): Promise<VerifiedConflict>;
  equals(other: Conflict): boolean;
  toString(): string;
}

/** A verified conflict. */
export class VerifiedConflict implements Verified<Conflict> {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly value: Conflict;
  readonly committee: CommitteeId;
  toString(): string;
}
