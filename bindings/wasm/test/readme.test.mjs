import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import test from 'node:test';
import { readmeTests } from '../../node/test/shared/readme.mjs';

readmeTests(new URL('..', import.meta.url), 'quorate-wasm', '0\n');

test('the package can be required', { skip: !process.features.require_module && 'this Node cannot require modules' }, () => {
  const required = createRequire(import.meta.url)('quorate-wasm');
  assert.equal(String(required.SecretKey.generate('ed25519')), 'SecretKey(ed25519)');
});
