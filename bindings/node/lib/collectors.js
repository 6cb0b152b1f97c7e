'use strict';

const native = require('./native.js');
const { makeVerifiedCertificate } = require('./certificates.js');
const { bytes, optional, options, u8, u16, u32, u64 } = require('./check.js');
const { openCommittee } = require('./committee.js');
const { failure } = require('./errors.js');
const { makeVerifiedEquivocation } = require('./evidence.js');
const { sealed } = require('./sealed.js');
const timeouts = require('./timeouts.js');
const { isVerifiedVote, openSuspects, openVerifiedVote, openVote } = require('./votes.js');

const voteCollector = sealed('VoteCollector');
const timeoutCollector = sealed('TimeoutCollector');

/** A fault as the union of the public interface. */
function fault({ signer, error, evidence }) {
  if (error) return { kind: 'stray', signer, error: failure(error) };
  if (evidence) return { kind: 'equivocation', signer, evidence: makeVerifiedEquivocation(evidence) };
  return { kind: 'bad-signature', signer };
}

const collected = ({ certificate, faults }, make) => ({
  certificate: certificate ? make(certificate) : undefined,
  faults: faults.map(fault),
});

/** Common parts of both collectors. */
function parts(committee, kind, view, given) {
  const { batchThreshold, failureLimit } = options(given);
  return [
    openCommittee(committee, 'committee'),
    u8(kind, 'kind'),
    u64(view, 'view'),
    optional(u32)(batchThreshold, 'options.batchThreshold'),
    optional(u16)(failureLimit, 'options.failureLimit'),
  ];
}

class VoteCollector extends voteCollector.Sealed {
  #committee;
  constructor(committee, kind, view, given) {
    super(voteCollector.key, native.voteCollectorNew(...parts(committee, kind, view, given)));
    this.#committee = committee;
  }
  add(vote, suspects) {
    const handle = voteCollector.open(this, 'this');
    const found = isVerifiedVote(vote)
      ? native.voteCollectorAddVerified(handle, openVerifiedVote(vote, 'vote'), openSuspects(suspects, 'suspects'))
      : native.voteCollectorAdd(handle, openVote(vote, 'vote'), openSuspects(suspects, 'suspects'));
    return collected(found, makeVerifiedCertificate);
  }
  get topic() {
    const handle = voteCollector.open(this, 'this');
    return { kind: native.voteCollectorKind(handle), view: native.voteCollectorView(handle) };
  }
  get committee() {
    return this.#committee;
  }
  weightFor(digest) {
    return native.voteCollectorWeightFor(voteCollector.open(this, 'this'), bytes(digest, 'digest'));
  }
  get isDone() {
    return native.voteCollectorIsDone(voteCollector.open(this, 'this'));
  }
  toString() {
    const { kind, view } = this.topic;
    return `VoteCollector(kind ${kind}, view ${view}, done: ${this.isDone})`;
  }
}

class TimeoutCollector extends timeoutCollector.Sealed {
  #committee;
  constructor(committee, kind, view, given) {
    super(timeoutCollector.key, native.timeoutCollectorNew(...parts(committee, kind, view, given)));
    this.#committee = committee;
  }
  add(vote, suspects) {
    const { isVerifiedTimeoutVote, makeVerifiedTimeoutCertificate, openTimeoutVote, openVerifiedTimeoutVote } = timeouts;
    const handle = timeoutCollector.open(this, 'this');
    const found = isVerifiedTimeoutVote(vote)
      ? native.timeoutCollectorAddVerified(
          handle,
          openVerifiedTimeoutVote(vote, 'vote'),
          openSuspects(suspects, 'suspects'),
        )
      : native.timeoutCollectorAdd(handle, openTimeoutVote(vote, 'vote'), openSuspects(suspects, 'suspects'));
    return collected(found, makeVerifiedTimeoutCertificate);
  }
  get topic() {
    const handle = timeoutCollector.open(this, 'this');
    return { kind: native.timeoutCollectorKind(handle), view: native.timeoutCollectorView(handle) };
  }
  get committee() {
    return this.#committee;
  }
  get weight() {
    return native.timeoutCollectorWeight(timeoutCollector.open(this, 'this'));
  }
  get hasHonest() {
    return native.timeoutCollectorHasHonest(timeoutCollector.open(this, 'this'));
  }
  verifyHonest(suspects) {
    const handle = timeoutCollector.open(this, 'this');
    const { honest, faults } = native.timeoutCollectorVerifyHonest(handle, openSuspects(suspects, 'suspects'));
    return { honest, faults: faults.map(fault) };
  }
  get isDone() {
    return native.timeoutCollectorIsDone(timeoutCollector.open(this, 'this'));
  }
  toString() {
    const { kind, view } = this.topic;
    return `TimeoutCollector(kind ${kind}, view ${view}, done: ${this.isDone})`;
  }
}

module.exports = { VoteCollector, TimeoutCollector };
