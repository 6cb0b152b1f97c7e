// Votes and their collectors. `later` contains the classes made from votes; `collecting` the common parts of
// collectors.

import { bytes, optional, options, suite, u16, u32, u64, u8 } from './check.js';
import { verified } from './certificate-api.js';
import { equal } from './common.js';
import { Handle, TOKEN, is, open, wrap } from './handle.js';

export function votesApi(wasm, base, later) {
  const { CommitteeId, Committee, SecretKey, Signature, Statement, VerifiedCertificate } = base;

  class Vote extends Handle {
    constructor(statement, signer, signature) {
      super(TOKEN, statement === TOKEN ? signer : Vote.#parse(statement, signer, signature));
    }
    static #parse(statement, signer, signature) {
      const raw = open(statement, Statement, 'statement');
      return wasm().Vote.new(raw, u16(signer, 'signer'), open(signature, Signature, 'signature'));
    }
    static signUnguarded(secret, committee, statement) {
      const key = open(secret, SecretKey, 'secret');
      const context = [open(committee, Committee, 'committee'), open(statement, Statement, 'statement')];
      return wrap(Vote, wasm().Vote.sign_unguarded(key, ...context));
    }
    static decode(scheme, data) {
      return wrap(Vote, wasm().Vote.decode(suite(scheme), bytes(data, 'bytes')));
    }
    encode() {
      return open(this, Vote).encode();
    }
    static decodeLink(scheme, data) {
      return wrap(Vote, wasm().Vote.decode_link(suite(scheme), bytes(data, 'bytes')));
    }
    encodeLink() {
      return open(this, Vote).encode_link();
    }
    get suite() {
      return open(this, Vote).suite();
    }
    get statement() {
      return wrap(Statement, open(this, Vote).statement());
    }
    get signer() {
      return open(this, Vote).signer();
    }
    get signature() {
      return wrap(Signature, open(this, Vote).signature());
    }
    verify(committee) {
      return wrap(VerifiedVote, open(this, Vote).verify(open(committee, Committee, 'committee')));
    }
    toString() {
      return `Vote(${this.suite}, signer ${this.signer}, ${this.statement})`;
    }
  }
  class VerifiedVote extends verified(() => [Vote, CommitteeId]) {}

  class Suspects extends Handle {
    constructor(token, raw) {
      super(TOKEN, token === TOKEN ? raw : wasm().Suspects.none());
    }
    contains(member) {
      return open(this, Suspects).contains(u16(member, 'member'));
    }
    get size() {
      return open(this, Suspects).members().length;
    }
    [Symbol.iterator]() {
      return Array.from(open(this, Suspects).members())[Symbol.iterator]();
    }
    accuse(member) {
      open(this, Suspects).accuse(u16(member, 'member'));
    }
    decay() {
      open(this, Suspects).decay();
    }
    toString() {
      return `Suspects([${[...this].join(', ')}])`;
    }
  }

  /** A fault as the union of the public interface. */
  function fault(raw) {
    const [signer, error, evidence] = [raw.signer(), raw.error(), wrap(later.VerifiedEquivocation(), raw.evidence())];
    if (error) return { kind: 'stray', signer, error };
    if (evidence) return { kind: 'equivocation', signer, evidence };
    return { kind: 'bad-signature', signer };
  }
  const collected = (raw, Class) => ({ certificate: wrap(Class, raw.certificate()), faults: raw.faults().map(fault) });

  /** Common parts of both collectors. */
  function parts(committee, kind, view, given) {
    const { batchThreshold, failureLimit } = options(given);
    return [
      open(committee, Committee, 'committee'),
      u8(kind, 'kind'),
      u64(view, 'view'),
      optional(u32)(batchThreshold, 'options.batchThreshold'),
      optional(u16)(failureLimit, 'options.failureLimit'),
    ];
  }

  /** Base of both collectors. */
  class Collector extends Handle {
    #topic;
    #committee;
    constructor(Raw, [committee, kind, view, given]) {
      super(TOKEN, Raw.new(...parts(committee, kind, view, given)));
      this.#topic = { kind, view };
      this.#committee = wrap(Committee, open(committee, Committee).share());
    }
    get topic() {
      open(this, Collector);
      return { ...this.#topic };
    }
    get committee() {
      open(this, Collector);
      return this.#committee;
    }
    get isDone() {
      return open(this, Collector).is_done();
    }
    toString() {
      const { kind, view } = this.topic;
      return `${this.constructor.name}(kind ${kind}, view ${view}, done: ${this.isDone})`;
    }
  }

  class VoteCollector extends Collector {
    constructor(...given) {
      super(wasm().VoteCollector, given);
    }
    add(vote, suspects) {
      const raw = open(this, VoteCollector);
      const checked = is(vote, VerifiedVote);
      const handle = open(vote, checked ? VerifiedVote : Vote, 'vote');
      const known = open(suspects, Suspects, 'suspects');
      return collected(checked ? raw.add_verified(handle, known) : raw.add(handle, known), VerifiedCertificate);
    }
    weightFor(digest) {
      return open(this, VoteCollector).weight_for(bytes(digest, 'digest'));
    }
  }

  Vote.prototype.equals = equal(Vote);
  return { votes: { Vote, VerifiedVote, Suspects, VoteCollector, Collector }, collecting: { collected, fault } };
}
