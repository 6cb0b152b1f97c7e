// `gossip`: signatures summed in any order, and the gossip of the sums.

import { bytes, list, optional, options, u16, u32, u64 } from './check.js';
import { Handle, TOKEN, name, open, same, wrap } from './handle.js';
import { verified } from './certificate-api.js';

export const MAX_POOL = 8;
export const MAX_STACK = 64;

/** A time for the module: microseconds, by default of the system's clock. */
const time = (now = BigInt(Date.now()) * 1000n, what = 'now') => u64(now, what);

export function gossipApi(wasm, base) {
  const { Committee, CommitteeId, Signature, SignerSet, Statement, VerifiedCertificate, VerifiedVote } = base;

  /** The user's parameters, completed with the defaults. */
  function parameters(given) {
    const { limit, preferred, batch, fanOut, backOff, sendTimeout } = options(given, 'parameters');
    return wasm().GossipParameters.new(
      optional(u16)(limit, 'parameters.limit'),
      optional(u16)(preferred, 'parameters.preferred'),
      optional(u32)(batch, 'parameters.batch'),
      optional(u32)(fanOut, 'parameters.fanOut'),
      optional(u64)(backOff, 'parameters.backOff'),
      optional(u64)(sendTimeout, 'parameters.sendTimeout'),
    );
  }

  /** A list of aggregates for the module, which takes ownership of it; it is freed if an item is rejected. */
  function filled(values, what, add) {
    const raw = wasm().Aggregates.empty();
    try {
      list(values, what, add(raw));
    } catch (error) {
      raw.free();
      throw error;
    }
    return raw;
  }

  class Aggregate extends Handle {
    static fromVote(vote, committee) {
      const parts = [open(vote, VerifiedVote, 'vote'), open(committee, Committee, 'committee')];
      return wrap(VerifiedAggregate, wasm().VerifiedAggregate.from_vote(...parts));
    }
    static fromCertificate(certificate) {
      const raw = open(certificate, VerifiedCertificate, 'certificate');
      return wrap(VerifiedAggregate, wasm().VerifiedAggregate.from_certificate(raw));
    }
    static decode(data, committee) {
      const context = open(committee, Committee, 'committee');
      return wrap(Aggregate, wasm().Aggregate.decode(bytes(data, 'bytes'), context));
    }
    encode() {
      return open(this, Aggregate).encode();
    }
    get encodedLength() {
      return open(this, Aggregate).encoded_length();
    }
    get suite() {
      return open(this, Aggregate).suite();
    }
    get statement() {
      return wrap(Statement, open(this, Aggregate).statement());
    }
    get signers() {
      return wrap(SignerSet, open(this, Aggregate).signers());
    }
    get counts() {
      return Array.from(open(this, Aggregate).counts());
    }
    count(member) {
      return open(this, Aggregate).count(u16(member, 'member'));
    }
    get signature() {
      return wrap(Signature, open(this, Aggregate).signature());
    }
    verify(committee) {
      return wrap(VerifiedAggregate, open(this, Aggregate).verify(open(committee, Committee, 'committee')));
    }
    static verifyBatch(committee, aggregates) {
      return batch(committee, aggregates, (all, context) => all.verify(context));
    }
    static verifyBatchDerived(committee, aggregates) {
      return batch(committee, aggregates, (all, context) => all.verify_derived(context));
    }
    equals(other) {
      open(this, Aggregate);
      open(other, Aggregate, 'other');
      return this.suite === other.suite && same(this.encode(), other.encode());
    }
    toString() {
      const { signers } = this;
      return `Aggregate(${signers.size} of ${signers.committeeSize}, ${this.statement})`;
    }
  }

  class VerifiedAggregate extends verified(() => [Aggregate, CommitteeId]) {
    merge(other, limit) {
      const raw = open(this, VerifiedAggregate);
      const merged = raw.merge(open(other, VerifiedAggregate, 'other'), optional(u16)(limit, 'limit'));
      return wrap(VerifiedAggregate, merged);
    }
    normalised(parts) {
      const raw = open(this, VerifiedAggregate);
      const add = (all) => (part, what) => all.add_verified(open(part, VerifiedAggregate, what));
      return wrap(VerifiedAggregate, raw.normalised(filled(parts, 'parts', add)));
    }
    certificate(committee) {
      const raw = open(this, VerifiedAggregate);
      return wrap(VerifiedCertificate, raw.certificate(open(committee, Committee, 'committee')));
    }
  }

  function batch(committee, aggregates, verify) {
    const context = open(committee, Committee, 'committee');
    const add = (all) => (aggregate, what) => all.add(open(aggregate, Aggregate, what));
    return verify(filled(aggregates, 'aggregates', add), context).map((verdict) => {
      const error = verdict.error();
      return wrap(VerifiedAggregate, verdict.aggregate()) ?? error;
    });
  }

  class Pool extends Handle {
    constructor(committee, me, statement, given) {
      super(TOKEN, committee === TOKEN ? me : Pool.#parse(committee, me, statement, given));
    }
    static #parse(committee, me, statement, given) {
      const parts = [open(committee, Committee, 'committee'), u16(me, 'me'), open(statement, Statement, 'statement')];
      return wasm().Pool.new(...parts, parameters(given));
    }
    get statement() {
      return wrap(Statement, open(this, Pool).statement());
    }
    wants(aggregate) {
      return open(this, Pool).wants(open(aggregate, Aggregate, 'aggregate'));
    }
    insert(aggregate) {
      return open(this, Pool).insert(open(aggregate, VerifiedAggregate, 'aggregate'));
    }
    get signers() {
      return wrap(SignerSet, open(this, Pool).signers());
    }
    get best() {
      return wrap(VerifiedAggregate, open(this, Pool).best());
    }
    get aggregates() {
      return open(this, Pool).aggregates().map((raw) => wrap(VerifiedAggregate, raw));
    }
    get certificate() {
      return wrap(VerifiedCertificate, open(this, Pool).certificate());
    }
    toString() {
      const { signers } = this;
      return `Pool(${signers.size} of ${signers.committeeSize} signed)`;
    }
  }

  class Peers extends Handle {
    constructor(me, committeeSize, given) {
      const parts = [u16(me, 'me'), u16(committeeSize, 'committeeSize')];
      super(TOKEN, wasm().Peers.new(...parts, parameters(given)));
    }
    pick(given) {
      const { draw, now } = options(given);
      return open(this, Peers).pick(optional(u64)(draw, 'options.draw'), time(now, 'options.now'));
    }
    hasRoom(now) {
      return open(this, Peers).has_room(time(now));
    }
    isAvailable(peer, now) {
      return open(this, Peers).is_available(u16(peer, 'peer'), time(now));
    }
    begin(peer, now) {
      open(this, Peers).begin(u16(peer, 'peer'), time(now));
    }
    left(peer) {
      open(this, Peers).left(u16(peer, 'peer'));
    }
    sent(peer) {
      open(this, Peers).sent(u16(peer, 'peer'));
    }
    failed(peer, now) {
      open(this, Peers).failed(u16(peer, 'peer'), time(now));
    }
    heard(peer) {
      open(this, Peers).heard(u16(peer, 'peer'));
    }
    accuse(peer, now) {
      open(this, Peers).accuse(u16(peer, 'peer'), time(now));
    }
    isRefused(peer, now) {
      return open(this, Peers).is_refused(u16(peer, 'peer'), time(now));
    }
    nextFree() {
      return open(this, Peers).next_free();
    }
    toString() {
      return `Peers(next free: ${this.nextFree()})`;
    }
  }

  class Gossip extends Handle {
    constructor(committee, me, statement, given) {
      const parts = [open(committee, Committee, 'committee'), u16(me, 'me'), open(statement, Statement, 'statement')];
      super(TOKEN, wasm().Gossip.new(...parts, parameters(given)));
    }
    get statement() {
      return wrap(Statement, open(this, Gossip).statement());
    }
    vote(vote) {
      return open(this, Gossip).vote(open(vote, VerifiedVote, 'vote'));
    }
    adopt(aggregate) {
      return open(this, Gossip).adopt(open(aggregate, VerifiedAggregate, 'aggregate'));
    }
    receive(peer, aggregate, peers, now) {
      const raw = open(this, Gossip);
      const parts = [u16(peer, 'peer'), open(aggregate, Aggregate, 'aggregate'), open(peers, Peers, 'peers')];
      return raw.receive(...parts, time(now));
    }
    get waiting() {
      return open(this, Gossip).waiting();
    }
    check(peers, given) {
      const { entropy, now } = options(given);
      const raw = open(this, Gossip);
      const parts = [open(peers, Peers, 'peers'), optional(bytes)(entropy, 'options.entropy')];
      const found = raw.check(...parts, time(now, 'options.now'));
      const [aggregates, signers, grew] = [found.aggregates(), found.signers(), found.grew()];
      const culprits = found.culprits();
      const faults = found.evidence().map((evidence, i) => ({ culprit: culprits[i], evidence }));
      return { faults, aggregates, signers, grew };
    }
    next(peers, given) {
      const { draw, now } = options(given);
      const raw = open(this, Gossip);
      const parts = [open(peers, Peers, 'peers'), optional(u64)(draw, 'options.draw')];
      const send = raw.next(...parts, time(now, 'options.now'));
      return send && { to: send.to(), aggregate: wrap(Aggregate, send.aggregate()) };
    }
    offer(peer) {
      return wrap(Aggregate, open(this, Gossip).offer(u16(peer, 'peer')));
    }
    get signers() {
      return wrap(SignerSet, open(this, Gossip).signers());
    }
    get pool() {
      return wrap(Pool, open(this, Gossip).pool());
    }
    get certificate() {
      return wrap(VerifiedCertificate, open(this, Gossip).certificate());
    }
    toString() {
      const { signers } = this;
      return `Gossip(${signers.size} of ${signers.committeeSize} signed, ${this.waiting} waiting)`;
    }
  }

  return Object.freeze({ ...name({ Aggregate, VerifiedAggregate, Pool, Peers, Gossip }), MAX_POOL, MAX_STACK });
}
