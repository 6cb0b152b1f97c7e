'use strict';
// Threshold ECDSA: the dealer.

const native = require('../shared.js').native;
const { bytes, u64 } = require('../shared.js').check;
const { openCommitteeId } = require('../shared.js');
const { offThread } = require('../shared.js');
const { sealed } = require('../sealed.js');
const { closes, openTolerance } = require('./common.js');
const { group, makeGroupKey, openPlan } = require('./deal.js');
const { makePresignatures } = require('./presignatures.js');

const trustedDealer = sealed('TrustedDealer');

class TrustedDealer extends trustedDealer.Sealed {
  constructor(name, committee, tolerance) {
    const parts = [group(name), openCommitteeId(committee, 'committee'), openTolerance(tolerance, 'tolerance')];
    super(trustedDealer.key, native.ecdsaDealerNew(...parts));
  }
  static fromBytes(name, committee, tolerance, secret) {
    const parts = [group(name), openCommitteeId(committee, 'committee'), openTolerance(tolerance, 'tolerance')];
    return trustedDealer.make(TrustedDealer, native.ecdsaDealerFromBytes(...parts, bytes(secret, 'secret')));
  }
  toBytes() {
    return native.ecdsaDealerToBytes(trustedDealer.open(this, 'this'));
  }
  get key() {
    return makeGroupKey(native.ecdsaDealerKey(trustedDealer.open(this, 'this')));
  }
  deal(epoch, of) {
    const parts = [u64(epoch, 'epoch'), openPlan(of, 'plan')];
    return native.ecdsaDealerDeal(trustedDealer.open(this, 'this'), ...parts).map(makePresignatures);
  }
  dealAsync(epoch, of, options) {
    const begin = (flag) => {
      const parts = [u64(epoch, 'epoch'), openPlan(of, 'plan'), flag];
      return native.ecdsaDealerDealAsync(trustedDealer.open(this, 'this'), ...parts);
    };
    return offThread(options, begin, (parties) => parties.map(makePresignatures));
  }
  close() {
    native.ecdsaDealerClose(trustedDealer.open(this, 'this'));
  }
  get closed() {
    return native.ecdsaDealerClosed(trustedDealer.open(this, 'this'));
  }
  toString() {
    return `TrustedDealer(${this.closed ? 'closed' : this.key.group})`;
  }
}
closes(TrustedDealer);

module.exports = { classes: { TrustedDealer } };
