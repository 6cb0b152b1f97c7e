import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import * as quorate from 'quorate';
import { HOUR, pair } from './shared/dsig.mjs';

const { SecretKey, dsig } = quorate;
const message = new Uint8Array([1, 2, 3]);
const isAbort = (e) => e.name === 'AbortError' && e.code === 'ABORT_ERR';
const fresh = (options) => new dsig.Signer(SecretKey.generate('ed25519'), { lifetime: HOUR, ...options });

test('dsig: batches are made off the thread', async () => {
  const signer = fresh({ log2Batch: 2, lowWater: 8, groups: [[1, 2]] });
  const made = [];
  for (let batch = await signer.prepareAsync(); batch; batch = await signer.prepareAsync()) made.push(batch);
  assert.deepEqual(made.map(({ to }) => to), [[1, 2], undefined, [1, 2], undefined]);
  assert.deepEqual([signer.ready, signer.announcements().length], [16, 4]);
  const verifier = new dsig.Verifier();
  verifier.admit(signer.publicKey());
  for (const { announcement } of made) verifier.announce(signer.publicKey(), announcement);
  assert.ok(verifier.canVerifyFast(signer.publicKey(), signer.sign(message)));
  await assert.rejects(signer.prepareAsync(undefined, { signal: 1 }), TypeError);
});

test('dsig: signing while a batch is made uses no key twice', async () => {
  const signer = fresh({ log2Batch: 5, lowWater: 100 });
  signer.prepare();
  const signatures = [];
  for (let round = 0; round < 4; round += 1) {
    const batches = Array.from({ length: 4 }, () => signer.prepareAsync());
    for (let left = signer.ready; left > 0; left -= 1) signatures.push(signer.sign(message));
    await Promise.all(batches);
  }
  // Root and index identify the signing key.
  const keys = new Set(signatures.map((signature) => signature.subarray(2, 40).join()));
  assert.equal(keys.size, signatures.length);
  for (const signature of signatures) dsig.verify(signer.publicKey(), message, signature);
});

test('dsig: cancelling, closing or invalidating during a call', async () => {
  const signer = fresh({ log2Batch: 3, lowWater: 1000 });
  await assert.rejects(signer.prepareAsync(undefined, { signal: AbortSignal.abort() }), isAbort);
  assert.equal(signer.ready, 0);
  const controller = new AbortController();
  const running = Array.from({ length: 10 }, () => signer.prepareAsync(undefined, { signal: controller.signal }));
  controller.abort();
  for (const { reason } of await Promise.allSettled(running)) assert.ok(isAbort(reason), String(reason));

  const closed = Array.from({ length: 10 }, () => signer.prepareAsync());
  signer.close();
  for (const { reason } of await Promise.allSettled(closed)) assert.ok(reason instanceof quorate.ClosedError, String(reason));
  await assert.rejects(signer.prepareAsync(), quorate.ClosedError);

  const copied = fresh({ log2Batch: 7 });
  const planned = copied.prepareAsync();
  copied.invalidate();
  assert.ok(await planned, 'made again if need be');
  assert.deepEqual([copied.ready, copied.announcements().length], [128, 1]);
});

test('dsig: announcements are checked off the thread', async () => {
  const signer = fresh({ log2Batch: 5, lowWater: 100 });
  const [verifier, key] = [new dsig.Verifier({ burst: 4, interval: HOUR }), signer.publicKey()];
  const batches = [1, 2, 3, 4].map(() => signer.prepare(5n).announcement);
  const stranger = await verifier.announceAsync(key, batches[0], 5n).catch((e) => e);
  assert.ok(stranger instanceof quorate.WrongContextError, String(stranger));
  verifier.admit(key);
  verifier.announce(key, batches[0], 5n);
  const given = Uint8Array.from(batches[1]);
  const [taken, broken] = [verifier.announceAsync(key, given, 5n), verifier.announceAsync(key, batches[2].subarray(1), 5n)];
  // Awaited from the start: it may reject before the first awaited promise resolves.
  const refused = assert.rejects(broken, { code: 'WRONG_CONTEXT' });
  given.fill(0);
  // While both are verified.
  for (let n = 0; n < 32; n += 1) {
    const signature = signer.sign(message, { now: 5n });
    assert.ok(verifier.canVerifyFast(key, signature));
    verifier.verify(key, message, signature);
  }
  assert.equal(await taken, undefined);
  assert.ok(verifier.canVerifyFast(key, signer.sign(message, { now: 5n })), 'of the second batch');
  await refused;
  await assert.rejects(verifier.announceAsync(key, batches[2], 5n, { signal: AbortSignal.abort() }), isAbort);
  await verifier.announceAsync(key, batches[2], 5n);
  // Rejected before queueing: an aborted call that starts spends one too.
  await assert.rejects(verifier.announceAsync(key, batches[3], 5n), quorate.RateLimitedError);
});

test('dsig: hooks run before queueing, and exceptions reject', async () => {
  const { signer, verifier, alice, announcement } = pair(quorate, { log2Batch: 5 });
  const [broken, NOW] = [new Error('broken'), 1_000_000n];
  const throwing = () => {
    throw broken;
  };
  const signature = signer.sign(message, { now: NOW });
  let copy = () => 1n;
  signer.detectCopies(() => copy());
  assert.equal(await signer.prepareAsync(NOW), undefined);
  copy = () => 2n;
  assert.ok(await signer.prepareAsync(NOW), 'all keys were wiped');
  assert.equal(signer.ready, 32);
  copy = throwing;
  await assert.rejects(signer.prepareAsync(NOW), (e) => e === broken);
  copy = () => 1;
  await assert.rejects(signer.prepareAsync(NOW), TypeError);
  copy = () => {
    copy = () => 2n;
    signer.close();
    return 2n;
  };
  await assert.rejects(signer.prepareAsync(NOW), quorate.ClosedError);

  verifier.checkRevocation(throwing);
  await assert.rejects(verifier.announceAsync(alice, announcement, NOW), (e) => e === broken);
  verifier.checkRevocation(async () => false);
  await assert.rejects(verifier.announceAsync(alice, announcement, NOW), TypeError);
  verifier.checkRevocation(() => true);
  await assert.rejects(verifier.announceAsync(alice, announcement, NOW), (e) => e.details.what === 'revoked signer');
  verifier.checkRevocation(() => false);
  // Later changes to the argument do not affect this call.
  const taken = verifier.announceAsync(alice, announcement, NOW);
  verifier.checkRevocation(() => true);
  assert.equal(verifier.canVerifyFast(alice, signature), false);
  assert.equal(await taken, undefined);
});

test('dsig: a copied machine generates its pending batch again', async () => {
  const { signer, alice } = pair(quorate, { log2Batch: 7, lowWater: 1000 });
  const NOW = 1_000_000n;
  let generation = 1n;
  signer.detectCopies(() => generation);
  const under = Array.from({ length: 4 }, () => signer.prepareAsync(NOW));
  generation = 2n;
  assert.throws(() => signer.sign(message, { now: NOW }), quorate.ExhaustedError);
  assert.ok((await Promise.all(under)).every(Boolean));
  const { length } = signer.announcements();
  assert.equal(signer.ready, 128 * length);
  dsig.verify(alice, message, signer.sign(message, { now: NOW }));
});

test('dsig: logs are checked off the thread', async () => {
  const { signer, alice } = pair(quorate);
  const given = Uint8Array.from(message);
  const signature = signer.sign(message, { now: 1_000_000n });
  const checking = dsig.verifyAllAsync('wots-blake3', [[alice, given, signature], [alice, new Uint8Array(), signature]]);
  given.fill(0);
  const [fine, forged] = await checking;
  assert.equal(fine, undefined);
  assert.ok(forged instanceof quorate.BadSignatureError);
  await assert.rejects(dsig.verifyAllAsync('wots-blake3', [], { signal: AbortSignal.abort() }), isAbort);
  await assert.rejects(dsig.verifyAllAsync('wots', []), quorate.WrongContextError);
  await assert.rejects(dsig.verifyAllAsync('wots-blake3', [[alice, 'text', signature]]), TypeError);
});

test('dsig: a thread may end while it makes batches', async () => {
  const source = `
    const { parentPort } = require('node:worker_threads');
    const { SecretKey, dsig } = require(${JSON.stringify(createRequire(import.meta.url).resolve('quorate'))});
    const signer = new dsig.Signer(SecretKey.generate('ed25519'), { lowWater: 10_000 });
    for (let i = 0; i < 20; i++) signer.prepareAsync().catch(() => {});
    parentPort.postMessage('begun');`;
  for (let round = 0; round < 3; round += 1) {
    const worker = new Worker(source, { eval: true });
    await new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject));
    await worker.terminate();
  }
});
