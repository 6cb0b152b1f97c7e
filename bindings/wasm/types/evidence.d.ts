/** Evidence of misbehaviour. */

import type { Certificate, Committee, CommitteeId, SignerSet, Suite, Verified, Vote } from '../index.js';

/** Two votes of one member on contradicting statements. No honest member can be accused. */
export class Equivocation {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** @throws {@link NotEvidenceError} for different members or votes that do not contradict each other */
  constructor(first: Vote, second: Vote);
  /** @throws {@link MalformedError} and its kin, {@link WrongContextError} for another suite */
  static decode(suite: Suite, bytes: Uint8Array): Equivocation;
  encode(): Uint8Array;
  readonly suite: Suite;
  /** The one with the lower digest first. */
  votes(): [Vote, Vote];
  /** Who signed both. */
  readonly signer: number;
  /** The signer alone, guilty once {@link Equivocation.verify} has said so. */
  culprits(): number[];
  /** Checks both signatures. */
  verify(committee: Committee): VerifiedEquivocation;
  equals(other: Equivocation): boolean;
  toString(): string;
}

/** An equivocation that was checked. */
export class VerifiedEquivocation implements Verified<Equivocation> {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly value: Equivocation;
  readonly committee: CommitteeId;
  toString(): string;
}

/** Two certificates of contradicting statements: whoever signed both broke the protocol. */
export class Conflict {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** @throws {@link NotEvidenceError} for certificates that do not contradict each other */
  constructor(first: Certificate, second: Certificate);
  static decode(bytes: Uint8Array, committee: Committee): Conflict;
  encode(): Uint8Array;
  readonly suite: Suite;
  /** The one with the lower digest first. */
  certificates(): [Certificate, Certificate];
  /** Who signed both: more than a third of the weight, once {@link Conflict.verify} has said so. */
  culprits(): SignerSet;
  /** Checks both certificates. */
  verify(committee: Committee): VerifiedConflict;
  equals(other: Conflict): boolean;
  toString(): string;
}

/** A conflict that was checked. */
export class VerifiedConflict implements Verified<Conflict> {
  #private;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly value: Conflict;
  readonly committee: CommitteeId;
  toString(): string;
}
