// DSig through a package: signer and verifier together, and invalid arguments. Each entry is a test of its own;
// `assert` is a parameter so that browsers can run them too. `text` is the package's dsig.d.ts.

const NOT_BYTES = [undefined, null, 0, 'text', {}, [], [1, 2], new ArrayBuffer(4), new Uint16Array(2), () => {}, Symbol('s'), 1n];
const NOT_OBJECTS = [undefined, null, 0, 'text', {}, [], () => {}, Symbol('s'), 1n, Object.create(null)];
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
  const type = (call, pattern) => assert.throws(call, (e) => e instanceof TypeError && (!pattern || pattern.test(e.message)));
  const range = (call, name) => assert.throws(call, (e) => e instanceof RangeError && e.message.includes(name));
  const code = (call, wanted) => assert.throws(call, (e) => e instanceof q.QuorateError && e.code === wanted);
  const message = utf8('SET a 1');

  return {
    'every suite signs, and any verifier accepts it'() {
      assert.equal(SUITES.length, 11);
      assert.throws(() => {
        q.dsig.SUITES = [];
      }, TypeError);
      assert.ok(Object.isFrozen(SUITES));
      for (const suite of SUITES) {
        assert.ok(text.includes(`'${suite}'`), suite);
        const { signer, verifier, alice } = pair(q, { suite, log2Batch: 0 });
        const signature = signer.sign(message, { now: NOW });
        assert.deepEqual([signer.suite, verifier.suite, SUITES[signature[0] - 1]], [suite, suite, suite]);
        assert.ok(verifier.canVerifyFast(alice, signature));
        assert.equal(verifier.verify(alice, message, signature), undefined);
        assert.equal(verify(alice, message, signature), undefined);
        signer.close();
      }
      const { signer, alice } = pair(q);
      assert.deepEqual([signer.suite, new Verifier().suite], ['wots-blake3', 'wots-blake3']);
      assert.equal(signer.sign(message, { now: NOW }).length, 1584);
      assert.ok(alice.equals(signer.publicKey()) && alice.suite === 'ed25519');
    },
    'with, without and with false announcements'() {
      const { signer, verifier, alice, announcement } = pair(q);
      const late = new Verifier();
      late.admit(alice);
      const [first, second] = [1, 2].map(() => signer.sign(message, { now: NOW }));
      assert.deepEqual([verifier.canVerifyFast(alice, first), late.canVerifyFast(alice, first)], [true, false]);
      late.verify(alice, message, first);
      assert.ok(late.canVerifyFast(alice, second));
      for (const way of [verifier, late]) {
        code(() => way.verify(alice, utf8('SET a 2'), second), 'BAD_SIGNATURE');
        way.verify(alice, message, second);
      }
      code(() => verify(alice, utf8('SET a 2'), first), 'BAD_SIGNATURE');
      const mallory = secret().publicKey();
      code(() => verify(mallory, message, first), 'BAD_SIGNATURE');
      for (const call of [
        () => verifier.verify(mallory, message, first),
        () => verifier.announce(mallory, announcement, NOW),
        () => new Verifier({ suite: 'wots-haraka-256' }).canVerifyFast(alice, first),
      ]) code(call, 'WRONG_CONTEXT');
      assert.deepEqual([verifier.revoke(mallory), verifier.revoke(alice), verifier.revoke(alice)], [false, true, false]);
      code(() => verifier.verify(alice, message, first), 'WRONG_CONTEXT');
      code(() => reuse(alice, [message, first], [message, second]), 'NOT_EVIDENCE');
    },
    'keys run out and expire'() {
      const options = { log2Batch: 1, lowWater: 1, lifetime: 50n };
      const signer = new Signer(secret(), options);
      assert.throws(() => signer.sign(message), (e) => e instanceof q.ExhaustedError && e.code === 'EXHAUSTED');
      assert.deepEqual(signer.announcements(), []);
      const made = signer.prepare(NOW);
      assert.deepEqual([made.to, made.announcement.length, signer.ready], [undefined, 68 + 2 * 32, 2]);
      assert.equal(signer.prepare(NOW), undefined);
      assert.deepEqual(signer.announcements(), [made]);
      signer.sign(message, { now: NOW + 49n });
      signer.sign(message, { now: NOW + 49n });
      assert.deepEqual([signer.ready, signer.announcements()], [0, []]);
      code(() => signer.sign(message, { now: NOW + 49n }), 'EXHAUSTED');
      for (const then of [NOW + 50n, NOW - 50n]) {
        signer.prepare(NOW);
        signer.sign(message, { now: NOW - 49n });
        code(() => signer.sign(message, { now: then }), 'EXHAUSTED');
        assert.equal(signer.ready, 0);
      }
      signer.prepare(NOW);
      signer.invalidate();
      assert.equal(signer.ready, 0);
      code(() => signer.sign(message, { now: NOW }), 'EXHAUSTED');
      // By the clock of the system.
      const usual = new Signer(secret(), { log2Batch: 0, lowWater: 1, lifetime: HOUR });
      usual.prepare();
      verify(usual.publicKey(), message, usual.sign(message));
      assert.ok(new Signer(secret()).prepare().announcement.length === 68 + 128 * 32);
    },
    'groups and hints'() {
      const signer = new Signer(secret(), { log2Batch: 0, lowWater: 1, groups: [[3, 1, 3], new Set([1, 2, 3])] });
      const made = [1, 2, 3].map(() => signer.prepare(NOW));
      assert.equal(signer.prepare(NOW), undefined);
      assert.deepEqual(made.map(({ to }) => to), [[1, 3], [1, 2, 3], undefined]);
      const eddsa = (bytes, at) => bytes.slice(at, at + 64).join();
      const signed = [[2], [], [3]].map((hint) => eddsa(signer.sign(message, { hint, now: NOW }), 72));
      assert.deepEqual(signed, [1, 2, 0].map((at) => eddsa(made[at].announcement, 4)));
      code(() => signer.sign(message, { hint: [3], now: NOW }), 'EXHAUSTED');
    },
    'announcements within the rate limit'() {
      const { alice, announcement } = pair(q);
      const verifier = new Verifier({ burst: 1, interval: 100n, announced: 1, checked: 1 });
      verifier.admit(alice);
      verifier.announce(alice, announcement, NOW);
      assert.throws(
        () => verifier.announce(alice, announcement, NOW + 99n),
        (e) => e instanceof q.RateLimitedError && e.code === 'RATE_LIMITED' && e.culprits.length === 0,
      );
      verifier.announce(alice, announcement, NOW + 100n);
      const forged = announcement.slice();
      forged[100] ^= 1;
      code(() => verifier.announce(alice, forged, NOW + 200n), 'BAD_SIGNATURE');
      // By the clock of the system.
      verifier.announce(alice, announcement);
    },
    'a signer takes its secret'() {
      const given = secret();
      const key = given.publicKey();
      const signer = new Signer(given);
      assert.equal(given.closed, true);
      code(() => given.sign(message), 'CLOSED');
      code(() => new Signer(given), 'CLOSED');
      assert.ok(signer.publicKey().equals(key));
      for (const [bad, wanted] of [
        [() => [secret('bls-min-sig')], 'WRONG_CONTEXT'],
        [() => [secret(), { suite: 'rsa' }], 'WRONG_CONTEXT'],
        [() => [secret(), { log2Batch: 8 }], 'TOO_LARGE'],
      ]) {
        const parts = bad();
        code(() => new Signer(...parts), wanted);
        assert.equal(parts[0].closed, true);
      }
      signer.prepare(NOW);
      assert.equal(String(signer), 'Signer(wots-blake3, 128 keys ready)');
      signer.close();
      signer.close();
      for (const use of [
        () => signer.prepare(NOW),
        () => signer.announcements(),
        () => signer.sign(message),
        () => signer.suite,
        () => signer.publicKey(),
        () => signer.ready,
        () => signer.invalidate(),
      ]) code(use, 'CLOSED');
      assert.deepEqual([signer.closed, String(signer), JSON.stringify(signer)], [true, 'Signer(closed)', '"Signer(closed)"']);
      if (Symbol.dispose) signer[Symbol.dispose]();
      const other = secret('bls-min-pk').publicKey();
      const verifier = new Verifier();
      for (const use of [
        () => verifier.admit(other),
        () => verifier.revoke(other),
        () => verifier.announce(other, message),
        () => verifier.canVerifyFast(other, message),
        () => verifier.verify(other, message, message),
        () => verify(other, message, message),
        () => reuse(other, [message, message], [message, message]),
      ]) code(use, 'WRONG_CONTEXT');
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
      range(() => new Signer(secret(), { log2Batch: 256 }), 'log2Batch');
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
      const endless = (item) => ({ *[Symbol.iterator]() { for (;;) yield item; } });
      code(() => signer.sign(message, { hint: endless(1) }), 'TOO_LARGE');
      code(() => new Signer(secret(), { groups: [endless(1)] }), 'TOO_LARGE');
      code(() => new Signer(secret(), { groups: endless([]) }), 'TOO_LARGE');
      // The maximum does not overflow.
      const longest = new Signer(secret(), { log2Batch: 0, lowWater: 1, lifetime: (1n << 64n) - 1n });
      longest.prepare(0n);
      longest.sign(message, { now: (1n << 64n) - 2n });
      new Verifier({ announced: 2 ** 32 - 1, checked: 0, burst: 0, interval: 0n }).admit(alice);
    },
    'wrong lengths and bytes'() {
      const { signer, verifier, alice, announcement } = pair(q);
      const signature = signer.sign(message, { now: NOW });
      for (const data of [signature, announcement]) {
        const check = data === signature
          ? (part) => verifier.verify(alice, message, part)
          : (part, at) => verifier.announce(alice, part, NOW + 1000n * BigInt(at + 1));
        for (let length = 0; length < data.length; length += length < 80 ? 1 : 97) {
          code(() => check(data.subarray(0, length), length), 'MALFORMED');
        }
        code(() => check(Uint8Array.of(...data, 0), 5000), 'MALFORMED');
        code(() => check(new Uint8Array(100_000), 6000), 'WRONG_CONTEXT');
      }
      for (let at = 1; at < signature.length; at += 13) {
        const other = signature.slice();
        other[at] ^= 1;
        assert.throws(() => verifier.verify(alice, message, other), q.QuorateError);
        assert.throws(() => verify(alice, message, other), q.QuorateError);
      }
      code(() => verify(alice, message, new Uint8Array(0)), 'MALFORMED');
      code(() => verify(alice, message, new Uint8Array(1584)), 'WRONG_CONTEXT');
      code(() => reuse(alice, [message, message], [message, signature]), 'WRONG_CONTEXT');
      code(() => reuse(alice, [message, signature], [message, signature]), 'NOT_EVIDENCE');
      code(() => reuse(alice, [new Uint8Array((1 << 24) + 1), signature], [message, signature]), 'TOO_LARGE');
      for (const length of [0, 31, 32, 36, 1700]) {
        assert.throws(() => verifyReuse('wots-blake3', new Uint8Array(length)), q.QuorateError);
      }
      code(() => verifyReuse('wots', new Uint8Array(32)), 'WRONG_CONTEXT');
      const gone = new Uint8Array(32);
      structuredClone(gone.buffer, { transfer: [gone.buffer] });
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
    'forged objects, and secrets in output'() {
      const { signer, verifier } = pair(q);
      const auditor = new q.dsig.Auditor();
      for (const [Class, genuine, other] of [[Signer, signer, verifier], [Verifier, verifier, signer], [q.dsig.Auditor, auditor, signer]]) {
        for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(Class.prototype))) {
          const call = property.get ?? property.value;
          if (['constructor', 'toString', 'toJSON'].includes(key) || key.endsWith('Async')) continue;
          for (const receiver of [Object.create(Class.prototype), Object.create(genuine), {}, new Proxy(genuine, {}), other]) {
            type(() => call.call(receiver));
          }
        }
      }
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
