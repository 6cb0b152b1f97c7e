/** Statements that members sign, and verified values. */

import * as check from '../common/check.js';
import { hex } from '../common/hex.js';
import { native } from './backend.js';
import { Handle, TOKEN, named, open, wrap } from './handle.js';
import { CommitteeId } from './ids.js';

/**
 * A value that was verified against a committee. Compare {@link Verified.committee} with the id of the current
 * committee.
 */
export interface Verified<T> {
  /** The verified value. */
  readonly value: T;
  /** Committee against which it was verified. Equal ids mean equal chain, epoch, suite, keys and weights. */
  readonly committee: CommitteeId;
}

/** A statement that members sign: that `digest` is valid for this kind, epoch and view. 49 bytes. */
export class Statement extends Handle {
  declare private readonly brand: never;
  /**
   * @param fields - `kind` 0 to 255 (a protocol gives each of its phases one), `digest` 32 bytes
   * @throws {@link MalformedError} for a digest of another length
   */
  constructor(fields: {
    readonly kind: number;
    readonly epoch: bigint;
    readonly view: bigint;
    readonly digest: Uint8Array;
  }) {
    const { kind, epoch, view, digest } = check.object(fields, 'fields');
    const checked = [check.u8(kind, 'kind'), check.u64(epoch, 'epoch'), check.u64(view, 'view'), check.bytes(digest, 'digest')];
    super(TOKEN, native.statementNew(...checked));
  }
  static decode(bytes: Uint8Array): Statement {
    return wrap(Statement, native.statementDecode(check.bytes(bytes, 'bytes')));
  }
  encode(): Uint8Array {
    return native.statementEncode(open(this, Statement));
  }
  get kind(): number {
    return native.statementKind(open(this, Statement));
  }
  get epoch(): bigint {
    return native.statementEpoch(open(this, Statement));
  }
  get view(): bigint {
    return native.statementView(open(this, Statement));
  }
  get digest(): Uint8Array {
    return native.statementDigest(open(this, Statement));
  }
  /** Returns the bytes that a member of this committee signs. */
  signedBytes(committee: CommitteeId): Uint8Array {
    return native.statementSignedBytes(open(this, Statement), open(committee, CommitteeId, 'committee'));
  }
  /** Identifier of the certified statement: 32 bytes. Two different certificates can certify the same statement. */
  identity(committee: CommitteeId): Uint8Array {
    return native.statementIdentity(open(this, Statement), open(committee, CommitteeId, 'committee'));
  }
  /** Returns true if a member must not sign both: same kind, epoch and view, different digest. */
  contradicts(other: Statement): boolean {
    return native.statementContradicts(open(this, Statement), open(other, Statement, 'other'));
  }
  equals(other: Statement): boolean {
    return native.statementEquals(open(this, Statement), open(other, Statement, 'other'));
  }
  toString(): string {
    return `Statement(kind ${this.kind}, epoch ${this.epoch}, view ${this.view}, ${hex(this.digest)})`;
  }
}

named({ Statement });
