// The threshold blocks and erasure coding in Node: threads behind promises, and memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as quorate from 'quorate';
import { MESSAGE, dispersing } from './shared/threshold-world.mjs';

const { ecdsa, seal, Tolerance } = quorate.threshold;
const committee = quorate.CommitteeId.fromBytes(new Uint8Array(32).fill(7));

test('threshold: later writes and closing do not affect calls off the thread', async () => {
  const bob = seal.SealingKey.generate();
  const plaintext = new Uint8Array(1 << 20).fill(5);
  const sealing = bob.public.sealAsync(MESSAGE, plaintext);
  plaintext.fill(6);
  const opening = bob.openAsync(MESSAGE, await sealing);
  bob.close();
  assert.deepEqual(await opening, new Uint8Array(1 << 20).fill(5));
  const dealer = new ecdsa.TrustedDealer('secp256k1', committee, new Tolerance(4, 1));
  const dealing = dealer.dealAsync(3n, ecdsa.Plan.forAgreed(8));
  dealer.close();
  assert.deepEqual((await dealing).map(({ member, left }) => [member, left]), [0, 1, 2, 3].map((member) => [member, 8]));
});

test('erasure: one coder codes on several threads at once', async () => {
  const { coder } = dispersing(quorate);
  const messages = Array.from({ length: 12 }, (_, i) => new Uint8Array(200_000 + i).fill(i));
  const sent = await Promise.all(messages.map((message) => coder.disperseAsync(message)));
  const here = coder.disperse(messages[3]);
  assert.ok(here.commitment.equals(sent[3].commitment));
  const decoded = await Promise.all(sent.map((one) => coder.decodeAsync(one.shards().slice(4))));
  decoded.forEach((one, i) => assert.deepEqual(one.message, messages[i]));
});

test('erasure: V8 counts the memory of shards', async () => {
  const { coder } = dispersing(quorate);
  const message = new Uint8Array(1 << 20);
  // More than two gigabytes in total, none of which stays referenced.
  for (let i = 0; i < 1000; i += 1) {
    coder.disperse(message);
    if (i % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(process.memoryUsage().rss < 1 << 30);
});
