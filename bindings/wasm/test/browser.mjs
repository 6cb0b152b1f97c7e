// The package in a headless browser, without a bundler: in a page and in a Worker.
// `node test/browser.mjs CHROMIUM FOLDER-WITH-PLAYWRIGHT`

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as quorate from 'quorate-wasm';

const [executablePath, tools] = process.argv.slice(2);
const { chromium } = createRequire(join(tools, 'package.json'))('playwright-core');
const root = fileURLToPath(new URL('..', import.meta.url));

/** A certificate of a hundred members, as bytes for whoever verifies it. */
function sample() {
  const secrets = Array.from({ length: 100 }, () => quorate.SecretKey.generate('bls-min-sig'));
  const keys = secrets.map((secret) => quorate.VerifiedKey.of(secret));
  const committee = new quorate.Committee(quorate.ChainId.fromName('page'), 1n, keys.map((key) => [key, 1n]));
  const statement = committee.statement(1, 2n, new Uint8Array(32));
  const collector = new quorate.VoteCollector(committee, 1, 2n);
  const votes = secrets.map((secret) => quorate.Vote.signUnguarded(secret, committee, statement));
  const certificate = votes.map((vote) => collector.add(vote, new quorate.Suspects()).certificate).find(Boolean);
  return { keys: keys.map((key) => [...key.public.encode()]), certificate: [...certificate.value.encode()] };
}

/** Runs in the page and in the Worker. */
const VERIFY = `async function verify({ keys, certificate }) {
  const began = performance.now();
  const { init, Certificate, ChainId, Committee, PublicKey } = await import('/js/certificate-web.js');
  let early = 'nothing';
  try { ChainId.fromName('early'); } catch (error) { early = error.message; }
  await init();
  await init();
  const loaded = performance.now();
  const members = keys.map((key) => [PublicKey.decode('bls-min-sig', Uint8Array.from(key)), 1n]);
  const committee = Committee.fromAttested(ChainId.fromName('page'), 1n, members);
  const ready = performance.now();
  const decoded = Certificate.decode(Uint8Array.from(certificate), committee);
  const verified = decoded.verify(committee);
  const done = performance.now();
  let code;
  certificate[60] ^= 1;
  try { Certificate.decode(Uint8Array.from(certificate), committee).verify(committee); } catch (error) { code = error.code; }
  return { early, signers: verified.value.signers.size, code, load: loaded - began, committee: ready - loaded, verify: done - ready };
}`;

const PAGES = {
  '/': `<!doctype html><title>quorate</title><script type="module">
    ${VERIFY}
    window.inPage = verify;
    window.inWorker = (data) => new Promise((resolve, reject) => {
      const worker = new Worker('/worker.js', { type: 'module' });
      worker.onmessage = (event) => resolve(event.data);
      worker.onerror = (event) => reject(new Error(event.message));
      worker.postMessage(data);
    });
    const full = await import('/js/quorate-web.js');
    await full.init();
    window.random = () => String(full.SecretKey.generate('ed25519'));
  </script>`,
  '/worker.js': `${VERIFY}\nonmessage = async ({ data }) => postMessage(await verify(data));`,
};
const TYPES = { js: 'text/javascript', wasm: 'application/wasm', '/': 'text/html' };

const server = createServer((request, response) => {
  const path = normalize(new URL(request.url, 'http://localhost').pathname);
  response.setHeader('content-type', TYPES[path.split('.').pop()] ?? 'text/plain');
  // As strict as a careful page: no script but its own, WebAssembly allowed.
  response.setHeader('content-security-policy', "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'");
  try {
    response.end(PAGES[path] ?? readFileSync(join(root, path)));
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const profile = mkdtempSync(join(tmpdir(), 'quorate-browser-'));
const browser = await chromium.launchPersistentContext(profile, {
  executablePath,
  headless: true,
  timeout: 60_000,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'].concat(
    ['--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
  ),
});
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => window.random);
  const data = sample();
  for (const where of ['inPage', 'inWorker']) {
    const result = await page.evaluate(([name, given]) => window[name](given), [where, data]);
    assert.match(result.early, /await init\(\)/);
    assert.equal(result.signers, 67);
    assert.equal(result.code, 'BAD_SIGNATURE');
    const [load, committee, verify] = [result.load, result.committee, result.verify].map((ms) => ms.toFixed(1));
    console.log(`${where}: loaded in ${load} ms, committee of 100 in ${committee} ms, first verification ${verify} ms`);
  }
  assert.equal(await page.evaluate(() => window.random()), 'SecretKey(ed25519)');
  assert.deepEqual(problems, []);
} finally {
  await browser.close();
  server.close();
  rmSync(profile, { recursive: true, force: true });
}
