'use strict';
// Threshold ECDSA: a party's presignatures, and signing with them.

const native = require('../shared.js').native;
const { bytes, u32 } = require('../shared.js').check;
const { makeGuardRecord, openGuard } = require('../shared.js');
const { sealed } = require('../sealed.js');
const { closes } = require('./common.js');
const { makeOpening, makeShare, makeSigning } = require('./combining.js');
const { group, makeDeal, makeGroupKey, openTag } = require('./deal.js');

const presignatures = sealed('Presignatures');
const presignature = sealed('Presignature');
const opener = sealed('Opener');

class Presignatures extends presignatures.Sealed {
  static fromBytes(name, data) {
    return makePresignatures(native.ecdsaPresignaturesFromBytes(group(name), bytes(data, 'bytes')));
  }
  toBytes() {
    return native.ecdsaPresignaturesToBytes(presignatures.open(this, 'this'));
  }
  get group() {
    return native.ecdsaPresignaturesInfo(presignatures.open(this, 'this')).group;
  }
  get member() {
    return native.ecdsaPresignaturesInfo(presignatures.open(this, 'this')).member;
  }
  get key() {
    return makeGroupKey(native.ecdsaPresignaturesKey(presignatures.open(this, 'this')));
  }
  get deal() {
    return makeDeal(native.ecdsaPresignaturesDeal(presignatures.open(this, 'this')));
  }
  get left() {
    return native.ecdsaPresignaturesInfo(presignatures.open(this, 'this')).left;
  }
  take(tag) {
    const parts = [presignatures.open(this, 'this'), openTag(tag, 'tag')];
    return presignature.make(Presignature, native.ecdsaPresignaturesTake(...parts));
  }
  signing(tag, message) {
    const parts = [openTag(tag, 'tag'), bytes(message, 'message')];
    return makeSigning(native.ecdsaPresignaturesSigning(presignatures.open(this, 'this'), ...parts));
  }
  audit(index) {
    native.ecdsaPresignaturesAudit(presignatures.open(this, 'this'), u32(index, 'index'));
  }
  destroy(guard) {
    const parts = [presignatures.open(this, 'this'), openGuard(guard, 'guard')];
    return makeGuardRecord(native.ecdsaPresignaturesDestroy(...parts));
  }
  close() {
    native.ecdsaPresignaturesClose(presignatures.open(this, 'this'));
  }
  get closed() {
    return native.ecdsaPresignaturesClosed(presignatures.open(this, 'this'));
  }
  toString() {
    if (this.closed) return 'Presignatures(closed)';
    return `Presignatures(${this.left} left of member ${this.member}, epoch ${this.deal.epoch})`;
  }
}
closes(Presignatures);
const makePresignatures = (handle) => presignatures.make(Presignatures, handle);

class Presignature extends presignature.Sealed {
  get group() {
    return native.ecdsaPresignatureGroup(presignature.open(this, 'this'));
  }
  get agreement() {
    return native.ecdsaPresignatureAgreement(presignature.open(this, 'this'));
  }
  sign(guard, message) {
    const parts = [openGuard(guard, 'guard'), bytes(message, 'message')];
    const signed = native.ecdsaPresignatureSign(presignature.open(this, 'this'), ...parts);
    return {
      record: signed.record ? makeGuardRecord(signed.record) : undefined,
      share: makeShare(signed.share),
      opener: opener.make(Opener, signed.opener),
    };
  }
  close() {
    native.ecdsaPresignatureClose(presignature.open(this, 'this'));
  }
  get closed() {
    return native.ecdsaPresignatureClosed(presignature.open(this, 'this'));
  }
  toString() {
    return this.closed ? 'Presignature(closed)' : `Presignature(${this.group}, ${this.agreement})`;
  }
}
closes(Presignature);

class Opener extends opener.Sealed {
  open() {
    return makeOpening(native.ecdsaOpenerOpen(opener.open(this, 'this')));
  }
  close() {
    native.ecdsaOpenerClose(opener.open(this, 'this'));
  }
  get closed() {
    return native.ecdsaOpenerClosed(opener.open(this, 'this'));
  }
  toString() {
    return this.closed ? 'Opener(closed)' : 'Opener';
  }
}
closes(Opener);

module.exports = { classes: { Presignatures, Presignature, Opener }, makePresignatures };
