// Threshold BLS: signatures of shared keys.

import { bytes, callable, suite, u16 } from '../../dist/common/check.js';
import { Handle, TOKEN, hex, name, open, wrap } from '../handle.js';
import { Secret, agreement, verifiedCulprit, counts, equal } from './common.js';

export function sharedBlsApi(wasm, base) {
  const { CommitteeId, openCommitteeId, PublicKey, Signature, Threshold, Tolerance, shareOf } = base;

  class GroupKey extends Handle {
    static decode(scheme, data) {
      return wrap(GroupKey, wasm().SharedKey.decode(suite(scheme), bytes(data, 'bytes')));
    }
    encode() {
      return open(this, GroupKey).encode();
    }
    get suite() {
      return open(this, GroupKey).suite();
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
    get threshold() {
      return wrap(Threshold, open(this, GroupKey).threshold());
    }
    get public() {
      return wrap(PublicKey, open(this, GroupKey).public());
    }
    party(member) {
      return wrap(PublicKey, open(this, GroupKey).party(u16(member, 'member')));
    }
    toString() {
      return `GroupKey(${this.suite}, ${hex(this.id)})`;
    }
  }

  class KeyShare extends Secret {
    static fromBytes(scheme, data) {
      return wrap(KeyShare, wasm().SharedKeyShare.from_bytes(suite(scheme), bytes(data, 'bytes')));
    }
    toBytes() {
      return open(this, KeyShare).to_bytes();
    }
    get suite() {
      return open(this, KeyShare).suite();
    }
    get member() {
      return open(this, KeyShare).member();
    }
    get key() {
      return wrap(GroupKey, open(this, KeyShare).key());
    }
    sign(message) {
      return wrap(SignatureShare, open(this, KeyShare).sign(bytes(message, 'message')));
    }
    toString() {
      return this.closed ? 'KeyShare(closed)' : `KeyShare(${this.suite}, member ${this.member})`;
    }
  }

  class SignatureShare extends Handle {
    static decode(scheme, data) {
      return wrap(SignatureShare, wasm().SharedSignatureShare.decode(suite(scheme), bytes(data, 'bytes')));
    }
    encode() {
      return open(this, SignatureShare).encode();
    }
    get suite() {
      return open(this, SignatureShare).suite();
    }
    get member() {
      return open(this, SignatureShare).member();
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
      return `SignatureShare(${this.suite}, member ${this.member})`;
    }
  }

  class Combiner extends Handle {
    constructor(key, message, cache) {
      const parts = [open(key, GroupKey, 'key'), bytes(message, 'message')];
      super(TOKEN, wasm().SharedCombiner.new(...parts, shareOf(cache)));
    }
    add(from, share) {
      const raw = open(this, Combiner).add(u16(from, 'from'), open(share, SignatureShare, 'share'));
      const [signature, culprits] = [wrap(Signature, raw.signature()), raw.culprits()];
      const faults = raw.evidence().map((proof, i) => ({ culprit: culprits[i], evidence: wrap(ShareFault, proof) }));
      return { signature, faults };
    }
    get signature() {
      return wrap(Signature, open(this, Combiner).signature());
    }
    get counts() {
      return counts(open(this, Combiner).counts());
    }
    toString() {
      return `Combiner(done: ${this.signature !== undefined})`;
    }
  }

  class ShareFault extends Handle {
    static decode(scheme, data) {
      return wrap(ShareFault, wasm().SharedFault.decode(suite(scheme), bytes(data, 'bytes')));
    }
    encode() {
      return open(this, ShareFault).encode();
    }
    get suite() {
      return open(this, ShareFault).suite();
    }
    get share() {
      return wrap(SignatureShare, open(this, ShareFault).share());
    }
    verify(key, attested) {
      const of = open(key, GroupKey, 'key');
      callable(attested, 'attested');
      return verifiedCulprit(wasm, open(this, ShareFault).verify(of), attested);
    }
    toString() {
      return `ShareFault(${this.share})`;
    }
  }
  for (const Class of [GroupKey, SignatureShare, ShareFault]) Class.prototype.equals = equal(Class);

  return Object.freeze({
    deal(scheme, committee, tolerance, of) {
      const parts = [suite(scheme), openCommitteeId(committee, 'committee'), open(tolerance, Tolerance, 'tolerance')];
      return wasm().shared_bls_deal(...parts, agreement(of)).map((share) => wrap(KeyShare, share));
    },
    beacon: (signature) => wasm().shared_bls_beacon(open(signature, Signature, 'signature')),
    ...name({ GroupKey, KeyShare, SignatureShare, Combiner, ShareFault }),
  });
}
