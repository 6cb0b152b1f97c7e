'use strict';
// `gossip`: signatures summed in any order, and the gossip of the sums.

const native = require('./native.js');
const { makeVerifiedCertificate, openVerifiedCertificate } = require('./certificates.js');
const { bytes, list, optional, options, u16, u32, u64 } = require('./check.js');
const { openCommittee } = require('./committee.js');
const { failure } = require('./errors.js');
const { makeSignature } = require('./keys.js');
const { offThread } = require('./offthread.js');
const { sealed } = require('./sealed.js');
const { makeSignerSet } = require('./signers.js');
const { makeStatement, openStatement } = require('./statement.js');
const { verified } = require('./verified.js');
const { openVerifiedVote } = require('./votes.js');

const aggregate = sealed('Aggregate');
const pool = sealed('Pool');
const peers = sealed('Peers');
const gossip = sealed('Gossip');

/** A time for the native half: microseconds, by default of the system's clock. */
const time = (now = BigInt(Date.now()) * 1000n, what = 'now') => u64(now, what);
const maybe = (made, make) => (made === undefined || made === null ? undefined : make(made));

/** The user's parameters, completed with the defaults. */
function parameters(given) {
  const { limit, preferred, batch, fanOut, backOff, sendTimeout } = options(given, 'parameters');
  return native.gossipParametersNew(
    optional(u16)(limit, 'parameters.limit'),
    optional(u16)(preferred, 'parameters.preferred'),
    optional(u32)(batch, 'parameters.batch'),
    optional(u32)(fanOut, 'parameters.fanOut'),
    optional(u64)(backOff, 'parameters.backOff'),
    optional(u64)(sendTimeout, 'parameters.sendTimeout'),
  );
}

class Aggregate extends aggregate.Sealed {
  static fromVote(vote, committee) {
    const parts = [openVerifiedVote(vote, 'vote'), openCommittee(committee, 'committee')];
    return verifiedAggregate.make(native.aggregateFromVote(...parts));
  }
  static fromCertificate(certificate) {
    const handle = openVerifiedCertificate(certificate, 'certificate');
    return verifiedAggregate.make(native.aggregateFromCertificate(handle));
  }
  static decode(data, committee) {
    return makeAggregate(native.aggregateDecode(bytes(data, 'bytes'), openCommittee(committee, 'committee')));
  }
  encode() {
    return native.aggregateEncode(aggregate.open(this, 'this'));
  }
  get encodedLength() {
    return native.aggregateEncodedLength(aggregate.open(this, 'this'));
  }
  get suite() {
    return native.aggregateSuite(aggregate.open(this, 'this'));
  }
  get statement() {
    return makeStatement(native.aggregateStatement(aggregate.open(this, 'this')));
  }
  get signers() {
    return makeSignerSet(native.aggregateSigners(aggregate.open(this, 'this')));
  }
  get counts() {
    return native.aggregateCounts(aggregate.open(this, 'this'));
  }
  count(member) {
    return native.aggregateCount(aggregate.open(this, 'this'), u16(member, 'member'));
  }
  get signature() {
    return makeSignature(native.aggregateSignature(aggregate.open(this, 'this')));
  }
  verify(committee) {
    const handle = aggregate.open(this, 'this');
    return verifiedAggregate.make(native.aggregateVerify(handle, openCommittee(committee, 'committee')));
  }
  verifyAsync(committee, options) {
    const begin = (flag) =>
      native.aggregateVerifyAsync(aggregate.open(this, 'this'), openCommittee(committee, 'committee'), flag);
    return offThread(options, begin, verifiedAggregate.make);
  }
  static verifyBatch(committee, aggregates) {
    return batch(committee, aggregates, false);
  }
  static verifyBatchAsync(committee, aggregates, options) {
    return batchAsync(committee, aggregates, false, options);
  }
  static verifyBatchDerived(committee, aggregates) {
    return batch(committee, aggregates, true);
  }
  static verifyBatchDerivedAsync(committee, aggregates, options) {
    return batchAsync(committee, aggregates, true, options);
  }
  equals(other) {
    return native.aggregateEquals(aggregate.open(this, 'this'), aggregate.open(other, 'other'));
  }
  toString() {
    const { signers } = this;
    return `Aggregate(${signers.size} of ${signers.committeeSize}, ${this.statement})`;
  }
}
const makeAggregate = (handle) => aggregate.make(Aggregate, handle);
const verifiedAggregate = verified(
  'VerifiedAggregate',
  (handle) => makeAggregate(native.verifiedAggregateValue(handle)),
  native.verifiedAggregateCommittee,
  {
    merge(other, limit) {
      const parts = [verifiedAggregate.open(this, 'this'), verifiedAggregate.open(other, 'other')];
      return verifiedAggregate.make(native.verifiedAggregateMerge(...parts, optional(u16)(limit, 'limit')));
    },
    normalised(parts) {
      const handles = list(parts, 'parts', verifiedAggregate.open);
      return verifiedAggregate.make(native.verifiedAggregateNormalised(verifiedAggregate.open(this, 'this'), handles));
    },
    certificate(committee) {
      const parts = [verifiedAggregate.open(this, 'this'), openCommittee(committee, 'committee')];
      return maybe(native.verifiedAggregateCertificate(...parts), makeVerifiedCertificate);
    },
  },
);

function batch(committee, aggregates, derived) {
  const handles = [openCommittee(committee, 'committee'), list(aggregates, 'aggregates', aggregate.open)];
  return verdicts(native.aggregateVerifyBatch(...handles, derived));
}

function batchAsync(committee, aggregates, derived, given) {
  const begin = (flag) => {
    const handles = [openCommittee(committee, 'committee'), list(aggregates, 'aggregates', aggregate.open)];
    return native.aggregateVerifyBatchAsync(...handles, derived, flag);
  };
  return offThread(given, begin, verdicts);
}

const verdicts = (found) =>
  found.map((verdict) => (typeof verdict === 'string' ? failure(verdict) : verifiedAggregate.make(verdict)));

class Pool extends pool.Sealed {
  constructor(committee, me, statement, given) {
    const parts = [openCommittee(committee, 'committee'), u16(me, 'me'), openStatement(statement, 'statement')];
    super(pool.key, native.poolNew(...parts, parameters(given)));
  }
  get statement() {
    return makeStatement(native.poolStatement(pool.open(this, 'this')));
  }
  wants(sum) {
    return native.poolWants(pool.open(this, 'this'), aggregate.open(sum, 'aggregate'));
  }
  insert(aggregate) {
    return native.poolInsert(pool.open(this, 'this'), verifiedAggregate.open(aggregate, 'aggregate'));
  }
  get signers() {
    return makeSignerSet(native.poolSigners(pool.open(this, 'this')));
  }
  get best() {
    return maybe(native.poolBest(pool.open(this, 'this')), verifiedAggregate.make);
  }
  get aggregates() {
    return native.poolAggregates(pool.open(this, 'this')).map(verifiedAggregate.make);
  }
  get certificate() {
    return maybe(native.poolCertificate(pool.open(this, 'this')), makeVerifiedCertificate);
  }
  toString() {
    const { signers } = this;
    return `Pool(${signers.size} of ${signers.committeeSize} signed)`;
  }
}

class Peers extends peers.Sealed {
  constructor(me, committeeSize, given) {
    const parts = [u16(me, 'me'), u16(committeeSize, 'committeeSize'), parameters(given)];
    super(peers.key, native.peersNew(...parts));
  }
  pick(given) {
    const { draw, now } = options(given);
    const parts = [optional(u64)(draw, 'options.draw'), time(now, 'options.now')];
    return maybe(native.peersPick(peers.open(this, 'this'), ...parts), (peer) => peer);
  }
  hasRoom(now) {
    return native.peersHasRoom(peers.open(this, 'this'), time(now));
  }
  isAvailable(peer, now) {
    return native.peersIsAvailable(peers.open(this, 'this'), u16(peer, 'peer'), time(now));
  }
  begin(peer, now) {
    native.peersBegin(peers.open(this, 'this'), u16(peer, 'peer'), time(now));
  }
  left(peer) {
    native.peersLeft(peers.open(this, 'this'), u16(peer, 'peer'));
  }
  sent(peer) {
    native.peersSent(peers.open(this, 'this'), u16(peer, 'peer'));
  }
  failed(peer, now) {
    native.peersFailed(peers.open(this, 'this'), u16(peer, 'peer'), time(now));
  }
  heard(peer) {
    native.peersHeard(peers.open(this, 'this'), u16(peer, 'peer'));
  }
  accuse(peer, now) {
    native.peersAccuse(peers.open(this, 'this'), u16(peer, 'peer'), time(now));
  }
  isRefused(peer, now) {
    return native.peersIsRefused(peers.open(this, 'this'), u16(peer, 'peer'), time(now));
  }
  nextFree() {
    return maybe(native.peersNextFree(peers.open(this, 'this')), (free) => free);
  }
  toString() {
    return `Peers(next free: ${this.nextFree()})`;
  }
}

class Gossip extends gossip.Sealed {
  constructor(committee, me, statement, given) {
    const parts = [openCommittee(committee, 'committee'), u16(me, 'me'), openStatement(statement, 'statement')];
    super(gossip.key, native.gossipNew(...parts, parameters(given)));
  }
  get statement() {
    return makeStatement(native.gossipStatement(gossip.open(this, 'this')));
  }
  vote(vote) {
    return native.gossipVote(gossip.open(this, 'this'), openVerifiedVote(vote, 'vote'));
  }
  adopt(aggregate) {
    return native.gossipAdopt(gossip.open(this, 'this'), verifiedAggregate.open(aggregate, 'aggregate'));
  }
  receive(peer, sum, among, now) {
    const parts = [u16(peer, 'peer'), aggregate.open(sum, 'aggregate'), peers.open(among, 'peers'), time(now)];
    return native.gossipReceive(gossip.open(this, 'this'), ...parts);
  }
  get waiting() {
    return native.gossipWaiting(gossip.open(this, 'this'));
  }
  check(among, given) {
    const { entropy, now } = options(given);
    const parts = [peers.open(among, 'peers'), optional(bytes)(entropy, 'options.entropy'), time(now, 'options.now')];
    const found = native.gossipCheck(gossip.open(this, 'this'), ...parts);
    const fault = ({ culprit, evidence }) => ({ culprit, evidence: failure(evidence) });
    return { ...found, faults: found.faults.map(fault) };
  }
  next(among, given) {
    const { draw, now } = options(given);
    const parts = [peers.open(among, 'peers'), optional(u64)(draw, 'options.draw'), time(now, 'options.now')];
    const send = ({ to, aggregate }) => ({ to, aggregate: makeAggregate(aggregate) });
    return maybe(native.gossipNext(gossip.open(this, 'this'), ...parts), send);
  }
  offer(peer) {
    return maybe(native.gossipOffer(gossip.open(this, 'this'), u16(peer, 'peer')), makeAggregate);
  }
  get signers() {
    return makeSignerSet(native.gossipSigners(gossip.open(this, 'this')));
  }
  get pool() {
    return pool.make(Pool, native.gossipPool(gossip.open(this, 'this')));
  }
  get certificate() {
    return maybe(native.gossipCertificate(gossip.open(this, 'this')), makeVerifiedCertificate);
  }
  toString() {
    const { signers } = this;
    return `Gossip(${signers.size} of ${signers.committeeSize} signed, ${this.waiting} waiting)`;
  }
}

const { gossipPool, gossipStack } = native.constants();

module.exports = { Aggregate, VerifiedAggregate: verifiedAggregate.Class, Pool, Peers, Gossip, MAX_POOL: gossipPool, MAX_STACK: gossipStack };
