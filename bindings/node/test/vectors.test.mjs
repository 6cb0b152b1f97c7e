import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import * as quorate from 'quorate';
import { FILES, runFile } from './shared/vectors.mjs';

const folder = new URL('../../../spec/vectors/', import.meta.url);

for (const name of FILES) {
  test(`spec/vectors/${name}.json`, (t) => {
    const cases = runFile(quorate, name, JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')));
    t.diagnostic(`${cases} cases`);
  });
}

test('every vector file is read', () => {
  const known = [...FILES, 'jolteon'].map((name) => `${name}.json`).sort();
  assert.deepEqual(readdirSync(folder).filter((name) => name.endsWith('.json')).sort(), known);
});

test('an unknown operation fails', () => {
  const file = { cases: Array(30).fill({ name: 'x', operation: 'no.such', input: {}, expect: 'ok' }) };
  assert.throws(() => runFile(quorate, 'x', file));
});
