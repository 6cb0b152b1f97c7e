// DSig through a package: signer and verifier together, and invalid arguments. Each entry is a test of its own;
// `assert` is a parameter so that browsers can run them too. `text` is the package's dsig.d.ts.

import { detached, endless, refusals } from './refusals.mjs';

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
  const { Auditor, Signer, Verifier, SUITES, reuse, verifyAll, verifyReuse } = q.dsig;
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
      code(() => verifyReuse('wots', new Uint8Array(32)), 'WRONG_CONTEXT');
      assert.equal(given.closed, true);
      const signer = new Signer(secret(), { groups: [[3, 1, 3], new Set([1, 2, 3])] });
      signer.close();
      assert.deepEqual([signer.closed, String(signer), JSON.stringify(signer)], [true, 'Signer(closed)', '"Signer(closed)"']);
      if (Symbol.dispose) signer[Symbol.dispose]();
    },
    'wrong types'() {
      const { signer, alice } = pair(q);
      const signature = signer.sign(message, { now: NOW });
      for (const value of ['ab', [message], [message, signature, message]]) {
        type(() => reuse(alice, value, [message, signature]), /^first must be an array of two/);
      }
      for (const value of [[message, 'text'], ['text', message]]) {
        type(() => reuse(alice, [message, signature], value), /^second\[[01]\] must be a Uint8Array/);
      }
      for (const value of [null, 7, 'text', {}]) {
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
      const { signer, alice } = pair(q);
      range(() => new Signer(secret(), { lowWater: 2 ** 32 }), 'lowWater');
      range(() => new Verifier({ announced: 2 ** 32 }), 'announced');
      range(() => signer.sign(message, { hint: [65_536] }), 'hint[0]');
      range(() => new Signer(secret(), { groups: [[], [65_536]] }), 'groups[1][0]');
      range(() => signer.prepare(1n << 64n), 'now');
      range(() => new Signer(secret(), { lifetime: 1n << 64n }), 'lifetime');
      code(() => signer.sign(message, { hint: endless(1) }), 'TOO_LARGE');
      code(() => new Signer(secret(), { groups: [endless(1)] }), 'TOO_LARGE');
      code(() => new Signer(secret(), { groups: endless([]) }), 'TOO_LARGE');
      // The maximum does not overflow.
      const longest = new Signer(secret(), { log2Batch: 0, lowWater: 1, lifetime: (1n << 64n) - 1n });
      longest.prepare(0n);
      longest.sign(message, { now: (1n << 64n) - 2n });
      new Verifier({ announced: 2 ** 32 - 1, checked: 0, burst: 0, interval: 0n }).admit(alice);
    },
    'invalid logs'() {
      const { signer, alice } = pair(q);
      const signature = signer.sign(message, { now: NOW });
      new Auditor({ roots: 2 ** 32 - 1 }).check(alice, message, signature);
      for (const call of [() => verifyAll('wots', []), () => new Auditor({ suite: 'WOTS-BLAKE3' })]) code(call, 'WRONG_CONTEXT');
      // An iterator that detaches the items it returned: they must not be verified as empty messages.
      function* taking() {
        const taken = Uint8Array.from(message);
        yield [alice, taken, signature];
        detached(taken);
      }
      type(() => verifyAll('wots-blake3', taking()), /^entries\[0\]\[1\] is detached/);
    },
    'results are copies'() {
      const { signer, announcement } = pair(q);
      const [one] = signer.announcements();
      one.announcement.fill(0);
      assert.deepEqual(signer.announcements()[0].announcement, announcement);
    },
  };
}
