import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as quorate from 'quorate';
import { badInput } from './shared/bad-input.mjs';
import { declarations } from './shared/declarations.mjs';
import { otherChains } from './shared/other-chains.mjs';
import { differences } from './shared/surface.mjs';
import { tour } from './shared/tour.mjs';
import { behaviours } from './shared/vectors.mjs';
import { oneOfEach } from './shared/world.mjs';

const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

for (const [name, run] of Object.entries(behaviours(quorate))) test(name, run);
for (const [name, run] of Object.entries(badInput(quorate, assert))) test(`bad input: ${name}`, run);
for (const [name, run] of Object.entries(otherChains(quorate, assert))) test(`other chains: ${name}`, run);

test('the tour', () => {
  assert.deepEqual(tour(quorate), { culprits: [1], signers: [0, 2, 3], length: 100, same: true });
});

test('exports are exactly those of index.d.ts', () => {
  assert.deepEqual(differences(quorate, declarations(read), oneOfEach(quorate)), []);
});

test('every code has its class', () => {
  const errors = read('dist/common/errors.d.ts');
  for (const code of quorate.CODES) {
    const name = `${code.toLowerCase().replace(/(^|_)(.)/g, (_, _line, letter) => letter.toUpperCase())}Error`;
    assert.ok(quorate[name].prototype instanceof quorate.QuorateError, name);
    assert.ok(errors.includes(`readonly code: '${code}';`), code);
  }
  assert.equal(quorate.CODES.at(-1), 'CLOSED');
});
