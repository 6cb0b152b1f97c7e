// The program as its users run it.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { shown } from '../call.mjs';
import { RedisError } from '../index.mjs';
import { House, eventually } from './house.mjs';

const LIMIT = { timeout: 300_000 };
const program = fileURLToPath(new URL('../call.mjs', import.meta.url));
const options = (/** @type {House} */ house, name = 'alice') => {
  return ['--front', house.listen, '--key', `${name}.key`, '--patience', '60'];
};

const parsed = (/** @type {string} */ text) => JSON.parse(text);

/**
 * @param {House} house
 * @param {string[]} given
 * @param {string} input
 */
function call(house, given, input = '', name = 'alice') {
  const run = spawnSync(process.execPath, [program, ...options(house, name), ...given], {
    ...{ cwd: house.path, input },
    encoding: 'utf8',
  });
  assert.ok(!run.stderr.includes('    at '), run.stderr);
  return { code: run.status, out: run.stdout, err: run.stderr };
}

test('it says what the Rust program says', LIMIT, async (t) => {
  const house = await House.build(t);
  const as = ['call', '--front', house.listen, '--key', 'alice.key'];
  const rust = (/** @type {string[]} */ ...given) => house.run(...as, ...given);
  const large = 'INCRBY big 9007199254740993';
  for (const line of ['SET a 1', 'GET a', 'MGET a b', 'LPUSH a x', 'SET a é\x1b\'"\n', 'GET a', large]) {
    const words = line.split(' ');
    const [ours, theirs] = [call(house, words), rust(...words)];
    if (words[0] !== 'INCRBY') assert.equal(ours.out, theirs.stdout);
    assert.ok(ours.code === theirs.status && ours.err.startsWith('entry '));
    const reports = [call(house, ['--json', ...words]).out, rust('--json', ...words).stdout].map(parsed);
    reports[1].sequence -= 1;
    reports[1].entry -= 1;
    if (words[0] !== 'INCRBY') assert.deepEqual(reports[0], reports[1]);
  }
  assert.match(call(house, ['--json', 'INCRBY', 'big', '-1']).out, /"reply":36028797018963971\}/);
  const unsigned = ['--json', '--signer', 'none', 'GET', 'a'];
  const [ours, theirs] = [call(house, unsigned), rust(...unsigned)];
  assert.ok(ours.code === 5 && theirs.status === 5);
  assert.deepEqual(JSON.parse(ours.out), JSON.parse(theirs.stdout));
});

test('commands from a pipe are answered in their order', LIMIT, async (t) => {
  const house = await House.build(t);
  const lines = Array.from({ length: 300 }, (_, number) => `RPUSH list ${number}\n`).join('');
  const given = `${lines}\n["SET", "two words", "é \\n"]\nGET list\nBLPOP list 0`;
  const { code, out } = call(house, ['--json'], given);
  const reports = out.trim().split('\n').map((line) => JSON.parse(line));
  const numbers = Array.from({ length: 303 }, (_, number) => number + 1);
  assert.deepEqual(reports.map(({ sequence }) => sequence), numbers);
  assert.deepEqual(reports.slice(0, 300).map(({ reply }) => reply), numbers.slice(0, 300));
  assert.match(reports[301].reply.error, /^WRONGTYPE/);
  assert.match(reports[302].reply.error, /^NOT_ALLOWED/);
  assert.deepEqual([code, reports[301].entry, reports[302].entry], [5, 302, null]);
  assert.deepEqual(await house.ask('GET', 'two words'), Buffer.from('é \n'));
  assert.deepEqual(house.audit(), { entries: 302, alice: 302, bob: 0 });
  const bad = call(house, [], 'PING\n[1]\nPING\n');
  assert.ok(bad.code === 3 && bad.out === 'PONG\n' && bad.err.includes('array of strings'), bad.err);
});

test('what cannot be used is said with its code', LIMIT, async (t) => {
  const house = await House.build(t);
  assert.equal(call(house, ['PING'], '', 'none').code, 3);
  assert.equal(call(house, ['--store', '00'.repeat(32), 'PING']).code, 5);
  assert.equal(call(house, ['PING'], '', 'stranger').code, 5);
  const unreachable = call(house, ['--front', '127.0.0.1:1', 'PING']);
  assert.ok(unreachable.code === 4 && unreachable.err.includes('is the front running?'));
  for (const wrong of [['--store', '00'], ['--suite', 'hors-f-blake3'], ['--timeout', '0'], ['--nonsense']]) {
    const { code, err } = call(house, [...wrong, 'PING']);
    assert.ok(code === 2 && err.includes('--help says more'), err);
  }
  await house.freeze(house.redis);
  const late = call(house, ['--json', '--timeout', '0.5', 'PING']);
  house.thaw(house.redis);
  const { code, logged } = JSON.parse(late.out).failed;
  assert.deepEqual([late.code, code, logged], [4, 'LOST', null]);
});

/**
 * The program, that answered one command and reads on.
 *
 * @param {import('node:test').TestContext} t
 */
async function running(t) {
  const house = await House.build(t);
  const started = spawn(process.execPath, [program, ...options(house)], { cwd: house.path, stdio: 'pipe' });
  t.after(() => started.kill('SIGKILL'));
  const said = { out: '', err: '' };
  started.stdout.on('data', (piece) => (said.out += piece));
  started.stderr.on('data', (piece) => (said.err += piece));
  const ended = once(started, 'close');
  started.stdin.write('PING\n');
  await eventually(() => said.out === 'PONG\n' && said.err === 'entry 1 of the log\n');
  return { house, started, said, ended };
}

test('Ctrl-C ends it cleanly', LIMIT, async (t) => {
  const { started, said, ended } = await running(t);
  started.kill('SIGINT');
  assert.deepEqual(await ended, [130, null]);
  assert.ok(said.out === 'PONG\n' && said.err.endsWith('\ninterrupted; commands without an answer: 0\n'), said.err);
});

test('Ctrl-C waits for answers that are due', LIMIT, async (t) => {
  const { house, started, said, ended } = await running(t);
  await house.freeze(house.redis);
  const size = house.logSize();
  started.stdin.write('INCR n\n');
  await eventually(() => house.logSize() > size);
  started.kill('SIGINT');
  house.thaw(house.redis);
  assert.deepEqual(await ended, [130, null]);
  assert.ok(said.out === 'PONG\n1\n' && said.err.includes('entry 2 of the log'), said.err);
});

test('a second Ctrl-C ends it at once', LIMIT, async (t) => {
  const { house, started, said, ended } = await running(t);
  await house.freeze(house.redis);
  const size = house.logSize();
  started.stdin.write('INCR n\n');
  await eventually(() => house.logSize() > size);
  const again = setInterval(() => started.kill('SIGINT'), 50);
  assert.deepEqual(await ended, [130, null]);
  clearInterval(again);
  house.thaw(house.redis);
  assert.match(said.err, /interrupted; commands without an answer: 1\n$/);
});

test('what a front writes cannot command a terminal', () => {
  assert.deepEqual(shown(new RedisError('ERR \x1b[2J\nx')), ['(error) ERR \\x1b[2J\\nx']);
  const items = [Buffer.from("a\xff'", 'latin1'), 'b\x07', 7, null];
  assert.deepEqual(shown(items), ['a\\xff\\\'', 'b\\x07', '7', '(nil)']);
});

test('help teaches', () => {
  const { stdout } = spawnSync(process.execPath, [program, '--help'], { encoding: 'utf8' });
  for (const taught of ['keygen', 'front.toml', 'SET greeting', 'standard input', 'Exit codes', 'Ctrl-C', '--store']) {
    assert.ok(stdout.includes(taught), taught);
  }
});
