// Key files, commands, replies and frames, without a front.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { PublicKey, Signature } from 'quorate';

import { BadInput, Key, RedisError } from '../index.mjs';
import { MAX_COMMAND, MAX_DEPTH, MAX_ITEMS, MAX_LINE, Malformed, encodeCommand, parseReply } from '../resp.mjs';
import { decode } from '../wire.mjs';

const SECRET = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
const PUBLIC = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';
const FILE = `# A comment.\nquorate-audited-redis-key 1\nsecret ${SECRET}\npublic ${PUBLIC}\n`;
const raw = (/** @type {string} */ text) => Buffer.from(text, 'latin1');

const folder = mkdtempSync(join(tmpdir(), 'audited-'));
test.after(() => rmSync(folder, { recursive: true }));
const writeKeyFile = (/** @type {string} */ text, mode = 0o600) => {
  const path = join(folder, 'key');
  rmSync(path, { force: true });
  writeFileSync(path, text, { mode });
  return path;
};

test('key files are parsed as by the Rust program', () => {
  const upper = FILE.replace(SECRET, SECRET.toUpperCase());
  for (const text of [FILE, FILE.replaceAll('\n', '\r\n'), FILE.trimEnd(), `\n${FILE}\n# end`, upper]) {
    const key = Key.load(writeKeyFile(text));
    assert.equal(key.public.toString('hex'), PUBLIC);
    const signature = Signature.decode('ed25519', key.sign(raw('m')));
    PublicKey.decode('ed25519', key.public).verify(raw('m'), signature);
  }
  for (const text of [
    '',
    FILE.replace('key 1', 'key 2'),
    FILE.replace('secret ', 'secret 0'),
    FILE.replace('secret 9', 'secret x'),
    FILE.replace('secret 9', 'secret 8'),
    FILE.replace(PUBLIC, PUBLIC.toUpperCase()),
    `${FILE}x`,
    FILE.replace(`public ${PUBLIC}\n`, ''),
    FILE + '#'.repeat(4096),
  ]) {
    assert.throws(() => Key.load(writeKeyFile(text)), BadInput, text);
  }
  assert.throws(() => Key.load(writeKeyFile(FILE, 0o640)), /chmod 600/);
  assert.throws(() => Key.load(join(folder, 'none')), /keygen/);
});

test('a key is not printed and does not sign after close', () => {
  const secret = new Uint8Array(new ArrayBuffer(32)).fill(7);
  const key = new Key(secret);
  const printed = [`${key}`, JSON.stringify(key), inspect(key, { showHidden: true, depth: 9, getters: true })];
  for (const text of [...printed, inspect(structuredClone(key), { depth: 9 })]) {
    assert.ok(!text.includes('070707') && !text.includes('7, 7, 7'), text);
  }
  key.close();
  assert.ok(secret.every((byte) => byte === 0));
  assert.throws(() => key.sign(raw('m')), /was closed/);
});

test('commands have a canonical encoding', () => {
  const encoded = raw('*5\r\n$3\r\nSET\r\n$3\r\n\0\r\n\r\n$1\r\n7\r\n$2\r\n-8\r\n$0\r\n\r\n');
  assert.deepEqual(encodeCommand(['SET', raw('\0\r\n'), 7, -8n, new Uint8Array()]), encoded);
  assert.deepEqual(encodeCommand(['é']), Buffer.from('*1\r\n$2\r\né\r\n'));
  const most = MAX_COMMAND - '*1\r\n$8388590\r\n\r\n'.length;
  assert.equal(encodeCommand([Buffer.alloc(most)]).length, MAX_COMMAND);
  for (const words of [[], [Buffer.alloc(most + 1)], Array(65_537).fill('x'), Array(3).fill(Buffer.alloc(1 << 22))]) {
    assert.throws(() => encodeCommand(words), BadInput);
  }
  for (const wrong of /** @type {any[]} */ ([true, 1.5, null, undefined, ['x'], 2 ** 53, new Uint16Array(1)])) {
    assert.throws(() => encodeCommand([wrong]), TypeError);
  }
});

/** @type {[string, import('../resp.mjs').Reply][]} */
const REPLIES = [
  ['+OK\r\n', 'OK'],
  ['+\r\n', ''],
  [':-9223372036854775808\r\n', -(1n << 63n)],
  [':9007199254740991\r\n', 9007199254740991],
  [':+7\r\n', 7],
  ['$-1\r\n', null],
  ['*-1\r\n', null],
  ['$0\r\n\r\n', Buffer.alloc(0)],
  ['$4\r\n\r\n\0\xff\r\n', raw('\r\n\0\xff')],
  ['*0\r\n', []],
  ['*3\r\n*2\r\n:1\r\n*0\r\n$1\r\na\r\n*1\r\n*-1\r\n', [[1, []], raw('a'), [null]]],
  [`+${'x'.repeat(MAX_LINE - 1)}\r\n`, 'x'.repeat(MAX_LINE - 1)],
];

test('replies are parsed, and truncated or longer ones refused', () => {
  for (const [text, value] of REPLIES) {
    assert.deepEqual(parseReply(raw(text)), value);
    for (let cut = 0; cut < Math.min(text.length, 100); cut += 1) {
      assert.throws(() => parseReply(raw(text.slice(0, cut))), Malformed);
    }
    assert.throws(() => parseReply(raw(`${text}\r\n`)), Malformed);
  }
  for (const [text, at] of /** @type {[string, number][]} */ ([['-ERR no\r\n', -1], ['*1\r\n-ERR no\r\n', 0]])) {
    const value = parseReply(raw(text));
    const error = Array.isArray(value) ? value[at] : value;
    assert.ok(error instanceof RedisError);
    assert.deepEqual([error.code, error.reason, error.text], ['ERR', 'no', 'ERR no']);
  }
});

test('malformed and oversized replies are refused early', () => {
  const deep = '*1\r\n'.repeat(MAX_DEPTH);
  assert.equal(JSON.stringify(parseReply(raw(`${deep}:1\r\n`))), `${'['.repeat(MAX_DEPTH)}1${']'.repeat(MAX_DEPTH)}`);
  for (const text of [
    `*1\r\n${deep}:1\r\n`,
    `${'*1\r\n'.repeat(100_000)}:1\r\n`,
    '*4294967295\r\n:1\r\n',
    `*${'9'.repeat(19)}\r\n`,
    `*${'9'.repeat(5000)}\r\n`,
    `$${'9'.repeat(19)}\r\nx\r\n`,
    '$-2\r\n',
    '$+1\r\nx\r\n',
    '$1\r\nxy\r\n',
    '$1\r\nxyz',
    '*-2\r\n',
    ':\r\n',
    ':1.5\r\n',
    ': 1\r\n',
    ':9223372036854775808\r\n',
    `:${'1'.repeat(5000)}\r\n`,
    '%1\r\n+a\r\n+b\r\n',
    '_\r\n',
    `+${'x'.repeat(MAX_LINE)}\r\n`,
    `*${MAX_ITEMS}\r\n${':1\r\n'.repeat(MAX_ITEMS)}`,
  ]) {
    assert.throws(() => parseReply(raw(text)), Malformed, text.slice(0, 50));
  }
});

test('arbitrary bytes are parsed or refused', () => {
  const kinds = [...REPLIES.slice(0, 11).map(([text]) => text), '-ERR no\r\n', '*2\r\n', '$3\r\n', '\r\n', '-1', '\0'];
  let state = 7;
  const random = (/** @type {number} */ below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let round = 0; round < 5_000; round += 1) {
    const data = raw(Array.from({ length: random(5) }, () => kinds[random(kinds.length)]).join(''));
    if (data.length > 0 && random(2) === 0) data[random(data.length)] = random(256);
    try {
      parseReply(data);
    } catch (error) {
      assert.ok(error instanceof Malformed, `${error}: ${data.toString('latin1')}`);
    }
  }
});

test('frames have exact lengths', () => {
  const number = raw('\x07\0\0\0\0\0\0\0');
  /** @type {(kind: number, ...parts: Uint8Array[]) => Buffer} */
  const frame = (kind, ...parts) => Buffer.concat([Buffer.of(kind), ...parts]);
  assert.deepEqual(decode(frame(0x81, number)), { kind: 'welcome', last: 7 });
  const reply = raw('+OK\r\n');
  assert.deepEqual(decode(frame(0x82, number, number, reply)), { kind: 'executed', sequence: 7, entry: 7, reply });
  assert.deepEqual(decode(frame(0x83, number)), { kind: 'refusal', sequence: 7, reply: Buffer.alloc(0) });
  const short = [frame(0x81, Buffer.alloc(7)), frame(0x82, Buffer.alloc(15)), frame(0x83, Buffer.alloc(7))];
  const large = [frame(0x81, Buffer.alloc(9)), frame(0x81, Buffer.alloc(8, 255))];
  for (const bytes of [...short, ...large, frame(1), frame(0x84)]) {
    assert.throws(() => decode(bytes), Malformed);
  }
});
