// The examples of the README, and of the guide in it, each as a module of its own.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('..', import.meta.url));
const guide = readFileSync(join(here, '../javascript/GUIDE.md'), 'utf8').replaceAll("from 'quorate'", "from 'quorate-wasm'");
const examples = [...(readFileSync(join(here, 'README.md'), 'utf8') + guide).matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code);

test('examples of the README run', (t) => {
  // Inside the package, so that it can import itself by name.
  const folder = mkdtempSync(join(here, 'dist', 'examples-'));
  t.after(() => rmSync(folder, { recursive: true }));
  assert.equal(examples.length, 23);
  examples.forEach((code, i) => {
    const file = join(folder, `${i}.mjs`);
    writeFileSync(file, code);
    execFileSync(process.execPath, [file], { timeout: 180_000 });
  });
});

test('the package can be required', { skip: !process.features.require_module && 'this Node cannot require modules' }, () => {
  const required = createRequire(import.meta.url)('quorate-wasm');
  assert.equal(String(required.SecretKey.generate('ed25519')), 'SecretKey(ed25519)');
});
