// Leaks in the module's memory: unreachable handles and closed keys.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test from 'node:test';
import * as q from 'quorate-wasm';
import * as raw from '../dist/quorate.js';

const { memory } = raw.initSync();
/** The module's stack lies below everything else. Calls overwrite it; it is never wiped. */
const STACK = 1 << 20;

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
    const run = (times) => {
      for (let time = 0; time < times; time += 1) for (const object of use()) object.free();
      return memory.buffer.byteLength;
    };
    const before = run(50);
    assert.equal(run(2000), before, name);
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
    // Freeing memory overwrites some of it.
    const heap = Buffer.from(memory.buffer).subarray(STACK);
    for (const order of [bytes, bytes.toReversed()]) {
      for (const at of [0, 8, 16, 24]) assert.equal(heap.indexOf(order.subarray(at, at + 8)), -1, `${suite}, from byte ${at}`);
    }
  }
});
