// The tests shared by both packages for JavaScript, from those of `quorate` for Node.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as quorate from 'quorate-wasm';
import { badInput } from '../../node/test/shared/bad-input.mjs';
import { declarations } from '../../node/test/shared/declarations.mjs';
import { otherChains } from '../../node/test/shared/other-chains.mjs';
import { differences } from '../../node/test/shared/surface.mjs';
import { tour } from '../../node/test/shared/tour.mjs';
import { behaviours } from '../../node/test/shared/vectors.mjs';
import { oneOfEach } from '../../node/test/shared/world.mjs';

for (const [name, run] of Object.entries(behaviours(quorate))) test(name, run);
for (const [name, run] of Object.entries(badInput(quorate, assert))) test(`bad input: ${name}`, run);
for (const [name, run] of Object.entries(otherChains(quorate, assert))) test(`other chains: ${name}`, run);

test('the tour', () => {
  assert.deepEqual(tour(quorate), { culprits: [1], signers: [0, 2, 3], length: 100, same: true });
});

test('exports are exactly those of index.d.ts', () => {
  const text = declarations((name) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
  assert.deepEqual(differences(quorate, text, oneOfEach(quorate)), []);
  assert.deepEqual(Object.keys(quorate.wire).sort(), ['DOMAINS', 'Reader', 'Writer', 'hash']);
  assert.deepEqual(Object.keys(quorate.bls).sort(), ['aggregate', 'aggregateVerify', 'fastAggregateVerify']);
  const dsig = ['Auditor', 'SUITES', 'Signer', 'Suite', 'Verifier', 'reuse', 'signatureLength', 'verify', 'verifyAll', 'verifyReuse'];
  assert.deepEqual(Object.keys(quorate.dsig).sort(), dsig);
});
