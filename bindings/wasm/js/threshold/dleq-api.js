// Common parts of threshold encryption and the coin. `dleqApi` creates the classes of one of them.

import { bytes, u16 } from '../../dist/common/check.js';
import { Handle, hex, open, wrap } from '../handle.js';
import { Secret, equal, fill } from './common.js';

/**
 * The classes of one purpose.
 *
 * - `isCoin`: selects the purpose in the module.
 * - `share`: the name of a share's class; `makes`: the method of a key share that creates one.
 * - `what`: the name of the instance in errors; `of()` is its class.
 */
export function dleqApi(wasm, { openCommitteeId, CommitteeId, Threshold }, { isCoin, share: shareName, makes, what, of }) {
  const openOf = (value) => open(value, of(), what);

  /** Works with the instance that shares are verified for. */
  function withInstance(value, work) {
    const instance = openOf(value).instance();
    try {
      return work(instance);
    } finally {
      instance.free();
    }
  }

  class PublicKeys extends Handle {
    static deal(committee, threshold) {
      const parts = [openCommitteeId(committee, 'committee'), open(threshold, Threshold, 'threshold')];
      const dealt = wasm().DleqDealt.deal(isCoin, ...parts);
      const keys = wrap(PublicKeys, dealt.keys());
      return { keys, shares: dealt.shares().map((secret) => wrap(KeyShare, secret)) };
    }
    static decode(data) {
      return wrap(PublicKeys, wasm().DleqKeys.decode(isCoin, bytes(data, 'bytes')));
    }
    encode() {
      return open(this, PublicKeys).encode();
    }
    precomputed() {
      return wrap(PublicKeys, open(this, PublicKeys).precomputed());
    }
    get committee() {
      return CommitteeId.fromBytes(open(this, PublicKeys).committee());
    }
    get threshold() {
      return wrap(Threshold, open(this, PublicKeys).threshold());
    }
    get key() {
      return open(this, PublicKeys).key();
    }
    verificationKey(member) {
      return open(this, PublicKeys).verification_key(u16(member, 'member'));
    }
    verifyShare(value, one) {
      const raw = open(this, PublicKeys);
      openOf(value);
      const part = open(one, Share, 'share');
      return wrap(VerifiedShare, withInstance(value, (instance) => raw.verify_share(instance, part)));
    }
    verifyShares(value, shares) {
      open(this, PublicKeys);
      openOf(value);
      const all = fill(wasm().DleqShares.empty(), shares, 'shares', (one, name) => open(one, Share, name));
      const checked = withInstance(value, (instance) => open(this, PublicKeys).verify_shares(instance, all));
      const faults = checked.faults().map(fault);
      return { verified: checked.verified().map((one) => wrap(VerifiedShare, one)), faults };
    }
    toString() {
      const { threshold, committee } = this;
      return `PublicKeys(${isCoin ? 'coin' : 'tdh2'}, ${threshold.needed} of ${threshold.parties}, ${committee})`;
    }
  }

  class KeyShare extends Secret {
    static fromBytes(data) {
      return wrap(KeyShare, wasm().DleqKeyShare.from_bytes(isCoin, bytes(data, 'bytes')));
    }
    toBytes() {
      return open(this, KeyShare).to_bytes();
    }
    get member() {
      return open(this, KeyShare).member();
    }
    get committee() {
      return CommitteeId.fromBytes(open(this, KeyShare).committee());
    }
    get verificationKey() {
      return open(this, KeyShare).verification_key();
    }
    check(keys) {
      open(this, KeyShare).check(open(keys, PublicKeys, 'keys'));
    }
    [makes](value) {
      const raw = open(this, KeyShare);
      return wrap(Share, openOf(value).share(raw));
    }
    toString() {
      return this.closed ? 'KeyShare(closed)' : `KeyShare(${isCoin ? 'coin' : 'tdh2'}, member ${this.member} of ${this.committee})`;
    }
  }

  class Share extends Handle {
    static decode(data) {
      return wrap(Share, wasm().DleqShare.decode(isCoin, bytes(data, 'bytes')));
    }
    encode() {
      return open(this, Share).encode();
    }
    get member() {
      return open(this, Share).member();
    }
    toString() {
      return `${shareName}(member ${this.member})`;
    }
  }

  class VerifiedShare extends Handle {
    get member() {
      return open(this, VerifiedShare).member();
    }
    toString() {
      return `VerifiedShare(member ${this.member})`;
    }
  }

  class WrongShare extends Handle {
    static decode(data) {
      return wrap(WrongShare, wasm().DleqWrong.decode(isCoin, bytes(data, 'bytes')));
    }
    encode() {
      return open(this, WrongShare).encode();
    }
    verify(keys) {
      return open(this, WrongShare).verify(open(keys, PublicKeys, 'keys'));
    }
    toString() {
      return `WrongShare(${hex(this.encode())})`;
    }
  }
  for (const Class of [PublicKeys, Share, WrongShare]) Class.prototype.equals = equal(Class);

  /** A fault as the union of the public interface. */
  function fault(raw) {
    const [member, evidence] = [raw.member(), wrap(WrongShare, raw.evidence())];
    const forged = wrap(Share, raw.share());
    return evidence ? { kind: 'proven', member, evidence } : { kind: 'forged', member, share: forged };
  }
  const verifiedList = (shares) =>
    fill(wasm().DleqVerifiedShares.empty(), shares, 'shares', (one, name) => open(one, VerifiedShare, name));

  const classes = { PublicKeys, KeyShare, [shareName]: Share, VerifiedShare, WrongShare };
  return { classes, PublicKeys, Share, fault, verifiedList };
}
