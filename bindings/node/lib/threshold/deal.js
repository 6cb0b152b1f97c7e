'use strict';
// Threshold ECDSA: keys, plans, and the public part of a deal.

const native = require('../shared.js').native;
const { bytes, optional, string, u16, u32, u64, u8 } = require('../shared.js').check;
const { hex } = require('../shared.js');
const { makeCommitteeId } = require('../shared.js');
const { sealed } = require('../sealed.js');
const { equal, makeTolerance } = require('./common.js');

const groupKey = sealed('GroupKey');
const signature = sealed('Signature');
const plan = sealed('Plan');
const tag = sealed('Tag');
const deal = sealed('Deal');

const group = (value) => string(value, 'group');

class GroupKey extends groupKey.Sealed {
  static decode(name, data) {
    return makeGroupKey(native.ecdsaKeyDecode(group(name), bytes(data, 'bytes')));
  }
  encode() {
    return native.ecdsaKeyEncode(groupKey.open(this, 'this'));
  }
  get group() {
    return native.ecdsaKeyInfo(groupKey.open(this, 'this')).group;
  }
  get id() {
    return native.ecdsaKeyInfo(groupKey.open(this, 'this')).id;
  }
  get committee() {
    return makeCommitteeId(native.ecdsaKeyInfo(groupKey.open(this, 'this')).committee);
  }
  get tolerance() {
    return makeTolerance(native.ecdsaKeyInfo(groupKey.open(this, 'this')).tolerance);
  }
  verify(at, message, signed) {
    const parts = [tag.open(at, 'tag'), bytes(message, 'message'), signature.open(signed, 'signature')];
    native.ecdsaKeyVerify(groupKey.open(this, 'this'), ...parts);
  }
  verifyMessage(message, signed) {
    const parts = [bytes(message, 'message'), signature.open(signed, 'signature')];
    native.ecdsaKeyVerifyMessage(groupKey.open(this, 'this'), ...parts);
  }
  toSpkiDer() {
    return native.ecdsaKeyToSpkiDer(groupKey.open(this, 'this'));
  }
  toString() {
    return hex(this.encode());
  }
  toJSON() {
    return this.toString();
  }
}
GroupKey.prototype.equals = equal(groupKey.open, native.ecdsaKeyEncode);
const makeGroupKey = (handle) => groupKey.make(GroupKey, handle);

class Signature extends signature.Sealed {
  static decode(name, data) {
    return makeSignature(native.ecdsaSignatureDecode(group(name), bytes(data, 'bytes')));
  }
  encode() {
    return native.ecdsaSignatureEncode(signature.open(this, 'this'));
  }
  get group() {
    return native.ecdsaSignatureGroup(signature.open(this, 'this'));
  }
  toDer() {
    return native.ecdsaSignatureToDer(signature.open(this, 'this'));
  }
  equals(other) {
    signature.open(other, 'other');
    return this.group === other.group && Buffer.compare(this.encode(), other.encode()) === 0;
  }
  toString() {
    return hex(this.encode());
  }
  toJSON() {
    return this.toString();
  }
}
const makeSignature = (handle) => signature.make(Signature, handle);

class Plan extends plan.Sealed {
  static forAgreement(parties, rounds) {
    return makePlan(native.ecdsaPlanForAgreement(u16(parties, 'parties'), optional(u16)(rounds, 'rounds')));
  }
  static forAgreed(count) {
    return makePlan(native.ecdsaPlanForAgreed(u32(count, 'count')));
  }
  static forUnagreed(count) {
    return makePlan(native.ecdsaPlanForUnagreed(u32(count, 'count')));
  }
  static decode(data) {
    return makePlan(native.ecdsaPlanDecode(bytes(data, 'bytes')));
  }
  encode() {
    return native.ecdsaPlanEncode(plan.open(this, 'this'));
  }
  get count() {
    return native.ecdsaPlanCount(plan.open(this, 'this'));
  }
  agreement(index) {
    return native.ecdsaPlanAgreement(plan.open(this, 'this'), u32(index, 'index')) ?? undefined;
  }
  prbc(epoch, member) {
    return makeTag(native.ecdsaPlanPrbc(plan.open(this, 'this'), u64(epoch, 'epoch'), u16(member, 'member')));
  }
  promotion(epoch, round, member, step) {
    const parts = [u64(epoch, 'epoch'), u16(round, 'round'), u16(member, 'member'), u8(step, 'step')];
    return makeTag(native.ecdsaPlanPromotion(plan.open(this, 'this'), ...parts));
  }
  completion(epoch, round) {
    return makeTag(native.ecdsaPlanCompletion(plan.open(this, 'this'), u64(epoch, 'epoch'), u16(round, 'round')));
  }
  agreed(epoch, number) {
    return makeTag(native.ecdsaPlanAgreed(plan.open(this, 'this'), u64(epoch, 'epoch'), u32(number, 'number')));
  }
  unagreed(epoch, number) {
    return makeTag(native.ecdsaPlanUnagreed(plan.open(this, 'this'), u64(epoch, 'epoch'), u32(number, 'number')));
  }
  toString() {
    return `Plan(${this.count} presignatures)`;
  }
}
Plan.prototype.equals = equal(plan.open, native.ecdsaPlanEncode);
const makePlan = (handle) => plan.make(Plan, handle);
const limits = native.ecdsaConstants();
Object.defineProperties(Plan, {
  ROUNDS: { value: limits.rounds, enumerable: true },
  MAX_COUNT: { value: limits.maxCount, enumerable: true },
});

class Tag extends tag.Sealed {
  get epoch() {
    return native.ecdsaTagInfo(tag.open(this, 'this')).epoch;
  }
  get index() {
    return native.ecdsaTagInfo(tag.open(this, 'this')).index;
  }
  get agreement() {
    return native.ecdsaTagInfo(tag.open(this, 'this')).agreement;
  }
  equals(other) {
    const [one, two] = [tag.open(this, 'this'), tag.open(other, 'other')].map(native.ecdsaTagInfo);
    return one.epoch === two.epoch && one.index === two.index && one.agreement === two.agreement;
  }
  toString() {
    const { epoch, index, agreement } = native.ecdsaTagInfo(tag.open(this, 'this'));
    return `Tag(epoch ${epoch}, index ${index}, ${agreement})`;
  }
}
const makeTag = (handle) => tag.make(Tag, handle);

class Deal extends deal.Sealed {
  static decode(data) {
    return makeDeal(native.ecdsaDealDecode(bytes(data, 'bytes')));
  }
  encode() {
    return native.ecdsaDealEncode(deal.open(this, 'this'));
  }
  get id() {
    return native.ecdsaDealInfo(deal.open(this, 'this')).id;
  }
  get key() {
    return native.ecdsaDealInfo(deal.open(this, 'this')).key;
  }
  get epoch() {
    return native.ecdsaDealInfo(deal.open(this, 'this')).epoch;
  }
  get plan() {
    return makePlan(native.ecdsaDealInfo(deal.open(this, 'this')).plan);
  }
  roots() {
    return native.ecdsaDealRoots(deal.open(this, 'this'));
  }
  toString() {
    return `Deal(epoch ${this.epoch}, ${this.plan}, ${hex(this.id)})`;
  }
}
Deal.prototype.equals = equal(deal.open, native.ecdsaDealEncode);
const makeDeal = (handle) => deal.make(Deal, handle);

module.exports = {
  classes: { GroupKey, Signature, Plan, Tag, Deal },
  MAX_ATTESTATION: limits.maxAttestation,
  group,
  openGroupKey: groupKey.open,
  openPlan: plan.open,
  openSignature: signature.open,
  openTag: tag.open,
  openDeal: deal.open,
  makeGroupKey,
  makeSignature,
  makeTag,
  makeDeal,
};
