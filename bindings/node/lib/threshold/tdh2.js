'use strict';

const native = require('../shared.js').native;
const { bytes, list, u16, u64 } = require('../shared.js').check;
const { dleq } = require('./dleq.js');
const { failure } = require('../shared.js');
const { hex } = require('../shared.js');
const { makeCommitteeId } = require('../shared.js');
const { offThread } = require('../shared.js');
const { sealed } = require('../sealed.js');
const { equal, openCache } = require('./common.js');

const encryptionKey = sealed('EncryptionKey');
const ciphertext = sealed('Ciphertext');
const validCiphertext = sealed('ValidCiphertext');
const decryption = sealed('Decryption');

const common = dleq({
  isCoin: false,
  share: 'DecryptionShare',
  makes: 'decryptionShare',
  prove: native.tdh2ValidShare,
  what: 'ciphertext',
  open: validCiphertext.open,
  instance: native.tdh2ValidInstance,
});
const { openKeys, openShare, openVerified, fault } = common;
const label = ({ committee, ...rest }) => ({ committee: makeCommitteeId(committee), ...rest });

class EncryptionKey extends encryptionKey.Sealed {
  static fromPublicKeys(keys) {
    return makeKey(native.tdh2KeyFromPublicKeys(openKeys(keys, 'keys')));
  }
  static decode(data) {
    return makeKey(native.tdh2KeyDecode(bytes(data, 'bytes')));
  }
  encode() {
    return native.tdh2KeyEncode(encryptionKey.open(this, 'this'));
  }
  precomputed() {
    return makeKey(native.tdh2KeyPrecomputed(encryptionKey.open(this, 'this')));
  }
  get committee() {
    return makeCommitteeId(native.tdh2KeyCommittee(encryptionKey.open(this, 'this')));
  }
  get key() {
    return native.tdh2KeyKey(encryptionKey.open(this, 'this'));
  }
  encrypt(epoch, proposer, plaintext) {
    const parts = [u64(epoch, 'epoch'), u16(proposer, 'proposer'), bytes(plaintext, 'plaintext')];
    return makeCiphertext(native.tdh2Encrypt(encryptionKey.open(this, 'this'), ...parts));
  }
  encryptAsync(epoch, proposer, plaintext, options) {
    const begin = (flag) => {
      const parts = [u64(epoch, 'epoch'), u16(proposer, 'proposer'), bytes(plaintext, 'plaintext')];
      return native.tdh2EncryptAsync(encryptionKey.open(this, 'this'), ...parts, flag);
    };
    return offThread(options, begin, makeCiphertext);
  }
  toString() {
    return hex(this.encode());
  }
  toJSON() {
    return this.toString();
  }
}
EncryptionKey.prototype.equals = equal(encryptionKey.open, native.tdh2KeyEncode);
const makeKey = (handle) => encryptionKey.make(EncryptionKey, handle);

class Ciphertext extends ciphertext.Sealed {
  static decode(data) {
    return makeCiphertext(native.tdh2CiphertextDecode(bytes(data, 'bytes')));
  }
  encode() {
    return native.tdh2CiphertextEncode(ciphertext.open(this, 'this'));
  }
  get label() {
    return label(native.tdh2CiphertextLabel(ciphertext.open(this, 'this')));
  }
  get payload() {
    return native.tdh2CiphertextPayload(ciphertext.open(this, 'this'));
  }
  check(key, epoch, proposer) {
    const parts = [encryptionKey.open(key, 'key'), u64(epoch, 'epoch'), u16(proposer, 'proposer')];
    return makeValid(native.tdh2Check(ciphertext.open(this, 'this'), ...parts));
  }
  checkAsync(key, epoch, proposer, options) {
    const begin = (flag) => {
      const parts = [encryptionKey.open(key, 'key'), u64(epoch, 'epoch'), u16(proposer, 'proposer')];
      return native.tdh2CheckAsync(ciphertext.open(this, 'this'), ...parts, flag);
    };
    return offThread(options, begin, makeValid);
  }
  equals(other) {
    return native.tdh2CiphertextEquals(ciphertext.open(this, 'this'), ciphertext.open(other, 'other'));
  }
  toString() {
    const { epoch, proposer } = this.label;
    return `Ciphertext(epoch ${epoch}, proposer ${proposer})`;
  }
}
const makeCiphertext = (handle) => ciphertext.make(Ciphertext, handle);

class ValidCiphertext extends validCiphertext.Sealed {
  get ciphertext() {
    return makeCiphertext(native.tdh2ValidValue(validCiphertext.open(this, 'this')));
  }
  get label() {
    return label(native.tdh2ValidLabel(validCiphertext.open(this, 'this')));
  }
  get id() {
    return native.tdh2ValidId(validCiphertext.open(this, 'this'));
  }
  get base() {
    return native.tdh2ValidBase(validCiphertext.open(this, 'this'));
  }
  combine(keys, shares, cache) {
    const parts = [openKeys(keys, 'keys'), list(shares, 'shares', openVerified), openCache(cache, 'cache')];
    return native.tdh2ValidCombine(validCiphertext.open(this, 'this'), ...parts);
  }
  combineAsync(keys, shares, cache, options) {
    return offThread(options, (flag) => {
      const parts = [openKeys(keys, 'keys'), list(shares, 'shares', openVerified), openCache(cache, 'cache'), flag];
      return native.tdh2ValidCombineAsync(validCiphertext.open(this, 'this'), ...parts);
    });
  }
  toString() {
    const { epoch, proposer } = this.label;
    return `ValidCiphertext(epoch ${epoch}, proposer ${proposer})`;
  }
}
const makeValid = (handle) => validCiphertext.make(ValidCiphertext, handle);

class Decryption extends decryption.Sealed {
  constructor(keys, valid, cache) {
    const parts = [openKeys(keys, 'keys'), validCiphertext.open(valid, 'ciphertext'), openCache(cache, 'cache')];
    super(decryption.key, native.tdh2DecryptionNew(...parts));
  }
  add(share) {
    const parts = [decryption.open(this, 'this'), openShare(share, 'share')];
    const { output, error, faults } = native.tdh2DecryptionAdd(...parts);
    return {
      output: output ?? undefined,
      error: error ? failure(error, Decryption.prototype.add) : undefined,
      faults: faults.map(fault),
    };
  }
  get isDone() {
    return native.tdh2DecryptionDone(decryption.open(this, 'this'));
  }
  toString() {
    return `Decryption(done: ${this.isDone})`;
  }
}

const { maxPlaintext, overhead } = native.tdh2Constants();
module.exports = {
  MAX_PLAINTEXT: maxPlaintext,
  OVERHEAD: overhead,
  ...common.classes,
  EncryptionKey,
  Ciphertext,
  ValidCiphertext,
  Decryption,
};
