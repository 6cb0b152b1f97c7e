// The threshold blocks and erasure coding in WebAssembly: the module's memory.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test from 'node:test';
import * as q from 'quorate-wasm';
import * as raw from '../dist/quorate.js';
import * as world from '../../node/test/shared/threshold-world.mjs';

const { memory } = raw.initSync();
const { bls, coin, ecdsa, seal, tdh2, Cache, Threshold, Tolerance } = q.threshold;
const committee = q.CommitteeId.fromBytes(new Uint8Array(32).fill(7));
const coded = (code) => (error) => error instanceof q.QuorateError && error.code === code;

test('threshold: results leave nothing in the module', () => {
  const [e, t, s, b] = [world.encryption(q), world.tossing(q), world.signing(q), world.sharedBls(q)];
  const [d, cache] = [world.dispersing(q), new Cache()];
  const wrong = world.renamed(s.signed[1].share, 0);
  const uses = {
    decryption: () => {
      const decryption = new tdh2.Decryption(e.keys, e.valid, cache);
      return [decryption, ...[e.made[0], world.renamed(e.made[0], 1), e.made[2]].flatMap((share) => decryption.add(share).faults.map((fault) => fault.share))];
    },
    combine: () => (e.valid.combine(e.keys, e.verified, cache), [t.of.combine(t.keys, t.verified, cache)]),
    'refused lists': () => {
      assert.throws(() => e.valid.combine(e.keys, [e.verified[0], 7], cache), TypeError);
      assert.throws(() => e.keys.verifyShares(e.valid, [e.made[0], 7]), TypeError);
      return [];
    },
    verifyShares: () => {
      const { verified, faults } = e.keys.verifyShares(e.valid, [e.made[0], world.renamed(e.made[1], 3)]);
      return [...verified, ...faults.map((fault) => fault.share), e.keys.verifyShare(e.valid, e.made[0])];
    },
    toss: () => {
      const toss = new coin.CoinCombiner(t.keys, t.of, cache);
      return [toss, ...[0, 2].map((i) => toss.add(t.made[i]).output).filter(Boolean)];
    },
    sign: () => {
      const own = s.dealer.deal(1n, ecdsa.Plan.forAgreed(1));
      const signed = own[0].take(ecdsa.Plan.forAgreed(1).agreed(1n, 0));
      return [...own, signed];
    },
    combiner: () => {
      const combiner = new ecdsa.Combiner(s.of, cache);
      const outcomes = [combiner.add(0, wrong), ...[1, 2].map((i) => combiner.add(i, s.signed[i].share))];
      const opened = combiner.open(0, s.signed[0].opener.open());
      return [combiner, ...[...outcomes, opened].flatMap(({ faults }) => faults.map(({ evidence }) => evidence))];
    },
    bls: () => {
      const combiner = new bls.Combiner(b.key, world.MESSAGE, cache);
      return [combiner, ...[0, 2].map((i) => combiner.add(i, b.made[i]).signature).filter(Boolean)];
    },
    seal: () => {
      const key = seal.SealingKey.generate();
      key.open(world.MESSAGE, key.public.seal(world.MESSAGE, world.MESSAGE));
      return [key];
    },
    erasure: () => {
      const sent = d.coder.disperse(world.MESSAGE);
      const shards = sent.shards();
      return [sent, ...shards, d.coder.decode(shards)];
    },
  };
  for (const [name, use] of Object.entries(uses)) {
    const run = (times) => {
      for (let time = 0; time < times; time += 1) for (const object of use()) object.free();
      return memory.buffer.byteLength;
    };
    const before = run(30);
    const after = run(name === 'sign' || name === 'bls' ? 100 : 300);
    // Small objects created for an answer are left to the garbage collector; a page is 64 kB.
    assert.ok(after - before <= 1 << 20, `${name}: ${after - before} bytes more`);
  }
});

test('threshold: a closed secret has no copy off the stack', () => {
  const STACK = 1 << 20;
  const bytes = new Uint8Array(randomBytes(32));
  bytes[31] &= 0x0f; // below the order of ristretto255
  const given = world.encryption(q).shares[1].toBytes();
  given.set(bytes, 67);
  tdh2.KeyShare.fromBytes(given).close();
  const sealing = seal.SealingKey.fromBytes(bytes);
  assert.deepEqual(sealing.toBytes(), bytes);
  sealing.open(world.MESSAGE, sealing.public.seal(world.MESSAGE, world.MESSAGE));
  sealing.close();
  ecdsa.TrustedDealer.fromBytes('ristretto255', committee, new Tolerance(4, 1), bytes).close();
  const heap = Buffer.from(memory.buffer).subarray(STACK);
  for (const order of [bytes, bytes.toReversed()]) {
    for (const at of [0, 8, 16, 24]) assert.equal(heap.indexOf(order.subarray(at, at + 8)), -1, `from byte ${at}`);
  }
});

test('oversized requests are refused before allocating', () => {
  const { Coder, Coding, Shape, Suite } = q.erasure;
  assert.throws(() => new Coder(new Coding(new Shape(1, 32_767), 60_000, Suite.Leopard)), coded('TOO_LARGE'));
  assert.throws(() => new Coder(new Coding(new Shape(2, 2), 1 << 28)), coded('TOO_LARGE'));
  // The limits themselves are allowed.
  for (const [suite, shape, length] of [[Suite.Leopard, new Shape(1, 32_767), 8192], [Suite.Gf8, new Shape(1, 1), 1 << 26]]) {
    const coder = new Coder(new Coding(shape, length, suite));
    const sent = coder.disperse(new Uint8Array(length).fill(3));
    const decoded = coder.decode([sent.shard(shape.shards - 1)]);
    assert.equal(decoded.message.length, length);
    for (const object of [coder, sent, decoded]) object.free();
  }
  const dealer = new ecdsa.TrustedDealer('secp256k1', committee, new Tolerance(1024, 1));
  assert.throws(() => dealer.deal(1n, ecdsa.Plan.forAgreed(1025)), coded('TOO_LARGE'));
  assert.throws(() => new Threshold(2, 1025), coded('BAD_COMMITTEE'));
});
