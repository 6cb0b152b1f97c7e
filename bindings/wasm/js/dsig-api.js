// One-time keys that Ed25519 signs in batches; `wasm()` returns the module's exports, as in full-api.js.

import { MAX_BYTES, boolean, bytes, callable, list, optional, options, pair, shown, suite, u16, u32, u64, u8 } from './check.js';
import { MAX_MEMBERS } from './constants.js';
import { tooLarge } from './errors.js';
import { Handle, TOKEN, isOpen, name, open, take, wrap } from './handle.js';

/** A time in microseconds, by default of the page's clock. The module has no clock. */
const time = (now = BigInt(Date.now()) * 1000n, what = 'now') => u64(now, what);
/** Members as u16; the module rejects a list above its limit. */
const members = (value, what) => Uint16Array.from(list(value, what, u16, MAX_MEMBERS));

function announced(raw) {
  if (raw === undefined) return undefined;
  const to = raw.to();
  return { to: to && Array.from(to), announcement: raw.announcement() };
}

// Hooks are called here, not by the module, which is not reentrant. They are called before handles and bytes are read,
// because a hook could free or detach them, and before the clock is read, because a hook may be slow. Their
// exceptions propagate, and an answer of another type is an error.
const copyOf = (hook) => u64(hook(), 'the result of the detectCopies hook');
const isRevoked = (hook, key) => boolean(hook(key), 'the result of the checkRevocation hook');

export function dsigApi(wasm, { SecretKey, PublicKey }) {
  const openKey = (key) => open(key, PublicKey, 'signer');

  class Signer extends Handle {
    #copies;
    constructor(secret, given) {
      super(TOKEN, Signer.#parse(secret, given));
    }
    static #parse(secret, given) {
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
      return wasm().DsigSigner.new(key, wanted, raw, ...parts);
    }
    detectCopies(hook) {
      open(this, Signer);
      const copy = copyOf(callable(hook, 'hook'));
      open(this, Signer).detect_copies(copy);
      this.#copies = hook;
    }
    /** Identifier of this copy of the machine, if there is a hook. */
    #copy() {
      open(this, Signer);
      const hook = this.#copies;
      return hook && copyOf(hook);
    }
    prepare(now) {
      const copy = this.#copy();
      return announced(open(this, Signer).prepare(time(now), copy));
    }
    announcements() {
      return open(this, Signer).announcements().map(announced);
    }
    sign(message, given) {
      open(this, Signer);
      const { hint = [], now } = options(given);
      const likely = members(hint, 'options.hint');
      const copy = this.#copy();
      const at = time(now, 'options.now');
      return open(this, Signer).sign(bytes(message, 'message'), likely, at, copy);
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
    #revocation;
    constructor(given) {
      super(TOKEN, Verifier.#parse(given));
    }
    static #parse(given) {
      const { suite: scheme, announced: batches, checked, burst, interval } = options(given);
      return wasm().DsigVerifier.new(
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
    checkRevocation(hook) {
      open(this, Verifier);
      this.#revocation = callable(hook, 'hook');
    }
    /** This object's handle, a key's handle, and whether the key is revoked. */
    #asked(signer) {
      const handles = () => [open(this, Verifier), openKey(signer)];
      const opened = handles();
      const hook = this.#revocation;
      if (hook === undefined) return [...opened, false];
      const revoked = isRevoked(hook, signer);
      return [...handles(), revoked];
    }
    announce(signer, announcement, now) {
      const [raw, key, revoked] = this.#asked(signer);
      raw.announce(key, bytes(announcement, 'announcement'), time(now), revoked);
    }
    canVerifyFast(signer, signature) {
      const [raw, key, revoked] = this.#asked(signer);
      return raw.can_verify_fast(key, bytes(signature, 'signature'), revoked);
    }
    verify(signer, message, signature) {
      const [raw, key, revoked] = this.#asked(signer);
      raw.verify(key, bytes(message, 'message'), bytes(signature, 'signature'), revoked);
    }
    toString() {
      return `Verifier(${this.suite})`;
    }
  }

  class Auditor extends Handle {
    constructor(given) {
      super(TOKEN, Auditor.#parse(given));
    }
    static #parse(given) {
      const { suite: scheme, roots } = options(given);
      return wasm().DsigAuditor.new(optional(suite)(scheme), optional(u32)(roots, 'options.roots'));
    }
    get suite() {
      return open(this, Auditor).suite();
    }
    check(signer, message, signature) {
      open(this, Auditor).check(openKey(signer), bytes(message, 'message'), bytes(signature, 'signature'));
    }
    toString() {
      return `Auditor(${this.suite})`;
    }
  }

  /** The entries of a log. Handles and bytes are read after all of the user's code has run. */
  function log(entries) {
    const read = (value, what) => {
      if (!Array.isArray(value) || value.length !== 3) throw new TypeError(`${what} must be an array of three, not ${shown(value)}`);
      return [value[0], value[1], value[2]];
    };
    const lines = list(entries, 'entries', read).map(([signer, message, signature], line) => [
      open(signer, PublicKey, `entries[${line}][0]`),
      bytes(message, `entries[${line}][1]`),
      bytes(signature, `entries[${line}][2]`),
    ]);
    const total = lines.reduce((sum, [, message, signature]) => sum + message.length + signature.length, 0);
    if (total > MAX_BYTES) throw tooLarge('entries', MAX_BYTES);
    return lines;
  }

  return Object.freeze({
    get SUITES() {
      return Object.freeze(wasm().dsig_suites());
    },
    get SIGNATURE_LEN() {
      return Object.freeze(Object.fromEntries(wasm().dsig_suites().map((scheme) => [scheme, wasm().dsig_signature_len(scheme)])));
    },
    verifyAll(scheme, entries) {
      const [wanted, lines] = [suite(scheme), log(entries)];
      const raw = wasm().DsigEntries.empty();
      try {
        for (const line of lines) raw.add(...line);
      } catch (error) {
        raw.free();
        throw error;
      }
      return raw.verify(wanted);
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
    ...name({ Signer, Verifier, Auditor }),
  });
}
