'use strict';

const native = require('../shared.js').native;
const { bytes, callable, suite, u16 } = require('../shared.js').check;
const { hex } = require('../shared.js');
const { makeCommitteeId, openCommitteeId } = require('../shared.js');
const { makePublicKey, makeSignature, openSignature } = require('../shared.js');
const { offThread } = require('../shared.js');
const { sealed } = require('../sealed.js');
const common = require('./common.js');

const { agreement, closes, verifiedCulprit, equal, makeThreshold, makeTolerance, openCache, openTolerance } = common;
const groupKey = sealed('GroupKey');
const keyShare = sealed('KeyShare');
const signatureShare = sealed('SignatureShare');
const combiner = sealed('Combiner');
const shareFault = sealed('ShareFault');

const order = (name, committee, tolerance, of) => [
  suite(name),
  openCommitteeId(committee, 'committee'),
  openTolerance(tolerance, 'tolerance'),
  agreement(of),
];
const deal = (...given) => native.sharedBlsDeal(...order(...given)).map(makeKeyShare);
function dealAsync(name, committee, tolerance, of, options) {
  const begin = (flag) => native.sharedBlsDealAsync(...order(name, committee, tolerance, of), flag);
  return offThread(options, begin, (shares) => shares.map(makeKeyShare));
}

const beacon = (signature) => native.sharedBlsBeacon(openSignature(signature, 'signature'));

class GroupKey extends groupKey.Sealed {
  static decode(name, data) {
    return makeGroupKey(native.sharedBlsKeyDecode(suite(name), bytes(data, 'bytes')));
  }
  encode() {
    return native.sharedBlsKeyEncode(groupKey.open(this, 'this'));
  }
  get suite() {
    return native.sharedBlsKeyInfo(groupKey.open(this, 'this')).suite;
  }
  get id() {
    return native.sharedBlsKeyInfo(groupKey.open(this, 'this')).id;
  }
  get committee() {
    return makeCommitteeId(native.sharedBlsKeyInfo(groupKey.open(this, 'this')).committee);
  }
  get tolerance() {
    return makeTolerance(native.sharedBlsKeyInfo(groupKey.open(this, 'this')).tolerance);
  }
  get threshold() {
    return makeThreshold(native.sharedBlsKeyInfo(groupKey.open(this, 'this')).threshold);
  }
  get public() {
    return makePublicKey(native.sharedBlsKeyPublic(groupKey.open(this, 'this')));
  }
  party(member) {
    const key = native.sharedBlsKeyParty(groupKey.open(this, 'this'), u16(member, 'member'));
    return key ? makePublicKey(key) : undefined;
  }
  toString() {
    return `GroupKey(${this.suite}, ${hex(this.id)})`;
  }
}
GroupKey.prototype.equals = equal(groupKey.open, native.sharedBlsKeyEncode);
const makeGroupKey = (handle) => groupKey.make(GroupKey, handle);

class KeyShare extends keyShare.Sealed {
  static fromBytes(name, data) {
    return makeKeyShare(native.sharedBlsKeyShareFromBytes(suite(name), bytes(data, 'bytes')));
  }
  toBytes() {
    return native.sharedBlsKeyShareToBytes(keyShare.open(this, 'this'));
  }
  get suite() {
    return native.sharedBlsKeyShareSuite(keyShare.open(this, 'this'));
  }
  get member() {
    return native.sharedBlsKeyShareMember(keyShare.open(this, 'this'));
  }
  get key() {
    return makeGroupKey(native.sharedBlsKeyShareKey(keyShare.open(this, 'this')));
  }
  sign(message) {
    return makeShare(native.sharedBlsKeyShareSign(keyShare.open(this, 'this'), bytes(message, 'message')));
  }
  close() {
    native.sharedBlsKeyShareClose(keyShare.open(this, 'this'));
  }
  get closed() {
    return native.sharedBlsKeyShareClosed(keyShare.open(this, 'this'));
  }
  toString() {
    return this.closed ? 'KeyShare(closed)' : `KeyShare(${this.suite}, member ${this.member})`;
  }
}
closes(KeyShare);
const makeKeyShare = (handle) => keyShare.make(KeyShare, handle);

class SignatureShare extends signatureShare.Sealed {
  static decode(name, data) {
    return makeShare(native.sharedBlsShareDecode(suite(name), bytes(data, 'bytes')));
  }
  encode() {
    return native.sharedBlsShareEncode(signatureShare.open(this, 'this'));
  }
  get suite() {
    return native.sharedBlsShareInfo(signatureShare.open(this, 'this')).suite;
  }
  get member() {
    return native.sharedBlsShareInfo(signatureShare.open(this, 'this')).member;
  }
  get digest() {
    return native.sharedBlsShareInfo(signatureShare.open(this, 'this')).digest;
  }
  get attestation() {
    return native.sharedBlsShareInfo(signatureShare.open(this, 'this')).attestation;
  }
  attestedBytes() {
    return native.sharedBlsShareAttestedBytes(signatureShare.open(this, 'this'));
  }
  attest(attestation) {
    const parts = [signatureShare.open(this, 'this'), bytes(attestation, 'attestation')];
    return makeShare(native.sharedBlsShareAttest(...parts));
  }
  toString() {
    return `SignatureShare(${this.suite}, member ${this.member})`;
  }
}
SignatureShare.prototype.equals = equal(signatureShare.open, native.sharedBlsShareEncode);
const makeShare = (handle) => signatureShare.make(SignatureShare, handle);

class Combiner extends combiner.Sealed {
  constructor(key, message, cache) {
    const parts = [groupKey.open(key, 'key'), bytes(message, 'message'), openCache(cache, 'cache')];
    super(combiner.key, native.sharedBlsCombinerNew(...parts));
  }
  add(from, share) {
    const parts = [u16(from, 'from'), signatureShare.open(share, 'share')];
    const { signature, faults } = native.sharedBlsCombinerAdd(combiner.open(this, 'this'), ...parts);
    return {
      signature: signature ? makeSignature(signature) : undefined,
      faults: faults.map(({ culprit, evidence }) => ({ culprit, evidence: makeFault(evidence) })),
    };
  }
  get signature() {
    const made = native.sharedBlsCombinerSignature(combiner.open(this, 'this'));
    return made ? makeSignature(made) : undefined;
  }
  get counts() {
    return native.sharedBlsCombinerCounts(combiner.open(this, 'this'));
  }
  toString() {
    return `Combiner(done: ${this.signature !== undefined})`;
  }
}

class ShareFault extends shareFault.Sealed {
  static decode(name, data) {
    return makeFault(native.sharedBlsFaultDecode(suite(name), bytes(data, 'bytes')));
  }
  encode() {
    return native.sharedBlsFaultEncode(shareFault.open(this, 'this'));
  }
  get suite() {
    return native.sharedBlsFaultSuite(shareFault.open(this, 'this'));
  }
  get share() {
    return makeShare(native.sharedBlsFaultShare(shareFault.open(this, 'this')));
  }
  verify(key, attested) {
    const of = groupKey.open(key, 'key');
    callable(attested, 'attested');
    return verifiedCulprit(native.sharedBlsFaultVerify(shareFault.open(this, 'this'), of), attested);
  }
  toString() {
    return `ShareFault(${this.share})`;
  }
}
ShareFault.prototype.equals = equal(shareFault.open, native.sharedBlsFaultEncode);
const makeFault = (handle) => shareFault.make(ShareFault, handle);

module.exports = { deal, dealAsync, beacon, GroupKey, KeyShare, SignatureShare, Combiner, ShareFault };
