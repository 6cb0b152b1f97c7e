// The hooks of DSig in JavaScript: arguments, exceptions, recursion and detached bytes. As in dsig.mjs.

import { pair } from './dsig.mjs';
import { detached, refusals } from './refusals.mjs';

const NOW = 1_000_000n;
const message = new Uint8Array([1, 2, 3]);

export function hookTests(q, assert) {
  const { Verifier } = q.dsig;
  const { type } = refusals(q, assert);
  /** A hook that returns the result of `then`, and records its arguments. */
  function recordingHook(answer) {
    const hook = (...given) => {
      hook.given.push(given);
      return hook.then();
    };
    return Object.assign(hook, { given: [], then: () => answer });
  }

  return {
    'the arguments of a hook, and the result of setting it'() {
      const { signer, verifier, alice } = pair(q, { log2Batch: 2 });
      const signature = signer.sign(message, { now: NOW });
      const [copies, revocations] = [recordingHook((1n << 64n) - 1n), recordingHook(true)];
      assert.deepEqual([signer.detectCopies(copies), verifier.checkRevocation(revocations)], [undefined, undefined]);
      assert.deepEqual(copies.given, [[]]);
      assert.throws(() => verifier.verify(alice, message, signature), (e) => e instanceof q.WrongContextError && e.details.what === 'revoked signer');
      assert.ok(revocations.given.length === 1 && revocations.given[0][0] === alice && revocations.given[0].length === 1);
      verifier.checkRevocation(() => !verifier.revoke(alice));
      assert.throws(() => verifier.verify(alice, message, signature), (e) => e.details.what === 'signer');
      signer.close();
      assert.throws(() => signer.sign(message, { now: NOW }), q.ClosedError);
      assert.equal(copies.given.length, 1, 'a closed signer calls no hook');
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
    'endless recursion in a hook is reported'() {
      const { signer, verifier, alice } = pair(q, { log2Batch: 2 });
      const [hook, signature] = [recordingHook(1n), signer.sign(message, { now: NOW })];
      signer.detectCopies(hook);
      hook.then = () => BigInt(signer.sign(message, { now: NOW }).length);
      assert.throws(() => signer.sign(message, { now: NOW }), RangeError);
      assert.equal(signer.ready, 3);
      verifier.checkRevocation(() => verifier.canVerifyFast(alice, signature));
      assert.throws(() => verifier.verify(alice, message, signature), RangeError);
    },
    'bytes that a hook detaches are not read as if they were empty'() {
      const { signer, verifier, alice } = pair(q, { log2Batch: 2 });
      const [hook, signature] = [recordingHook(1n), signer.sign(message, { now: NOW })];
      signer.detectCopies(hook);
      const [signed, verified] = [new Uint8Array(32), Uint8Array.from(message)];
      hook.then = () => detached(signed) && 1n;
      type(() => signer.sign(signed, { now: NOW }), /is detached/);
      assert.equal(signer.ready, 3);
      verifier.checkRevocation(() => !detached(verified));
      type(() => verifier.verify(alice, verified, signature), /is detached/);
      verifier.checkRevocation(() => false);
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
  };
}
