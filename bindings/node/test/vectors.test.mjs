import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import * as quorate from 'quorate';
import { FILES, OTHERS, runFile } from './shared/vectors.mjs';

const folder = new URL('../../../spec/vectors/', import.meta.url);

for (const name of FILES) {
  test(`spec/vectors/${name}.json`, (t) => {
    const cases = runFile(quorate, name, JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')));
    t.diagnostic(`${cases} cases`);
  });
}

const jerasure = quorate.erasure.Suite.Jerasure(new quorate.erasure.Packets(8, 3)).isAvailable;
test('spec/vectors/jerasure.json', { skip: !jerasure && 'this build does not have the code' }, () => {
  runFile(quorate, 'jerasure', JSON.parse(readFileSync(new URL('jerasure.json', folder), 'utf8')));
});

test('every vector file is read', () => {
  const known = [...FILES, ...OTHERS].map((name) => `${name}.json`).sort();
  assert.deepEqual(readdirSync(folder).filter((name) => name.endsWith('.json')).sort(), known);
});

test('an unknown operation fails', () => {
  const file = { cases: Array(30).fill({ name: 'x', operation: 'no.such', input: {}, expect: 'ok' }) };
  assert.throws(() => runFile(quorate, 'x', file));
});
