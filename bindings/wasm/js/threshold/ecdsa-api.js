// Threshold ECDSA: the dealer, its deals, and a party's signing.

import { bytes, optional, string, u16, u32, u64, u8 } from '../../dist/common/check.js';
import { make } from '../../dist/common/errors.js';
import { Handle, TOKEN, hex, isOpen, name, open, same, take, wrap } from '../handle.js';
import { combiningApi } from './combining-api.js';
import { Secret, equal } from './common.js';

export const ROUNDS = 20;
export const MAX_COUNT = 1 << 17;
export const MAX_ATTESTATION = 8192;

export const group = (value) => string(value, 'group');

export function ecdsaApi(wasm, base) {
  const { CommitteeId, openCommitteeId, Guard, GuardRecord, Tolerance } = base;
  const dealer = (scheme, committee, tolerance) => [
    group(scheme),
    openCommitteeId(committee, 'committee'),
    open(tolerance, Tolerance, 'tolerance'),
  ];

  class TrustedDealer extends Secret {
    constructor(scheme, committee, tolerance) {
      super(TOKEN, scheme === TOKEN ? committee : wasm().EcdsaDealer.new(...dealer(scheme, committee, tolerance)));
    }
    static fromBytes(scheme, committee, tolerance, secret) {
      const parts = [...dealer(scheme, committee, tolerance), bytes(secret, 'secret')];
      return wrap(TrustedDealer, wasm().EcdsaDealer.from_bytes(...parts));
    }
    toBytes() {
      return open(this, TrustedDealer).to_bytes();
    }
    get key() {
      return wrap(GroupKey, open(this, TrustedDealer).key());
    }
    deal(epoch, plan) {
      const raw = open(this, TrustedDealer);
      const parties = raw.deal(u64(epoch, 'epoch'), open(plan, Plan, 'plan'));
      return parties.map((party) => wrap(Presignatures, party));
    }
    toString() {
      return `TrustedDealer(${this.closed ? 'closed' : this.key.group})`;
    }
  }

  class GroupKey extends Handle {
    static decode(scheme, data) {
      return wrap(GroupKey, wasm().EcdsaKey.decode(group(scheme), bytes(data, 'bytes')));
    }
    encode() {
      return open(this, GroupKey).encode();
    }
    get group() {
      return open(this, GroupKey).group();
    }
    get id() {
      return open(this, GroupKey).id();
    }
    get committee() {
      return CommitteeId.fromBytes(open(this, GroupKey).committee());
    }
    get tolerance() {
      return wrap(Tolerance, open(this, GroupKey).tolerance());
    }
    verify(tag, message, signature) {
      const raw = open(this, GroupKey);
      raw.verify(open(tag, Tag, 'tag'), bytes(message, 'message'), open(signature, Signature, 'signature'));
    }
    verifyMessage(message, signature) {
      open(this, GroupKey).verify_message(bytes(message, 'message'), open(signature, Signature, 'signature'));
    }
    toSpkiDer() {
      return open(this, GroupKey).to_spki_der();
    }
    toString() {
      return hex(this.encode());
    }
    toJSON() {
      return this.toString();
    }
  }

  class Signature extends Handle {
    static decode(scheme, data) {
      return wrap(Signature, wasm().EcdsaSignature.decode(group(scheme), bytes(data, 'bytes')));
    }
    encode() {
      return open(this, Signature).encode();
    }
    get group() {
      return open(this, Signature).group();
    }
    toDer() {
      return open(this, Signature).to_der();
    }
    equals(other) {
      open(this, Signature);
      open(other, Signature, 'other');
      return this.group === other.group && same(this.encode(), other.encode());
    }
    toString() {
      return hex(this.encode());
    }
    toJSON() {
      return this.toString();
    }
  }

  class Plan extends Handle {
    static forAgreement(parties, rounds) {
      const parts = [u16(parties, 'parties'), optional(u16)(rounds, 'rounds')];
      return wrap(Plan, wasm().EcdsaPlan.for_agreement(...parts));
    }
    static forAgreed(count) {
      return wrap(Plan, wasm().EcdsaPlan.for_agreed(u32(count, 'count')));
    }
    static forUnagreed(count) {
      return wrap(Plan, wasm().EcdsaPlan.for_unagreed(u32(count, 'count')));
    }
    static decode(data) {
      return wrap(Plan, wasm().EcdsaPlan.decode(bytes(data, 'bytes')));
    }
    encode() {
      return open(this, Plan).encode();
    }
    get count() {
      return open(this, Plan).count();
    }
    agreement(index) {
      return open(this, Plan).agreement(u32(index, 'index'));
    }
    prbc(epoch, member) {
      return wrap(Tag, open(this, Plan).prbc(u64(epoch, 'epoch'), u16(member, 'member')));
    }
    promotion(epoch, round, member, step) {
      const parts = [u64(epoch, 'epoch'), u16(round, 'round'), u16(member, 'member'), u8(step, 'step')];
      return wrap(Tag, open(this, Plan).promotion(...parts));
    }
    completion(epoch, round) {
      return wrap(Tag, open(this, Plan).completion(u64(epoch, 'epoch'), u16(round, 'round')));
    }
    agreed(epoch, number) {
      return wrap(Tag, open(this, Plan).agreed(u64(epoch, 'epoch'), u32(number, 'number')));
    }
    unagreed(epoch, number) {
      return wrap(Tag, open(this, Plan).unagreed(u64(epoch, 'epoch'), u32(number, 'number')));
    }
    toString() {
      return `Plan(${this.count} presignatures)`;
    }
  }
  Object.defineProperties(Plan, {
    ROUNDS: { value: ROUNDS, enumerable: true },
    MAX_COUNT: { value: MAX_COUNT, enumerable: true },
  });

  class Tag extends Handle {
    get epoch() {
      return open(this, Tag).epoch();
    }
    get index() {
      return open(this, Tag).index();
    }
    get agreement() {
      return open(this, Tag).agreement();
    }
    equals(other) {
      open(this, Tag);
      open(other, Tag, 'other');
      const same = this.epoch === other.epoch && this.index === other.index;
      return same && this.agreement === other.agreement;
    }
    toString() {
      return `Tag(epoch ${this.epoch}, index ${this.index}, ${this.agreement})`;
    }
  }

  class Deal extends Handle {
    static decode(data) {
      return wrap(Deal, wasm().EcdsaDeal.decode(bytes(data, 'bytes')));
    }
    encode() {
      return open(this, Deal).encode();
    }
    get id() {
      return open(this, Deal).id();
    }
    get key() {
      return open(this, Deal).key();
    }
    get epoch() {
      return open(this, Deal).epoch();
    }
    get plan() {
      return wrap(Plan, open(this, Deal).plan());
    }
    roots() {
      const all = open(this, Deal).roots();
      return Array.from({ length: all.length / 32 }, (_, i) => all.slice(32 * i, 32 * i + 32));
    }
    toString() {
      return `Deal(epoch ${this.epoch}, ${this.plan}, ${hex(this.id)})`;
    }
  }
  for (const Class of [GroupKey, Plan, Deal]) Class.prototype.equals = equal(Class);

  class Presignatures extends Secret {
    static fromBytes(scheme, data) {
      return wrap(Presignatures, wasm().EcdsaPresignatures.from_bytes(group(scheme), bytes(data, 'bytes')));
    }
    toBytes() {
      return open(this, Presignatures).to_bytes();
    }
    get group() {
      return open(this, Presignatures).group();
    }
    get member() {
      return open(this, Presignatures).member();
    }
    get key() {
      return wrap(GroupKey, open(this, Presignatures).key());
    }
    get deal() {
      return wrap(Deal, open(this, Presignatures).deal());
    }
    get left() {
      return open(this, Presignatures).left();
    }
    take(tag) {
      return wrap(Presignature, open(this, Presignatures).take(open(tag, Tag, 'tag')));
    }
    signing(tag, message) {
      const raw = open(this, Presignatures);
      return wrap(combining.Signing, raw.signing(open(tag, Tag, 'tag'), bytes(message, 'message')));
    }
    audit(index) {
      open(this, Presignatures).audit(u32(index, 'index'));
    }
    destroy(guard) {
      open(this, Presignatures);
      const journal = open(guard, Guard, 'guard');
      return wrap(GuardRecord, take(this, Presignatures, 'this').destroy(journal));
    }
    toString() {
      if (this.closed) return 'Presignatures(closed)';
      return `Presignatures(${this.left} left of member ${this.member}, epoch ${this.deal.epoch})`;
    }
  }

  class Presignature extends Secret {
    #about;
    #spent = false;
    constructor(token, raw) {
      super(token, raw);
      this.#about = { group: raw.group(), agreement: raw.agreement() };
    }
    get group() {
      isOpen(this, Presignature);
      return this.#about.group;
    }
    get agreement() {
      isOpen(this, Presignature);
      return this.#about.agreement;
    }
    sign(guard, message) {
      if (!isOpen(this, Presignature) && this.#spent) throw exhausted();
      const raw = open(this, Presignature);
      const parts = [open(guard, Guard, 'guard'), bytes(message, 'message')];
      this.#spent = true;
      try {
        const signed = raw.sign(...parts);
        const [record, share] = [wrap(GuardRecord, signed.record()), wrap(combining.SignatureShare, signed.share())];
        return { record, share, opener: wrap(Opener, signed.opener()) };
      } finally {
        this.close();
      }
    }
    toString() {
      return this.closed ? 'Presignature(closed)' : `Presignature(${this.group}, ${this.agreement})`;
    }
  }
  const exhausted = () => make('EXHAUSTED', 'this presignature has signed, or failed to; take another one', []);

  class Opener extends Secret {
    open() {
      return wrap(combining.Opening, open(this, Opener).open());
    }
    toString() {
      return this.closed ? 'Opener(closed)' : 'Opener';
    }
  }

  const combining = combiningApi(wasm, { ...base, group, GroupKey, Signature, Tag, Deal });
  const dealt = { TrustedDealer, GroupKey, Signature, Plan, Tag, Deal, Presignatures, Presignature, Opener };
  return Object.freeze({ MAX_ATTESTATION, ...name(dealt), ...combining });
}
