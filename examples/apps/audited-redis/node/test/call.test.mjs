// Runs the program as users do.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { replyLines } from '../call.mjs';
import { RedisError } from '../index.mjs';
import { Deployment, eventually } from './deployment.mjs';

const LIMIT = { timeout: 300_000 };
const program = fileURLToPath(new URL('../call.mjs', import.meta.url));
const options = (/** @type {Deployment} */ deployment, name = 'alice') => {
  return ['--front', deployment.listen, '--key', `${name}.key`, '--connect-timeout', '60'];
};

const parsed = (/** @type {string} */ text) => JSON.parse(text);

/**
 * @param {Deployment} deployment
 * @param {string[]} args
 * @param {string} input
 */
function call(deployment, args, input = '', name = 'alice') {
  const run = spawnSync(process.execPath, [program, ...options(deployment, name), ...args], {
    ...{ cwd: deployment.path, input },
    encoding: 'utf8',
  });
  assert.ok(!run.stderr.includes('    at '), run.stderr);
  return { code: run.status, out: run.stdout, err: run.stderr };
}

test('the output equals that of the Rust program', LIMIT, async (t) => {
  const deployment = await Deployment.start(t);
  const rustArgs = ['call', '--front', deployment.listen, '--key', 'alice.key'];
  const rust = (/** @type {string[]} */ ...args) => deployment.run(...rustArgs, ...args);
  const large = 'INCRBY big 9007199254740993';
  for (const line of ['SET a 1', 'GET a', 'MGET a b', 'LPUSH a x', 'SET a é\x1b\'"\n', 'GET a', large]) {
    const words = line.split(' ');
    const [node, rustRun] = [call(deployment, words), rust(...words)];
    if (words[0] !== 'INCRBY') assert.equal(node.out, rustRun.stdout);
    assert.ok(node.code === rustRun.status && node.err.startsWith('entry '));
    const reports = [call(deployment, ['--json', ...words]).out, rust('--json', ...words).stdout].map(parsed);
    reports[1].sequence -= 1;
    reports[1].entry -= 1;
    if (words[0] !== 'INCRBY') assert.deepEqual(reports[0], reports[1]);
  }
  assert.match(call(deployment, ['--json', 'INCRBY', 'big', '-1']).out, /"reply":36028797018963971\}/);
  const unsigned = ['--json', '--signer', 'none', 'GET', 'a'];
  const [node, rustRun] = [call(deployment, unsigned), rust(...unsigned)];
  assert.ok(node.code === 5 && rustRun.status === 5);
  assert.deepEqual(JSON.parse(node.out), JSON.parse(rustRun.stdout));
});

test('commands from a pipe are answered in order', LIMIT, async (t) => {
  const deployment = await Deployment.start(t);
  const lines = Array.from({ length: 300 }, (_, number) => `RPUSH list ${number}\n`).join('');
  const stdin = `${lines}\n["SET", "two words", "é \\n"]\nGET list\nBLPOP list 0`;
  const { code, out } = call(deployment, ['--json'], stdin);
  const reports = out.trim().split('\n').map((line) => JSON.parse(line));
  const numbers = Array.from({ length: 303 }, (_, number) => number + 1);
  assert.deepEqual(reports.map(({ sequence }) => sequence), numbers);
  assert.deepEqual(reports.slice(0, 300).map(({ reply }) => reply), numbers.slice(0, 300));
  assert.match(reports[301].reply.error, /^WRONGTYPE/);
  assert.match(reports[302].reply.error, /^NOT_ALLOWED/);
  assert.deepEqual([code, reports[301].entry, reports[302].entry], [5, 302, null]);
  assert.deepEqual(await deployment.redisCommand('GET', 'two words'), Buffer.from('é \n'));
  assert.deepEqual(deployment.audit(), { entries: 302, alice: 302, bob: 0 });
  const bad = call(deployment, [], 'PING\n[1]\nPING\n');
  assert.ok(bad.code === 3 && bad.out === 'PONG\n' && bad.err.includes('array of strings'), bad.err);
});

test('unusable input is reported with its exit code', LIMIT, async (t) => {
  const deployment = await Deployment.start(t);
  assert.equal(call(deployment, ['PING'], '', 'none').code, 3);
  assert.equal(call(deployment, ['--store', '00'.repeat(32), 'PING']).code, 5);
  assert.equal(call(deployment, ['PING'], '', 'mallory').code, 5);
  const unreachable = call(deployment, ['--front', '127.0.0.1:1', 'PING']);
  assert.ok(unreachable.code === 4 && unreachable.err.includes('is the front running?'));
  for (const wrong of [['--store', '00'], ['--suite', 'hors-f-blake3'], ['--timeout', '0'], ['--nonsense']]) {
    const { code, err } = call(deployment, [...wrong, 'PING']);
    assert.ok(code === 2 && err.includes('see --help'), err);
  }
  await deployment.freeze(deployment.redis);
  const late = call(deployment, ['--json', '--timeout', '0.5', 'PING']);
  deployment.thaw(deployment.redis);
  const { code, logged } = JSON.parse(late.out).failed;
  assert.deepEqual([late.code, code, logged], [4, 'LOST', null]);
});

/**
 * Starts the program and waits until it has answered one command.
 *
 * @param {import('node:test').TestContext} t
 */
async function running(t) {
  const deployment = await Deployment.start(t);
  const started = spawn(process.execPath, [program, ...options(deployment)], { cwd: deployment.path, stdio: 'pipe' });
  t.after(() => started.kill('SIGKILL'));
  const output = { out: '', err: '' };
  started.stdout.on('data', (chunk) => (output.out += chunk));
  started.stderr.on('data', (chunk) => (output.err += chunk));
  const ended = once(started, 'close');
  started.stdin.write('PING\n');
  await eventually(() => output.out === 'PONG\n' && output.err === 'entry 1 of the log\n');
  return { deployment, started, output, ended };
}

test('Ctrl-C exits cleanly', LIMIT, async (t) => {
  const { started, output, ended } = await running(t);
  started.kill('SIGINT');
  assert.deepEqual(await ended, [130, null]);
  assert.equal(output.out, 'PONG\n');
  assert.match(output.err, /\ninterrupted; commands without an answer: 0\n$/);
});

test('Ctrl-C waits for missing answers', LIMIT, async (t) => {
  const { deployment, started, output, ended } = await running(t);
  await deployment.freeze(deployment.redis);
  const size = deployment.logSize();
  started.stdin.write('INCR n\n');
  await eventually(() => deployment.logSize() > size);
  started.kill('SIGINT');
  deployment.thaw(deployment.redis);
  assert.deepEqual(await ended, [130, null]);
  assert.ok(output.out === 'PONG\n1\n' && output.err.includes('entry 2 of the log'), output.err);
});

test('a second Ctrl-C exits at once', LIMIT, async (t) => {
  const { deployment, started, output, ended } = await running(t);
  await deployment.freeze(deployment.redis);
  const size = deployment.logSize();
  started.stdin.write('INCR n\n');
  await eventually(() => deployment.logSize() > size);
  const again = setInterval(() => started.kill('SIGINT'), 50);
  assert.deepEqual(await ended, [130, null]);
  clearInterval(again);
  deployment.thaw(deployment.redis);
  assert.match(output.err, /interrupted; commands without an answer: 1\n$/);
});

test('control characters of replies are escaped', () => {
  assert.deepEqual(replyLines(new RedisError('ERR \x1b[2J\nx')), ['(error) ERR \\x1b[2J\\nx']);
  const items = [Buffer.from("a\xff'", 'latin1'), 'b\x07', 7, null];
  assert.deepEqual(replyLines(items), ['a\\xff\\\'', 'b\\x07', '7', '(nil)']);
});

test('help explains the first steps', () => {
  const { stdout } = spawnSync(process.execPath, [program, '--help'], { encoding: 'utf8' });
  for (const topic of ['keygen', 'front.toml', 'SET greeting', 'standard input', 'Exit codes', 'Ctrl-C', '--store']) {
    assert.ok(stdout.includes(topic), topic);
  }
});
