// What only Node has of journals: details of errors, and other processes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as q from 'quorate';

const CHAIN = q.ChainId.fromName('journal');
const secret = () => q.SecretKey.fromBytes('ed25519', new Uint8Array(32).fill(7));

function folder(t) {
  const path = mkdtempSync(join(tmpdir(), 'quorate-journal-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

test('a damaged journal names its offset and is kept', (t) => {
  const path = folder(t);
  q.JournaledGuard.create(path, secret(), CHAIN).close();
  const content = readFileSync(join(path, 'guard.journal'));
  content[20] ^= 1;
  writeFileSync(join(path, 'guard.journal'), content);
  const damaged = (error) => error instanceof q.JournalDamagedError && error.details.offset === 0n;
  assert.throws(() => q.JournaledGuard.open(path, secret(), CHAIN), damaged);
  q.JournaledGuard.recover(path, secret(), CHAIN, 10n).close();
  assert.ok(existsSync(join(path, 'guard.journal.aside-1')));
});

const OTHER = `
import * as q from 'quorate';
const secret = q.SecretKey.fromBytes('ed25519', new Uint8Array(32).fill(7));
try {
  q.JournaledGuard.open(process.argv[1], secret, q.ChainId.fromName('journal'));
} catch (error) {
  console.log(error.code);
}`;

test('another process is refused', (t) => {
  const path = folder(t);
  const guard = q.JournaledGuard.create(path, secret(), CHAIN);
  const options = { cwd: import.meta.dirname, encoding: 'utf8' };
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', OTHER, path], options);
  assert.equal(output, 'JOURNAL_IN_USE\n');
  guard.close();
});
