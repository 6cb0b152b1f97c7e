'use strict';

const native = require('./native.js');
const { bytes, suite } = require('./check.js');
const { open } = require('./handle.js');
const { hex } = require('./hex.js');
const { offThread } = require('./offthread.js');
const { sealed } = require('./sealed.js');
const { Ciphersuite } = require('../generated/ciphersuite.js');

const secretKey = sealed('SecretKey');
const publicKey = sealed('PublicKey');
const signature = sealed('Signature');
const unverifiedKey = sealed('UnverifiedKey');
const verifiedKey = sealed('VerifiedKey');

class SecretKey extends secretKey.Sealed {
  static generate(name) {
    return secretKey.make(SecretKey, native.secretKeyGenerate(suite(name)));
  }
  static fromBytes(name, data) {
    return secretKey.make(SecretKey, native.secretKeyFromBytes(suite(name), bytes(data, 'bytes')));
  }
  toBytes() {
    return native.secretKeyToBytes(secretKey.open(this, 'this'));
  }
  get suite() {
    return native.secretKeySuite(secretKey.open(this, 'this'));
  }
  publicKey() {
    return makePublicKey(native.secretKeyPublicKey(secretKey.open(this, 'this')));
  }
  sign(message) {
    return makeSignature(native.secretKeySign(secretKey.open(this, 'this'), bytes(message, 'message')));
  }
  signWith(ciphersuite, message) {
    const parts = [open(ciphersuite, Ciphersuite, 'ciphersuite'), bytes(message, 'message')];
    return makeSignature(native.secretKeySignWith(secretKey.open(this, 'this'), ...parts));
  }
  provePossession() {
    return makeSignature(native.secretKeyProvePossession(secretKey.open(this, 'this')));
  }
  close() {
    native.secretKeyClose(secretKey.open(this, 'this'));
  }
  get closed() {
    return native.secretKeyClosed(secretKey.open(this, 'this'));
  }
  toString() {
    return `SecretKey(${this.closed ? 'closed' : this.suite})`;
  }
  toJSON() {
    return this.toString();
  }
}
for (const key of ['free', Symbol.dispose].filter(Boolean)) SecretKey.prototype[key] = SecretKey.prototype.close;

class PublicKey extends publicKey.Sealed {
  static decode(name, data) {
    return makePublicKey(native.publicKeyDecode(suite(name), bytes(data, 'bytes')));
  }
  encode() {
    return native.publicKeyEncode(publicKey.open(this, 'this'));
  }
  get suite() {
    return native.publicKeySuite(publicKey.open(this, 'this'));
  }
  verify(message, signed) {
    const key = publicKey.open(this, 'this');
    native.publicKeyVerify(key, bytes(message, 'message'), signature.open(signed, 'signature'));
  }
  verifyAsync(message, signed, options) {
    return offThread(options, (flag) => {
      const key = publicKey.open(this, 'this');
      return native.publicKeyVerifyAsync(key, bytes(message, 'message'), signature.open(signed, 'signature'), flag);
    });
  }
  verifyWith(ciphersuite, message, signed) {
    native.publicKeyVerifyWith(publicKey.open(this, 'this'), ...signedWith(ciphersuite, message, signed));
  }
  verifyWithAsync(ciphersuite, message, signed, options) {
    const begin = (flag) => {
      const parts = signedWith(ciphersuite, message, signed);
      return native.publicKeyVerifyWithAsync(publicKey.open(this, 'this'), ...parts, flag);
    };
    return offThread(options, begin);
  }
  verifyPossession(possession) {
    const key = publicKey.open(this, 'this');
    native.publicKeyVerifyPossession(key, signature.open(possession, 'possession'));
  }
  verifyPossessionAsync(possession, options) {
    return offThread(options, (flag) => {
      const key = publicKey.open(this, 'this');
      return native.publicKeyVerifyPossessionAsync(key, signature.open(possession, 'possession'), flag);
    });
  }
  equals(other) {
    return native.publicKeyEquals(publicKey.open(this, 'this'), publicKey.open(other, 'other'));
  }
  toString() {
    return hex(this.encode());
  }
  toJSON() {
    return this.toString();
  }
}
const makePublicKey = (handle) => publicKey.make(PublicKey, handle);

const signedWith = (ciphersuite, message, signed) => [
  open(ciphersuite, Ciphersuite, 'ciphersuite'),
  bytes(message, 'message'),
  signature.open(signed, 'signature'),
];

class Signature extends signature.Sealed {
  static decode(name, data) {
    return makeSignature(native.signatureDecode(suite(name), bytes(data, 'bytes')));
  }
  encode() {
    return native.signatureEncode(signature.open(this, 'this'));
  }
  static decodeLink(name, data) {
    return makeSignature(native.signatureDecodeLink(suite(name), bytes(data, 'bytes')));
  }
  encodeLink() {
    return native.signatureEncodeLink(signature.open(this, 'this'));
  }
  get suite() {
    return native.signatureSuite(signature.open(this, 'this'));
  }
  equals(other) {
    return native.signatureEquals(signature.open(this, 'this'), signature.open(other, 'other'));
  }
  toString() {
    return hex(this.encode());
  }
  toJSON() {
    return this.toString();
  }
}
const makeSignature = (handle) => signature.make(Signature, handle);

class UnverifiedKey extends unverifiedKey.Sealed {
  constructor(key, possession) {
    const parts = [publicKey.open(key, 'publicKey'), signature.open(possession, 'possession')];
    super(unverifiedKey.key, native.unverifiedKeyNew(...parts));
  }
  static prove(secret) {
    return unverifiedKey.make(UnverifiedKey, native.unverifiedKeyProve(secretKey.open(secret, 'secret')));
  }
  static decode(name, data) {
    return unverifiedKey.make(UnverifiedKey, native.unverifiedKeyDecode(suite(name), bytes(data, 'bytes')));
  }
  encode() {
    return native.unverifiedKeyEncode(unverifiedKey.open(this, 'this'));
  }
  get suite() {
    return native.unverifiedKeySuite(unverifiedKey.open(this, 'this'));
  }
  get public() {
    return makePublicKey(native.unverifiedKeyPublic(unverifiedKey.open(this, 'this')));
  }
  get possession() {
    return makeSignature(native.unverifiedKeyPossession(unverifiedKey.open(this, 'this')));
  }
  verify() {
    return makeVerifiedKey(native.unverifiedKeyVerify(unverifiedKey.open(this, 'this')));
  }
  verifyAsync(options) {
    const begin = (flag) => native.unverifiedKeyVerifyAsync(unverifiedKey.open(this, 'this'), flag);
    return offThread(options, begin, makeVerifiedKey);
  }
  equals(other) {
    return native.unverifiedKeyEquals(unverifiedKey.open(this, 'this'), unverifiedKey.open(other, 'other'));
  }
  toString() {
    return hex(this.encode());
  }
  toJSON() {
    return this.toString();
  }
}

class VerifiedKey extends verifiedKey.Sealed {
  static fromSecret(secret) {
    return makeVerifiedKey(native.verifiedKeyFromSecret(secretKey.open(secret, 'secret')));
  }
  get suite() {
    return native.verifiedKeySuite(verifiedKey.open(this, 'this'));
  }
  get public() {
    return makePublicKey(native.verifiedKeyPublic(verifiedKey.open(this, 'this')));
  }
  equals(other) {
    return native.verifiedKeyEquals(verifiedKey.open(this, 'this'), verifiedKey.open(other, 'other'));
  }
  toString() {
    return this.public.toString();
  }
  toJSON() {
    return this.toString();
  }
}
const makeVerifiedKey = (handle) => verifiedKey.make(VerifiedKey, handle);

module.exports = {
  SecretKey,
  PublicKey,
  Signature,
  UnverifiedKey,
  VerifiedKey,
  openSecretKey: secretKey.open,
  openPublicKey: publicKey.open,
  openSignature: signature.open,
  openVerifiedKey: verifiedKey.open,
  makePublicKey,
  makeSignature,
};
