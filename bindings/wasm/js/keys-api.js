// Keys and signatures.

import { bytes, suite } from './check.js';
import { equal } from './common.js';
import { Handle, TOKEN, hex, isOpen, open, wrap } from './handle.js';

export function keysApi(wasm, { PublicKey }) {
  Object.assign(PublicKey.prototype, {
    verify(message, signature) {
      open(this, PublicKey).verify(bytes(message, 'message'), open(signature, Signature, 'signature'));
    },
    verifyPossession(possession) {
      open(this, PublicKey).verify_possession(open(possession, Signature, 'possession'));
    },
  });

  class SecretKey extends Handle {
    static generate(scheme) {
      return wrap(SecretKey, wasm().SecretKey.generate(suite(scheme)));
    }
    static fromBytes(scheme, data) {
      return wrap(SecretKey, wasm().SecretKey.from_bytes(suite(scheme), bytes(data, 'bytes')));
    }
    toBytes() {
      return open(this, SecretKey).to_bytes();
    }
    get suite() {
      return open(this, SecretKey).suite();
    }
    publicKey() {
      return wrap(PublicKey, open(this, SecretKey).public_key());
    }
    sign(message) {
      return wrap(Signature, open(this, SecretKey).sign(bytes(message, 'message')));
    }
    provePossession() {
      return wrap(Signature, open(this, SecretKey).prove_possession());
    }
    close() {
      if (isOpen(this, SecretKey)) this.free();
    }
    get closed() {
      return !isOpen(this, SecretKey);
    }
    toString() {
      return `SecretKey(${this.closed ? 'closed' : this.suite})`;
    }
    toJSON() {
      return this.toString();
    }
  }

  class Signature extends Handle {
    static decode(scheme, data) {
      return wrap(Signature, wasm().Signature.decode(suite(scheme), bytes(data, 'bytes')));
    }
    encode() {
      return open(this, Signature).encode();
    }
    static decodeLink(scheme, data) {
      return wrap(Signature, wasm().Signature.decode_link(suite(scheme), bytes(data, 'bytes')));
    }
    encodeLink() {
      return open(this, Signature).encode_link();
    }
    get suite() {
      return open(this, Signature).suite();
    }
    toString() {
      return hex(this.encode());
    }
    toJSON() {
      return this.toString();
    }
  }

  class UnverifiedKey extends Handle {
    constructor(key, possession) {
      super(TOKEN, key === TOKEN ? possession : UnverifiedKey.#parse(key, possession));
    }
    static #parse(key, possession) {
      return wasm().UnverifiedKey.new(open(key, PublicKey, 'publicKey'), open(possession, Signature, 'possession'));
    }
    static prove(secret) {
      return wrap(UnverifiedKey, wasm().UnverifiedKey.prove(open(secret, SecretKey, 'secret')));
    }
    static decode(scheme, data) {
      return wrap(UnverifiedKey, wasm().UnverifiedKey.decode(suite(scheme), bytes(data, 'bytes')));
    }
    encode() {
      return open(this, UnverifiedKey).encode();
    }
    get suite() {
      return open(this, UnverifiedKey).suite();
    }
    get public() {
      return wrap(PublicKey, open(this, UnverifiedKey).public());
    }
    get possession() {
      return wrap(Signature, open(this, UnverifiedKey).possession());
    }
    verify() {
      return wrap(VerifiedKey, open(this, UnverifiedKey).verify());
    }
    toString() {
      return hex(this.encode());
    }
    toJSON() {
      return this.toString();
    }
  }

  class VerifiedKey extends Handle {
    static fromSecret(secret) {
      return wrap(VerifiedKey, wasm().VerifiedKey.from_secret(open(secret, SecretKey, 'secret')));
    }
    get suite() {
      return open(this, VerifiedKey).suite();
    }
    get public() {
      return wrap(PublicKey, open(this, VerifiedKey).public());
    }
    equals(other) {
      open(other, VerifiedKey, 'other');
      return this.public.equals(other.public);
    }
    toString() {
      return this.public.toString();
    }
    toJSON() {
      return this.toString();
    }
  }

  for (const Class of [Signature, UnverifiedKey]) Class.prototype.equals = equal(Class);
  return { SecretKey, Signature, UnverifiedKey, VerifiedKey };
}
