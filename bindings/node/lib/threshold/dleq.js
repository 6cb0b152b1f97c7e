'use strict';
// Common parts of threshold encryption and the coin. `dleq` creates the classes of one of them.

const native = require('../shared.js').native;
const { bytes, list, u16 } = require('../shared.js').check;
const { hex } = require('../shared.js');
const { makeCommitteeId, openCommitteeId } = require('../shared.js');
const { offThread } = require('../shared.js');
const { sealed } = require('../sealed.js');
const { closes, equal, makeThreshold, openThreshold } = require('./common.js');

/**
 * The classes of one purpose.
 *
 * - `isCoin`: selects the purpose in the native half.
 * - `share`: the name of a share's class; `makes`: the method of a key share that creates one, by the native `prove`.
 * - `what`, `open`, `instance`: the instance of the shares, its handle, and the part that the native half verifies
 *   shares for.
 */
function dleq({ isCoin, share: shareName, makes, prove, what, open, instance }) {
  const publicKeys = sealed('PublicKeys');
  const keyShare = sealed('KeyShare');
  const share = sealed(shareName);
  const verifiedShare = sealed('VerifiedShare');
  const wrongShare = sealed('WrongShare');

  const openInstance = (value) => instance(open(value, what));
  const openShares = (values) => list(values, 'shares', share.open);

  class PublicKeys extends publicKeys.Sealed {
    static deal(committee, threshold) {
      const parts = [openCommitteeId(committee, 'committee'), openThreshold(threshold, 'threshold')];
      return dealt(native.dleqDeal(isCoin, ...parts));
    }
    static dealAsync(committee, threshold, options) {
      const begin = (flag) => {
        const parts = [openCommitteeId(committee, 'committee'), openThreshold(threshold, 'threshold')];
        return native.dleqDealAsync(isCoin, ...parts, flag);
      };
      return offThread(options, begin, dealt);
    }
    static decode(data) {
      return makeKeys(native.dleqKeysDecode(isCoin, bytes(data, 'bytes')));
    }
    encode() {
      return native.dleqKeysEncode(publicKeys.open(this, 'this'));
    }
    precomputed() {
      return makeKeys(native.dleqKeysPrecomputed(publicKeys.open(this, 'this')));
    }
    get committee() {
      return makeCommitteeId(native.dleqKeysInfo(publicKeys.open(this, 'this')).committee);
    }
    get threshold() {
      return makeThreshold(native.dleqKeysInfo(publicKeys.open(this, 'this')).threshold);
    }
    get key() {
      return native.dleqKeysInfo(publicKeys.open(this, 'this')).key;
    }
    verificationKey(member) {
      return native.dleqKeysVerificationKey(publicKeys.open(this, 'this'), u16(member, 'member')) ?? undefined;
    }
    verifyShare(of, one) {
      const parts = [publicKeys.open(this, 'this'), openInstance(of), share.open(one, 'share')];
      return makeVerified(native.dleqVerifyShare(...parts));
    }
    verifyShares(of, shares) {
      const parts = [publicKeys.open(this, 'this'), openInstance(of), openShares(shares)];
      return checked(native.dleqVerifyShares(...parts));
    }
    verifySharesAsync(of, shares, options) {
      const begin = (flag) => {
        const parts = [publicKeys.open(this, 'this'), openInstance(of), openShares(shares)];
        return native.dleqVerifySharesAsync(...parts, flag);
      };
      return offThread(options, begin, checked);
    }
    toString() {
      const { threshold, committee } = this;
      return `PublicKeys(${isCoin ? 'coin' : 'tdh2'}, ${threshold.needed} of ${threshold.parties}, ${committee})`;
    }
  }
  PublicKeys.prototype.equals = equal(publicKeys.open, native.dleqKeysEncode);
  const makeKeys = (handle) => publicKeys.make(PublicKeys, handle);
  const dealt = ({ keys, shares }) => ({ keys: makeKeys(keys), shares: shares.map(makeKeyShare) });

  class KeyShare extends keyShare.Sealed {
    static fromBytes(data) {
      return makeKeyShare(native.dleqKeyShareFromBytes(isCoin, bytes(data, 'bytes')));
    }
    toBytes() {
      return native.dleqKeyShareToBytes(keyShare.open(this, 'this'));
    }
    get member() {
      return native.dleqKeyShareInfo(keyShare.open(this, 'this')).member;
    }
    get committee() {
      return makeCommitteeId(native.dleqKeyShareInfo(keyShare.open(this, 'this')).committee);
    }
    get verificationKey() {
      return native.dleqKeyShareInfo(keyShare.open(this, 'this')).verificationKey;
    }
    check(keys) {
      native.dleqKeyShareCheck(keyShare.open(this, 'this'), publicKeys.open(keys, 'keys'));
    }
    [makes](of) {
      return makeShare(prove(keyShare.open(this, 'this'), open(of, what)));
    }
    close() {
      native.dleqKeyShareClose(keyShare.open(this, 'this'));
    }
    get closed() {
      return native.dleqKeyShareClosed(keyShare.open(this, 'this'));
    }
    toString() {
      return this.closed ? 'KeyShare(closed)' : `KeyShare(${isCoin ? 'coin' : 'tdh2'}, member ${this.member} of ${this.committee})`;
    }
  }
  closes(KeyShare);
  const makeKeyShare = (handle) => keyShare.make(KeyShare, handle);

  const Share = {
    [shareName]: class extends share.Sealed {
      static decode(data) {
        return makeShare(native.dleqShareDecode(isCoin, bytes(data, 'bytes')));
      }
      encode() {
        return native.dleqShareEncode(share.open(this, 'this'));
      }
      get member() {
        return native.dleqShareMember(share.open(this, 'this'));
      }
      toString() {
        return `${shareName}(member ${this.member})`;
      }
    },
  }[shareName];
  Share.prototype.equals = equal(share.open, native.dleqShareEncode);
  const makeShare = (handle) => share.make(Share, handle);

  class VerifiedShare extends verifiedShare.Sealed {
    get member() {
      return native.dleqVerifiedMember(verifiedShare.open(this, 'this'));
    }
    toString() {
      return `VerifiedShare(member ${this.member})`;
    }
  }
  const makeVerified = (handle) => verifiedShare.make(VerifiedShare, handle);

  class WrongShare extends wrongShare.Sealed {
    static decode(data) {
      return makeWrong(native.dleqWrongDecode(isCoin, bytes(data, 'bytes')));
    }
    encode() {
      return native.dleqWrongEncode(wrongShare.open(this, 'this'));
    }
    verify(keys) {
      return native.dleqWrongVerify(wrongShare.open(this, 'this'), publicKeys.open(keys, 'keys'));
    }
    toString() {
      return `WrongShare(${hex(this.encode())})`;
    }
  }
  WrongShare.prototype.equals = equal(wrongShare.open, native.dleqWrongEncode);
  const makeWrong = (handle) => wrongShare.make(WrongShare, handle);

  /** A fault as the union of the public interface. */
  function fault({ member, evidence, share: forged }) {
    if (evidence) return { kind: 'proven', member, evidence: makeWrong(evidence) };
    return { kind: 'forged', member, share: makeShare(forged) };
  }
  const checked = ({ verified, faults }) => ({ verified: verified.map(makeVerified), faults: faults.map(fault) });

  return {
    classes: { PublicKeys, KeyShare, [shareName]: Share, VerifiedShare, WrongShare },
    openKeys: publicKeys.open,
    openShare: share.open,
    openVerified: verifiedShare.open,
    fault,
  };
}

module.exports = { dleq };
