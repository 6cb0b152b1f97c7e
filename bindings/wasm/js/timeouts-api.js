// Timeout votes, their collector, and timeout certificates.

import { bytes, options, suite, u16, u64, u8 } from './check.js';
import { verified } from './certificate-api.js';
import { equal } from './common.js';
import { Handle, TOKEN, is, open, wrap } from './handle.js';

export function timeoutsApi(wasm, base, { collected, fault }) {
  const { Collector, CommitteeId, Committee, SecretKey, Signature, SignerSet, Statement, Suspects, Vote } = base;

  class TimeoutVote extends Handle {
    constructor(fields, raw) {
      super(TOKEN, fields === TOKEN ? raw : TimeoutVote.#parse(fields));
    }
    static #parse(fields) {
      if (fields === undefined) throw new TypeError('fields must be an object, not undefined');
      const { kind, epoch, view, value, signer, signature } = options(fields, 'fields');
      const place = [u8(kind, 'kind'), u64(epoch, 'epoch'), u64(view, 'view'), u64(value, 'value')];
      return wasm().TimeoutVote.new(...place, u16(signer, 'signer'), open(signature, Signature, 'signature'));
    }
    static statementOf(kind, epoch, view, value) {
      const place = [u8(kind, 'kind'), u64(epoch, 'epoch'), u64(view, 'view'), u64(value, 'value')];
      return wrap(Statement, wasm().TimeoutVote.statement_of(...place));
    }
    static signUnguarded(secret, committee, kind, view, value) {
      const signer = [open(secret, SecretKey, 'secret'), open(committee, Committee, 'committee')];
      const place = [u8(kind, 'kind'), u64(view, 'view'), u64(value, 'value')];
      return wrap(TimeoutVote, wasm().TimeoutVote.sign_unguarded(...signer, ...place));
    }
    static decode(scheme, data) {
      return wrap(TimeoutVote, wasm().TimeoutVote.decode(suite(scheme), bytes(data, 'bytes')));
    }
    encode() {
      return open(this, TimeoutVote).encode();
    }
    static decodeLink(scheme, data) {
      return wrap(TimeoutVote, wasm().TimeoutVote.decode_link(suite(scheme), bytes(data, 'bytes')));
    }
    encodeLink() {
      return open(this, TimeoutVote).encode_link();
    }
    get suite() {
      return open(this, TimeoutVote).suite();
    }
    get kind() {
      return open(this, TimeoutVote).kind();
    }
    get epoch() {
      return open(this, TimeoutVote).epoch();
    }
    get view() {
      return open(this, TimeoutVote).view();
    }
    get value() {
      return open(this, TimeoutVote).value();
    }
    get signer() {
      return open(this, TimeoutVote).signer();
    }
    get signature() {
      return wrap(Signature, open(this, TimeoutVote).signature());
    }
    asVote() {
      return wrap(Vote, open(this, TimeoutVote).as_vote());
    }
    verify(committee) {
      return wrap(VerifiedTimeoutVote, open(this, TimeoutVote).verify(open(committee, Committee, 'committee')));
    }
    toString() {
      return `TimeoutVote(${this.suite}, signer ${this.signer}, view ${this.view}, value ${this.value})`;
    }
  }
  class VerifiedTimeoutVote extends verified(() => [TimeoutVote, CommitteeId]) {}

  class TimeoutCollector extends Collector {
    constructor(...given) {
      super(wasm().TimeoutCollector, given);
    }
    add(vote, suspects) {
      const raw = open(this, TimeoutCollector);
      const checked = is(vote, VerifiedTimeoutVote);
      const handle = open(vote, checked ? VerifiedTimeoutVote : TimeoutVote, 'vote');
      const known = open(suspects, Suspects, 'suspects');
      return collected(checked ? raw.add_verified(handle, known) : raw.add(handle, known), VerifiedTimeoutCertificate);
    }
    get weight() {
      return open(this, TimeoutCollector).weight();
    }
    get hasHonest() {
      return open(this, TimeoutCollector).has_honest();
    }
    verifyHonest(suspects) {
      const found = open(this, TimeoutCollector).verify_honest(open(suspects, Suspects, 'suspects'));
      return { honest: found.verdict(), faults: found.faults().map(fault) };
    }
  }

  class TimeoutCertificate extends Handle {
    static decode(data, committee) {
      const context = open(committee, Committee, 'committee');
      return wrap(TimeoutCertificate, wasm().TimeoutCertificate.decode(bytes(data, 'bytes'), context));
    }
    encode() {
      return open(this, TimeoutCertificate).encode();
    }
    get encodedLength() {
      return open(this, TimeoutCertificate).encoded_length();
    }
    get suite() {
      return open(this, TimeoutCertificate).suite();
    }
    get kind() {
      return open(this, TimeoutCertificate).kind();
    }
    get epoch() {
      return open(this, TimeoutCertificate).epoch();
    }
    get view() {
      return open(this, TimeoutCertificate).view();
    }
    get highestValue() {
      return open(this, TimeoutCertificate).highest_value();
    }
    groups() {
      const raw = open(this, TimeoutCertificate);
      const signers = raw.group_signers();
      return Array.from(raw.group_values(), (value, i) => ({ value, signers: wrap(SignerSet, signers[i]) }));
    }
    get signers() {
      return wrap(SignerSet, open(this, TimeoutCertificate).signers());
    }
    verify(committee) {
      const context = open(committee, Committee, 'committee');
      return wrap(VerifiedTimeoutCertificate, open(this, TimeoutCertificate).verify(context));
    }
    toString() {
      return `TimeoutCertificate(${this.suite}, kind ${this.kind}, view ${this.view}, signers ${this.signers})`;
    }
  }
  class VerifiedTimeoutCertificate extends verified(() => [TimeoutCertificate, CommitteeId]) {}

  for (const Class of [TimeoutVote, TimeoutCertificate]) Class.prototype.equals = equal(Class);
  return { TimeoutVote, VerifiedTimeoutVote, TimeoutCollector, TimeoutCertificate, VerifiedTimeoutCertificate };
}
