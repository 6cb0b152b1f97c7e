// The Worker helper in Node, where a Worker is a thread.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import * as quorate from 'quorate-wasm';
import * as helper from 'quorate-wasm/worker';
import { compareSurface } from '../../node/test/shared/surface.mjs';
import { Calls } from '../js/calls.js';
import { pack } from '../js/packing.js';
import { cases } from './worker-cases.mjs';
import { sample } from './worker-sample.mjs';

const samples = Object.values(quorate.Suite).map((suite) => sample(quorate, suite));
for (const [name, run] of Object.entries(cases)) test(name, { timeout: 300_000 }, () => run(helper, samples));

test('the errors are those of the package', () => {
  assert.equal(helper.QuorateError, quorate.QuorateError);
  assert.deepEqual(helper.CODES, quorate.CODES);
});

test('Node ignores the source', async () => {
  const worker = await helper.startWorker({ source: 'nowhere.wasm' });
  worker.terminate();
  (await helper.startWorker({ source: Promise.resolve() })).terminate();
});

test('releases are accepted when the queue is full', async () => {
  const posted = [{ id: 0 }];
  let answer;
  const calls = new Calls({ listen: (answered) => (answer = answered), post: (message) => posted.push(message), hold() {}, stop() {} });
  const due = Array.from({ length: helper.MAX_WAITING }, () => calls.call('vote', []));
  await assert.rejects(calls.call('vote', []), { code: 'TOO_LARGE' });
  due.push(calls.call('release', [7]));
  for (const { id } of posted) answer({ id, value: pack() });
  await Promise.all(due);
  assert.equal(posted.at(-1).operation, 'release');
});

test('a process waits for pending answers, not for its Worker', () => {
  const program = `
    import { startWorker } from 'quorate-wasm/worker';
    const worker = await startWorker();
    worker.verifyKeys('ed25519', [new Uint8Array(3)]).then(([error]) => console.log(error.code));`;
  const folder = fileURLToPath(new URL('..', import.meta.url));
  const options = { cwd: folder, input: program, encoding: 'utf8', timeout: 180_000 };
  const ran = spawnSync(process.execPath, ['--input-type=module'], options);
  assert.deepEqual([ran.status, ran.stdout], [0, 'MALFORMED\n'], ran.stderr);
});

test('exports are exactly those of worker.d.ts', () => {
  assert.equal(helper.MAX_MEMBERS, quorate.MAX_MEMBERS);
  compareSurface(helper, new URL('../', import.meta.url), 'worker');
});
