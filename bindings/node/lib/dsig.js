'use strict';

const native = require('./native.js');
const { bytes, list, optional, options, pair, suite, u16, u32, u64, u8 } = require('./check.js');
const { makePublicKey, openPublicKey, openSecretKey } = require('./keys.js');
const { offThread } = require('./offthread.js');
const { sealed } = require('./sealed.js');

const { maxMembers } = native.constants();

const signer = sealed('Signer');
const verifier = sealed('Verifier');

/** What the native half takes for a time: microseconds of the system's clock, if the user gives none. */
const time = (now = BigInt(Date.now()) * 1000n, what = 'now') => u64(now, what);
/** More are refused by the native half. */
const members = (value, what) => list(value, what, u16, maxMembers);
const announced = (made) => (made ? { to: made.to, announcement: made.announcement } : undefined);

class Signer extends signer.Sealed {
  constructor(secret, given) {
    const key = openSecretKey(secret, 'secret');
    const { suite: name, groups = [], log2Batch, lowWater, lifetime } = options(given);
    const parts = [
      optional(suite)(name),
      list(groups, 'options.groups', members, maxMembers),
      optional(u8)(log2Batch, 'options.log2Batch'),
      optional(u32)(lowWater, 'options.lowWater'),
      optional(u64)(lifetime, 'options.lifetime'),
    ];
    super(signer.key, native.dsigSignerNew(key, ...parts));
  }
  prepare(now) {
    return announced(native.dsigSignerPrepare(signer.open(this, 'this'), time(now)));
  }
  prepareAsync(now, given) {
    const begin = (flag) => native.dsigSignerPrepareAsync(signer.open(this, 'this'), time(now), flag);
    return offThread(given, begin, (made) => {
      // Throws if the signer was closed in the meantime: then the batch was wiped, or was never made.
      native.dsigSignerReady(signer.open(this, 'this'));
      return announced(made);
    });
  }
  announcements() {
    return native.dsigSignerAnnouncements(signer.open(this, 'this')).map(announced);
  }
  sign(message, given) {
    const handle = signer.open(this, 'this');
    const { hint = [], now } = options(given);
    const likely = members(hint, 'options.hint');
    const at = time(now, 'options.now');
    return native.dsigSignerSign(handle, bytes(message, 'message'), likely, at);
  }
  get suite() {
    return native.dsigSignerSuite(signer.open(this, 'this'));
  }
  get publicKey() {
    return makePublicKey(native.dsigSignerPublicKey(signer.open(this, 'this')));
  }
  get ready() {
    return native.dsigSignerReady(signer.open(this, 'this'));
  }
  invalidate() {
    native.dsigSignerInvalidate(signer.open(this, 'this'));
  }
  close() {
    native.dsigSignerClose(signer.open(this, 'this'));
  }
  get closed() {
    return native.dsigSignerClosed(signer.open(this, 'this'));
  }
  toString() {
    return this.closed ? 'Signer(closed)' : `Signer(${this.suite}, ${this.ready} keys ready)`;
  }
  toJSON() {
    return this.toString();
  }
}
if (Symbol.dispose) Signer.prototype[Symbol.dispose] = Signer.prototype.close;

class Verifier extends verifier.Sealed {
  constructor(given) {
    const { suite: name, announced: batches, checked, burst, interval } = options(given);
    const parts = [
      optional(suite)(name),
      optional(u32)(batches, 'options.announced'),
      optional(u32)(checked, 'options.checked'),
      optional(u32)(burst, 'options.burst'),
      optional(u64)(interval, 'options.interval'),
    ];
    super(verifier.key, native.dsigVerifierNew(...parts));
  }
  get suite() {
    return native.dsigVerifierSuite(verifier.open(this, 'this'));
  }
  admit(key) {
    native.dsigVerifierAdmit(verifier.open(this, 'this'), openPublicKey(key, 'signer'));
  }
  revoke(key) {
    return native.dsigVerifierRevoke(verifier.open(this, 'this'), openPublicKey(key, 'signer'));
  }
  announce(key, announcement, now) {
    const parts = [openPublicKey(key, 'signer'), bytes(announcement, 'announcement'), time(now)];
    native.dsigVerifierAnnounce(verifier.open(this, 'this'), ...parts);
  }
  announceAsync(key, announcement, now, given) {
    return offThread(given, (flag) => {
      const parts = [openPublicKey(key, 'signer'), bytes(announcement, 'announcement'), time(now), flag];
      return native.dsigVerifierAnnounceAsync(verifier.open(this, 'this'), ...parts);
    });
  }
  canVerifyFast(key, signature) {
    const parts = [openPublicKey(key, 'signer'), bytes(signature, 'signature')];
    return native.dsigVerifierCanVerifyFast(verifier.open(this, 'this'), ...parts);
  }
  verify(key, message, signature) {
    const parts = [openPublicKey(key, 'signer'), bytes(message, 'message'), bytes(signature, 'signature')];
    native.dsigVerifierVerify(verifier.open(this, 'this'), ...parts);
  }
  toString() {
    return `Verifier(${this.suite})`;
  }
}

function verify(key, message, signature) {
  native.dsigVerify(openPublicKey(key, 'signer'), bytes(message, 'message'), bytes(signature, 'signature'));
}

function reuse(key, first, second) {
  const parts = [...pair(first, 'first', bytes, bytes), ...pair(second, 'second', bytes, bytes)];
  return native.dsigReuse(openPublicKey(key, 'signer'), ...parts);
}

const verifyReuse = (name, evidence) =>
  makePublicKey(native.dsigVerifyReuse(suite(name), bytes(evidence, 'evidence')));

module.exports = { SUITES: Object.freeze(native.dsigSuites()), Signer, Verifier, verify, reuse, verifyReuse };
