// One-time keys that Ed25519 signs in batches; `wasm()` gives the module's exports, as in full-api.js.

import { bytes, list, optional, options, pair, suite, u16, u32, u64, u8 } from './check.js';
import { MAX_MEMBERS } from './constants.js';
import { Handle, TOKEN, isOpen, name, open, take, wrap } from './handle.js';

/** A time in microseconds: that of the page's clock, if the user gives none. The module has no clock. */
const time = (now = BigInt(Date.now()) * 1000n, what = 'now') => u64(now, what);
/** More are refused by the module. */
const members = (value, what) => Uint16Array.from(list(value, what, u16, MAX_MEMBERS));

function announced(raw) {
  if (raw === undefined) return undefined;
  const to = raw.to();
  return { to: to && Array.from(to), announcement: raw.announcement() };
}

export function dsigApi(wasm, { SecretKey, PublicKey }) {
  const openKey = (key) => open(key, PublicKey, 'signer');

  class Signer extends Handle {
    constructor(secret, given) {
      super(TOKEN, Signer.#of(secret, given));
    }
    static #of(secret, given) {
      open(secret, SecretKey, 'secret');
      const { suite: scheme, groups = [], log2Batch, lowWater, lifetime } = options(given);
      const parts = [
        optional(u8)(log2Batch, 'options.log2Batch'),
        optional(u32)(lowWater, 'options.lowWater'),
        optional(u64)(lifetime, 'options.lifetime'),
      ];
      const [wanted, sets] = [optional(suite)(scheme), list(groups, 'options.groups', members, MAX_MEMBERS)];
      const key = take(secret, SecretKey, 'secret');
      const raw = wasm().DsigGroups.empty();
      try {
        for (const set of sets) raw.add(set);
      } catch (error) {
        raw.free();
        key.free();
        throw error;
      }
      return wasm().DsigSigner.of(key, wanted, raw, ...parts);
    }
    prepare(now) {
      return announced(open(this, Signer).prepare(time(now)));
    }
    announcements() {
      return open(this, Signer).announcements().map(announced);
    }
    sign(message, given) {
      open(this, Signer);
      const { hint = [], now } = options(given);
      const [likely, at] = [members(hint, 'options.hint'), time(now, 'options.now')];
      return open(this, Signer).sign(bytes(message, 'message'), likely, at);
    }
    get suite() {
      return open(this, Signer).suite();
    }
    get publicKey() {
      return wrap(PublicKey, open(this, Signer).public_key());
    }
    get ready() {
      return open(this, Signer).ready();
    }
    invalidate() {
      open(this, Signer).invalidate();
    }
    close() {
      if (isOpen(this, Signer)) this.free();
    }
    get closed() {
      return !isOpen(this, Signer);
    }
    toString() {
      return this.closed ? 'Signer(closed)' : `Signer(${this.suite}, ${this.ready} keys ready)`;
    }
    toJSON() {
      return this.toString();
    }
  }

  class Verifier extends Handle {
    constructor(given) {
      super(TOKEN, Verifier.#of(given));
    }
    static #of(given) {
      const { suite: scheme, announced: batches, checked, burst, interval } = options(given);
      return wasm().DsigVerifier.of(
        optional(suite)(scheme),
        optional(u32)(batches, 'options.announced'),
        optional(u32)(checked, 'options.checked'),
        optional(u32)(burst, 'options.burst'),
        optional(u64)(interval, 'options.interval'),
      );
    }
    get suite() {
      return open(this, Verifier).suite();
    }
    admit(signer) {
      open(this, Verifier).admit(openKey(signer));
    }
    revoke(signer) {
      return open(this, Verifier).revoke(openKey(signer));
    }
    announce(signer, announcement, now) {
      open(this, Verifier).announce(openKey(signer), bytes(announcement, 'announcement'), time(now));
    }
    canVerifyFast(signer, signature) {
      return open(this, Verifier).can_verify_fast(openKey(signer), bytes(signature, 'signature'));
    }
    verify(signer, message, signature) {
      open(this, Verifier).verify(openKey(signer), bytes(message, 'message'), bytes(signature, 'signature'));
    }
    toString() {
      return `Verifier(${this.suite})`;
    }
  }

  return Object.freeze({
    get SUITES() {
      return Object.freeze(wasm().dsig_suites());
    },
    verify(signer, message, signature) {
      wasm().dsig_verify(openKey(signer), bytes(message, 'message'), bytes(signature, 'signature'));
    },
    reuse(signer, first, second) {
      const key = openKey(signer);
      const parts = [...pair(first, 'first', bytes, bytes), ...pair(second, 'second', bytes, bytes)];
      return wasm().dsig_reuse(key, ...parts);
    },
    verifyReuse: (scheme, evidence) =>
      wrap(PublicKey, wasm().dsig_verify_reuse(suite(scheme), bytes(evidence, 'evidence'))),
    ...name({ Signer, Verifier }),
  });
}
