// Logs of DSig through a package: an auditor, and batch verification. As in dsig.mjs.

import { pair } from './dsig.mjs';
import { detached, refusals } from './refusals.mjs';

const NOW = 1_000_000n;
const text = (word) => new TextEncoder().encode(word);

export function auditTests(q, assert) {
  const { Auditor, verifyAll } = q.dsig;
  const { type, code } = refusals(q, assert);

  return {
    'invalid logs'() {
      const { signer, alice } = pair(q);
      const signature = signer.sign(text('m'), { now: NOW });
      const entry = [alice, text('m'), signature];
      const other = q.SecretKey.generate('bls-min-pk').publicKey();
      for (const value of [undefined, null, 7, 'text', {}]) type(() => verifyAll('wots-blake3', value), /^entries must be iterable/);
      for (const value of [undefined, null, 7, 'abc', {}, [], [alice, signature], [...entry, 1]]) {
        type(() => verifyAll('wots-blake3', [entry, value]), /^entries\[1\] must be an array of three/);
      }
      for (const value of [undefined, null, 'text', signature, signer]) {
        type(() => verifyAll('wots-blake3', [entry, [value, text('m'), signature]]), /^entries\[1\]\[0\] must be a PublicKey/);
        type(() => new Auditor().check(value, text('m'), signature), /^signer must be a PublicKey/);
      }
      for (const value of [undefined, null, 'text', [1], alice]) {
        type(() => verifyAll('wots-blake3', [[alice, value, signature]]), /^entries\[0\]\[1\] must be a Uint8Array/);
        type(() => verifyAll('wots-blake3', [[alice, text('m'), value]]), /^entries\[0\]\[2\] must be a Uint8Array/);
        type(() => new Auditor().check(alice, value, signature), /^message must be a Uint8Array/);
        type(() => new Auditor().check(alice, text('m'), value), /^signature must be a Uint8Array/);
      }
      type(() => verifyAll(3, []), /^suite must be a string/);
      type(() => new Auditor({ suite: 3 }), /suite must be a string/);
      type(() => new Auditor({ roots: 1n }), /roots must be a number/);
      assert.throws(() => new Auditor({ roots: -1 }), RangeError);
      new Auditor({ roots: 2 ** 32 - 1 }).check(...entry);
      for (const call of [
        () => verifyAll('wots', []),
        () => new Auditor({ suite: 'WOTS-BLAKE3' }),
        () => verifyAll('wots-blake3', [entry, [other, text('m'), signature]]),
        () => new Auditor().check(other, text('m'), signature),
      ]) code(call, 'WRONG_CONTEXT');
      // An iterator that detaches the items it returned: they must not be verified as empty messages.
      function* taking() {
        const taken = text('m');
        yield [alice, taken, signature];
        detached(taken);
      }
      type(() => verifyAll('wots-blake3', taking()), /^entries\[0\]\[1\] is detached/);
    },
  };
}
