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
