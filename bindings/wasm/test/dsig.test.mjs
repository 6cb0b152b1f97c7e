// DSig in WebAssembly: the module's memory.

import assert from 'node:assert/strict';
import test from 'node:test';
import * as q from 'quorate-wasm';
import * as raw from '../dist/quorate.js';
import { pair } from '../../node/test/shared/dsig.mjs';

const { memory } = raw.initSync();

test('dsig: oversized arguments are refused before copying', () => {
  const { signer, alice } = pair(q);
  const half = new Uint8Array(1 << 27);
  const before = memory.buffer.byteLength;
  assert.throws(() => q.dsig.verifyAll('wots-blake3', [[alice, half, half], [alice, half.subarray(0, 1), half]]), { code: 'TOO_LARGE' });
  assert.equal(memory.buffer.byteLength, before);
  signer.close();
});

test('dsig: results leave nothing in the module', () => {
  const secret = q.SecretKey.generate('ed25519');
  const signer = new q.dsig.Signer(secret, { log2Batch: 2, lowWater: 1, groups: [[1, 2]] });
  const verifier = new q.dsig.Verifier({ announced: 2, checked: 2, burst: 1_000_000 });
  const publicKey = signer.publicKey();
  verifier.admit(publicKey);
  const message = new Uint8Array(2000);
  const run = (times) => {
    for (let now = 0n; now < times; now += 1n) {
      for (let made = signer.prepare(now); made; made = signer.prepare(now)) verifier.announce(publicKey, made.announcement, now);
      signer.announcements();
      verifier.verify(publicKey, message, signer.sign(message, { hint: [1], now }));
      verifier.verify(publicKey, message, signer.sign(message, { now }));
      assert.throws(() => new q.dsig.Signer(q.SecretKey.generate('ed25519'), { groups: [[1]], log2Batch: 8 }));
      const entry = [publicKey, message, message.subarray(0, 1584)];
      assert.equal(q.dsig.verifyAll('wots-blake3', [entry, entry]).length, 2);
      assert.throws(() => q.dsig.verifyAll('wots', [entry]));
    }
    signer.invalidate();
    return memory.buffer.byteLength;
  };
  const before = run(100n);
  assert.equal(run(1000n), before);
});
