// DSig: what both packages for JavaScript do is tested in those of `quorate` for Node; here is what WebAssembly adds.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { inspect } from 'node:util';
import * as q from 'quorate-wasm';
import * as raw from '../dist/quorate.js';
import { dsigTests } from '../../node/test/shared/dsig.mjs';

const { memory } = raw.initSync();
const declarations = readFileSync(new URL('../index.d.ts', import.meta.url), 'utf8');

for (const [name, run] of Object.entries(dsigTests(q, assert, declarations))) test(`dsig: ${name}`, run);

test('dsig: what was freed says CLOSED', () => {
  const signer = new q.dsig.Signer(q.SecretKey.generate('ed25519'));
  const verifier = new q.dsig.Verifier();
  const key = signer.publicKey;
  for (const object of [signer, verifier, key]) {
    object.free();
    object.free();
  }
  assert.equal(signer.closed, true);
  for (const use of [() => signer.ready, () => verifier.admit(key), () => new q.dsig.Verifier().admit(key)]) {
    assert.throws(use, { code: 'CLOSED' });
  }
  assert.equal(inspect(signer), 'Signer(closed)');
});

test('dsig: the module keeps nothing of what it answers', () => {
  const secret = q.SecretKey.generate('ed25519');
  const signer = new q.dsig.Signer(secret, { log2Batch: 2, lowWater: 1, groups: [[1, 2]] });
  const verifier = new q.dsig.Verifier({ announced: 2, checked: 2, burst: 1_000_000 });
  const { publicKey } = signer;
  verifier.admit(publicKey);
  const message = new Uint8Array(2000);
  const run = (times) => {
    for (let now = 0n; now < times; now += 1n) {
      for (let made = signer.prepare(now); made; made = signer.prepare(now)) verifier.announce(publicKey, made.announcement, now);
      signer.announcements();
      verifier.verify(publicKey, message, signer.sign(message, { hint: [1], now }));
      verifier.verify(publicKey, message, signer.sign(message, { now }));
      assert.throws(() => new q.dsig.Signer(q.SecretKey.generate('ed25519'), { groups: [[1]], log2Batch: 8 }));
    }
    signer.invalidate();
    return memory.buffer.byteLength;
  };
  const before = run(100n);
  assert.equal(run(1000n), before);
});
