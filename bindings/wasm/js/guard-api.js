// The guard and its records.

import { bytes, suite, u32, u64, u8 } from './check.js';
import { equal, fill } from './common.js';
import { Handle, TOKEN, isOpen, open, take, wrap } from './handle.js';

export function guardApi(wasm, base, openChain) {
  const { ChainId, Committee, PublicKey, SecretKey, Statement, TimeoutVote, Vote } = base;

  class GuardRecord extends Handle {
    static decode(data) {
      return wrap(GuardRecord, wasm().GuardRecord.decode(bytes(data, 'bytes')));
    }
    encode() {
      return open(this, GuardRecord).encode();
    }
    get kind() {
      return open(this, GuardRecord).kind();
    }
    get epoch() {
      return open(this, GuardRecord).epoch();
    }
    get view() {
      return open(this, GuardRecord).view();
    }
    toString() {
      return `GuardRecord(kind ${this.kind}, epoch ${this.epoch}, view ${this.view})`;
    }
  }

  function signed(Class, raw) {
    const record = wrap(GuardRecord, raw.record());
    return { vote: wrap(Class, raw.vote()), record };
  }

  class Guard extends Handle {
    constructor(secret, chain) {
      super(TOKEN, secret === TOKEN ? chain : Guard.#parse(secret, chain));
    }
    static #parse(secret, chain) {
      const place = openChain(chain, 'chain');
      return wasm().Guard.new(take(secret, SecretKey, 'secret'), place);
    }
    static restore(secret, chain, records) {
      const place = openChain(chain, 'chain');
      const key = take(secret, SecretKey, 'secret');
      const one = (record, what) => open(record, GuardRecord, what);
      let raw;
      try {
        raw = fill(wasm().GuardRecords.empty(), records, 'records', one);
      } catch (error) {
        key.free();
        throw error;
      }
      return wrap(Guard, wasm().Guard.restore(key, place, raw));
    }
    sign(committee, statement) {
      const raw = open(this, Guard);
      const done = raw.sign(open(committee, Committee, 'committee'), open(statement, Statement, 'statement'));
      return signed(Vote, done);
    }
    signTimeout(committee, kind, view, value) {
      const context = open(committee, Committee, 'committee');
      const done = open(this, Guard).sign_timeout(context, u8(kind, 'kind'), u64(view, 'view'), u64(value, 'value'));
      return signed(TimeoutVote, done);
    }
    reserve(key, epoch, index) {
      const raw = open(this, Guard);
      return wrap(GuardRecord, raw.reserve(bytes(key, 'key'), u64(epoch, 'epoch'), u32(index, 'index')));
    }
    confirm(reservation) {
      open(this, Guard).confirm(open(reservation, GuardRecord, 'reservation'));
    }
    closeEpoch(key, epoch) {
      return wrap(GuardRecord, open(this, Guard).close_epoch(bytes(key, 'key'), u64(epoch, 'epoch')));
    }
    publicKey() {
      return wrap(PublicKey, open(this, Guard).public_key());
    }
    get suite() {
      return open(this, Guard).suite();
    }
    get chain() {
      return ChainId.fromBytes(open(this, Guard).chain());
    }
    last(kind) {
      const [epoch, view] = open(this, Guard).last(u8(kind, 'kind'));
      return epoch === undefined ? undefined : { epoch, view };
    }
    records() {
      return open(this, Guard).records().map((record) => wrap(GuardRecord, record));
    }
    close() {
      if (isOpen(this, Guard)) this.free();
    }
    get closed() {
      return !isOpen(this, Guard);
    }
    toString() {
      return this.closed ? 'Guard(closed)' : `Guard(${this.suite}, ${this.publicKey()})`;
    }
    toJSON() {
      return this.toString();
    }
  }

  GuardRecord.prototype.equals = equal(GuardRecord);
  return { Guard, GuardRecord };
}
