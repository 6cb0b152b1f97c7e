// Fronts that violate the protocol: each violation has its code, and the client sends nothing to them afterwards.
import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { dsig } from 'quorate';

import { Client, Key } from '../index.mjs';
import { STORE, executed, frame, maliciousFront, refusal, welcome } from './malicious-front.mjs';

/** @typedef {import('./malicious-front.mjs').Session} Session */

const LIMIT = { timeout: 300_000 };
const connectTimeout = 60_000;
const key = () => new Key(randomFillSync(new Uint8Array(new ArrayBuffer(32))));
const HEAD = [Buffer.from('QAREDIS1'), Buffer.alloc(64)];
const hello = (/** @type {Uint8Array[]} */ ...rest) => Buffer.concat([...HEAD, ...rest]);
const bytes = (/** @type {number[]} */ ...list) => Buffer.from(list);

/** @type {Record<string, [Buffer, string]>} */
const HELLO = {
  'plain Redis': [Buffer.from('-ERR unknown command\r\n'), 'NO_FRONT'],
  'another version': [Buffer.concat([Buffer.from('QAREDIS2'), Buffer.alloc(64)]), 'NO_FRONT'],
  'a hello without its first byte': [hello().subarray(1), 'NO_FRONT'],
  'a truncated hello': [hello().subarray(0, 71), 'UNREACHABLE'],
  nothing: [Buffer.alloc(0), 'UNREACHABLE'],
  'a welcome of 4 GiB': [hello(bytes(255, 255, 255, 255, 0x81)), 'BAD_FRAME'],
  'an empty frame': [hello(Buffer.alloc(4)), 'BAD_FRAME'],
  'a long welcome': [hello(frame(0x81, 1, 1)), 'BAD_FRAME'],
  'a short welcome': [hello(frame(0x81, bytes(1, 2, 3))), 'BAD_FRAME'],
  'an unknown frame type': [hello(frame(0x84, 1)), 'BAD_FRAME'],
  "a client's frame": [hello(frame(0x02, Buffer.alloc(99))), 'BAD_FRAME'],
  'an answer before the welcome': [hello(executed(1, 1)), 'BAD_ORDER'],
  'the largest sequence number': [hello(welcome((1n << 64n) - 1n)), 'BAD_FRAME'],
  'a refusal that is not an error': [hello(refusal(0, '+OK\r\n')), 'BAD_REPLY'],
  'a refusal without a line end': [hello(refusal(0, '-UNKNOWN')), 'BAD_REPLY'],
};

for (const [name, [data, code]] of Object.entries(HELLO)) {
  test(`an invalid handshake is reported: ${name}`, LIMIT, async (t) => {
    const { address } = await maliciousFront(t, async (session) => {
      session.write(data);
      await session.link.readExactly(data.length < 72 ? 40 : 104);
    });
    await assert.rejects(Client.connect(address, key(), { connectTimeout }), { code });
  });
}

/** @type {Record<string, [Buffer, string]>} */
const ANSWERS = {
  'an answer to an unsent command': [executed(2, 1), 'BAD_ORDER'],
  'a second answer to a command': [Buffer.concat([executed(1, 1), executed(1, 2)]), 'BAD_ORDER'],
  'an answer with entry 0': [executed(1, 0), 'BAD_ORDER'],
  'a refusal of an unsent command': [refusal(2), 'BAD_ORDER'],
  'a refusal and an answer to a command': [Buffer.concat([refusal(1), executed(1, 1)]), 'BAD_ORDER'],
  'a second welcome': [welcome(), 'BAD_ORDER'],
  'a frame of 4 GiB': [bytes(255, 255, 255, 255, 0x82), 'BAD_FRAME'],
  'a frame one byte above the limit': [bytes(0x41, 0, 0, 8, 0x82), 'BAD_FRAME'],
  'an empty frame': [Buffer.alloc(4), 'BAD_FRAME'],
  'a short answer': [frame(0x82, 1, bytes(1, 2, 3)), 'BAD_FRAME'],
  'a short refusal': [frame(0x83, bytes(1, 2, 3)), 'BAD_FRAME'],
  "a client's frame": [frame(0x01), 'BAD_FRAME'],
  'a refusal that is not an error': [refusal(1, ':1\r\n'), 'BAD_REPLY'],
  'a refusal of the connection': [refusal(0, '-BAD_FRAME what you sent\r\n'), 'BAD_FRAME'],
};

for (const [name, [data, code]] of Object.entries(ANSWERS)) {
  test(`a later violation closes the client permanently: ${name}`, LIMIT, async (t) => {
    const { address, sessions } = await maliciousFront(t, async (session) => {
      await session.accept();
      await session.command();
      session.write(data);
      await session.closed();
    });
    const client = await Client.connect(address, key(), { connectTimeout });
    await client.call('PING').catch(() => {});
    for (let round = 0; round < 2; round += 1) await assert.rejects(client.call('PING'), { code });
    assert.equal(sessions.length, 1);
    await client.close();
  });
}

test('replies out of order are detected', LIMIT, async (t) => {
  for (const [frames, code] of /** @type {[Buffer[], string][]} */ ([
    [[executed(2, 1)], 'BAD_ORDER'],
    [[executed(1, 7), executed(2, 7)], 'BAD_ORDER'],
    [[refusal(1), executed(2, 7)], 'BAD_ORDER'],
    [[refusal(2), executed(1, 7)], 'STALE'],
  ])) {
    const { address } = await maliciousFront(t, async (session) => {
      await session.accept();
      await session.command();
      await session.command();
      session.write(...frames);
      await session.closed();
    });
    const client = await Client.connect(address, key(), { connectTimeout });
    const [, second] = [await client.send('PING'), await client.send('PING')];
    await assert.rejects(second.answer, { code });
    await client.close();
  }
});

test('malformed replies are reported to the caller', LIMIT, async (t) => {
  const garbage = ['', '\r\n', '+OK', '+OK\r\n+OK\r\n', ':1_0\r\n', '*1\r\n'.repeat(33), '*4294967295\r\n'];
  const { address } = await maliciousFront(t, async (session) => {
    await session.accept();
    for (const [number, reply] of [...garbage, '+PONG\r\n'].entries()) {
      await session.command();
      session.write(executed(number + 1, number + 1, reply));
    }
    await session.closed();
  });
  const client = await Client.connect(address, key(), { connectTimeout });
  for (const [number] of garbage.entries()) {
    await assert.rejects(client.call('PING'), (error) => {
      return error instanceof Error && error.message.includes(`entry ${number + 1} of the log, is malformed RESP2`);
    });
  }
  assert.equal((await client.call('PING')).reply, 'PONG');
  await client.close();
});

test('connecting to a silent front has a time limit', LIMIT, async (t) => {
  const { address } = await maliciousFront(t, (session) => session.closed());
  await assert.rejects(Client.connect(address, key(), { connectTimeout: 300 }), /within the time limit \(UNREACHABLE\)/);
  await assert.rejects(Client.connect('127.0.0.1:1', key(), { connectTimeout }), /is the front running/);
});

test('a garbage collection does not remove the time limit', { timeout: 60_000 }, async (t) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const { address } = await maliciousFront(t, (session) => session.closed());
  const failed = assert.rejects(Client.connect(address, key(), { connectTimeout: 1000 }), { code: 'UNREACHABLE' });
  for (let round = 0; round < 5; round += 1) {
    await sleep(20);
    collect();
  }
  await failed;
});

test('a connection that ends at once is replaced', LIMIT, async (t) => {
  const ends = async (/** @type {Session} */ session) => {
    await session.accept();
    await session.command();
  };
  // The welcome and the end of the connection arrive together.
  const endsAtOnce = async (/** @type {Session} */ session) => session.accept();
  const answers = async (/** @type {Session} */ session) => {
    await session.accept();
    await session.command();
    session.write(executed(1, 1));
    await session.closed();
  };
  const { address, sessions } = await maliciousFront(t, ends, ...Array(20).fill(endsAtOnce), answers);
  const client = await Client.connect(address, key(), { connectTimeout });
  assert.deepEqual(await client.call('PING'), { sequence: 1, entry: 1, reply: 'OK' });
  assert.equal(sessions.length, 22);
  await client.close();
});

test('a shorter log or another store is refused after reconnecting', LIMIT, async (t) => {
  const first = async (/** @type {Session} */ session) => {
    await session.accept();
    await session.command();
    session.write(executed(1, 1));
    await session.command();
  };
  const shorter = async (/** @type {Session} */ session) => {
    await session.accept(0);
    await session.closed();
  };
  const other = async (/** @type {Session} */ session) => {
    session.write(hello());
    await session.closed();
  };
  for (const [second, code] of /** @type {[(session: Session) => Promise<void>, string][]} */ ([
    [shorter, 'ROLLED_BACK'],
    [other, 'OTHER_STORE'],
  ])) {
    const { address, sessions } = await maliciousFront(t, first, second);
    const client = await Client.connect(address, key(), { connectTimeout });
    assert.deepEqual(client.store, STORE);
    assert.deepEqual(await client.call('PING'), { sequence: 1, entry: 1, reply: 'OK' });
    await assert.rejects(client.call('PING'), { code });
    assert.equal(sessions.length, 2);
  }
});

test('only unlogged commands are sent again, and unchanged', LIMIT, async (t) => {
  const first = async (/** @type {Session} */ session) => {
    await session.accept(7);
    for (let command = 0; command < 3; command += 1) await session.command();
  };
  const second = async (/** @type {Session} */ session) => {
    await session.accept(8);
    for (const number of [9, 10]) {
      await session.command();
      session.write(executed(number, number));
    }
    await session.closed();
  };
  const { address, sessions } = await maliciousFront(t, first, second);
  const client = await Client.connect(address, key(), { connectTimeout });
  const [lost, ...others] = [...'abc'].map((word) => client.call('INCR', word));
  await assert.rejects(lost, { name: 'Lost', logged: true });
  assert.deepEqual((await Promise.all(others)).map(({ sequence }) => sequence), [9, 10]);
  assert.deepEqual(sessions[1].commands, sessions[0].commands.slice(1));
  assert.ok(sessions[1].announced.length > 0, 'the batches of resent commands are announced again');
  await client.close();
});

test('a log that lost unanswered entries in a crash is accepted', LIMIT, async (t) => {
  const sessions = [0, 2, 1].map((last) => async (/** @type {Session} */ session) => {
    await session.accept(last);
    await session.command();
    if (last === 0) session.write(executed(1, 1));
    if (last !== 2) await session.command();
    if (last === 1) session.write(executed(2, 2));
    if (last === 1) await session.closed();
  });
  const { address } = await maliciousFront(t, ...sessions);
  const client = await Client.connect(address, key(), { connectTimeout });
  await client.call('INCR', 'a');
  await assert.rejects(client.call('INCR', 'b'), { name: 'Lost', logged: true });
  await assert.rejects(client.call('INCR', 'c'), { name: 'Lost', logged: false });
  const again = [client.call('INCR', 'd'), client.call('INCR', 'e')];
  assert.equal((await again[0]).sequence, 2);
  await client.close();
  await assert.rejects(again[1], { code: 'LOST' });
});

test('after a refusal, signing waits for the next sequence number', LIMIT, async (t) => {
  const { address } = await maliciousFront(t, async (session) => {
    await session.accept();
    await session.command();
    await session.command();
    session.write(refusal(1));
    await sleep(300);
    session.write(refusal(2, '-GAP number 2 is not the next\r\n'));
    session.write(executed(Number((await session.command()).readBigUInt64LE(1)), 1));
    await session.closed();
  });
  const client = await Client.connect(address, key(), { connectTimeout });
  const [refused, gap] = [client.call('INCR', 'a'), client.call('INCR', 'b')];
  const later = gap.catch(({ code }) => code);
  await assert.rejects(refused, { code: 'STALE' });
  assert.equal((await client.call('INCR', 'c')).sequence, 1);
  assert.equal(await later, 'GAP');
  await client.close();
});

test('commands after a refusal are not sent again', LIMIT, async (t) => {
  const first = async (/** @type {Session} */ session) => {
    await session.accept();
    for (let command = 0; command < 3; command += 1) await session.command();
    session.write(refusal(1));
  };
  const second = async (/** @type {Session} */ session) => {
    await session.accept();
    await session.command();
    session.write(executed(1, 1));
    await session.closed();
  };
  const { address } = await maliciousFront(t, first, second);
  const client = await Client.connect(address, key(), { connectTimeout });
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
  // A thread that is always ahead of the event loop: the batch is ready long before the promise resolves.
  dsig.Signer.prototype.prepareAsync = async function ahead(now) {
    const made = this.prepare(now);
    await sleep(20);
    return made;
  };
  const count = 300;
  const { address } = await maliciousFront(t, async (session) => {
    await session.accept();
    for (let number = 1; number <= count; number += 1) {
      // The scheme's byte, sequence number and time precede the signature.
      const signature = (await session.command()).subarray(17, 17 + 1584);
      const announced = session.announced.some((body) => body.subarray(4, 68).equals(signature.subarray(72, 136)));
      session.write(announced ? executed(number, number) : refusal(number, '-UNANNOUNCED batch\r\n'));
    }
    await session.closed();
  });
  const client = await Client.connect(address, key(), { connectTimeout });
  for (let call = 0; call < count; call += 1) await client.call('PING');
  await client.close();
});

test('a large frame takes memory only for its received bytes', LIMIT, async (t) => {
  const { address } = await maliciousFront(t, async (session) => {
    await session.accept();
    await session.command();
    session.write(bytes(0x40, 0, 0, 8, 0x82), Buffer.alloc(1000));
    await session.closed();
  });
  const client = await Client.connect(address, key(), { connectTimeout });
  const before = process.memoryUsage().arrayBuffers;
  const { answer } = await client.send('PING');
  await Promise.race([answer, sleep(500)]);
  assert.ok(process.memoryUsage().arrayBuffers - before < 8 << 20);
  await client.close();
  await assert.rejects(answer, { code: 'LOST' });
});

test('commands in flight are limited', LIMIT, async (t) => {
  const { address, sessions } = await maliciousFront(t, async (session) => {
    await session.accept();
    for (;;) await session.command();
  });
  const client = await Client.connect(address, key(), { connectTimeout });
  const ended = Promise.allSettled(Array.from({ length: 1100 }, () => client.call('PING')));
  while (sessions[0].commands.length < 1024) await sleep(50);
  await sleep(300);
  assert.equal(sessions[0].commands.length, 1024);
  await client.close();
  for (const outcome of await ended) assert.ok(outcome.status === 'rejected' && outcome.reason.code === 'LOST');
});

test('closing does not wait for a front that stops reading', LIMIT, async (t) => {
  const { address } = await maliciousFront(t, async (session) => {
    await session.accept();
    session.socket.pause();
    await new Promise(() => {});
  });
  const client = await Client.connect(address, key(), { connectTimeout, scheme: 'eddsa' });
  const calls = Array.from({ length: 40 }, () => client.call('SET', 'a', Buffer.alloc(1 << 20)));
  const ended = Promise.allSettled(calls);
  await sleep(300);
  await client.close();
  for (const outcome of await ended) assert.ok(outcome.status === 'rejected' && outcome.reason.code === 'LOST');
});
