// When native values are dropped: by `free`, by `using`, and by garbage collection even in a loop that never yields.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import * as quorate from 'quorate';
import { world } from './shared/world.mjs';

const { ClosedError } = quorate;

/** Megabytes by which a process grows in a loop that never yields. */
function growth(times, step, setup = '') {
  const script = `
    const { Certificate, ChainId, Committee, SecretKey, SignerSet, Suspects, VerifiedKey, Vote, VoteCollector } =
      require(${JSON.stringify(createRequire(import.meta.url).resolve('quorate'))});
    ${setup}
    const run = (times) => {
      for (let i = 0; i < times; i++) { ${step} }
      return process.memoryUsage.rss() / 1e6;
    };
    const before = run(100);
    console.log(run(${times}) - before);`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--eval', script], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return Number(stdout);
}

test('a loop that never yields drops garbage', () => {
  const megabytes = growth(100_000, 'SignerSet.full(65_535);');
  assert.ok(megabytes < 400, `${megabytes} MB of 800`);
});

test('a loop that decodes and verifies drops garbage', () => {
  const setup = `
    const secret = SecretKey.generate('ed25519');
    const committee = new Committee(ChainId.fromName('loop'), 0n, [[VerifiedKey.fromSecret(secret), 1n]]);
    const vote = Vote.signUnguarded(secret, committee, committee.statement(1, 1n, new Uint8Array(32)));
    const bytes = new VoteCollector(committee, 1, 1n).add(vote, new Suspects()).certificate.value.encode();`;
  const megabytes = growth(60_000, 'Certificate.decode(bytes, committee).verify(committee);', setup);
  assert.ok(megabytes < 100, `${megabytes} MB of 180`);
});

test('free drops the value at once', () => {
  const megabytes = growth(20_000, 'SignerSet.full(65_535).free();');
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
