import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as quorate from 'quorate';
import { readMatrix, writeMatrix } from './shared/matrix.mjs';

for (const suite of Object.values(quorate.Suite)) {
  test(`${suite}: own objects are accepted, modified ones refused`, () => {
    const file = writeMatrix(quorate, suite);
    readMatrix(quorate, JSON.parse(JSON.stringify(file)));
    for (const key of ['certificate', 'timeout_certificate', 'equivocation']) {
      const text = file[key];
      const changed = { ...file, [key]: text.slice(0, -2) + (text.endsWith('00') ? '01' : '00') };
      assert.throws(() => readMatrix(quorate, changed), key);
    }
  });
}
