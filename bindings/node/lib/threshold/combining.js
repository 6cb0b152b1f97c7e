'use strict';
// Threshold ECDSA: combining shares to a signature.

const native = require('../shared.js').native;
const { bytes, callable, u16 } = require('../shared.js').check;
const { sealed } = require('../sealed.js');
const { verifiedCulprit, equal, openCache } = require('./common.js');
const { group, makeSignature, makeTag, openDeal, openGroupKey, openTag } = require('./deal.js');

const signatureShare = sealed('SignatureShare');
const opening = sealed('Opening');
const signing = sealed('Signing');
const combiner = sealed('Combiner');
const shareFault = sealed('ShareFault');

class SignatureShare extends signatureShare.Sealed {
  static decode(name, data) {
    return makeShare(native.ecdsaShareDecode(group(name), bytes(data, 'bytes')));
  }
  encode() {
    return native.ecdsaShareEncode(signatureShare.open(this, 'this'));
  }
  get group() {
    return native.ecdsaShareInfo(signatureShare.open(this, 'this')).group;
  }
  get member() {
    return native.ecdsaShareInfo(signatureShare.open(this, 'this')).member;
  }
  get epoch() {
    return native.ecdsaShareInfo(signatureShare.open(this, 'this')).epoch;
  }
  get index() {
    return native.ecdsaShareInfo(signatureShare.open(this, 'this')).index;
  }
  get digest() {
    return native.ecdsaShareInfo(signatureShare.open(this, 'this')).digest;
  }
  get attestation() {
    return native.ecdsaShareInfo(signatureShare.open(this, 'this')).attestation;
  }
  attestedBytes() {
    return native.ecdsaShareAttestedBytes(signatureShare.open(this, 'this'));
  }
  attest(attestation) {
    const parts = [signatureShare.open(this, 'this'), bytes(attestation, 'attestation')];
    return makeShare(native.ecdsaShareAttest(...parts));
  }
  toString() {
    return `SignatureShare(member ${this.member}, epoch ${this.epoch}, index ${this.index})`;
  }
}
SignatureShare.prototype.equals = equal(signatureShare.open, native.ecdsaShareEncode);
const makeShare = (handle) => signatureShare.make(SignatureShare, handle);

class Opening extends opening.Sealed {
  static decode(name, data) {
    return makeOpening(native.ecdsaOpeningDecode(group(name), bytes(data, 'bytes')));
  }
  encode() {
    return native.ecdsaOpeningEncode(opening.open(this, 'this'));
  }
  get group() {
    return native.ecdsaOpeningGroup(opening.open(this, 'this'));
  }
  get member() {
    return native.ecdsaOpeningMember(opening.open(this, 'this'));
  }
  get index() {
    return native.ecdsaOpeningIndex(opening.open(this, 'this'));
  }
  toString() {
    return `Opening(member ${this.member}, index ${this.index})`;
  }
}
Opening.prototype.equals = equal(opening.open, native.ecdsaOpeningEncode);
const makeOpening = (handle) => opening.make(Opening, handle);

class Signing extends signing.Sealed {
  constructor(key, deal, nonce, tag, message) {
    const parts = [openGroupKey(key, 'key'), openDeal(deal, 'deal'), bytes(nonce, 'nonce')];
    super(signing.key, native.ecdsaSigningNew(...parts, openTag(tag, 'tag'), bytes(message, 'message')));
  }
  get group() {
    return native.ecdsaSigningGroup(signing.open(this, 'this'));
  }
  get message() {
    return native.ecdsaSigningMessage(signing.open(this, 'this'));
  }
  get nonce() {
    return native.ecdsaSigningNonce(signing.open(this, 'this'));
  }
  get tag() {
    return makeTag(native.ecdsaSigningTag(signing.open(this, 'this')));
  }
  toString() {
    return `Signing(${this.group}, ${this.tag})`;
  }
}
const makeSigning = (handle) => signing.make(Signing, handle);

const outcome = ({ signature, wanted, faults }) => ({
  signature: signature ? makeSignature(signature) : undefined,
  wanted,
  faults: faults.map(({ culprit, evidence }) => ({ culprit, evidence: makeFault(evidence) })),
});

class Combiner extends combiner.Sealed {
  constructor(of, cache) {
    super(combiner.key, native.ecdsaCombinerNew(signing.open(of, 'signing'), openCache(cache, 'cache')));
  }
  add(from, share) {
    const parts = [u16(from, 'from'), signatureShare.open(share, 'share')];
    return outcome(native.ecdsaCombinerAdd(combiner.open(this, 'this'), ...parts));
  }
  open(of, one) {
    const parts = [u16(of, 'of'), opening.open(one, 'opening')];
    return outcome(native.ecdsaCombinerOpen(combiner.open(this, 'this'), ...parts));
  }
  get signing() {
    return makeSigning(native.ecdsaCombinerSigning(combiner.open(this, 'this')));
  }
  get signature() {
    const made = native.ecdsaCombinerSignature(combiner.open(this, 'this'));
    return made ? makeSignature(made) : undefined;
  }
  get counts() {
    return native.ecdsaCombinerCounts(combiner.open(this, 'this'));
  }
  toString() {
    return `Combiner(${this.signing}, done: ${this.signature !== undefined})`;
  }
}

class ShareFault extends shareFault.Sealed {
  static decode(name, data) {
    return makeFault(native.ecdsaFaultDecode(group(name), bytes(data, 'bytes')));
  }
  encode() {
    return native.ecdsaFaultEncode(shareFault.open(this, 'this'));
  }
  get group() {
    return native.ecdsaFaultGroup(shareFault.open(this, 'this'));
  }
  get share() {
    return makeShare(native.ecdsaFaultShare(shareFault.open(this, 'this')));
  }
  verify(key, deal, attested) {
    const parts = [openGroupKey(key, 'key'), openDeal(deal, 'deal')];
    callable(attested, 'attested');
    return verifiedCulprit(native.ecdsaFaultVerify(shareFault.open(this, 'this'), ...parts), attested);
  }
  toString() {
    return `ShareFault(${this.share})`;
  }
}
ShareFault.prototype.equals = equal(shareFault.open, native.ecdsaFaultEncode);
const makeFault = (handle) => shareFault.make(ShareFault, handle);

module.exports = {
  classes: { SignatureShare, Opening, Signing, Combiner, ShareFault },
  makeShare,
  makeOpening,
  makeSigning,
};
