'use strict';

const native = require('./native.js');
const { bytes, options, u8, u64 } = require('./check.js');
const { hex } = require('./hex.js');
const { openCommitteeId } = require('./ids.js');
const { sealed } = require('./sealed.js');

const statement = sealed('Statement');

class Statement extends statement.Sealed {
  constructor(fields) {
    const { kind, epoch, view, digest } = options(fields ?? null, 'fields');
    const checked = [u8(kind, 'kind'), u64(epoch, 'epoch'), u64(view, 'view'), bytes(digest, 'digest')];
    super(statement.key, native.statementNew(...checked));
  }
  static decode(data) {
    return makeStatement(native.statementDecode(bytes(data, 'bytes')));
  }
  encode() {
    return native.statementEncode(statement.open(this, 'this'));
  }
  get kind() {
    return native.statementKind(statement.open(this, 'this'));
  }
  get epoch() {
    return native.statementEpoch(statement.open(this, 'this'));
  }
  get view() {
    return native.statementView(statement.open(this, 'this'));
  }
  get digest() {
    return native.statementDigest(statement.open(this, 'this'));
  }
  signedBytes(committee) {
    return native.statementSignedBytes(statement.open(this, 'this'), openCommitteeId(committee, 'committee'));
  }
  identity(committee) {
    return native.statementIdentity(statement.open(this, 'this'), openCommitteeId(committee, 'committee'));
  }
  contradicts(other) {
    return native.statementContradicts(statement.open(this, 'this'), statement.open(other, 'other'));
  }
  equals(other) {
    return native.statementEquals(statement.open(this, 'this'), statement.open(other, 'other'));
  }
  toString() {
    return `Statement(kind ${this.kind}, epoch ${this.epoch}, view ${this.view}, ${hex(this.digest)})`;
  }
}
const makeStatement = (handle) => statement.make(Statement, handle);

module.exports = { Statement, openStatement: statement.open, makeStatement };
