'use strict';

const native = require('./native.js');
const { boolean, bytes, list, optional, options, pair, triple, u8, u16, u32, u64, u128 } = require('./check.js');
const { failure } = require('./errors.js');
const { open } = require('./handle.js');
const { makeChainId, makeCommitteeId, openChainId } = require('./ids.js');
const { makePublicKey, openPublicKey, openVerifiedKey } = require('./keys.js');
const { offThread } = require('./offthread.js');
const { sealed } = require('./sealed.js');
const { makeSignerSet, openSignerSet } = require('./signers.js');
const { makeStatement } = require('./statement.js');
const { Ciphersuite } = require('../generated/ciphersuite.js');

const { maxMembers } = native.constants();

const committee = sealed('Committee');

/** Keys and weights of `[key, weight]` pairs: one more than the maximum is read, and rejected by the core. */
function members(pairs, key) {
  const both = list(pairs, 'members', (member, what) => pair(member, what, key, u128), maxMembers);
  return [both.map(([handle]) => handle), both.map(([, weight]) => weight)];
}

class Committee extends committee.Sealed {
  constructor(chain, epoch, pairs) {
    const place = [openChainId(chain, 'chain'), u64(epoch, 'epoch')];
    super(committee.key, native.committeeNew(...place, ...members(pairs, openVerifiedKey)));
  }
  static fromAttested(chain, epoch, pairs, given) {
    const place = [openChainId(chain, 'chain'), u64(epoch, 'epoch')];
    const allowRepeats = optional(boolean)(options(given).allowRepeats, 'options.allowRepeats') ?? false;
    return makeCommittee(native.committeeFromAttested(...place, ...members(pairs, openPublicKey), allowRepeats));
  }
  get suite() {
    return native.committeeSuite(committee.open(this, 'this'));
  }
  get id() {
    return makeCommitteeId(native.committeeId(committee.open(this, 'this')));
  }
  get chain() {
    return makeChainId(native.committeeChain(committee.open(this, 'this')));
  }
  get epoch() {
    return native.committeeEpoch(committee.open(this, 'this'));
  }
  get size() {
    return native.committeeSize(committee.open(this, 'this'));
  }
  get totalWeight() {
    return native.committeeTotalWeight(committee.open(this, 'this'));
  }
  get quorumWeight() {
    return native.committeeQuorumWeight(committee.open(this, 'this'));
  }
  get honestWeight() {
    return native.committeeHonestWeight(committee.open(this, 'this'));
  }
  weight(member) {
    return native.committeeWeight(committee.open(this, 'this'), u16(member, 'member')) ?? undefined;
  }
  key(member) {
    const key = native.committeeKey(committee.open(this, 'this'), u16(member, 'member')) ?? undefined;
    return key && makePublicKey(key);
  }
  keys() {
    return native.committeeKeys(committee.open(this, 'this')).map(makePublicKey);
  }
  position(key) {
    return native.committeePosition(committee.open(this, 'this'), openPublicKey(key, 'key')) ?? undefined;
  }
  weightOf(signers) {
    return native.committeeWeightOf(committee.open(this, 'this'), openSignerSet(signers, 'signers'));
  }
  hasQuorum(signers) {
    return native.committeeHasQuorum(committee.open(this, 'this'), openSignerSet(signers, 'signers'));
  }
  requireQuorum(signers) {
    native.committeeRequireQuorum(committee.open(this, 'this'), openSignerSet(signers, 'signers'));
  }
  signerSet(raw) {
    const handle = committee.open(this, 'this');
    const { indices, lsbFirst, msbFirst } = options(raw ?? null, 'signers');
    if ([indices, lsbFirst, msbFirst].filter((form) => form !== undefined).length !== 1) {
      throw new TypeError('signers must have exactly one of indices, lsbFirst and msbFirst');
    }
    if (lsbFirst !== undefined) return makeSignerSet(native.committeeSignersLsbFirst(handle, bytes(lsbFirst, 'signers.lsbFirst')));
    if (msbFirst !== undefined) return makeSignerSet(native.committeeSignersMsbFirst(handle, bytes(msbFirst, 'signers.msbFirst')));
    // One index more than the maximum suffices: the core reports the duplicate or unknown one.
    const listed = list(indices, 'signers.indices', u32, maxMembers);
    return makeSignerSet(native.committeeSignersOfIndices(handle, listed));
  }
  withCiphersuite(ciphersuite) {
    const handle = committee.open(this, 'this');
    return makeCommittee(native.committeeWithCiphersuite(handle, open(ciphersuite, Ciphersuite, 'ciphersuite')));
  }
  verifyRaw(message, signers, proof) {
    const data = [bytes(message, 'message'), openSignerSet(signers, 'signers'), bytes(proof, 'proof')];
    return native.committeeVerifyRaw(committee.open(this, 'this'), ...data);
  }
  verifyRawAsync(message, signers, proof, given) {
    return offThread(given, (flag) => {
      const data = [bytes(message, 'message'), openSignerSet(signers, 'signers'), bytes(proof, 'proof')];
      return native.committeeVerifyRawAsync(committee.open(this, 'this'), ...data, flag);
    });
  }
  verifyRawEach(signed, proof) {
    return native.committeeVerifyRawEach(...signedBy(committee.open(this, 'this'), signed, proof));
  }
  verifyRawEachAsync(signed, proof, given) {
    return offThread(given, (flag) =>
      native.committeeVerifyRawEachAsync(...signedBy(committee.open(this, 'this'), signed, proof), flag),
    );
  }
  verifyRawBatch(items) {
    return weights(native.committeeVerifyRawBatch(committee.open(this, 'this'), ...columns(items)));
  }
  verifyRawBatchAsync(items, given) {
    const begin = (flag) =>
      native.committeeVerifyRawBatchAsync(committee.open(this, 'this'), ...columns(items), flag);
    return offThread(given, begin, weights);
  }
  statement(kind, view, digest) {
    const fields = [u8(kind, 'kind'), u64(view, 'view'), bytes(digest, 'digest')];
    return makeStatement(native.committeeStatement(committee.open(this, 'this'), ...fields));
  }
  equals(other) {
    committee.open(other, 'other');
    return this.id.equals(other.id);
  }
  toString() {
    return `Committee(${this.size} members of ${this.suite}, epoch ${this.epoch}, ${this.id})`;
  }
}

/**
 * A committee's handle, members with their messages, and the proof. One member more than the committee has suffices: the
 * core reports the one that is repeated or unknown.
 */
function signedBy(handle, signed, proof) {
  const one = (value, what) => pair(value, what, u16, bytes);
  const pairs = list(signed, 'signed', one, native.committeeSize(handle));
  return [handle, pairs.map(([member]) => member), pairs.map(([, message]) => message), bytes(proof, 'proof')];
}

/** Messages, signers and proofs of `[message, signers, proof]` items. */
function columns(items) {
  const all = list(items, 'items', (item, what) => triple(item, what, bytes, openSignerSet, bytes));
  return [0, 1, 2].map((at) => all.map((item) => item[at]));
}

const weights = (found) => found.map((one) => (typeof one === 'string' ? failure(one) : one));

const makeCommittee = (handle) => committee.make(Committee, handle);

module.exports = { Committee, openCommittee: committee.open };
