// The tests of both packages for JavaScript.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as quorate from 'quorate-wasm';
import { sharedTests } from '../../node/test/shared/all.mjs';

sharedTests(quorate, new URL('../', import.meta.url), 'dist/whole');

test('modules of functions have no other names', () => {
  assert.deepEqual(Object.keys(quorate.wire).sort(), ['DOMAINS', 'Reader', 'Writer', 'hash']);
  assert.deepEqual(Object.keys(quorate.bls).sort(), ['aggregate', 'aggregateVerify', 'fastAggregateVerify']);
  const dsig = ['Auditor', 'SUITES', 'Signer', 'Suite', 'Verifier', 'reuse', 'signatureLength', 'verify', 'verifyAll', 'verifyReuse'];
  assert.deepEqual(Object.keys(quorate.dsig).sort(), dsig);
});
