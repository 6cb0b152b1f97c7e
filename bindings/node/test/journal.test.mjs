// What only Node has of journals: other processes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as q from 'quorate';

const OTHER = `
import * as q from 'quorate';
const secret = q.SecretKey.fromBytes('ed25519', new Uint8Array(32).fill(7));
try {
  q.JournaledGuard.open(process.argv[1], secret, q.ChainId.fromName('journal'));
} catch (error) {
  console.log(error.code);
}`;

test('another process is refused', (t) => {
  const path = mkdtempSync(join(tmpdir(), 'quorate-journal-'));
  t.after(() => rmSync(path, { recursive: true }));
  const secret = q.SecretKey.fromBytes('ed25519', new Uint8Array(32).fill(7));
  const guard = q.JournaledGuard.create(path, secret, q.ChainId.fromName('journal'));
  const options = { cwd: import.meta.dirname, encoding: 'utf8' };
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', OTHER, path], options);
  assert.equal(output, 'JOURNAL_IN_USE\n');
  guard.close();
});
