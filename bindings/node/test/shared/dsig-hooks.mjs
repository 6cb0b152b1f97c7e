// The hooks of DSig through a package: their answers take effect, their exceptions reject the call, and they may use
// the calling object. As in dsig.mjs.

import { pair } from './dsig.mjs';

const NOW = 1_000_000n;
const message = new Uint8Array([1, 2, 3]);

export function hookTests(q, assert) {
  const { Verifier, verify } = q.dsig;
  const type = (call, pattern) => assert.throws(call, (e) => e instanceof TypeError && pattern.test(e.message));
  const code = (call, wanted) => assert.throws(call, (e) => e instanceof q.QuorateError && e.code === wanted);
  /** A hook that returns the result of `then`, and records its arguments. */
  function recordingHook(answer) {
    const hook = (...given) => {
      hook.given.push(given);
      return hook.then();
    };
    return Object.assign(hook, { given: [], then: () => answer });
  }

  return {
    'a new answer of the hook wipes the keys'() {
      const { signer } = pair(q, { log2Batch: 2 });
      const hook = recordingHook(1n);
      assert.equal(signer.detectCopies(hook), undefined);
      assert.deepEqual([hook.given, signer.ready], [[[]], 4], 'asked at once, and the first answer is no change');
      signer.sign(message, { now: NOW });
      for (const answer of [2n, 0n, (1n << 64n) - 1n]) {
        const [before] = signer.announcements();
        hook.then = () => answer;
        code(() => signer.sign(message, { now: NOW }), 'EXHAUSTED');
        assert.deepEqual([signer.ready, signer.announcements()], [0, []]);
        assert.notDeepEqual(signer.prepare(NOW), before);
        signer.sign(message, { now: NOW });
      }
      // `prepare` detects the change as well, and generates new keys although there were enough.
      assert.equal(signer.prepare(NOW), undefined);
      hook.then = () => 3n;
      assert.ok(signer.prepare(NOW));
      assert.equal(signer.ready, 4);
      signer.detectCopies(() => 77n);
      assert.equal(signer.ready, 4, 'another hook is no copy');
      signer.sign(message, { now: NOW });
      let calls = 0n;
      signer.detectCopies(() => (calls += 1n));
      for (let round = 0; round < 4; round += 1) {
        signer.prepare(NOW);
        code(() => signer.sign(message, { now: NOW }), 'EXHAUSTED');
      }
    },
    'an exception in a signer\'s hook refuses to sign'() {
      const { signer } = pair(q, { log2Batch: 2 });
      const [hook, broken] = [recordingHook(1n), new Error('broken')];
      const throws = () => {
        throw broken;
      };
      assert.throws(() => signer.detectCopies(throws), (e) => e === broken);
      signer.sign(message, { now: NOW });
      signer.detectCopies(hook);
      const calls = [() => signer.sign(message, { now: NOW }), () => signer.prepare(NOW), () => signer.detectCopies(hook)];
      hook.then = throws;
      for (const call of calls) assert.throws(call, (e) => e === broken);
      for (const answer of [1, '1', undefined, null, {}, Promise.resolve(1n)]) {
        hook.then = () => answer;
        for (const call of calls) type(call, /^the result of the detectCopies hook must be a bigint/);
      }
      for (const answer of [-1n, 1n << 64n]) {
        hook.then = () => answer;
        for (const call of calls) assert.throws(call, RangeError);
      }
      assert.equal(signer.ready, 3, 'nothing was signed, and nothing was wiped');
      hook.then = () => 1n;
      signer.sign(message, { now: NOW });
      for (const value of [undefined, null, 1n, {}, 'text', hook.then()]) {
        type(() => signer.detectCopies(value), /^hook must be a function/);
      }
    },
    'a signer\'s hook may use the signer'() {
      const { signer, alice } = pair(q, { log2Batch: 2 });
      const hook = recordingHook(1n);
      const once = (run) => {
        hook.then = () => {
          hook.then = () => 1n;
          run();
          return 1n;
        };
      };
      signer.detectCopies(hook);
      once(() => {
        assert.deepEqual([signer.ready, signer.closed, signer.announcements().length], [4, false, 1]);
        verify(alice, message, signer.sign(message, { now: NOW }));
        assert.equal(signer.prepare(NOW), undefined);
      });
      verify(alice, message, signer.sign(message, { now: NOW }));
      assert.equal(signer.ready, 2);
      // Endless recursion in a hook is reported.
      hook.then = () => BigInt(signer.sign(message, { now: NOW }).length);
      assert.throws(() => signer.sign(message, { now: NOW }), RangeError);
      assert.equal(signer.ready, 2);
      // Bytes that a hook detaches are not signed as if they were empty.
      const taken = new Uint8Array(32);
      once(() => structuredClone(taken.buffer, { transfer: [taken.buffer] }));
      type(() => signer.sign(taken, { now: NOW }), /is detached/);
      assert.equal(signer.ready, 2);
      once(() => signer.invalidate());
      code(() => signer.sign(message, { now: NOW }), 'EXHAUSTED');
      once(() => signer.close());
      code(() => signer.sign(message, { now: NOW }), 'CLOSED');
      hook.given.length = 0;
      for (const use of [() => signer.prepare(NOW), () => signer.detectCopies(hook)]) code(use, 'CLOSED');
    },
    'a revoked key is refused as soon as the hook says so'() {
      const [{ signer, verifier, alice, announcement }, other] = [pair(q, { log2Batch: 2 }), pair(q)];
      verifier.admit(other.alice);
      const signature = signer.sign(message, { now: NOW });
      const hook = recordingHook(false);
      assert.equal(verifier.checkRevocation(hook), undefined);
      verifier.verify(alice, message, signature);
      verifier.announce(alice, announcement, NOW + 1000n);
      assert.ok(verifier.canVerifyFast(alice, signature));
      assert.ok(hook.given.length === 3 && hook.given.every(([key, ...more]) => key === alice && more.length === 0));
      const revoked = new Set([String(alice)]);
      verifier.checkRevocation((key) => revoked.has(String(key)));
      for (const call of [
        () => verifier.verify(alice, message, signature),
        () => verifier.announce(alice, announcement, NOW + 2000n),
      ]) assert.throws(call, (e) => e instanceof q.WrongContextError && e.details.what === 'revoked signer');
      assert.equal(verifier.canVerifyFast(alice, signature), false);
      verifier.verify(other.alice, message, other.signer.sign(message, { now: NOW }));
      revoked.clear();
      verifier.verify(alice, message, signature);
    },
    'an exception in a verifier\'s hook refuses to verify'() {
      const { signer, alice, announcement } = pair(q);
      const [verifier, signature] = [new Verifier(), signer.sign(message, { now: NOW })];
      verifier.admit(alice);
      const [hook, broken] = [recordingHook(false), new Error('broken')];
      verifier.checkRevocation(hook);
      const calls = [
        () => verifier.verify(alice, message, signature),
        () => verifier.announce(alice, announcement, NOW),
        () => verifier.canVerifyFast(alice, signature),
      ];
      hook.then = () => {
        throw broken;
      };
      for (const call of calls) assert.throws(call, (e) => e === broken);
      // A promise is truthy whatever its result; undefined is falsy.
      for (const answer of [undefined, null, 0, '', {}, Promise.resolve(false)]) {
        hook.then = () => answer;
        for (const call of calls) type(call, /^the result of the checkRevocation hook must be a boolean/);
      }
      hook.then = () => false;
      assert.equal(verifier.canVerifyFast(alice, signature), false, 'nothing was taken in meanwhile');
      verifier.verify(alice, message, signature);
      for (const value of [undefined, null, true, {}, 'text']) {
        type(() => verifier.checkRevocation(value), /^hook must be a function/);
      }
    },
    'a verifier\'s hook may use the verifier'() {
      const { signer, verifier, alice } = pair(q);
      const signature = signer.sign(message, { now: NOW });
      const hook = recordingHook(false);
      verifier.checkRevocation(hook);
      hook.then = () => {
        hook.then = () => false;
        verifier.verify(alice, message, signature);
        verifier.checkRevocation(() => true);
        return false;
      };
      verifier.verify(alice, message, signature);
      code(() => verifier.verify(alice, message, signature), 'WRONG_CONTEXT');
      verifier.checkRevocation(() => !verifier.revoke(alice));
      assert.throws(() => verifier.verify(alice, message, signature), (e) => e.details.what === 'signer');
      verifier.admit(alice);
      verifier.checkRevocation(() => verifier.canVerifyFast(alice, signature));
      assert.throws(() => verifier.verify(alice, message, signature), RangeError);
      const taken = Uint8Array.from(message);
      verifier.checkRevocation(() => {
        if (taken.length > 0) structuredClone(taken.buffer, { transfer: [taken.buffer] });
        return false;
      });
      type(() => verifier.verify(alice, taken, signature), /is detached/);
      verifier.verify(alice, message, signature);
    },
  };
}
