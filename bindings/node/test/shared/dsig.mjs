// DSig through a package: signer and verifier together, and invalid arguments. Each entry is a test of its own;
// `assert` is a parameter so that browsers can run them too. `text` is the package's dsig.d.ts.

import { NOT_BYTES, NOT_OBJECTS, detached, endless, refusals } from './refusals.mjs';

const NOW = 1_000_000n;
/** Long enough for any busy machine. */
export const HOUR = 3_600_000_000n;

const utf8 = (string) => new TextEncoder().encode(string);

/** A signer with one batch of two keys, a verifier that received its announcement, and the announcement. */
export function pair(q, options) {
  const signer = new q.dsig.Signer(q.SecretKey.generate('ed25519'), { log2Batch: 1, lowWater: 1, ...options });
  const verifier = new q.dsig.Verifier({ suite: signer.suite });
  const alice = signer.publicKey();
  verifier.admit(alice);
  const { announcement } = signer.prepare(NOW);
  verifier.announce(alice, announcement, NOW);
  return { signer, verifier, alice, announcement };
}

export function dsigTests(q, assert, text) {
  const { Signer, Verifier, SUITES, reuse, verify, verifyReuse } = q.dsig;
  const secret = (suite = 'ed25519') => q.SecretKey.generate(suite);
  const { type, range, code } = refusals(q, assert);
  const message = utf8('SET a 1');

  return {
    'the list of suites'() {
      assert.throws(() => {
        q.dsig.SUITES = [];
      }, TypeError);
      assert.ok(Object.isFrozen(SUITES));
      for (const suite of SUITES) assert.ok(text.includes(`'${suite}'`), suite);
    },
    'a closed signer'() {
      const given = secret();
      code(() => new Signer(given, { suite: 'rsa' }), 'WRONG_CONTEXT');
      assert.equal(given.closed, true);
      const signer = new Signer(secret(), { groups: [[3, 1, 3], new Set([1, 2, 3])] });
      signer.close();
      assert.deepEqual([signer.closed, String(signer), JSON.stringify(signer)], [true, 'Signer(closed)', '"Signer(closed)"']);
      if (Symbol.dispose) signer[Symbol.dispose]();
    },
    'wrong types'() {
      const { signer, verifier, alice } = pair(q);
      const signature = signer.sign(message, { now: NOW });
      for (const value of NOT_BYTES) {
        type(() => signer.sign(value), /^message must be a Uint8Array/);
        type(() => verifier.announce(alice, value), /^announcement must be a Uint8Array/);
        type(() => verifier.canVerifyFast(alice, value), /^signature must be a Uint8Array/);
        type(() => verifier.verify(alice, value, signature), /^message must be a Uint8Array/);
        type(() => verifier.verify(alice, message, value), /^signature must be a Uint8Array/);
        type(() => verify(alice, value, signature), /^message must be a Uint8Array/);
        type(() => verify(alice, message, value), /^signature must be a Uint8Array/);
        type(() => reuse(alice, [message, signature], [value, signature]), /^second\[0\] must be a Uint8Array/);
        type(() => reuse(alice, [message, value], [message, signature]), /^first\[1\] must be a Uint8Array/);
        type(() => verifyReuse('wots-blake3', value), /^evidence must be a Uint8Array/);
      }
      for (const value of [...NOT_OBJECTS, alice, signer]) type(() => new Signer(value), /^secret must be a SecretKey/);
      for (const value of [...NOT_OBJECTS, secret(), verifier]) {
        type(() => verifier.admit(value), /^signer must be a PublicKey/);
        type(() => verifier.verify(value, message, signature), /^signer must be a PublicKey/);
        type(() => verify(value, message, signature), /^signer must be a PublicKey/);
        type(() => reuse(value, [message, signature], [message, signature]), /^signer must be a PublicKey/);
      }
      for (const value of [undefined, null, 7, {}, 'ab', [message], [message, signature, message]]) {
        type(() => reuse(alice, value, [message, signature]), /^first must be an array of two/);
      }
      for (const value of [null, 7, 'text', 1n]) {
        type(() => new Signer(secret(), value), /^options must be an object/);
        type(() => new Verifier(value), /^options must be an object/);
        type(() => signer.sign(message, value), /^options must be an object/);
      }
      for (const value of [null, 7, {}]) {
        type(() => new Signer(secret(), { suite: value }), /suite must be a string/);
        type(() => new Verifier({ suite: value }), /suite must be a string/);
        type(() => verifyReuse(value, message), /suite must be a string/);
      }
      for (const value of [null, '1', 1n, {}]) {
        for (const name of ['log2Batch', 'lowWater']) type(() => new Signer(secret(), { [name]: value }), RegExp(`${name} must be a number`));
        for (const name of ['announced', 'checked', 'burst']) type(() => new Verifier({ [name]: value }), RegExp(`${name} must be a number`));
        type(() => signer.sign(message, { hint: [value] }), /hint\[0\] must be a number/);
      }
      for (const value of [null, '1', 1, {}]) {
        type(() => signer.prepare(value), /^now must be a bigint/);
        type(() => verifier.announce(alice, message, value), /^now must be a bigint/);
        type(() => signer.sign(message, { now: value }), /now must be a bigint/);
        type(() => new Signer(secret(), { lifetime: value }), /lifetime must be a bigint/);
        type(() => new Verifier({ interval: value }), /interval must be a bigint/);
      }
      for (const value of [null, 7, 'text', {}]) {
        type(() => signer.sign(message, { hint: value }), /hint must be iterable/);
        type(() => new Signer(secret(), { groups: value }), /groups must be iterable/);
        type(() => new Signer(secret(), { groups: [value] }), /groups\[0\] must be iterable/);
      }
      const kept = secret();
      type(() => new Signer(kept, { lowWater: '7' }));
      type(() => new Signer(kept, { groups: 7 }));
      assert.equal(kept.closed, false, 'what is wrong with types is noticed before');
      const closing = (function* () {
        kept.close();
        yield [1];
      })();
      code(() => new Signer(kept, { groups: closing }), 'CLOSED');
    },
    'wrong numbers and endless lists'() {
      const { signer, verifier, alice } = pair(q);
      for (const value of [-1, 0.5, NaN, 2 ** 32]) {
        range(() => new Signer(secret(), { lowWater: value }), 'lowWater');
        range(() => new Verifier({ announced: value }), 'announced');
      }
      for (const value of [-1, 65_536, 0.5]) {
        range(() => signer.sign(message, { hint: [value] }), 'hint[0]');
        range(() => new Signer(secret(), { groups: [[], [value]] }), 'groups[1][0]');
      }
      for (const value of [-1n, 1n << 64n]) {
        range(() => signer.prepare(value), 'now');
        range(() => signer.sign(message, { now: value }), 'now');
        range(() => verifier.announce(alice, message, value), 'now');
        range(() => new Signer(secret(), { lifetime: value }), 'lifetime');
      }
      code(() => signer.sign(message, { hint: endless(1) }), 'TOO_LARGE');
      code(() => new Signer(secret(), { groups: [endless(1)] }), 'TOO_LARGE');
      code(() => new Signer(secret(), { groups: endless([]) }), 'TOO_LARGE');
      // The maximum does not overflow.
      const longest = new Signer(secret(), { log2Batch: 0, lowWater: 1, lifetime: (1n << 64n) - 1n });
      longest.prepare(0n);
      longest.sign(message, { now: (1n << 64n) - 2n });
      new Verifier({ announced: 2 ** 32 - 1, checked: 0, burst: 0, interval: 0n }).admit(alice);
    },
    'detached bytes, views and results'() {
      const { signer, verifier, alice, announcement } = pair(q);
      const signature = signer.sign(message, { now: NOW });
      code(() => verifyReuse('wots', new Uint8Array(32)), 'WRONG_CONTEXT');
      const gone = detached();
      for (const call of [
        () => signer.sign(gone, { now: NOW }),
        () => verifier.announce(alice, gone, NOW),
        () => verifier.verify(alice, message, gone),
        () => verify(alice, gone, signature),
        () => verifyReuse('wots-blake3', gone),
      ]) type(call, /is detached/);
      assert.equal(signer.ready, 1, 'nothing was signed');
      const view = new Uint8Array(2000).fill(255);
      view.set(signature, 7);
      verifier.verify(alice, message, view.subarray(7, 7 + signature.length));
      // The caller may change the result.
      const [one] = signer.announcements();
      one.announcement.fill(0);
      assert.deepEqual(signer.announcements()[0].announcement, announcement);
    },
    'secrets in output'() {
      const { verifier } = pair(q);
      const given = secret();
      const hidden = Array.from(given.toBytes(), (byte) => byte.toString(16).padStart(2, '0')).join('');
      const owner = new Signer(given);
      const shown = [String(owner), JSON.stringify({ owner }), Object.getOwnPropertyNames(owner).join()];
      for (const said of shown) assert.ok(!said.includes(hidden), said);
      assert.deepEqual(Reflect.ownKeys(owner), []);
      assert.deepEqual([String(verifier), Object.prototype.toString.call(owner)], ['Verifier(wots-blake3)', '[object Signer]']);
    },
  };
}
