// Commands through the real front: executed, logged, answered, refused, and across its restarts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { BadFront, BadInput, Client, Lost, RedisError, Refused, SUITES, Unreachable } from '../index.mjs';
import { greet } from '../link.mjs';
import { encodeCommand } from '../resp.mjs';
import { message, readFrame, signedCommand } from '../wire.mjs';
import { House, eventually } from './house.mjs';

const LIMIT = { timeout: 300_000 };
const never = new AbortController().signal;

test('reads and writes are executed, logged and provable', LIMIT, async (t) => {
  const house = await House.build(t);
  const [alice, bob] = [await house.client('alice'), await house.client('bob', { scheme: 'eddsa' })];
  assert.equal(alice.store.toString('hex'), house.store);
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
  assert.deepEqual(await house.ask('GET', 'greeting'), Buffer.from('hello'));
  assert.deepEqual(house.audit(), { entries: 9, alice: 3, bob: 6 });
  const [hers, his] = house.public;
  for (const [entry, mine, other] of [['1', hers, his], ['2', his, hers]]) {
    assert.equal(house.run('prove', 'audit.log', '--entry', entry, '--out', 'proof').status, 0);
    const checked = house.run('check-proof', '--json', 'proof', '--signer', mine);
    assert.equal(JSON.parse(checked.stdout).command[1], 'greeting');
    assert.equal(house.run('check-proof', 'proof', '--signer', other).status, 6);
  }
});

test('scripts are executed only where the operator says so', LIMIT, async (t) => {
  const house = await House.build(t);
  const alice = await house.client('alice');
  const code = "return {1, {err = 'OOPS inside'}, {'two', redis.call('INCR', 'n') == 0}}";
  const others = [['EVALSHA', 'a'.repeat(40), 0], ['SCRIPT', 'LOAD', 'return 1'], ['FCALL', 'f', 0]];
  for (const refused of [['EVAL', code, 0], ...others]) {
    await assert.rejects(alice.call(...refused), { name: 'Refused', code: 'NOT_ALLOWED' });
  }
  const nothing = { sequence: 1, entry: 1, reply: null };
  assert.deepEqual(await alice.call('GET', 'n'), nothing, 'nothing of it was done or logged');
  // Refusals are written in the background; a crash loses the waiting ones.
  /** @param {number} count */
  const recorded = (count) => eventually(() => house.refusals().join() === Array(count).fill('NOT_ALLOWED').join());
  await recorded(4);
  await house.killFront();
  house.scripts = true;
  await house.startFront();
  const { reply } = await alice.call('EVAL', code, 0);
  assert.ok(Array.isArray(reply) && reply[1] instanceof RedisError);
  assert.deepEqual([reply[0], reply[1].text, reply[2]], [1, 'OOPS inside', [Buffer.from('two'), null]]);
  await assert.rejects(alice.call('FCALL', 'f', 0), { name: 'Refused', code: 'NOT_ALLOWED' });
  await alice.close();
  assert.deepEqual(await house.ask('GET', 'n'), Buffer.from('1'));
  assert.deepEqual(house.audit(), { entries: 2, alice: 2, bob: 0 });
  await recorded(5);
});

test('hundreds of commands are under way at once and keep their order', LIMIT, async (t) => {
  const house = await House.build(t);
  const alice = await house.client('alice');
  // More than there are keys at first, and than a front takes at once.
  const numbers = Array.from({ length: 1500 }, (_, number) => number);
  const answers = await Promise.all(numbers.map((number) => alice.call('RPUSH', 'list', number)));
  assert.deepEqual(answers.map(({ sequence, reply }) => [sequence, reply]), numbers.map((n) => [n + 1, n + 1]));
  const { reply } = await alice.call('LRANGE', 'list', 0, -1);
  assert.deepEqual(reply, numbers.map((number) => Buffer.from(String(number))));
  await alice.close();
  assert.deepEqual(house.audit(), { entries: 1501, alice: 1501, bob: 0 });
  assert.deepEqual(house.refusals(), [], 'neither commands nor announcements');
});

test('every suite signs, and numbers go on from program to program', LIMIT, async (t) => {
  const house = await House.build(t);
  for (const [number, suite] of SUITES.entries()) {
    const alice = await house.client('alice', { suite });
    assert.equal((await alice.call('INCR', 'n')).sequence, number + 1);
    await alice.close();
  }
  const rust = house.run('call', '--json', '--front', house.listen, '--key', 'alice.key', 'INCR', 'n');
  assert.equal(JSON.parse(rust.stdout).sequence, 5);
  const alice = await house.client('alice', { scheme: 'eddsa' });
  assert.deepEqual(await alice.call('GET', 'n'), { sequence: 6, entry: 6, reply: Buffer.from('5') });
  await alice.close();
  assert.equal(house.audit().entries, 6);
});

test('strangers, other stores and what is no suite are refused', LIMIT, async (t) => {
  const house = await House.build(t);
  await assert.rejects(house.client('stranger'), { name: 'Refused', code: 'UNKNOWN_SIGNER', exit: 5 });
  await assert.rejects(house.client('alice', { store: new Uint8Array(32) }), (error) => {
    return error instanceof BadFront && error.code === 'OTHER_STORE' && error.message.includes(house.store);
  });
  const alice = house.key('alice');
  alice.public = house.key('bob').public;
  await assert.rejects(greet(house.listen, alice, undefined, never), { name: 'Refused', code: 'IMPOSTOR' });
  for (const options of [{ scheme: 'rsa' }, { suite: 'hors-f-blake3' }]) {
    await assert.rejects(house.client('alice', options), BadInput);
  }
  for (const address of ['127.0.0.1', '127.0.0.1:0', '127.0.0.1:٣', ':1', '127.0.0.1:65536']) {
    await assert.rejects(Client.connect(address, alice), { name: 'BadInput' });
  }
  const herself = await house.client('alice', { store: Buffer.from(house.store, 'hex') });
  assert.equal((await herself.call('PING')).sequence, 1);
  await herself.close();
  await eventually(() => house.refusals().join() === 'UNKNOWN_SIGNER,IMPOSTOR');
});

test('unsigned, replayed and forged commands are refused', LIMIT, async (t) => {
  const house = await House.build(t);
  const unsigned = await house.client('alice', { scheme: 'none' });
  for (let round = 0; round < 2; round += 1) {
    await assert.rejects(unsigned.call('SET', 'a', '1'), { name: 'Refused', code: 'UNSIGNED', sequence: 1 });
  }
  await unsigned.close();
  const key = house.key('alice');
  const link = await greet(house.listen, key, undefined, never);
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
  assert.deepEqual(await house.ask('GET', 'n'), Buffer.from('1'));
  assert.equal(house.audit().entries, 1);
  await eventually(() => house.refusals().join() === 'UNSIGNED,UNSIGNED,REPLAYED,FORGED');
});

test('behind a refusal numbers begin anew', LIMIT, async (t) => {
  const house = await House.build(t);
  const alice = await house.client('alice');
  const calls = [alice.call('INCR', 'n'), alice.call('SELECT', 1)];
  for (let call = 0; call < 20; call += 1) calls.push(alice.call('INCR', 'n'));
  const [first, select, ...behind] = await Promise.allSettled(calls);
  assert.deepEqual(first, { status: 'fulfilled', value: { sequence: 1, entry: 1, reply: 1 } });
  assert.ok(select.status === 'rejected' && select.reason instanceof Refused);
  assert.deepEqual([select.reason.code, select.reason.sequence], ['NOT_ALLOWED', 2]);
  const answered = behind.filter((outcome) => outcome.status === 'fulfilled' || outcome.reason.code !== 'GAP');
  assert.ok(answered.every(({ status }) => status === 'fulfilled'));
  assert.equal((await alice.call('INCR', 'n')).sequence, answered.length + 2);
  await alice.close();
  assert.equal(house.audit().entries, answered.length + 2);
});

test('what is not in the log of a killed front is sent again', LIMIT, async (t) => {
  const house = await House.build(t);
  const alice = await house.client('alice');
  await alice.call('INCR', 'n');
  await house.freeze(house.front);
  const calls = Array.from({ length: 300 }, () => alice.call('INCR', 'n'));
  await sleep(500);
  await house.killFront();
  await house.startFront();
  const answers = await Promise.all(calls);
  assert.deepEqual(answers, calls.map((_, n) => ({ sequence: n + 2, entry: n + 2, reply: n + 2 })));
  assert.deepEqual((await alice.call('GET', 'n')).reply, Buffer.from('301'));
  await alice.close();
  assert.deepEqual(house.audit(), { entries: 302, alice: 302, bob: 0 });
  assert.deepEqual(house.refusals(), []);
});

test('what is in the log of a killed front is reported and never sent again', LIMIT, async (t) => {
  const house = await House.build(t);
  const alice = await house.client('alice');
  await alice.call('INCR', 'n');
  await house.freeze(house.redis);
  const lost = alice.call('INCR', 'n');
  const size = house.logSize();
  await eventually(() => house.logSize() > size);
  await house.killFront();
  house.thaw(house.redis);
  await house.startFront();
  await assert.rejects(lost, { name: 'Lost', logged: true });
  const { sequence, entry, reply } = await alice.call('INCR', 'n');
  assert.ok(sequence === 3 && entry === 3 && (reply === 2 || reply === 3));
  await alice.close();
  assert.equal(house.audit().entries, 3);
});

test('a front that is killed under load leaves no gap and no silence', LIMIT, async (t) => {
  const house = await House.build(t);
  const alice = await house.client('alice');
  const calls = Array.from({ length: 600 }, () => alice.call('INCR', 'n'));
  const ended = Promise.allSettled(calls);
  await Promise.race(calls);
  await house.killFront();
  await house.startFront();
  const outcomes = await ended;
  const answers = outcomes.filter(({ status }) => status === 'fulfilled');
  for (const outcome of outcomes) {
    assert.ok(outcome.status === 'fulfilled' || (outcome.reason instanceof Lost && outcome.reason.logged));
  }
  const executed = Number((await alice.call('GET', 'n')).reply);
  assert.ok(answers.length <= executed && executed <= 600, String(executed));
  await alice.close();
  assert.deepEqual(house.audit(), { entries: 601, alice: 601, bob: 0 });
});

test('a front that stays away is reported and found when it is back', LIMIT, async (t) => {
  const house = await House.build(t);
  const alice = await house.client('alice', { patience: 1000 });
  await alice.call('INCR', 'n');
  await house.freeze(house.front);
  const underWay = alice.call('INCR', 'n');
  await sleep(200);
  await house.killFront();
  await assert.rejects(underWay, { name: 'Lost', logged: undefined });
  await assert.rejects(alice.call('INCR', 'n'), Unreachable);
  await house.startFront();
  assert.deepEqual(await alice.call('INCR', 'n'), { sequence: 2, entry: 2, reply: 2 });
  await alice.close();
  assert.equal(house.audit().entries, 2);
});

test('two programs with one key are told, and nothing is signed twice', LIMIT, async (t) => {
  const house = await House.build(t);
  const [one, other] = [await house.client('alice'), await house.client('alice')];
  await other.call('INCR', 'n');
  await assert.rejects(one.call('INCR', 'n'), /another program uses this key/);
  await assert.rejects(one.call('INCR', 'n'), Lost);
  await Promise.all([one.close(), other.close()]);
  await assert.rejects(other.call('PING'), /was closed/);
  assert.deepEqual(await house.ask('GET', 'n'), Buffer.from('1'));
});

test('a closed key serves no new connection, and no call waits for ever', LIMIT, async (t) => {
  const house = await House.build(t);
  const key = house.key('alice');
  const alice = await Client.connect(house.listen, key, { patience: 60_000 });
  key.close();
  assert.equal((await alice.call('PING')).reply, 'PONG');
  await house.killFront();
  await house.startFront();
  await assert.rejects(alice.call('PING'), { code: 'FAILED' });
  await assert.rejects(Client.connect(house.listen, key), TypeError);
});
