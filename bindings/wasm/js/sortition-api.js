// `sortition`: leader sortition.

import { bytes, suite, u16, u64 } from './check.js';
import { Handle, TOKEN, hex, name, open, same, wrap } from './handle.js';
import { verified } from './certificate-api.js';

export const EXPECTED_WINNERS = 7;

export function sortitionApi(wasm, base) {
  const { Committee, CommitteeId, SecretKey, Signature, openChain } = base;

  const equal = (Class) =>
    function equals(other) {
      open(this, Class);
      open(other, Class, 'other');
      return this.suite === other.suite && same(this.encode(), other.encode());
    };

  class Seed extends Handle {
    static genesis(chain, data) {
      return wrap(Seed, wasm().Seed.genesis(openChain(chain, 'chain'), bytes(data, 'bytes')));
    }
    static decode(data) {
      return wrap(Seed, wasm().Seed.decode(bytes(data, 'bytes')));
    }
    encode() {
      return open(this, Seed).encode();
    }
    get height() {
      return open(this, Seed).height();
    }
    get value() {
      return open(this, Seed).value();
    }
    next(proof, committee) {
      const raw = open(this, Seed);
      return wrap(Seed, raw.next(open(proof, SeedProof, 'proof'), open(committee, Committee, 'committee')));
    }
    toString() {
      return `Seed(${this.height}, ${hex(this.value)})`;
    }
  }

  class SeedProof extends Handle {
    constructor(signer, signature) {
      super(TOKEN, signer === TOKEN ? signature : SeedProof.#parse(signer, signature));
    }
    static #parse(signer, signature) {
      return wasm().SeedProof.new(u16(signer, 'signer'), open(signature, Signature, 'signature'));
    }
    static sign(secret, committee, seed) {
      const key = open(secret, SecretKey, 'secret');
      const context = [open(committee, Committee, 'committee'), open(seed, Seed, 'seed')];
      return wrap(SeedProof, wasm().SeedProof.sign(key, ...context));
    }
    static decode(scheme, data) {
      return wrap(SeedProof, wasm().SeedProof.decode(suite(scheme), bytes(data, 'bytes')));
    }
    encode() {
      return open(this, SeedProof).encode();
    }
    static decodeDetached(scheme, data, signer) {
      const parts = [suite(scheme), bytes(data, 'bytes'), u16(signer, 'signer')];
      return wrap(SeedProof, wasm().SeedProof.decode_detached(...parts));
    }
    encodeDetached() {
      return open(this, SeedProof).encode_detached();
    }
    get suite() {
      return open(this, SeedProof).suite();
    }
    get signer() {
      return open(this, SeedProof).signer();
    }
    get signature() {
      return wrap(Signature, open(this, SeedProof).signature());
    }
    toString() {
      return `SeedProof(member ${this.signer})`;
    }
  }

  class Lottery extends Handle {
    #committee;
    constructor(committee, seed, round, expected = EXPECTED_WINNERS) {
      const parts = [open(committee, Committee, 'committee'), open(seed, Seed, 'seed'), u64(round, 'round')];
      if (u16(expected, 'expected') === 0) throw new RangeError('expected must be an integer from 1 to 65535, not 0');
      super(TOKEN, wasm().Lottery.new(...parts, expected));
      this.#committee = wrap(Committee, open(committee, Committee).share());
    }
    draw(secret) {
      return wrap(VerifiedTicket, open(this, Lottery).draw(open(secret, SecretKey, 'secret')));
    }
    get committee() {
      open(this, Lottery);
      return this.#committee;
    }
    get seed() {
      return wrap(Seed, open(this, Lottery).seed());
    }
    get round() {
      return open(this, Lottery).round();
    }
    get expected() {
      return open(this, Lottery).expected();
    }
    toString() {
      return `Lottery(round ${this.round}, ${this.seed}, expected ${this.expected})`;
    }
  }

  class Ticket extends Handle {
    constructor(round, member, signature) {
      super(TOKEN, round === TOKEN ? member : Ticket.#parse(round, member, signature));
    }
    static #parse(round, member, signature) {
      const place = [u64(round, 'round'), u16(member, 'member')];
      return wasm().Ticket.new(...place, open(signature, Signature, 'signature'));
    }
    static decode(scheme, data) {
      return wrap(Ticket, wasm().Ticket.decode(suite(scheme), bytes(data, 'bytes')));
    }
    encode() {
      return open(this, Ticket).encode();
    }
    static decodeDetached(scheme, data, round, member) {
      const parts = [suite(scheme), bytes(data, 'bytes'), u64(round, 'round'), u16(member, 'member')];
      return wrap(Ticket, wasm().Ticket.decode_detached(...parts));
    }
    encodeDetached() {
      return open(this, Ticket).encode_detached();
    }
    get suite() {
      return open(this, Ticket).suite();
    }
    get round() {
      return open(this, Ticket).round();
    }
    get member() {
      return open(this, Ticket).member();
    }
    get signature() {
      return wrap(Signature, open(this, Ticket).signature());
    }
    verify(lottery) {
      return wrap(VerifiedTicket, open(this, Ticket).verify(open(lottery, Lottery, 'lottery')));
    }
    toString() {
      return `Ticket(round ${this.round}, member ${this.member})`;
    }
  }

  class VerifiedTicket extends verified(() => [Ticket, CommitteeId]) {
    get score() {
      return new Score(TOKEN, open(this, VerifiedTicket).score());
    }
  }

  /** It owns no memory of the module. */
  class Score {
    #bytes;
    constructor(token, data) {
      if (token !== TOKEN) throw new TypeError('Score cannot be constructed; its documentation names the functions that create it');
      this.#bytes = data;
    }
    static #parse(value) {
      if (typeof value !== 'object' || value === null || !(#bytes in value)) throw new TypeError('other must be a Score');
      return value.#bytes;
    }
    get bytes() {
      return this.#bytes.slice();
    }
    compare(other) {
      const theirs = Score.#parse(other);
      const at = this.#bytes.findIndex((byte, i) => byte !== theirs[i]);
      return at === -1 ? 0 : Math.sign(this.#bytes[at] - theirs[at]);
    }
    equals(other) {
      return this.compare(other) === 0;
    }
    toString() {
      return hex(this.#bytes);
    }
    toJSON() {
      return this.toString();
    }
  }

  for (const Class of [SeedProof, Ticket]) Class.prototype.equals = equal(Class);
  Seed.prototype.equals = function equals(other) {
    open(this, Seed);
    open(other, Seed, 'other');
    return same(this.encode(), other.encode());
  };

  const classes = name({ Seed, SeedProof, Lottery, Ticket, VerifiedTicket, Score });
  return Object.freeze({ ...classes, EXPECTED_WINNERS });
}
