// Errors of `init`: what a page's developer reads if the server does not send the module.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import init, { ChainId } from '../js/certificate-web.js';

/** Calls `init` while `fetch` answers so. */
async function served(t, answer, source) {
  t.mock.method(globalThis, 'fetch', async () => answer());
  t.mock.method(console, 'warn', () => {});
  try {
    return await init(source);
  } finally {
    t.mock.restoreAll();
  }
}

const page = (status, type) => () => new Response('<!doctype html><title>x</title>', { status, headers: { 'content-type': type } });

test('init says what to do if the server sends a page instead of the module', async (t) => {
  const answers = [page(200, 'text/html'), page(200, 'application/wasm'), page(404, 'text/html'), () => { throw new TypeError('Failed to fetch'); }];
  for (const answer of answers) {
    for (const source of [undefined, 'https://example.org/certificate_bg.wasm']) {
      await assert.rejects(served(t, answer, source), (error) => {
        for (const part of ['application/wasm', "optimizeDeps: { exclude: ['quorate-wasm'] }", error.cause.message]) assert.ok(error.message.includes(part), error.message);
        return error.cause instanceof Error;
      });
    }
  }
  assert.throws(() => ChainId.fromName('x'), /await init\(\)/);
});

test('the error of bytes that are no module stays as it is', async () => {
  await assert.rejects(init(new Uint8Array(8)), WebAssembly.CompileError);
});

test('after a failure init loads the module with another type', async (t) => {
  const bytes = readFileSync(new URL('../dist/certificate_bg.wasm', import.meta.url));
  await served(t, () => new Response(bytes, { headers: { 'content-type': 'application/octet-stream' } }));
  assert.equal(ChainId.fromName('x').bytes.length, 32);
});
