'use strict';

const native = require('./native.js');
const { bytes, list, u32, u64, u8 } = require('./check.js');
const { openCommittee } = require('./committee.js');
const { makeChainId, openChainId } = require('./ids.js');
const { makePublicKey, openSecretKey } = require('./keys.js');
const { sealed } = require('./sealed.js');
const { openStatement } = require('./statement.js');
const { makeTimeoutVote } = require('./timeouts.js');
const { makeVote } = require('./votes.js');

const guard = sealed('Guard');
const guardRecord = sealed('GuardRecord');

class Guard extends guard.Sealed {
  constructor(secret, chain) {
    const parts = [openSecretKey(secret, 'secret'), openChainId(chain, 'chain')];
    super(guard.key, native.guardNew(...parts));
  }
  static restore(secret, chain, records) {
    const parts = [openSecretKey(secret, 'secret'), openChainId(chain, 'chain')];
    let read;
    try {
      read = list(records, 'records', guardRecord.open);
    } catch (error) {
      secret.close(); // Closed in any case: signing without the records is unsafe.
      throw error;
    }
    return guard.make(Guard, native.guardRestore(...parts, read));
  }
  sign(committee, statement) {
    const parts = [openCommittee(committee, 'committee'), openStatement(statement, 'statement')];
    const { vote, record } = native.guardSign(guard.open(this, 'this'), ...parts);
    return { vote: makeVote(vote), record: makeGuardRecord(record) };
  }
  signTimeout(committee, kind, view, value) {
    const parts = [openCommittee(committee, 'committee'), u8(kind, 'kind'), u64(view, 'view'), u64(value, 'value')];
    const { vote, record } = native.guardSignTimeout(guard.open(this, 'this'), ...parts);
    return { vote: makeTimeoutVote(vote), record: makeGuardRecord(record) };
  }
  reserve(key, epoch, index) {
    const parts = [bytes(key, 'key'), u64(epoch, 'epoch'), u32(index, 'index')];
    return makeGuardRecord(native.guardReserve(guard.open(this, 'this'), ...parts));
  }
  confirm(reservation) {
    native.guardConfirm(guard.open(this, 'this'), guardRecord.open(reservation, 'reservation'));
  }
  closeEpoch(key, epoch) {
    const parts = [bytes(key, 'key'), u64(epoch, 'epoch')];
    return makeGuardRecord(native.guardCloseEpoch(guard.open(this, 'this'), ...parts));
  }
  publicKey() {
    return makePublicKey(native.guardPublicKey(guard.open(this, 'this')));
  }
  get suite() {
    return native.guardSuite(guard.open(this, 'this'));
  }
  get chain() {
    return makeChainId(native.guardChain(guard.open(this, 'this')));
  }
  last(kind) {
    return native.guardLast(guard.open(this, 'this'), u8(kind, 'kind')) ?? undefined;
  }
  records() {
    return native.guardRecords(guard.open(this, 'this')).map(makeGuardRecord);
  }
  close() {
    native.guardClose(guard.open(this, 'this'));
  }
  get closed() {
    return native.guardClosed(guard.open(this, 'this'));
  }
  toString() {
    return this.closed ? 'Guard(closed)' : `Guard(${this.suite}, public key ${this.publicKey()}, chain ${this.chain})`;
  }
  toJSON() {
    return this.toString();
  }
}
for (const key of ['free', Symbol.dispose].filter(Boolean)) Guard.prototype[key] = Guard.prototype.close;

class GuardRecord extends guardRecord.Sealed {
  static decode(data) {
    return makeGuardRecord(native.guardRecordDecode(bytes(data, 'bytes')));
  }
  encode() {
    return native.guardRecordEncode(guardRecord.open(this, 'this'));
  }
  get kind() {
    return native.guardRecordKind(guardRecord.open(this, 'this'));
  }
  get epoch() {
    return native.guardRecordEpoch(guardRecord.open(this, 'this'));
  }
  get view() {
    return native.guardRecordView(guardRecord.open(this, 'this'));
  }
  equals(other) {
    return native.guardRecordEquals(guardRecord.open(this, 'this'), guardRecord.open(other, 'other'));
  }
  toString() {
    return `GuardRecord(kind ${this.kind}, epoch ${this.epoch}, view ${this.view})`;
  }
}
const makeGuardRecord = (handle) => guardRecord.make(GuardRecord, handle);

module.exports = { Guard, GuardRecord, openGuard: guard.open, makeGuardRecord };
