/** Certificates: a quorum's signatures on a statement. */

import * as check from '../common/check.js';
import { native } from './backend.js';
import { Committee } from './committee.js';
import { Handle, named, open, wrap } from './handle.js';
import { CommitteeId } from './ids.js';
import { SignerSet } from './signers.js';
import { Statement, Verified } from './statement.js';
import { Suite } from './suites.js';

/**
 * A quorum's signatures on one statement. A decoded certificate is canonical, has the committee's epoch and reaches the
 * quorum; its signatures are not verified yet. With `MinSig` at most 99 + ⌈n/8⌉ bytes.
 *
 * Two certificates of one statement may differ in their signers. Compare statements, never certificates.
 */
export class Certificate extends Handle {
  declare private readonly brand: never;
  private constructor() {
    super();
  }
  /** @throws {@link MalformedError} and other decoding errors, {@link WrongContextError}, {@link BelowQuorumError} */
  static decode(bytes: Uint8Array, committee: Committee): Certificate {
    const handle = native.certificateDecode(check.bytes(bytes, 'bytes'), open(committee, Committee, 'committee'));
    return wrap(Certificate, handle);
  }
  encode(): Uint8Array {
    return native.certificateEncode(open(this, Certificate));
  }
  /** Decodes the form for use where the statement is known. */
  static decodeDetached(bytes: Uint8Array, statement: Statement, committee: Committee): Certificate {
    const parts = [check.bytes(bytes, 'bytes'), open(statement, Statement, 'statement'), open(committee, Committee, 'committee')];
    return wrap(Certificate, native.certificateDecodeDetached(...parts));
  }
  encodeDetached(): Uint8Array {
    return native.certificateEncodeDetached(open(this, Certificate));
  }
  /** Length of the encoding in bytes. */
  get encodedLength(): number {
    return native.certificateEncodedLength(open(this, Certificate));
  }
  get suite(): Suite {
    return native.certificateSuite(open(this, Certificate));
  }
  get statement(): Statement {
    return wrap(Statement, native.certificateStatement(open(this, Certificate)));
  }
  get signers(): SignerSet {
    return wrap(SignerSet, native.certificateSigners(open(this, Certificate)));
  }
  /** Returns the aggregate signature, or one signature per signer in ascending order. */
  proof(): Uint8Array {
    return native.certificateProof(open(this, Certificate));
  }
  /**
   * Verifies the signatures. Cost (BLS): two pairings, one hash to the curve, one subgroup check.
   *
   * @throws {@link WrongContextError}, {@link BelowQuorumError}, {@link BadSignatureError}
   */
  verify(committee: Committee): VerifiedCertificate {
    const handle = open(this, Certificate);
    return wrap(VerifiedCertificate, native.certificateVerify(handle, open(committee, Committee, 'committee')));
  }
  /** Returns true if both are the same certificate, including signers. */
  equals(other: Certificate): boolean {
    return native.certificateEquals(open(this, Certificate), open(other, Certificate, 'other'));
  }
  toString(): string {
    const { signers } = this;
    return `Certificate(${signers.size} of ${signers.committeeSize}, ${this.statement})`;
  }
}

/** A certificate whose signatures were verified. */
export class VerifiedCertificate extends Handle implements Verified<Certificate> {
  declare private readonly brand: never;
  private constructor() {
    super();
  }
  get value(): Certificate {
    return wrap(Certificate, native.verifiedCertificateValue(open(this, VerifiedCertificate)));
  }
  get committee(): CommitteeId {
    return wrap(CommitteeId, native.verifiedCertificateCommittee(open(this, VerifiedCertificate)));
  }
  toString(): string {
    return `VerifiedCertificate(${this.value}, committee ${this.committee})`;
  }
}

named({ Certificate, VerifiedCertificate });
