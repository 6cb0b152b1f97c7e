'use strict';

const native = require('../shared.js').native;
const { bytes } = require('../shared.js').check;
const { hex } = require('../shared.js');
const { offThread } = require('../shared.js');
const { sealed } = require('../sealed.js');
const { closes, equal } = require('./common.js');

const sealingKey = sealed('SealingKey');
const sealingPublicKey = sealed('SealingPublicKey');

class SealingKey extends sealingKey.Sealed {
  static generate() {
    return sealingKey.make(SealingKey, native.sealKeyGenerate());
  }
  static fromBytes(data) {
    return sealingKey.make(SealingKey, native.sealKeyFromBytes(bytes(data, 'bytes')));
  }
  toBytes() {
    return native.sealKeyToBytes(sealingKey.open(this, 'this'));
  }
  get public() {
    return makePublic(native.sealKeyPublic(sealingKey.open(this, 'this')));
  }
  open(context, content) {
    const parts = [bytes(context, 'context'), bytes(content, 'sealed')];
    return native.sealKeyOpen(sealingKey.open(this, 'this'), ...parts);
  }
  openAsync(context, content, options) {
    return offThread(options, (flag) => {
      const parts = [bytes(context, 'context'), bytes(content, 'sealed'), flag];
      return native.sealKeyOpenAsync(sealingKey.open(this, 'this'), ...parts);
    });
  }
  close() {
    native.sealKeyClose(sealingKey.open(this, 'this'));
  }
  get closed() {
    return native.sealKeyClosed(sealingKey.open(this, 'this'));
  }
  toString() {
    return this.closed ? 'SealingKey(closed)' : `SealingKey(public key ${this.public})`;
  }
}
closes(SealingKey);

class SealingPublicKey extends sealingPublicKey.Sealed {
  static decode(data) {
    return makePublic(native.sealPublicDecode(bytes(data, 'bytes')));
  }
  encode() {
    return native.sealPublicEncode(sealingPublicKey.open(this, 'this'));
  }
  seal(context, content) {
    const parts = [bytes(context, 'context'), bytes(content, 'content')];
    return native.sealPublicSeal(sealingPublicKey.open(this, 'this'), ...parts);
  }
  sealAsync(context, content, options) {
    return offThread(options, (flag) => {
      const parts = [bytes(context, 'context'), bytes(content, 'content'), flag];
      return native.sealPublicSealAsync(sealingPublicKey.open(this, 'this'), ...parts);
    });
  }
  toString() {
    return hex(this.encode());
  }
  toJSON() {
    return this.toString();
  }
}
SealingPublicKey.prototype.equals = equal(sealingPublicKey.open, native.sealPublicEncode);
const makePublic = (handle) => sealingPublicKey.make(SealingPublicKey, handle);

const { maxContent, overhead } = native.sealConstants();
module.exports = { MAX_CONTENT: maxContent, OVERHEAD: overhead, SealingKey, SealingPublicKey };
