// Commands through the real front: execution, log, answers, refusals, and restarts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { BadFront, BadInput, Client, Lost, RedisError, Refused, SUITES, Unreachable } from '../index.mjs';
import { openLink } from '../link.mjs';
import { encodeCommand } from '../resp.mjs';
import { message, readFrame, signedCommand } from '../wire.mjs';
import { Deployment, eventually } from './deployment.mjs';

const LIMIT = { timeout: 300_000 };
const never = new AbortController().signal;

/**
 * Repeats work whose short time limit a busy machine may exceed.
 *
 * @template T
 * @param {() => Promise<T>} work
 */
async function reached(work) {
  /** @type {T[]} */
  const results = [];
  await eventually(async () => {
    try {
      results.push(await work());
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    }
    return results.length > 0;
  });
  return results[0];
}

test('reads and writes are executed, logged and provable', LIMIT, async (t) => {
  const deployment = await Deployment.start(t);
  const [alice, bob] = [await deployment.client('alice'), await deployment.client('bob', { scheme: 'eddsa' })];
  assert.equal(alice.store.toString('hex'), deployment.store);
  assert.deepEqual(await alice.call('SET', 'greeting', 'hello'), { sequence: 1, entry: 1, reply: 'OK' });
  assert.deepEqual(await bob.call('GET', 'greeting'), { sequence: 1, entry: 2, reply: Buffer.from('hello') });
  assert.equal((await bob.call('GET', 'nothing')).reply, null);
  assert.equal((await bob.call('INCRBY', 'n', -7)).reply, -7);
  assert.equal((await bob.call('INCRBY', 'large', 1n << 60n)).reply, 1n << 60n);
  assert.deepEqual((await bob.call('KEYS', 'no*')).reply, []);
  const large = Buffer.alloc(1 << 20, 0xa5);
  await alice.call('SET', Buffer.from('\0\r\n\xff', 'latin1'), large);
  assert.deepEqual((await bob.call('GET', Uint8Array.of(0, 13, 10, 255))).reply, large);
  const wrong = { name: 'RedisError', code: 'WRONGTYPE', sequence: 3, entry: 9 };
  await assert.rejects(alice.call('LPUSH', 'greeting', 'x'), wrong);
  await Promise.all([alice.close(), bob.close()]);
  assert.deepEqual(await deployment.redisCommand('GET', 'greeting'), Buffer.from('hello'));
  assert.deepEqual(deployment.audit(), { entries: 9, alice: 3, bob: 6 });
  const [aliceKey, bobKey] = deployment.public;
  for (const [entry, signer, other] of [['1', aliceKey, bobKey], ['2', bobKey, aliceKey]]) {
    assert.equal(deployment.run('prove', 'audit.log', '--entry', entry, '--out', 'proof').status, 0);
    const checked = deployment.run('check-proof', '--json', 'proof', '--signer', signer);
    assert.equal(JSON.parse(checked.stdout).command[1], 'greeting');
    assert.equal(deployment.run('check-proof', 'proof', '--signer', other).status, 6);
  }
});

test('scripts are executed only if the configuration enables them', LIMIT, async (t) => {
  const deployment = await Deployment.start(t);
  const alice = await deployment.client('alice');
  const code = "return {1, {err = 'OOPS inside'}, {'two', redis.call('INCR', 'n') == 0}}";
  const others = [['EVALSHA', 'a'.repeat(40), 0], ['SCRIPT', 'LOAD', 'return 1'], ['FCALL', 'f', 0]];
  for (const refused of [['EVAL', code, 0], ...others]) {
    await assert.rejects(alice.call(...refused), { name: 'Refused', code: 'NOT_ALLOWED' });
  }
  const nothing = { sequence: 1, entry: 1, reply: null };
  assert.deepEqual(await alice.call('GET', 'n'), nothing, 'a refused script is neither executed nor logged');
  // Refusals are written in the background; a crash loses the waiting ones.
  /** @param {number} count */
  const recorded = (count) => {
    const expected = Array(count).fill('NOT_ALLOWED').join();
    return eventually(() => deployment.refusals().join() === expected);
  };
  await recorded(4);
  await deployment.killFront();
  deployment.scripts = true;
  await deployment.startFront();
  const { reply } = await alice.call('EVAL', code, 0);
  assert.ok(Array.isArray(reply) && reply[1] instanceof RedisError);
  assert.deepEqual([reply[0], reply[1].text, reply[2]], [1, 'OOPS inside', [Buffer.from('two'), null]]);
  await assert.rejects(alice.call('FCALL', 'f', 0), { name: 'Refused', code: 'NOT_ALLOWED' });
  await alice.close();
  assert.deepEqual(await deployment.redisCommand('GET', 'n'), Buffer.from('1'));
  assert.deepEqual(deployment.audit(), { entries: 2, alice: 2, bob: 0 });
  await recorded(5);
});

test('concurrent commands keep their order', LIMIT, async (t) => {
  const deployment = await Deployment.start(t);
  const alice = await deployment.client('alice');
  // More commands than there are keys initially, and than a front accepts in flight.
  const numbers = Array.from({ length: 1500 }, (_, number) => number);
  const answers = await Promise.all(numbers.map((number) => alice.call('RPUSH', 'list', number)));
  assert.deepEqual(answers.map(({ sequence, reply }) => [sequence, reply]), numbers.map((n) => [n + 1, n + 1]));
  const { reply } = await alice.call('LRANGE', 'list', 0, -1);
  assert.deepEqual(reply, numbers.map((number) => Buffer.from(String(number))));
  await alice.close();
  assert.deepEqual(deployment.audit(), { entries: 1501, alice: 1501, bob: 0 });
  assert.deepEqual(deployment.refusals(), [], 'no command and no announcement was refused');
});

test('every suite signs, and programs continue the sequence numbers', LIMIT, async (t) => {
  const deployment = await Deployment.start(t);
  for (const [number, suite] of SUITES.entries()) {
    const alice = await deployment.client('alice', { suite });
    assert.equal((await alice.call('INCR', 'n')).sequence, number + 1);
    await alice.close();
  }
  const rust = deployment.run('call', '--json', '--front', deployment.listen, '--key', 'alice.key', 'INCR', 'n');
  assert.equal(JSON.parse(rust.stdout).sequence, 5);
  const alice = await deployment.client('alice', { scheme: 'eddsa' });
  assert.deepEqual(await alice.call('GET', 'n'), { sequence: 6, entry: 6, reply: Buffer.from('5') });
  await alice.close();
  assert.equal(deployment.audit().entries, 6);
});

test('unknown signers, other stores and unknown suites are refused', LIMIT, async (t) => {
  const deployment = await Deployment.start(t);
  await assert.rejects(deployment.client('mallory'), { name: 'Refused', code: 'UNKNOWN_SIGNER', exit: 5 });
  await assert.rejects(deployment.client('alice', { store: new Uint8Array(32) }), (error) => {
    return error instanceof BadFront && error.code === 'OTHER_STORE' && error.message.includes(deployment.store);
  });
  const alice = deployment.key('alice');
  alice.public = deployment.key('bob').public;
  await assert.rejects(openLink(deployment.listen, alice, undefined, never), { name: 'Refused', code: 'IMPOSTOR' });
  for (const options of [{ scheme: 'rsa' }, { suite: 'hors-f-blake3' }]) {
    await assert.rejects(deployment.client('alice', options), BadInput);
  }
  for (const address of ['127.0.0.1', '127.0.0.1:0', '127.0.0.1:٣', ':1', '127.0.0.1:65536']) {
    await assert.rejects(Client.connect(address, alice), { name: 'BadInput' });
  }
  const accepted = await deployment.client('alice', { store: Buffer.from(deployment.store, 'hex') });
  assert.equal((await accepted.call('PING')).sequence, 1);
  await accepted.close();
  await eventually(() => deployment.refusals().join() === 'UNKNOWN_SIGNER,IMPOSTOR');
});

test('unsigned, replayed and forged commands are refused', LIMIT, async (t) => {
  const deployment = await Deployment.start(t);
  const unsigned = await deployment.client('alice', { scheme: 'none' });
  for (let round = 0; round < 2; round += 1) {
    await assert.rejects(unsigned.call('SET', 'a', '1'), { name: 'Refused', code: 'UNSIGNED', sequence: 1 });
  }
  await unsigned.close();
  const key = deployment.key('alice');
  const link = await openLink(deployment.listen, key, undefined, never);
  /** @param {Uint8Array} frame */
  const ask = async (frame) => {
    link.write(frame);
    const answer = await readFrame(link, 4096);
    return answer.kind === 'welcome' ? '' : answer.reply.toString();
  };
  const [now, command] = [BigInt(Date.now()) * 1000n, encodeCommand(['INCR', 'n'])];
  const signature = key.sign(message(link.store, 1, now, command));
  assert.equal(await ask(signedCommand(1, 1, now, signature, command)), ':1\r\n');
  assert.match(await ask(signedCommand(1, 1, now, signature, command)), /^-REPLAYED /);
  assert.match(await ask(signedCommand(1, 2, now, signature, command)), /^-FORGED /);
  link.close();
  assert.deepEqual(await deployment.redisCommand('GET', 'n'), Buffer.from('1'));
  assert.equal(deployment.audit().entries, 1);
  await eventually(() => deployment.refusals().join() === 'UNSIGNED,UNSIGNED,REPLAYED,FORGED');
});

test('numbering restarts after a refusal', LIMIT, async (t) => {
  const deployment = await Deployment.start(t);
  const alice = await deployment.client('alice');
  const calls = [alice.call('INCR', 'n'), alice.call('SELECT', 1)];
  for (let call = 0; call < 20; call += 1) calls.push(alice.call('INCR', 'n'));
  const [first, select, ...later] = await Promise.allSettled(calls);
  assert.deepEqual(first, { status: 'fulfilled', value: { sequence: 1, entry: 1, reply: 1 } });
  assert.ok(select.status === 'rejected' && select.reason instanceof Refused);
  assert.deepEqual([select.reason.code, select.reason.sequence], ['NOT_ALLOWED', 2]);
  const answered = later.filter((outcome) => outcome.status === 'fulfilled' || outcome.reason.code !== 'GAP');
  assert.ok(answered.every(({ status }) => status === 'fulfilled'));
  assert.equal((await alice.call('INCR', 'n')).sequence, answered.length + 2);
  await alice.close();
  assert.equal(deployment.audit().entries, answered.length + 2);
});

test("commands missing from a killed front's log are sent again", LIMIT, async (t) => {
  const deployment = await Deployment.start(t);
  const alice = await deployment.client('alice');
  await alice.call('INCR', 'n');
  await deployment.freeze(deployment.front);
  const calls = Array.from({ length: 300 }, () => alice.call('INCR', 'n'));
  await sleep(500);
  await deployment.killFront();
  await deployment.startFront();
  const answers = await Promise.all(calls);
  assert.deepEqual(answers, calls.map((_, n) => ({ sequence: n + 2, entry: n + 2, reply: n + 2 })));
  assert.deepEqual((await alice.call('GET', 'n')).reply, Buffer.from('301'));
  await alice.close();
  assert.deepEqual(deployment.audit(), { entries: 302, alice: 302, bob: 0 });
  assert.deepEqual(deployment.refusals(), []);
});

test("commands in a killed front's log are lost and never sent again", LIMIT, async (t) => {
  const deployment = await Deployment.start(t);
  const alice = await deployment.client('alice');
  await alice.call('INCR', 'n');
  await deployment.freeze(deployment.redis);
  const lost = alice.call('INCR', 'n');
  const size = deployment.logSize();
  await eventually(() => deployment.logSize() > size);
  await deployment.killFront();
  deployment.thaw(deployment.redis);
  await deployment.startFront();
  await assert.rejects(lost, { name: 'Lost', logged: true });
  const { sequence, entry, reply } = await alice.call('INCR', 'n');
  assert.ok(sequence === 3 && entry === 3 && (reply === 2 || reply === 3));
  await alice.close();
  assert.equal(deployment.audit().entries, 3);
});

test('every command has an outcome if the front is killed under load', LIMIT, async (t) => {
  const deployment = await Deployment.start(t);
  const alice = await deployment.client('alice');
  const calls = Array.from({ length: 600 }, () => alice.call('INCR', 'n'));
  const ended = Promise.allSettled(calls);
  await Promise.race(calls);
  await deployment.killFront();
  await deployment.startFront();
  const outcomes = await ended;
  const answers = outcomes.filter(({ status }) => status === 'fulfilled');
  for (const outcome of outcomes) {
    assert.ok(outcome.status === 'fulfilled' || (outcome.reason instanceof Lost && outcome.reason.logged));
  }
  const executed = Number((await alice.call('GET', 'n')).reply);
  assert.ok(answers.length <= executed && executed <= 600, String(executed));
  await alice.close();
  assert.deepEqual(deployment.audit(), { entries: 601, alice: 601, bob: 0 });
});

test('an unreachable front is reported and found after its restart', LIMIT, async (t) => {
  const deployment = await Deployment.start(t);
  const alice = await reached(() => deployment.client('alice', { connectTimeout: 1000 }));
  await alice.call('INCR', 'n');
  await deployment.freeze(deployment.front);
  const inFlight = alice.call('INCR', 'n');
  await sleep(200);
  await deployment.killFront();
  await assert.rejects(inFlight, { name: 'Lost', logged: undefined });
  await assert.rejects(alice.call('INCR', 'n'), Unreachable);
  await deployment.startFront();
  assert.deepEqual(await reached(() => alice.call('INCR', 'n')), { sequence: 2, entry: 2, reply: 2 });
  await alice.close();
  assert.equal(deployment.audit().entries, 2);
});

test('a second program with the same key is reported', LIMIT, async (t) => {
  const deployment = await Deployment.start(t);
  const [one, other] = [await deployment.client('alice'), await deployment.client('alice')];
  await other.call('INCR', 'n');
  await assert.rejects(one.call('INCR', 'n'), /another program uses this key/);
  await assert.rejects(one.call('INCR', 'n'), Lost);
  await Promise.all([one.close(), other.close()]);
  await assert.rejects(other.call('PING'), /was closed/);
  assert.deepEqual(await deployment.redisCommand('GET', 'n'), Buffer.from('1'));
});

test('calls fail if the key is closed before a reconnect', LIMIT, async (t) => {
  const deployment = await Deployment.start(t);
  const key = deployment.key('alice');
  const alice = await Client.connect(deployment.listen, key, { connectTimeout: 60_000 });
  key.close();
  assert.equal((await alice.call('PING')).reply, 'PONG');
  await deployment.killFront();
  await deployment.startFront();
  await assert.rejects(alice.call('PING'), { code: 'FAILED' });
  await assert.rejects(Client.connect(deployment.listen, key), TypeError);
});
