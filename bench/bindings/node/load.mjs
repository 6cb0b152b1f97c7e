// How much a page that verifies certificates downloads, and how long it takes until the first one is verified.
// `node load.mjs PACKAGE CHROMIUM TOOLS LOADS WORLD`: PACKAGE is bindings/wasm after it was built, CHROMIUM may be
// empty, TOOLS is the folder with Playwright. Prints one line of JSON. Each load has a browser context of its own, hence
// no cache of any kind.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';

const [root, executablePath, tools, loads, worldFile] = process.argv.slice(2);
const given = JSON.parse(readFileSync(worldFile, 'utf8')).certificates['min-sig'];

/** Runs in the page and in the Worker; the clock starts before anything of the package is there. */
const VERIFY = `async function verify({ keys, certificate }) {
  const bytes = (hex) => Uint8Array.from(hex.match(/../g), (byte) => parseInt(byte, 16));
  const data = [keys.map(bytes), bytes(certificate)];
  const began = performance.now();
  const { init, Certificate, ChainId, Committee, PublicKey } = await import('/js/certificate-web.js');
  await init();
  const loaded = performance.now();
  const members = data[0].map((key) => [PublicKey.decode('bls-min-sig', key), 1n]);
  const committee = Committee.fromAttested(ChainId.fromName('bench'), 1n, members);
  const ready = performance.now();
  const decoded = Certificate.decode(data[1], committee);
  decoded.verify(committee);
  const done = performance.now();
  for (let i = 0; i < 40; i++) decoded.verify(committee);
  const warm = performance.now();
  for (let i = 0; i < 40; i++) decoded.verify(committee);
  const end = performance.now();
  return { load: loaded - began, committee: ready - loaded, verify: done - ready, total: done - began, warm: (end - warm) / 40 };
}`;
const PAGES = {
  '/': `<!doctype html><title>bench</title><script type="module">
    ${VERIFY}
    window.inPage = verify;
    window.inWorker = (data) => new Promise((resolve, reject) => {
      const worker = new Worker('/worker.js', { type: 'module' });
      worker.onmessage = (event) => (event.data ? resolve(event.data) : worker.postMessage(data));
      worker.onerror = (event) => reject(new Error(event.message));
    });
  </script>`,
  // Starting a Worker is not part of loading the package: it says when it is there.
  '/worker.js': `${VERIFY}\nonmessage = async ({ data }) => postMessage(await verify(data));\npostMessage(null);`,
};
const TYPES = { js: 'text/javascript', wasm: 'application/wasm', '/': 'text/html' };

const size = gzipSync(readFileSync(join(root, 'dist/certificate_bg.wasm')), { level: 9 }).length;
const result = { size, inPage: [], inWorker: [] };
if (executablePath) await measure();
console.log(JSON.stringify(result));

async function measure() {
  const { chromium } = createRequire(join(tools, 'package.json'))('playwright-core');
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, 'http://localhost').pathname);
    response.setHeader('content-type', TYPES[path.split('.').pop()] ?? 'text/plain');
    response.setHeader('cache-control', 'no-store');
    try {
      response.end(PAGES[path] ?? readFileSync(join(root, path)));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
  args.push('--disable-component-update', '--disable-sync', '--disable-dev-shm-usage');
  const browser = await chromium.launch({ executablePath, headless: true, timeout: 60_000, args });
  try {
    result.browser = `Chromium ${browser.version()}`;
    for (let i = 0; i < Number(loads); i++) {
      for (const where of ['inPage', 'inWorker']) result[where].push(await once(browser, where, server.address().port));
    }
  } finally {
    await browser.close();
    server.close();
  }
}

async function once(browser, where, port) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.waitForFunction(() => window.inWorker);
    return await page.evaluate(([name, data]) => window[name](data), [where, given]);
  } finally {
    await context.close();
  }
}
