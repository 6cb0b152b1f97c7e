// The package in a headless browser, without a bundler: in a page, in a Worker, and with the Worker helper.
// `node test/browser.mjs CHROMIUM FOLDER-WITH-PLAYWRIGHT`

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import * as quorate from 'quorate-wasm';
import { UNPACK, packed, serve, withChromium, within } from './chromium.mjs';
import { cases } from './worker-cases.mjs';
import { sample } from './worker-sample.mjs';

/** Runs in the page and in the Worker. */
const VERIFY = `import { unpacked } from '/unpack.js';
export async function verify(text) {
  const { suite, publicKeys, certificate } = unpacked(text);
  const began = performance.now();
  const { init, Certificate, ChainId, Committee, PublicKey } = await import('/js/certificate-web.js');
  let early = 'nothing';
  try { ChainId.fromName('early'); } catch (error) { early = error.message; }
  await init();
  await init();
  const loaded = performance.now();
  const members = publicKeys.map((key) => [PublicKey.decode(suite, key), 1n]);
  const committee = Committee.fromAttested(ChainId.fromName('worker'), 5n, members);
  const ready = performance.now();
  const decoded = Certificate.decode(certificate, committee);
  const verified = decoded.verify(committee);
  const done = performance.now();
  let code;
  certificate[60] ^= 1;
  try { Certificate.decode(certificate, committee).verify(committee); } catch (error) { code = error.code; }
  return { early, signers: verified.value.signers.size, code, load: loaded - began, committee: ready - loaded, verify: done - ready };
}`;

const page = (script) => `<!doctype html><link rel="icon" href="data:,"><title>quorate</title><script type="module" src="${script}"></script>`;
const PAGES = {
  '/unpack.js': UNPACK,
  '/verify.js': VERIFY,
  '/plain.html': page('/plain.js'),
  '/plain.js': `import { verify } from '/verify.js';
    window.inPage = verify;
    window.inWorker = (data) => new Promise((resolve, reject) => {
      const worker = new Worker('/own-worker.js', { type: 'module' });
      worker.onmessage = (event) => resolve(event.data);
      worker.onerror = (event) => reject(new Error(event.message));
      worker.postMessage(data);
    });
    const full = await import('/js/quorate-web.js');
    await full.init();
    window.random = () => String(full.SecretKey.generate('ed25519'));`,
  '/own-worker.js': `import { verify } from '/verify.js';\nonmessage = async ({ data }) => postMessage(await verify(data));`,
  '/helper.html': page('/helper.js'),
  '/helper.js': `import * as helper from '/js/worker-web.js';
    import { cases } from '/test/worker-cases.mjs';
    import { unpacked } from '/unpack.js';
    window.helper = helper;
    window.unpacked = unpacked;
    window.runCase = (name, text) => cases[name](helper, unpacked(text));`,
};

/** Events that a page observes while a Worker verifies: drawn frames, and messages to itself. */
async function meanwhile(text) {
  const { suite, publicKeys, certificate, size } = window.unpacked(text);
  const worker = await window.helper.startWorker({ build: 'certificate' });
  const members = publicKeys.map((key) => [key, 1n]);
  const committee = await worker.committeeFromAttested(suite, 'worker', 5n, members);
  const seen = { frames: 0, messages: 0 };
  let going = true;
  const frame = () => going && requestAnimationFrame(() => { seen.frames += 1; frame(); });
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => { seen.messages += 1; if (going) port2.postMessage(0); };
  frame();
  port2.postMessage(0);
  const verdicts = await committee.verifyCertificates(Array(size).fill(certificate));
  going = false;
  worker.terminate();
  const downloads = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname);
  return { ...seen, verified: verdicts.filter((one) => one.signers).length, downloads };
}

const chromium = process.argv.slice(2);
const server = await serve(fileURLToPath(new URL('..', import.meta.url)), PAGES);
try {
  await withChromium(chromium, async (open) => {
    const hundred = sample(quorate, 'bls-min-sig', 100);
    const plain = await open(`${server.url}/plain.html`);
    await plain.page.waitForFunction(() => window.random);
    for (const where of ['inPage', 'inWorker']) {
      const result = await plain.page.evaluate(([name, given]) => window[name](given), [where, packed(hundred)]);
      assert.match(result.early, /await init\(\)/);
      assert.equal(result.signers, 67);
      assert.equal(result.code, 'BAD_SIGNATURE');
      const [load, committee, verify] = [result.load, result.committee, result.verify].map((ms) => ms.toFixed(1));
      console.log(`${where}: loaded in ${load} ms, committee of 100 in ${committee} ms, first verification ${verify} ms`);
    }
    assert.equal(await plain.page.evaluate(() => window.random()), 'SecretKey(ed25519)');
    assert.deepEqual(plain.problems, []);

    const { page: helped, problems } = await open(`${server.url}/helper.html`);
    await helped.waitForFunction(() => window.runCase);
    // The page continues while its Worker is busy, and downloads neither module.
    server.requests.length = 0;
    const busy = helped.evaluate(meanwhile, packed({ ...hundred, size: 64 }));
    const seen = await within(busy, 'a batch');
    console.log(`while 64 certificates were verified: ${seen.frames} frames, ${seen.messages} messages`);
    assert.equal(seen.verified, 64);
    assert(seen.frames > 0 && seen.messages > 64, 'the page stood still');
    assert.deepEqual(seen.downloads.filter((path) => path.endsWith('.wasm')), [], 'the page needs no module itself');
    const modules = server.requests.filter((path) => path.endsWith('.wasm'));
    assert.deepEqual(modules, ['/dist/certificate_bg.wasm'], 'the small build downloads the small module only');

    const samples = packed(Object.values(quorate.Suite).map((suite) => sample(quorate, suite)));
    for (const name of Object.keys(cases)) {
      const run = helped.evaluate(([which, given]) => window.runCase(which, given), [name, samples]);
      await within(run, name);
    }
    console.log(`${Object.keys(cases).length} cases of the Worker helper`);
    assert.deepEqual(problems, []);

    // A failed load is reported, and the page can try again.
    const begin = (given) => window.helper.startWorker(given).then((worker) => worker.terminate(), String);
    const start = (options) => within(helped.evaluate(begin, options), 'a start');
    for (const path of ['/js/thread-full-web.js', '/dist/whole/index.js', '/dist/quorate_bg.wasm']) {
      server.gone.add(path);
      assert.match(await start({}), /Error: /, path);
      server.gone.clear();
      assert.equal(await start({}), undefined, 'once it is back');
    }
    assert.match(await start({ source: '/nowhere.wasm' }), /Error: /);
    assert.equal(await start({ source: 'dist/quorate_bg.wasm' }), undefined, 'a URL relative to the page');
  });
} finally {
  server.close();
}
