// Threshold ECDSA: combining shares to a signature.

import { bytes, callable, u16 } from '../../dist/common/check.js';
import { Handle, TOKEN, name, open, wrap } from '../handle.js';
import { verifiedCulprit, counts, equal } from './common.js';

export function combiningApi(wasm, { shareOf, group, GroupKey, Signature, Tag, Deal }) {
  class SignatureShare extends Handle {
    static decode(scheme, data) {
      return wrap(SignatureShare, wasm().EcdsaShare.decode(group(scheme), bytes(data, 'bytes')));
    }
    encode() {
      return open(this, SignatureShare).encode();
    }
    get group() {
      return open(this, SignatureShare).group();
    }
    get member() {
      return open(this, SignatureShare).member();
    }
    get epoch() {
      return open(this, SignatureShare).epoch();
    }
    get index() {
      return open(this, SignatureShare).index();
    }
    get digest() {
      return open(this, SignatureShare).digest();
    }
    get attestation() {
      return open(this, SignatureShare).attestation();
    }
    attestedBytes() {
      return open(this, SignatureShare).attested_bytes();
    }
    attest(attestation) {
      return wrap(SignatureShare, open(this, SignatureShare).attest(bytes(attestation, 'attestation')));
    }
    toString() {
      return `SignatureShare(member ${this.member}, epoch ${this.epoch}, index ${this.index})`;
    }
  }

  class Opening extends Handle {
    static decode(scheme, data) {
      return wrap(Opening, wasm().EcdsaOpening.decode(group(scheme), bytes(data, 'bytes')));
    }
    encode() {
      return open(this, Opening).encode();
    }
    get group() {
      return open(this, Opening).group();
    }
    get member() {
      return open(this, Opening).member();
    }
    get index() {
      return open(this, Opening).index();
    }
    toString() {
      return `Opening(member ${this.member}, index ${this.index})`;
    }
  }

  class Signing extends Handle {
    constructor(key, deal, nonce, tag, message) {
      super(TOKEN, key === TOKEN ? deal : Signing.#parse(key, deal, nonce, tag, message));
    }
    static #parse(key, deal, nonce, tag, message) {
      const parts = [open(key, GroupKey, 'key'), open(deal, Deal, 'deal'), bytes(nonce, 'nonce')];
      return wasm().EcdsaSigning.new(...parts, open(tag, Tag, 'tag'), bytes(message, 'message'));
    }
    get group() {
      return open(this, Signing).group();
    }
    get message() {
      return open(this, Signing).message();
    }
    get nonce() {
      return open(this, Signing).nonce();
    }
    get tag() {
      return wrap(Tag, open(this, Signing).tag());
    }
    toString() {
      return `Signing(${this.group}, ${this.tag})`;
    }
  }

  function outcome(raw) {
    const [signature, wanted, culprits] = [wrap(Signature, raw.signature()), Array.from(raw.wanted()), raw.culprits()];
    const faults = raw.evidence().map((proof, i) => ({ culprit: culprits[i], evidence: wrap(ShareFault, proof) }));
    return { signature, wanted, faults };
  }

  class Combiner extends Handle {
    constructor(signing, cache) {
      super(TOKEN, wasm().EcdsaCombiner.new(open(signing, Signing, 'signing'), shareOf(cache)));
    }
    add(from, share) {
      return outcome(open(this, Combiner).add(u16(from, 'from'), open(share, SignatureShare, 'share')));
    }
    open(of, opening) {
      return outcome(open(this, Combiner).open(u16(of, 'of'), open(opening, Opening, 'opening')));
    }
    get signing() {
      return wrap(Signing, open(this, Combiner).signing());
    }
    get signature() {
      return wrap(Signature, open(this, Combiner).signature());
    }
    get counts() {
      return counts(open(this, Combiner).counts());
    }
    toString() {
      return `Combiner(${this.signing}, done: ${this.signature !== undefined})`;
    }
  }

  class ShareFault extends Handle {
    static decode(scheme, data) {
      return wrap(ShareFault, wasm().EcdsaFault.decode(group(scheme), bytes(data, 'bytes')));
    }
    encode() {
      return open(this, ShareFault).encode();
    }
    get group() {
      return open(this, ShareFault).group();
    }
    get share() {
      return wrap(SignatureShare, open(this, ShareFault).share());
    }
    verify(key, deal, attested) {
      const parts = [open(key, GroupKey, 'key'), open(deal, Deal, 'deal')];
      callable(attested, 'attested');
      return verifiedCulprit(wasm, open(this, ShareFault).verify(...parts), attested);
    }
    toString() {
      return `ShareFault(${this.share})`;
    }
  }
  for (const Class of [SignatureShare, Opening, ShareFault]) Class.prototype.equals = equal(Class);

  return name({ SignatureShare, Opening, Signing, Combiner, ShareFault });
}
