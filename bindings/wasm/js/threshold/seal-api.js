// Sealed files.

import { bytes } from '../../dist/common/check.js';
import { Handle, hex, name, open, wrap } from '../handle.js';
import { Secret, equal } from './common.js';

export const MAX_CONTENT = 1 << 26;
export const OVERHEAD = 48;

export function sealApi(wasm) {
  class SealingKey extends Secret {
    static generate() {
      return wrap(SealingKey, wasm().SealingKey.generate());
    }
    static fromBytes(data) {
      return wrap(SealingKey, wasm().SealingKey.from_bytes(bytes(data, 'bytes')));
    }
    toBytes() {
      return open(this, SealingKey).to_bytes();
    }
    get public() {
      return wrap(SealingPublicKey, open(this, SealingKey).public());
    }
    open(context, sealed) {
      return open(this, SealingKey).open(bytes(context, 'context'), bytes(sealed, 'sealed'));
    }
    toString() {
      return this.closed ? 'SealingKey(closed)' : `SealingKey(public key ${this.public})`;
    }
  }

  class SealingPublicKey extends Handle {
    static decode(data) {
      return wrap(SealingPublicKey, wasm().SealingPublicKey.decode(bytes(data, 'bytes')));
    }
    encode() {
      return open(this, SealingPublicKey).encode();
    }
    seal(context, content) {
      return open(this, SealingPublicKey).seal(bytes(context, 'context'), bytes(content, 'content'));
    }
    toString() {
      return hex(this.encode());
    }
    toJSON() {
      return this.toString();
    }
  }
  SealingPublicKey.prototype.equals = equal(SealingPublicKey);

  return Object.freeze({ MAX_CONTENT, OVERHEAD, ...name({ SealingKey, SealingPublicKey }) });
}
