// The threshold blocks and erasure coding in Node: threads behind promises, and memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as quorate from 'quorate';
import { MESSAGE, dispersing } from './shared/threshold-world.mjs';

const { bls, ecdsa, seal, tdh2, coin, Cache, Threshold, Tolerance } = quorate.threshold;
const committee = quorate.CommitteeId.fromBytes(new Uint8Array(32).fill(7));

test('threshold: promises give the calls\' results and errors', async () => {
  const threshold = new Threshold(2, 4);
  const { keys, shares } = await tdh2.PublicKeys.dealAsync(committee, threshold);
  shares.forEach((share) => share.check(keys));
  assert.equal((await coin.PublicKeys.dealAsync(committee, threshold)).shares.length, 4);
  const key = tdh2.EncryptionKey.fromPublicKeys(keys);
  const plaintext = new Uint8Array(1 << 20).fill(5);
  const encrypted = key.encryptAsync(1n, 2, plaintext);
  plaintext.fill(6); // Later writes have no effect.
  const ciphertext = await encrypted;
  const valid = await ciphertext.checkAsync(key, 1n, 2);
  const made = shares.map((share) => share.decryptionShare(valid));
  const { verified, faults } = await keys.verifySharesAsync(valid, made);
  assert.deepEqual([verified.length, faults], [4, []]);
  for (const cache of [undefined, new Cache()]) {
    assert.deepEqual(await valid.combineAsync(keys, verified.slice(1, 3), cache), new Uint8Array(1 << 20).fill(5));
  }
  await assert.rejects(ciphertext.checkAsync(key, 1n, 3), quorate.WrongContextError);
  await assert.rejects(valid.combineAsync(keys, verified.slice(1, 2)), quorate.BelowQuorumError);
  await assert.rejects(tdh2.PublicKeys.dealAsync(committee, 2), TypeError);
  await assert.rejects(keys.verifySharesAsync(valid, [1]), TypeError);
  await assert.rejects(key.encryptAsync(1n, 2, new Uint8Array(tdh2.MAX_PLAINTEXT + 1)), quorate.TooLargeError);
  await assert.rejects(key.encryptAsync(1n, 2, plaintext, { signal: AbortSignal.abort() }), { code: 'ABORT_ERR' });

  const dealer = new ecdsa.TrustedDealer('secp256k1', committee, new Tolerance(4, 1));
  const dealing = dealer.dealAsync(3n, ecdsa.Plan.forAgreed(8));
  dealer.close();
  const parties = await dealing;
  assert.deepEqual(parties.map(({ member, left }) => [member, left]), [0, 1, 2, 3].map((member) => [member, 8]));
  await assert.rejects(dealer.dealAsync(4n, ecdsa.Plan.forAgreed(8)), quorate.ClosedError);
  const open = new ecdsa.TrustedDealer('ristretto255', committee, new Tolerance(4, 1));
  await assert.rejects(open.dealAsync(4n, ecdsa.Plan.forAgreement(5)), quorate.WrongContextError);
  assert.equal((await bls.dealAsync('bls-min-pk', committee, new Tolerance(4, 1), 'unagreed')).length, 4);
  await assert.rejects(bls.dealAsync('ed25519', committee, new Tolerance(4, 1), 'unagreed'), quorate.WrongContextError);

  const bob = seal.SealingKey.generate();
  const sealed = await bob.public.sealAsync(MESSAGE, plaintext);
  const opening = bob.openAsync(MESSAGE, sealed);
  bob.close();
  assert.deepEqual(await opening, plaintext);
  await assert.rejects(bob.openAsync(MESSAGE, sealed), quorate.ClosedError);
  await assert.rejects(seal.SealingKey.generate().openAsync(MESSAGE, sealed), quorate.WrongContextError);
});

test('erasure: one coder codes on several threads at once', async () => {
  const { coder } = dispersing(quorate);
  const messages = Array.from({ length: 12 }, (_, i) => new Uint8Array(200_000 + i).fill(i));
  const sent = await Promise.all(messages.map((message) => coder.disperseAsync(message)));
  const here = coder.disperse(messages[3]);
  assert.ok(here.commitment.equals(sent[3].commitment));
  const decoded = await Promise.all(sent.map((one) => coder.decodeAsync(one.shards().slice(4))));
  decoded.forEach((one, i) => assert.deepEqual(one.message, messages[i]));
  await assert.rejects(coder.disperseAsync(new Uint8Array((1 << 20) + 1)), quorate.TooLargeError);
  await assert.rejects(coder.decodeAsync([]), quorate.BelowQuorumError);
  await assert.rejects(coder.decodeAsync(sent[0].shards(), { signal: AbortSignal.abort() }), { code: 'ABORT_ERR' });
  await assert.rejects(coder.disperseAsync('text'), TypeError);
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
