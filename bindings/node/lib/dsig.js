'use strict';

const native = require('./native.js');
const { boolean, bytes, callable, list, optional, options, pair, suite, u16, u32, u64, u8 } = require('./check.js');
const { failure } = require('./errors.js');
const { makePublicKey, openPublicKey, openSecretKey } = require('./keys.js');
const { offThread } = require('./offthread.js');
const { sealed, shown } = require('./sealed.js');

const { maxMembers } = native.constants();

const signer = sealed('Signer');
const verifier = sealed('Verifier');
const auditor = sealed('Auditor');

/** A time for the native half: microseconds, by default of the system's clock. */
const time = (now = BigInt(Date.now()) * 1000n, what = 'now') => u64(now, what);
/** Members as u16; the native half rejects a list above its limit. */
const members = (value, what) => list(value, what, u16, maxMembers);
const announced = (made) => (made ? { to: made.to, announcement: made.announcement } : undefined);

// Hooks are called here, not by the native half, which would hold a lock and a borrow meanwhile: a hook that uses its
// own object would deadlock. They are called before bytes are read, because a hook could detach them, and before the
// clock is read, because a hook may be slow. Their exceptions propagate, and an answer of another type is an
// error.
const copyOf = (hook) => u64(hook(), 'the result of the detectCopies hook');
const isRevoked = (hook, key) => boolean(hook(key), 'the result of the checkRevocation hook');

class Signer extends signer.Sealed {
  #copies;
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
  detectCopies(hook) {
    const handle = signer.open(this, 'this');
    native.dsigSignerDetectCopies(handle, copyOf(callable(hook, 'hook')));
    this.#copies = hook;
  }
  /** Identifier of this copy of the machine, if there is a hook. */
  #copy() {
    const hook = this.#copies;
    return hook && copyOf(hook);
  }
  prepare(now) {
    const handle = signer.open(this, 'this');
    const copy = this.#copy();
    return announced(native.dsigSignerPrepare(handle, time(now), copy));
  }
  prepareAsync(now, given) {
    const begin = (flag) => {
      const handle = signer.open(this, 'this');
      const copy = this.#copy();
      return native.dsigSignerPrepareAsync(handle, time(now), copy, flag);
    };
    return offThread(given, begin, (made) => {
      // Throws if the signer was closed meanwhile: then the batch was wiped, or never generated.
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
    const copy = this.#copy();
    const at = time(now, 'options.now');
    return native.dsigSignerSign(handle, bytes(message, 'message'), likely, at, copy);
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
    this.#copies = undefined;
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
for (const key of ['free', Symbol.dispose].filter(Boolean)) Signer.prototype[key] = Signer.prototype.close;

class Verifier extends verifier.Sealed {
  #revocation;
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
  checkRevocation(hook) {
    verifier.open(this, 'this');
    this.#revocation = callable(hook, 'hook');
  }
  /** This object's handle, a key's handle, and whether the key is revoked. */
  #asked(key) {
    const handles = [verifier.open(this, 'this'), openPublicKey(key, 'signer')];
    const hook = this.#revocation;
    return [...handles, hook !== undefined && isRevoked(hook, key)];
  }
  announce(key, announcement, now) {
    const [handle, opened, revoked] = this.#asked(key);
    native.dsigVerifierAnnounce(handle, opened, bytes(announcement, 'announcement'), time(now), revoked);
  }
  announceAsync(key, announcement, now, given) {
    return offThread(given, (flag) => {
      const [handle, opened, revoked] = this.#asked(key);
      const parts = [bytes(announcement, 'announcement'), time(now), revoked, flag];
      return native.dsigVerifierAnnounceAsync(handle, opened, ...parts);
    });
  }
  canVerifyFast(key, signature) {
    const [handle, opened, revoked] = this.#asked(key);
    return native.dsigVerifierCanVerifyFast(handle, opened, bytes(signature, 'signature'), revoked);
  }
  verify(key, message, signature) {
    const [handle, opened, revoked] = this.#asked(key);
    native.dsigVerifierVerify(handle, opened, bytes(message, 'message'), bytes(signature, 'signature'), revoked);
  }
  toString() {
    return `Verifier(${this.suite})`;
  }
}

class Auditor extends auditor.Sealed {
  constructor(given) {
    const { suite: name, roots } = options(given);
    super(auditor.key, native.dsigAuditorNew(optional(suite)(name), optional(u32)(roots, 'options.roots')));
  }
  get suite() {
    return native.dsigAuditorSuite(auditor.open(this, 'this'));
  }
  check(key, message, signature) {
    const parts = [openPublicKey(key, 'signer'), bytes(message, 'message'), bytes(signature, 'signature')];
    native.dsigAuditorCheck(auditor.open(this, 'this'), ...parts);
  }
  toString() {
    return `Auditor(${this.suite})`;
  }
}

/** The suite's name, and the keys, messages and signatures. Bytes are read after all of the user's code has run. */
function log(name, entries) {
  const read = (value, what) => {
    if (!Array.isArray(value) || value.length !== 3) throw new TypeError(`${what} must be an array of three, not ${shown(value)}`);
    return [openPublicKey(value[0], `${what}[0]`), value[1], value[2]];
  };
  const [wanted, all] = [suite(name), list(entries, 'entries', read)];
  const column = (at) => all.map((entry, line) => bytes(entry[at], `entries[${line}][${at}]`));
  return [wanted, all.map(([key]) => key), column(1), column(2)];
}

const outcomes = (found) => found.map((outcome) => (typeof outcome === 'string' ? failure(outcome) : undefined));

const verifyAll = (name, entries) => outcomes(native.dsigVerifyAll(...log(name, entries)));

function verifyAllAsync(name, entries, given) {
  return offThread(given, (flag) => native.dsigVerifyAllAsync(...log(name, entries), flag), outcomes);
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

const SUITES = Object.freeze(native.dsigSuites());
const SIGNATURE_LEN = Object.freeze(Object.fromEntries(SUITES.map((name) => [name, native.dsigSignatureLen(name)])));

module.exports = {
  SUITES,
  SIGNATURE_LEN,
  Signer,
  Verifier,
  Auditor,
  verify,
  verifyAll,
  verifyAllAsync,
  reuse,
  verifyReuse,
};
