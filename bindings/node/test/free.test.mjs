// When native values are dropped: by `free`, by `using`, and by garbage collection even in a loop that never yields.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import * as quorate from 'quorate';
import { world } from './shared/world.mjs';

const { ClosedError } = quorate;

/** Megabytes by which a process grows while it creates sets of 8 kB in a loop that never yields. */
function growth(sets, use) {
  const script = `
    const { SignerSet } = require(${JSON.stringify(createRequire(import.meta.url).resolve('quorate'))});
    const run = (sets) => {
      for (let i = 0; i < sets; i++) {
        const set = SignerSet.full(65_535);
        ${use}
      }
      return process.memoryUsage.rss() / 1e6;
    };
    const before = run(100);
    console.log(run(${sets}) - before);`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--eval', script], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return Number(stdout);
}

test('a loop that never yields drops garbage', () => {
  const megabytes = growth(100_000, '');
  assert.ok(megabytes < 400, `${megabytes} MB of 800`);
});

test('free drops the value at once', () => {
  const megabytes = growth(20_000, 'set.free();');
  assert.ok(megabytes < 40, `${megabytes} MB of 160`);
});

test('an object may be freed by the iterator of its own call', () => {
  const { committee, secrets } = world(quorate);
  const signed = function* () {
    yield [0, new Uint8Array(1)];
    committee.free();
  };
  assert.throws(() => committee.verifyRawEach(signed(), secrets[0].sign(new Uint8Array(1)).encode()), /freed/);
});

test('a call off the thread outlives its objects', async () => {
  const { committee, certificate } = world(quorate);
  const { value } = certificate;
  const verified = value.verifyAsync(committee);
  for (const object of [value, committee]) object.free();
  assert.equal((await verified).value.signers.size, 3);
});

test('a value belongs to its own object only', () => {
  const [first, second] = [quorate.ChainId.fromName('a'), quorate.ChainId.fromName('b')];
  first.free();
  assert.notEqual(String(quorate.ChainId.fromName('c')), String(second));
  assert.throws(() => first.bytes, ClosedError);
  assert.throws(() => Object.getPrototypeOf(quorate.ChainId.prototype).free.call({}), TypeError);
});
