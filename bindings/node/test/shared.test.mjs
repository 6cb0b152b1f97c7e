import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as quorate from 'quorate';
import { sharedTests } from './shared/all.mjs';

const folder = new URL('../', import.meta.url);
sharedTests(quorate, folder, 'dist/classes');

test('every code has its class', () => {
  const errors = readFileSync(new URL('dist/common/errors.d.ts', folder), 'utf8');
  for (const code of quorate.CODES) {
    const name = `${code.toLowerCase().replace(/(^|_)(.)/g, (_, _line, letter) => letter.toUpperCase())}Error`;
    assert.ok(quorate[name].prototype instanceof quorate.QuorateError, name);
    assert.ok(errors.includes(`readonly code: '${code}';`), code);
  }
  assert.equal(quorate.CODES.at(-1), 'CLOSED');
});
