/** Evidence of protocol violations. */

import * as check from '../common/check.js';
import { native } from './backend.js';
import { Certificate } from './certificates.js';
import { Committee } from './committee.js';
import { Handle, TOKEN, named, open, wrap } from './handle.js';
import { CommitteeId } from './ids.js';
import { SignerSet } from './signers.js';
import { Verified } from './statement.js';
import { Suite } from './suites.js';
import { Vote } from './votes.js';

/** Two votes of one member on contradicting statements. No honest member can be accused. */
export class Equivocation extends Handle {
  declare private readonly brand: never;
  /** @throws {@link NotEvidenceError} for different members or votes that do not contradict each other */
  constructor(first: Vote, second: Vote) {
    super(TOKEN, native.equivocationNew(open(first, Vote, 'first'), open(second, Vote, 'second')));
  }
  /** @throws {@link MalformedError} and other decoding errors, {@link WrongContextError} for another suite */
  static decode(suite: Suite, bytes: Uint8Array): Equivocation {
    return wrap(Equivocation, native.equivocationDecode(check.suite(suite), check.bytes(bytes, 'bytes')));
  }
  encode(): Uint8Array {
    return native.equivocationEncode(open(this, Equivocation));
  }
  get suite(): Suite {
    return native.equivocationSuite(open(this, Equivocation));
  }
  /** Returns the one with the lower digest first. */
  votes(): [Vote, Vote] {
    const [first, second] = native.equivocationVotes(open(this, Equivocation));
    return [wrap(Vote, first), wrap(Vote, second)];
  }
  /** The member that signed both. */
  get signer(): number {
    return native.equivocationSigner(open(this, Equivocation));
  }
  /** Returns the signer, which is at fault if {@link Equivocation.verify} succeeds. */
  culprits(): number[] {
    return [...native.equivocationCulprits(open(this, Equivocation))];
  }
  /** Verifies both signatures. */
  verify(committee: Committee): VerifiedEquivocation {
    const handle = open(this, Equivocation);
    return wrap(VerifiedEquivocation, native.equivocationVerify(handle, open(committee, Committee, 'committee')));
  }
  equals(other: Equivocation): boolean {
    return native.equivocationEquals(open(this, Equivocation), open(other, Equivocation, 'other'));
  }
  toString(): string {
    const [first, second] = this.votes();
    return `Equivocation(member ${this.signer}, ${first.statement}, ${second.statement})`;
  }
}

/** A verified equivocation. */
export class VerifiedEquivocation extends Handle implements Verified<Equivocation> {
  declare private readonly brand: never;
  private constructor() {
    super();
  }
  get value(): Equivocation {
    return wrap(Equivocation, native.verifiedEquivocationValue(open(this, VerifiedEquivocation)));
  }
  get committee(): CommitteeId {
    return wrap(CommitteeId, native.verifiedEquivocationCommittee(open(this, VerifiedEquivocation)));
  }
  toString(): string {
    return `VerifiedEquivocation(${this.value}, committee ${this.committee})`;
  }
}

/** Two certificates of contradicting statements: the members that signed both violated the protocol. */
export class Conflict extends Handle {
  declare private readonly brand: never;
  /** @throws {@link NotEvidenceError} for certificates that do not contradict each other */
  constructor(first: Certificate, second: Certificate) {
    super(TOKEN, native.conflictNew(open(first, Certificate, 'first'), open(second, Certificate, 'second')));
  }
  static decode(bytes: Uint8Array, committee: Committee): Conflict {
    const handle = native.conflictDecode(check.bytes(bytes, 'bytes'), open(committee, Committee, 'committee'));
    return wrap(Conflict, handle);
  }
  encode(): Uint8Array {
    return native.conflictEncode(open(this, Conflict));
  }
  get suite(): Suite {
    return native.conflictSuite(open(this, Conflict));
  }
  /** Returns the one with the lower digest first. */
  certificates(): [Certificate, Certificate] {
    const [first, second] = native.conflictCertificates(open(this, Conflict));
    return [wrap(Certificate, first), wrap(Certificate, second)];
  }
  /**
   * Returns the members that signed both, more than a third of the weight; they are at fault if {@link Conflict.verify}
   * succeeds.
   */
  culprits(): SignerSet {
    return wrap(SignerSet, native.conflictCulprits(open(this, Conflict)));
  }
  /** Verifies both certificates. */
  verify(committee: Committee): VerifiedConflict {
    const handle = open(this, Conflict);
    return wrap(VerifiedConflict, native.conflictVerify(handle, open(committee, Committee, 'committee')));
  }
  equals(other: Conflict): boolean {
    return native.conflictEquals(open(this, Conflict), open(other, Conflict, 'other'));
  }
  toString(): string {
    return `Conflict(${this.certificates().join(', ')})`;
  }
}

/** A verified conflict. */
export class VerifiedConflict extends Handle implements Verified<Conflict> {
  declare private readonly brand: never;
  private constructor() {
    super();
  }
  get value(): Conflict {
    return wrap(Conflict, native.verifiedConflictValue(open(this, VerifiedConflict)));
  }
  get committee(): CommitteeId {
    return wrap(CommitteeId, native.verifiedConflictCommittee(open(this, VerifiedConflict)));
  }
  toString(): string {
    return `VerifiedConflict(${this.value}, committee ${this.committee})`;
  }
}

named({ Equivocation, VerifiedEquivocation, Conflict, VerifiedConflict });
