// Features of Node only: two module systems, worker threads, threads behind promises, files.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import * as quorate from 'quorate';
import { world } from './shared/world.mjs';

const require = createRequire(import.meta.url);

test('import and require give one instance', () => {
  const required = require('quorate');
  for (const name of Object.keys(required)) assert.equal(quorate[name], required[name], name);
  assert.deepEqual(Object.keys(quorate).filter((name) => name !== 'default').sort(), Object.keys(required).sort());
  assert.equal(require('quorate/package.json').version, quorate.VERSION);
  assert.throws(() => require('quorate/lib/native.js'), { code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' });
});

test('later writes do not affect a check off the thread', async () => {
  const secret = quorate.SecretKey.generate(quorate.Suite.MinSig);
  const message = new Uint8Array(1000).fill(1);
  const signature = secret.sign(message);
  const checked = secret.publicKey().verifyAsync(message, signature);
  message.fill(2);
  await checked;
});

const isAbort = (reason) => (e) => e.name === 'AbortError' && e.code === 'ABORT_ERR' && e.cause === reason;

test('an abort rejects at any time and never ends the process', async () => {
  const { committee, votes } = world(quorate);
  const verify = (signal) => votes[0].verifyAsync(committee, { signal });
  await assert.rejects(verify(AbortSignal.abort('early')), isAbort('early'));

  // More than the pool has threads, so the last ones are queued.
  const controller = new AbortController();
  const running = Array.from({ length: 40 }, () => verify(controller.signal));
  controller.abort('late');
  for (const promise of running) await assert.rejects(promise, isAbort('late'));

  const second = new AbortController();
  const begun = verify(second.signal);
  await new Promise((resolve) => setImmediate(resolve));
  second.abort();
  await Promise.allSettled([begun]);

  const third = new AbortController();
  await verify(third.signal);
  third.abort();
  assert.ok(await verify(undefined));
});

test('worker threads are independent and may end in a call', async () => {
  const { committee, certificate } = world(quorate);
  const members = committee.keys().map((key) => [key.encode(), 1n]);
  const workerData = { members, epoch: committee.epoch, certificate: certificate.value.encode() };
  const source = `
    const { parentPort, workerData: { members, epoch, certificate } } = require('node:worker_threads');
    const q = require(${JSON.stringify(require.resolve('quorate'))});
    const keys = members.map(([key, weight]) => [q.PublicKey.decode('bls-min-sig', key), weight]);
    const committee = q.Committee.fromAttested(q.ChainId.fromName('test'), epoch, keys);
    try { q.Certificate.decode(certificate.slice(1), committee) } catch (e) { parentPort.postMessage(e.code) }
    q.Certificate.decode(certificate, committee).verifyAsync(committee).then((verified) => {
      parentPort.postMessage([...verified.value.signers].join());
      for (let i = 0; i < 20; i++) verified.value.verifyAsync(committee).catch(() => {});
    });`;
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      const worker = new Worker(source, { eval: true, workerData });
      const messages = [];
      await new Promise((resolve, reject) => {
        worker.on('error', reject);
        worker.on('message', (message) => messages.push(message) === 2 && resolve());
      });
      assert.deepEqual(messages, ['WRONG_CONTEXT', '0,1,2']);
      await worker.terminate();
    }),
  );
});

test('buffers that are shared, resizable or out of bounds', () => {
  const { statement } = world(quorate);
  const data = statement.encode();
  const shared = new Uint8Array(new SharedArrayBuffer(data.length));
  shared.set(data);
  assert.ok(quorate.Statement.decode(shared).equals(statement));
  const resizable = new ArrayBuffer(data.length, { maxByteLength: 1000 });
  const [tracking, fixed] = [new Uint8Array(resizable), new Uint8Array(resizable, 10, 20)];
  tracking.set(data);
  assert.ok(quorate.Statement.decode(tracking).equals(statement));
  resizable.resize(200);
  assert.throws(() => quorate.Statement.decode(tracking), quorate.MalformedError);
  resizable.resize(5);
  assert.throws(() => quorate.Statement.decode(fixed), { name: 'TypeError', message: /out of bounds/ });
  assert.ok(quorate.Statement.decode(Buffer.from(data)).equals(statement));
});

test('a block of `using` closes the secret', { skip: !Symbol.dispose }, () => {
  const secret = quorate.SecretKey.generate(quorate.Suite.Ed25519);
  secret[Symbol.dispose]();
  assert.throws(() => secret.toBytes(), quorate.ClosedError);
});

test('detecting the C library queries no name service', () => {
  const script = `
    const { report } = process, get = report.getReport;
    report.excludeNetwork = false;
    report.getReport = () => (console.log(report.excludeNetwork), get.call(report));
    require(${JSON.stringify(require.resolve('quorate'))});
    console.log(report.excludeNetwork);`;
  const { stdout } = spawnSync(process.execPath, ['--eval', script], { encoding: 'utf8' });
  assert.equal(stdout, process.platform === 'linux' ? 'true\nfalse\n' : 'false\n');
});

test('no panic in a native function ends the process', () => {
  const folder = new URL('../src/', import.meta.url);
  const source = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.rs')).map((file) => readFileSync(new URL(file, folder), 'utf8')).join('\n');
  assert.ok(source.match(/#\[napi\(catch_unwind\)\]\npub fn/g).length > 0);
  assert.equal(source.match(/#\[napi\]\npub fn .*/g), null);
  // Most functions are generated; this is what is written for all kinds of them.
  const expected = readFileSync(new URL('../../generator/tests/expected/node.txt', import.meta.url), 'utf8');
  assert.equal(expected.match(/#\[napi\(catch_unwind\)\]\npub fn/g).length, expected.match(/\npub fn/g).length);
});

const OTHER = `
import * as q from 'quorate';
const secret = q.SecretKey.fromBytes('ed25519', new Uint8Array(32).fill(7));
try {
  q.JournaledGuard.open(process.argv[1], secret, q.ChainId.fromName('journal'));
} catch (error) {
  console.log(error.code);
}`;

test('another process cannot open a journal', (t) => {
  const path = mkdtempSync(join(tmpdir(), 'quorate-journal-'));
  t.after(() => rmSync(path, { recursive: true }));
  const secret = quorate.SecretKey.fromBytes('ed25519', new Uint8Array(32).fill(7));
  const guard = quorate.JournaledGuard.create(path, secret, quorate.ChainId.fromName('journal'));
  const options = { cwd: import.meta.dirname, encoding: 'utf8' };
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', OTHER, path], options);
  assert.equal(output, 'JOURNAL_IN_USE\n');
  guard.close();
});
