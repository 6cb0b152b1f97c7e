// A closed key is nowhere in the process's memory any more; another process searches for it.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const MASK = 0x5a;

/** In the child, which must hold no other copy: it unmasks the key byte by byte in place, and wipes its own. */
async function hold(suite, way, masked) {
  const q = await import('quorate');
  // On a buffer of its own: V8 stores small arrays in its heap, and moves those that native code reads out of it.
  const data = new Uint8Array(new ArrayBuffer(32));
  for (let at = 0; at < 32; at++) data[at] = parseInt(masked.slice(2 * at, 2 * at + 2), 16) ^ MASK;
  const secret = q.SecretKey.fromBytes(suite, data);
  data.fill(0);
  process.send('made');
  await once(process, 'message');
  const chain = q.ChainId.fromName('memory');
  const committee = new q.Committee(chain, 0n, [[q.UnverifiedKey.prove(secret).verify(), 1n]]);
  const statement = committee.statement(1, 1n, new Uint8Array(32));
  if (way === 'close') {
    q.Vote.signUnguarded(secret, committee, statement);
    secret.close();
  } else {
    const guard = new q.Guard(secret, chain);
    guard.sign(committee, statement);
    guard.close();
  }
  process.send('closed');
  await once(process, 'message');
  process.disconnect();
}

/** Counts the occurrences of either half of the key in a process's memory, in either byte order. */
function found(pid, key) {
  const halves = [key.subarray(0, 16), key.subarray(16)];
  const parts = halves.flatMap((half) => [half, Buffer.from(half).reverse()]);
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  let hits = 0;
  const piece = Buffer.alloc(1 << 22);
  for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
    const [, from, to] = /^(\w+)-(\w+) rw.*(?<!\[v\w+\])$/.exec(line) ?? [];
    if (!from) continue;
    // Pieces overlap, since a half may cross their border.
    for (let at = BigInt(`0x${from}`); at < BigInt(`0x${to}`); at += BigInt(piece.length - 16)) {
      const rest = BigInt(`0x${to}`) - at;
      let length;
      try {
        length = readSync(memory, piece, 0, rest < piece.length ? Number(rest) : piece.length, at);
      } catch {
        break; // Not a part of memory that can be read.
      }
      const data = piece.subarray(0, length);
      for (const part of parts) for (let hit = -1; (hit = data.indexOf(part, hit + 1)) >= 0; ) hits++;
    }
  }
  closeSync(memory);
  return hits;
}

function mayLook(pid) {
  try {
    closeSync(openSync(`/proc/${pid}/mem`, 'r'));
    return true;
  } catch {
    return false;
  }
}

if (process.send && process.argv[2] === 'hold') {
  await hold(...process.argv.slice(3));
} else {
  for (const suite of ['bls-min-sig', 'bls-min-pk', 'ed25519']) {
    for (const way of ['close', 'hand over']) {
      test(`a closed secret leaves no copy in memory: ${suite}, ${way}`, { skip: process.platform !== 'linux' }, async (t) => {
        const key = randomBytes(32);
        key[0] = 1; // below the order of the BLS groups
        const masked = Buffer.from(key.map((byte) => byte ^ MASK)).toString('hex');
        const child = fork(fileURLToPath(import.meta.url), ['hold', suite, way, masked], { execArgv: [] });
        try {
          assert.deepEqual(await once(child, 'message'), ['made', undefined]);
          if (!mayLook(child.pid)) return t.skip('this system forbids reading the memory of another process');
          assert.ok(found(child.pid, key) >= 2, 'the search finds what is there');
          child.send('go on');
          assert.deepEqual(await once(child, 'message'), ['closed', undefined]);
          assert.equal(found(child.pid, key), 0);
        } finally {
          child.kill();
        }
      });
    }
  }
}
