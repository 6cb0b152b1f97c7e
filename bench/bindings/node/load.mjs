// Measures the download of a page that verifies certificates, and the time to its first verified certificate.
// `node load.mjs PACKAGE CHROMIUM TOOLS BUNDLERS OUT LOADS WORLD`: PACKAGE is the built bindings/wasm, CHROMIUM
// may be empty, TOOLS is the folder of Playwright, BUNDLERS that of Vite, OUT the output folder. Prints one line of JSON.
// Vite bundles the page, as for users, and each load has a new browser context without a cache.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const [root, executablePath, tools, bundlers, out, loads, worldFile] = process.argv.slice(2);
const given = JSON.parse(readFileSync(worldFile, 'utf8')).certificates['min-sig'];

/** Runs in the page and in the Worker; the clock starts before the package is loaded. */
const VERIFY = `export async function verify({ keys, certificate, forged }) {
  const bytes = (hex) => Uint8Array.from(hex.match(/../g), (byte) => parseInt(byte, 16));
  const data = [keys.map(bytes), bytes(certificate)];
  const began = performance.now();
  const { init, Certificate, ChainId, Committee, PublicKey } = await import('quorate-wasm/certificate');
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
  const fake = Certificate.decode(bytes(forged), committee);
  let refused = false;
  try {
    fake.verify(committee);
  } catch (error) {
    refused = error.code === 'BAD_SIGNATURE';
  }
  if (!refused) throw new Error('a forged certificate was accepted');
  return { load: loaded - began, committee: ready - loaded, verify: done - ready, total: done - began, warm: (end - warm) / 40 };
}`;
const SOURCES = {
  'index.html': '<!doctype html><title>bench</title><link rel="icon" href="data:,"><script type="module" src="./page.js"></script>',
  'page.js': `import { verify } from './verify.js';
    window.inPage = verify;
    window.inWorker = (data) => new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
      worker.onmessage = ({ data: reply }) => {
        if (!reply) worker.postMessage(data);
        else if (reply.failed) reject(new Error(reply.failed));
        else resolve(reply);
      };
      worker.onerror = (event) => reject(new Error(event.message));
    });`,
  // Starting a Worker is not part of the measured load: the Worker reports when it has started.
  'worker.js': `import { verify } from './verify.js';
    onmessage = async ({ data }) => postMessage(await verify(data).catch((error) => ({ failed: String(error) })));
    postMessage(null);`,
  'verify.js': VERIFY,
};
const TYPES = { js: 'text/javascript', wasm: 'application/wasm', html: 'text/html' };

const size = gzipSync(readFileSync(join(root, 'dist/certificate_bg.wasm')), { level: 9 }).length;
const result = { size, inPage: [], inWorker: [] };
if (executablePath) await measure();
console.log(JSON.stringify(result));

/** Builds the page and returns its folder. */
async function bundled() {
  const [source, built] = [join(out, 'source'), join(out, 'built')];
  rmSync(source, { recursive: true, force: true });
  mkdirSync(source, { recursive: true });
  for (const [name, text] of Object.entries(SOURCES)) writeFileSync(join(source, name), text);
  const { build } = await import(pathToFileURL(join(bundlers, 'node_modules/vite/dist/node/index.js')));
  await build({
    root: source,
    configFile: false,
    logLevel: 'error',
    resolve: { alias: { 'quorate-wasm/certificate': join(root, 'js/certificate-web.js') } },
    worker: { format: 'es' },
    build: { outDir: built, emptyOutDir: true },
  });
  return built;
}

async function measure() {
  const folder = await bundled();
  const { chromium } = createRequire(join(tools, 'package.json'))('playwright-core');
  const server = createServer((request, response) => {
    const requested = normalize(new URL(request.url, 'http://localhost').pathname);
    const path = requested === '/' ? '/index.html' : requested;
    response.setHeader('content-type', TYPES[path.split('.').pop()] ?? 'text/plain');
    response.setHeader('cache-control', 'no-store');
    try {
      response.end(readFileSync(join(folder, path)));
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
