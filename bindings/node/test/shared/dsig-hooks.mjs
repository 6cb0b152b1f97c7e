// What only JavaScript has of DSig's hooks: arguments, wrong answers and detached bytes. As in dsig.mjs.

import { pair } from './dsig.mjs';
import { detached, refusals } from './refusals.mjs';

const NOW = 1_000_000n;
const message = new Uint8Array([1, 2, 3]);

export function hookTests(q, assert) {
  const { type } = refusals(q, assert);
  /** Wrong answers that are refused by a message with these words. */
  function refuse(answers, words, set, calls) {
    for (const answer of answers) {
      set(answer);
      for (const call of calls) type(call, RegExp(`^the result of the ${words}`));
    }
  }

  return {
    'the arguments of a hook, and the result of setting it'() {
      const { signer, verifier, alice } = pair(q, { log2Batch: 2 });
      const signature = signer.sign(message, { now: NOW });
      const given = [];
      const recording = (answer) => (...all) => given.push(all) && answer;
      assert.deepEqual([signer.detectCopies(recording(1n)), verifier.checkRevocation(recording(false))], [undefined, undefined]);
      verifier.verify(alice, message, signature);
      signer.close();
      assert.throws(() => signer.sign(message, { now: NOW }), q.ClosedError);
      assert.deepEqual(given, [[], [alice]], 'a closed signer calls no hook');
    },
    'a wrong answer refuses to sign'() {
      const { signer } = pair(q, { log2Batch: 2 });
      let answer = 1n;
      const hook = () => answer;
      signer.detectCopies(hook);
      const calls = [() => signer.sign(message, { now: NOW }), () => signer.prepare(NOW), () => signer.detectCopies(hook)];
      const set = (value) => (answer = value);
      refuse([1, '1', undefined, null, {}, Promise.resolve(1n)], 'detectCopies hook must be a bigint', set, calls);
      for (answer of [-1n, 1n << 64n]) for (const call of calls) assert.throws(call, RangeError);
      assert.equal(signer.ready, 4, 'nothing was signed, and nothing was wiped');
    },
    'a wrong answer refuses to verify'() {
      const { signer, verifier, alice, announcement } = pair(q);
      const signature = signer.sign(message, { now: NOW });
      let answer = true;
      verifier.checkRevocation(() => answer);
      const calls = [
        () => verifier.verify(alice, message, signature),
        () => verifier.announce(alice, announcement, NOW),
        () => verifier.canVerifyFast(alice, signature),
      ];
      const set = (value) => (answer = value);
      // A promise is truthy whatever its result; undefined is falsy.
      refuse([undefined, null, 0, '', {}, Promise.resolve(false)], 'checkRevocation hook must be a boolean', set, calls);
    },
    'bytes that a hook detaches are not read as if they were empty'() {
      const { signer, verifier, alice } = pair(q, { log2Batch: 2 });
      const signature = signer.sign(message, { now: NOW });
      const [signed, verified] = [new Uint8Array(32), Uint8Array.from(message)];
      let isSet = false;
      signer.detectCopies(() => (isSet && detached(signed), 1n));
      isSet = true;
      type(() => signer.sign(signed, { now: NOW }), /is detached/);
      assert.equal(signer.ready, 3);
      verifier.checkRevocation(() => !detached(verified));
      type(() => verifier.verify(alice, verified, signature), /is detached/);
    },
  };
}
