import assert from 'node:assert/strict';
import test from 'node:test';
import * as quorate from 'quorate-wasm';
import * as certificate from 'quorate-wasm/certificate';
import * as raw from '../dist/quorate.js';
import { compareSurface } from '../../node/test/shared/surface.mjs';
import { FILES, runFile } from '../../node/test/shared/vectors.mjs';

/** Operations of the certificate-only build. */
const VERIFYING = ['chain_id.from_name', 'committee.from_attested', 'committee.signers', 'committee.verify_raw'].concat(
  ['public_key.decode', 'statement.encode', 'certificate.decode', 'certificate.verify', 'certificate.verify_detached'],
  ['header.peek'],
);

const run = (binding, only) => FILES.map((name) => runFile(binding, name, only)).reduce((sum, cases) => sum + cases);

test('all vectors through the public API', (t) => {
  const cases = run(quorate);
  t.diagnostic(`${cases} cases`);
  assert(cases > 500);
});

test('the vectors of the certificate-only build', (t) => {
  const cases = run(certificate, VERIFYING);
  t.diagnostic(`${cases} cases`);
  assert(cases > 100);
});

test('the version and the codes are those of the core', () => {
  assert.equal(quorate.VERSION, raw.version());
  assert.deepEqual(quorate.CODES, [...raw.codes(), 'CLOSED']);
});

test('exports are exactly those of certificate.d.ts', () => {
  compareSurface(certificate, new URL('../', import.meta.url), 'certificate');
  for (const name of ['SecretKey', 'Vote', 'Ciphersuite', 'wire']) assert(!(name in certificate), name);
  for (const member of ['verifyRawEach', 'withCiphersuite']) assert(!(member in certificate.Committee.prototype), member);
});
