// Fronts that lie: each lie has its code, and nothing is believed or signed for that front afterwards.
import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { dsig } from 'quorate';

import { Client, Key } from '../index.mjs';
import { STORE, executed, frame, liar, refusal, welcome } from './liar.mjs';

/** @typedef {import('./liar.mjs').Visit} Visit */

const LIMIT = { timeout: 300_000 };
const patience = 60_000;
const key = () => new Key(randomFillSync(new Uint8Array(new ArrayBuffer(32))));
const HEAD = [Buffer.from('QAREDIS1'), Buffer.alloc(64)];
const hello = (/** @type {Uint8Array[]} */ ...rest) => Buffer.concat([...HEAD, ...rest]);
const bytes = (/** @type {number[]} */ ...list) => Buffer.from(list);

/** @type {Record<string, [Buffer, string]>} */
const HELLO = {
  'plain Redis': [Buffer.from('-ERR unknown command\r\n'), 'NO_FRONT'],
  'another version': [Buffer.concat([Buffer.from('QAREDIS2'), Buffer.alloc(64)]), 'NO_FRONT'],
  'half a hello': [hello().subarray(1), 'NO_FRONT'],
  'a hello cut short': [hello().subarray(0, 71), 'UNREACHABLE'],
  nothing: [Buffer.alloc(0), 'UNREACHABLE'],
  'an endless welcome': [hello(bytes(255, 255, 255, 255, 0x81)), 'BAD_FRAME'],
  'an empty frame': [hello(Buffer.alloc(4)), 'BAD_FRAME'],
  'a long welcome': [hello(frame(0x81, 1, 1)), 'BAD_FRAME'],
  'a short welcome': [hello(frame(0x81, bytes(1, 2, 3))), 'BAD_FRAME'],
  'an unknown kind': [hello(frame(0x84, 1)), 'BAD_FRAME'],
  "a client's frame": [hello(frame(0x02, Buffer.alloc(99))), 'BAD_FRAME'],
  'an answer': [hello(executed(1, 1)), 'BAD_ORDER'],
  'a number at the end': [hello(welcome((1n << 64n) - 1n)), 'BAD_FRAME'],
  'a refusal without error': [hello(refusal(0, '+OK\r\n')), 'BAD_REPLY'],
  'a refusal without line': [hello(refusal(0, '-UNKNOWN')), 'BAD_REPLY'],
};

for (const [lie, [said, code]] of Object.entries(HELLO)) {
  test(`lies at the beginning: ${lie}`, LIMIT, async (t) => {
    const { address } = await liar(t, async (visit) => {
      visit.say(said);
      await visit.link.exactly(said.length < 72 ? 40 : 104);
    });
    await assert.rejects(Client.connect(address, key(), { patience }), { code });
  });
}

/** @type {Record<string, [Buffer, string]>} */
const ANSWERS = {
  'to what was not asked': [executed(2, 1), 'BAD_ORDER'],
  'to what was answered': [Buffer.concat([executed(1, 1), executed(1, 2)]), 'BAD_ORDER'],
  'with an entry that is none': [executed(1, 0), 'BAD_ORDER'],
  'a refusal of what was not asked': [refusal(2), 'BAD_ORDER'],
  'a refusal and an answer': [Buffer.concat([refusal(1), executed(1, 1)]), 'BAD_ORDER'],
  'another welcome': [welcome(), 'BAD_ORDER'],
  'an endless frame': [bytes(255, 255, 255, 255, 0x82), 'BAD_FRAME'],
  'one byte too many': [bytes(0x41, 0, 0, 8, 0x82), 'BAD_FRAME'],
  'an empty frame': [Buffer.alloc(4), 'BAD_FRAME'],
  'a short answer': [frame(0x82, 1, bytes(1, 2, 3)), 'BAD_FRAME'],
  'a short refusal': [frame(0x83, bytes(1, 2, 3)), 'BAD_FRAME'],
  "a client's frame": [frame(0x01), 'BAD_FRAME'],
  'a refusal that is none': [refusal(1, ':1\r\n'), 'BAD_REPLY'],
  'the end of it': [refusal(0, '-BAD_FRAME what you sent\r\n'), 'BAD_FRAME'],
};

for (const [lie, [said, code]] of Object.entries(ANSWERS)) {
  test(`lies later on end the connection for good: ${lie}`, LIMIT, async (t) => {
    const { address, visits } = await liar(t, async (visit) => {
      await visit.greet();
      await visit.command();
      visit.say(said);
      await visit.gone();
    });
    const client = await Client.connect(address, key(), { patience });
    await client.call('PING').catch(() => {});
    for (let round = 0; round < 2; round += 1) await assert.rejects(client.call('PING'), { code });
    assert.equal(visits.length, 1);
    await client.close();
  });
}

test('replies out of order are noticed', LIMIT, async (t) => {
  for (const [lie, code] of /** @type {[Buffer[], string][]} */ ([
    [[executed(2, 1)], 'BAD_ORDER'],
    [[executed(1, 7), executed(2, 7)], 'BAD_ORDER'],
    [[refusal(1), executed(2, 7)], 'BAD_ORDER'],
    [[refusal(2), executed(1, 7)], 'STALE'],
  ])) {
    const { address } = await liar(t, async (visit) => {
      await visit.greet();
      await visit.command();
      await visit.command();
      visit.say(...lie);
      await visit.gone();
    });
    const client = await Client.connect(address, key(), { patience });
    const [, second] = [await client.send('PING'), await client.send('PING')];
    await assert.rejects(second.answer, { code });
    await client.close();
  }
});

test('garbage instead of a reply is reported to the caller', LIMIT, async (t) => {
  const garbage = ['', '\r\n', '+OK', '+OK\r\n+OK\r\n', ':1_0\r\n', '*1\r\n'.repeat(33), '*4294967295\r\n'];
  const { address } = await liar(t, async (visit) => {
    await visit.greet();
    for (const [number, reply] of [...garbage, '+PONG\r\n'].entries()) {
      await visit.command();
      visit.say(executed(number + 1, number + 1, reply));
    }
    await visit.gone();
  });
  const client = await Client.connect(address, key(), { patience });
  for (const [number] of garbage.entries()) {
    await assert.rejects(client.call('PING'), (error) => {
      return error instanceof Error && error.message.includes(`entry ${number + 1} of the log, is no RESP2`);
    });
  }
  assert.equal((await client.call('PING')).reply, 'PONG');
  await client.close();
});

test('a front that says nothing is given up', LIMIT, async (t) => {
  const { address } = await liar(t, (visit) => visit.gone());
  await assert.rejects(Client.connect(address, key(), { patience: 300 }), /in time \(UNREACHABLE\)/);
  await assert.rejects(Client.connect('127.0.0.1:1', key(), { patience }), /is the front running/);
});

test('a front that comes back with less, or as another, is not believed', LIMIT, async (t) => {
  const first = async (/** @type {Visit} */ visit) => {
    await visit.greet();
    await visit.command();
    visit.say(executed(1, 1));
    await visit.command();
  };
  const shorter = async (/** @type {Visit} */ visit) => {
    await visit.greet(0);
    await visit.gone();
  };
  const other = async (/** @type {Visit} */ visit) => {
    visit.say(hello());
    await visit.gone();
  };
  for (const [second, code] of /** @type {[(visit: Visit) => Promise<void>, string][]} */ ([
    [shorter, 'ROLLED_BACK'],
    [other, 'OTHER_STORE'],
  ])) {
    const { address, visits } = await liar(t, first, second);
    const client = await Client.connect(address, key(), { patience });
    assert.deepEqual(client.store, STORE);
    assert.deepEqual(await client.call('PING'), { sequence: 1, entry: 1, reply: 'OK' });
    await assert.rejects(client.call('PING'), { code });
    assert.equal(visits.length, 2);
  }
});

test('what is sent again is the same, and what is logged is not sent again', LIMIT, async (t) => {
  const first = async (/** @type {Visit} */ visit) => {
    await visit.greet(7);
    for (let command = 0; command < 3; command += 1) await visit.command();
  };
  const second = async (/** @type {Visit} */ visit) => {
    await visit.greet(8);
    for (const number of [9, 10]) {
      await visit.command();
      visit.say(executed(number, number));
    }
    await visit.gone();
  };
  const { address, visits } = await liar(t, first, second);
  const client = await Client.connect(address, key(), { patience });
  const [lost, ...others] = [...'abc'].map((word) => client.call('INCR', word));
  await assert.rejects(lost, { name: 'Lost', logged: true });
  assert.deepEqual((await Promise.all(others)).map(({ sequence }) => sequence), [9, 10]);
  assert.deepEqual(visits[1].commands, visits[0].commands.slice(1));
  assert.ok(visits[1].announced.length > 0, 'what is sent again is verified fast too');
  await client.close();
});

test('a front that crashed before its last entries were on disk is no liar', LIMIT, async (t) => {
  const visits = [0, 2, 1].map((last) => async (/** @type {Visit} */ visit) => {
    await visit.greet(last);
    await visit.command();
    if (last === 0) visit.say(executed(1, 1));
    if (last !== 2) await visit.command();
    if (last === 1) visit.say(executed(2, 2));
    if (last === 1) await visit.gone();
  });
  const { address } = await liar(t, ...visits);
  const client = await Client.connect(address, key(), { patience });
  await client.call('INCR', 'a');
  await assert.rejects(client.call('INCR', 'b'), { name: 'Lost', logged: true });
  await assert.rejects(client.call('INCR', 'c'), { name: 'Lost', logged: false });
  const again = [client.call('INCR', 'd'), client.call('INCR', 'e')];
  assert.equal((await again[0]).sequence, 2);
  await client.close();
  await assert.rejects(again[1], { code: 'LOST' });
});

test('behind a refusal nothing is signed before the next number is known', LIMIT, async (t) => {
  const { address } = await liar(t, async (visit) => {
    await visit.greet();
    await visit.command();
    await visit.command();
    visit.say(refusal(1));
    await sleep(300);
    visit.say(refusal(2, '-GAP number 2 is not the next\r\n'));
    visit.say(executed(Number((await visit.command()).readBigUInt64LE(1)), 1));
    await visit.gone();
  });
  const client = await Client.connect(address, key(), { patience });
  const [refused, gap] = [client.call('INCR', 'a'), client.call('INCR', 'b')];
  const behind = gap.catch(({ code }) => code);
  await assert.rejects(refused, { code: 'STALE' });
  assert.equal((await client.call('INCR', 'c')).sequence, 1);
  assert.equal(await behind, 'GAP');
  await client.close();
});

test('behind a refusal nothing is sent again', LIMIT, async (t) => {
  const first = async (/** @type {Visit} */ visit) => {
    await visit.greet();
    for (let command = 0; command < 3; command += 1) await visit.command();
    visit.say(refusal(1));
  };
  const second = async (/** @type {Visit} */ visit) => {
    await visit.greet();
    await visit.command();
    visit.say(executed(1, 1));
    await visit.gone();
  };
  const { address } = await liar(t, first, second);
  const client = await Client.connect(address, key(), { patience });
  const outcomes = await Promise.allSettled([...'abc'].map((word) => client.call('INCR', word)));
  const found = outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason);
  assert.deepEqual(found.map(({ code }) => code), ['STALE', 'LOST', 'LOST']);
  assert.deepEqual(found.map(({ logged }) => logged), [undefined, false, false]);
  assert.equal((await client.call('INCR', 'd')).sequence, 1);
  await client.close();
});

test('a batch is announced before a signature of its keys', LIMIT, async (t) => {
  const { prepareAsync } = dsig.Signer.prototype;
  t.after(() => (dsig.Signer.prototype.prepareAsync = prepareAsync));
  // A thread that is always ahead of the event loop: the batch is there long before the promise says so.
  dsig.Signer.prototype.prepareAsync = async function ahead(now) {
    const made = this.prepare(now);
    await sleep(20);
    return made;
  };
  const count = 300;
  const { address } = await liar(t, async (visit) => {
    await visit.greet();
    for (let number = 1; number <= count; number += 1) {
      // In the other scheme's byte come number, time and the signature.
      const signature = (await visit.command()).subarray(17, 17 + 1584);
      const announced = visit.announced.some((body) => body.subarray(4, 68).equals(signature.subarray(72, 136)));
      visit.say(announced ? executed(number, number) : refusal(number, '-UNANNOUNCED batch\r\n'));
    }
    await visit.gone();
  });
  const client = await Client.connect(address, key(), { patience });
  for (let call = 0; call < count; call += 1) await client.call('PING');
  await client.close();
});

test('one large frame costs no more than it has', LIMIT, async (t) => {
  const { address } = await liar(t, async (visit) => {
    await visit.greet();
    await visit.command();
    visit.say(bytes(0x40, 0, 0, 8, 0x82), Buffer.alloc(1000));
    await visit.gone();
  });
  const client = await Client.connect(address, key(), { patience });
  const before = process.memoryUsage().arrayBuffers;
  const { answer } = await client.send('PING');
  await Promise.race([answer, sleep(500)]);
  assert.ok(process.memoryUsage().arrayBuffers - before < 8 << 20);
  await client.close();
  await assert.rejects(answer, { code: 'LOST' });
});

test('no more are under way than a front takes', LIMIT, async (t) => {
  const { address, visits } = await liar(t, async (visit) => {
    await visit.greet();
    for (;;) await visit.command();
  });
  const client = await Client.connect(address, key(), { patience });
  const ended = Promise.allSettled(Array.from({ length: 1100 }, () => client.call('PING')));
  while (visits[0].commands.length < 1024) await sleep(50);
  await sleep(300);
  assert.equal(visits[0].commands.length, 1024);
  await client.close();
  for (const outcome of await ended) assert.ok(outcome.status === 'rejected' && outcome.reason.code === 'LOST');
});

test('closing does not wait for a front that does not read', LIMIT, async (t) => {
  const { address } = await liar(t, async (visit) => {
    await visit.greet();
    visit.socket.pause();
    await new Promise(() => {});
  });
  const client = await Client.connect(address, key(), { patience, scheme: 'eddsa' });
  const calls = Array.from({ length: 40 }, () => client.call('SET', 'a', Buffer.alloc(1 << 20)));
  const ended = Promise.allSettled(calls);
  await sleep(300);
  await client.close();
  for (const outcome of await ended) assert.ok(outcome.status === 'rejected' && outcome.reason.code === 'LOST');
});
