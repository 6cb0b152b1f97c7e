// Download size of a page.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { gzipSync } from 'node:zlib';

test('the certificate-only module stays within its 148 kB', (t) => {
  const sizes = ['quorate', 'certificate'].map((name) => {
    const bytes = readFileSync(new URL(`../dist/${name}_bg.wasm`, import.meta.url));
    return [name, bytes.length, gzipSync(bytes, { level: 9 }).length];
  });
  for (const [name, plain, zipped] of sizes) t.diagnostic(`size of ${name}: ${plain} bytes, ${zipped} gzipped`);
  assert(sizes[1][2] <= 148_000);
});
