// Threshold encryption: any client encrypts, and f + 1 members decrypt.

import { bytes, u16, u64 } from '../../dist/common/check.js';
import { Handle, TOKEN, hex, name, open, wrap } from '../handle.js';
import { equal } from './common.js';
import { dleqApi } from './dleq-api.js';

export const MAX_PLAINTEXT = 1 << 25;
export const OVERHEAD = 48;

export function tdh2Api(wasm, base) {
  const { CommitteeId, shareOf } = base;
  const common = dleqApi(wasm, base, {
    isCoin: false,
    share: 'DecryptionShare',
    makes: 'decryptionShare',
    what: 'ciphertext',
    of: () => ValidCiphertext,
  });
  const { PublicKeys, Share, fault, verifiedList } = common;

  function label(raw) {
    const [committee, epoch, proposer] = [CommitteeId.fromBytes(raw.committee()), raw.epoch(), raw.proposer()];
    return { committee, epoch, proposer, payload: raw.payload() };
  }

  class EncryptionKey extends Handle {
    static fromPublicKeys(keys) {
      return wrap(EncryptionKey, wasm().Tdh2Key.from_public_keys(open(keys, PublicKeys, 'keys')));
    }
    static decode(data) {
      return wrap(EncryptionKey, wasm().Tdh2Key.decode(bytes(data, 'bytes')));
    }
    encode() {
      return open(this, EncryptionKey).encode();
    }
    precomputed() {
      return wrap(EncryptionKey, open(this, EncryptionKey).precomputed());
    }
    get committee() {
      return CommitteeId.fromBytes(open(this, EncryptionKey).committee());
    }
    get key() {
      return open(this, EncryptionKey).key();
    }
    encrypt(epoch, proposer, plaintext) {
      const raw = open(this, EncryptionKey);
      const parts = [u64(epoch, 'epoch'), u16(proposer, 'proposer'), bytes(plaintext, 'plaintext')];
      return wrap(Ciphertext, raw.encrypt(...parts));
    }
    toString() {
      return hex(this.encode());
    }
    toJSON() {
      return this.toString();
    }
  }
  EncryptionKey.prototype.equals = equal(EncryptionKey);

  class Ciphertext extends Handle {
    static decode(data) {
      return wrap(Ciphertext, wasm().Tdh2Ciphertext.decode(bytes(data, 'bytes')));
    }
    encode() {
      return open(this, Ciphertext).encode();
    }
    get label() {
      return label(open(this, Ciphertext).label());
    }
    get payload() {
      return open(this, Ciphertext).payload();
    }
    check(key, epoch, proposer) {
      const raw = open(this, Ciphertext);
      const parts = [open(key, EncryptionKey, 'key'), u64(epoch, 'epoch'), u16(proposer, 'proposer')];
      return wrap(ValidCiphertext, raw.check(...parts));
    }
    equals(other) {
      return open(this, Ciphertext).equals(open(other, Ciphertext, 'other'));
    }
    toString() {
      const { epoch, proposer } = this.label;
      return `Ciphertext(epoch ${epoch}, proposer ${proposer})`;
    }
  }

  class ValidCiphertext extends Handle {
    get ciphertext() {
      return wrap(Ciphertext, open(this, ValidCiphertext).ciphertext());
    }
    get label() {
      return label(open(this, ValidCiphertext).label());
    }
    get id() {
      return open(this, ValidCiphertext).id();
    }
    get base() {
      return open(this, ValidCiphertext).base();
    }
    combine(keys, shares, cache) {
      open(this, ValidCiphertext);
      const raw = open(keys, PublicKeys, 'keys');
      const kept = shareOf(cache);
      try {
        const all = verifiedList(shares);
        return open(this, ValidCiphertext).combine(raw, all, kept?.share());
      } finally {
        kept?.free();
      }
    }
    toString() {
      const { epoch, proposer } = this.label;
      return `ValidCiphertext(epoch ${epoch}, proposer ${proposer})`;
    }
  }

  class Decryption extends Handle {
    constructor(keys, valid, cache) {
      const parts = [open(keys, PublicKeys, 'keys'), open(valid, ValidCiphertext, 'ciphertext')];
      super(TOKEN, wasm().Tdh2Decryption.new(...parts, shareOf(cache)));
    }
    add(share) {
      const opened = open(this, Decryption).add(open(share, Share, 'share'));
      const [faults, error] = [opened.faults().map(fault), opened.error()];
      return { output: opened.output(), error, faults };
    }
    get isDone() {
      return open(this, Decryption).is_done();
    }
    toString() {
      return `Decryption(done: ${this.isDone})`;
    }
  }

  const classes = name({ ...common.classes, EncryptionKey, Ciphertext, ValidCiphertext, Decryption });
  return Object.freeze({ MAX_PLAINTEXT, OVERHEAD, ...classes });
}
