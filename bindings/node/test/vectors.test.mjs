import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as quorate from 'quorate';
import { FILES, runCases, runFile } from './shared/vectors.mjs';

const { Packets, Suite } = quorate.erasure;
const jerasure = Suite.Jerasure(new Packets(8, 3)).isAvailable;
for (const name of [...FILES, 'jerasure']) {
  test(`spec/vectors/${name}.json`, { skip: name === 'jerasure' && !jerasure && 'this build does not have the code' }, (t) => {
    t.diagnostic(`${runFile(quorate, name)} cases`);
  });
}

test('an unknown operation fails', () => {
  const file = { cases: Array(30).fill({ name: 'x', operation: 'no.such', input: {}, expect: 'ok' }) };
  assert.throws(() => runCases(quorate, 'x', file));
});
