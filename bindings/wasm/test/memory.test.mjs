// The module's memory: results, unreachable handles and closed keys leave nothing there, and oversized arguments take none.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test from 'node:test';
import * as q from 'quorate-wasm';
import * as raw from '../dist/quorate.js';
import { pair } from '../../node/test/shared/dsig.mjs';
import * as world from '../../node/test/shared/threshold-world.mjs';

const { memory } = raw.initSync();
const { bls, coin, ecdsa, seal, tdh2, Cache, Threshold, Tolerance } = q.threshold;
const committee = q.CommitteeId.fromBytes(new Uint8Array(32).fill(7));
const coded = (code) => (error) => error instanceof q.QuorateError && error.code === code;
/** The module's stack lies below everything else. Calls overwrite it; it is never wiped. */
const STACK = 1 << 20;

/** The size of the memory after results were made and freed this number of times. */
function sizeAfter(times, use) {
  for (let time = 0; time < times; time += 1) for (const object of use()) object.free();
  return memory.buffer.byteLength;
}

/** No part of a key may be in the memory, in either byte order. */
function assertWiped(bytes, what) {
  // Freeing memory overwrites some of it.
  const heap = Buffer.from(memory.buffer).subarray(STACK);
  for (const order of [bytes, bytes.toReversed()]) {
    for (const at of [0, 8, 16, 24]) assert.equal(heap.indexOf(order.subarray(at, at + 8)), -1, `${what}, from byte ${at}`);
  }
}

test('the buffer of a result is freed with it', () => {
  // No garbage is collected before this function returns.
  const secret = q.SecretKey.generate('ed25519');
  const chain = q.ChainId.fromName('memory');
  const committee = new q.Committee(chain, 1n, [[q.VerifiedKey.fromSecret(secret), 1n]]);
  const statement = committee.statement(1, 2n, new Uint8Array(32));
  const vote = q.Vote.signUnguarded(secret, committee, statement);
  const suspects = new q.Suspects();
  const certificate = new q.VoteCollector(committee, 1, 2n).add(vote, suspects).certificate.value;
  const [elsewhere, timeouts] = [new q.VoteCollector(committee, 1, 3n), new q.TimeoutCollector(committee, 2, 3n)];
  const guard = new q.Guard(secret, chain);
  const uses = {
    sign: () => Object.values(guard.sign(committee, statement)),
    signTimeout: () => Object.values(guard.signTimeout(committee, 2, 3n, 1n)),
    verifyBatch: () => q.Certificate.verifyBatch(committee, [certificate]),
    'a stray vote': () => elsewhere.add(vote, suspects).faults.filter(({ error }) => !error),
    verifyHonest: () => timeouts.verifyHonest(suspects).faults,
  };
  for (const [name, use] of Object.entries(uses)) {
    const before = sizeAfter(50, use);
    assert.equal(sizeAfter(2000, use), before, name);
  }
});

test('a closed key has no copy except on the stack', () => {
  for (const suite of Object.values(q.Suite)) {
    const bytes = new Uint8Array(randomBytes(32));
    // Below the order of the BLS group.
    bytes[0] = 0;
    const secret = q.SecretKey.fromBytes(suite, bytes);
    assert.deepEqual(secret.toBytes(), bytes);
    const chain = q.ChainId.fromName('memory');
    const committee = new q.Committee(chain, 1n, [[q.VerifiedKey.fromSecret(secret), 1n]]);
    secret.provePossession();
    const guard = new q.Guard(secret, chain);
    guard.sign(committee, committee.statement(1, 2n, new Uint8Array(32)));
    guard.close();
    q.SecretKey.fromBytes(suite, bytes).close();
    assertWiped(bytes, suite);
  }
});

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
    const before = sizeAfter(30, use);
    const after = sizeAfter(name === 'sign' || name === 'bls' ? 100 : 300, use);
    // Small objects created for an answer are left to the garbage collector; a page is 64 kB.
    assert.ok(after - before <= 1 << 20, `${name}: ${after - before} bytes more`);
  }
});

test('threshold: a closed secret has no copy off the stack', () => {
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
  assertWiped(bytes, 'a threshold secret');
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
