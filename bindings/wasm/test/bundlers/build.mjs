// Builds the pages in `app` with Vite and with webpack, from the package as npm would install it, and opens the results
// in a browser. `node test/bundlers/build.mjs CHROMIUM FOLDER-WITH-PLAYWRIGHT FOLDER-FOR-WHAT-IS-BUILT`

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import * as vite from 'vite';
import webpack from 'webpack';
import * as quorate from '../../js/quorate-node.js';
import { UNPACK, packed, serve, withChromium, within } from '../chromium.mjs';
import { sample } from '../worker-sample.mjs';

const [chromium, tools, out] = process.argv.slice(2);
const here = fileURLToPath(new URL('.', import.meta.url));
const app = join(here, 'app');
const PAGES = ['certificate', 'full', 'own', 'worker'];
/** Maximum total download of a page that verifies certificates, in bytes. */
const LIMIT = 158_600;

/** Packs the package, and unpacks it where the bundlers look for it. */
function install() {
  const target = join(here, 'node_modules/quorate-wasm');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  mkdirSync(out, { recursive: true });
  const options = { cwd: join(here, '../..'), encoding: 'utf8', shell: process.platform === 'win32' };
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', out], options));
  execFileSync('tar', ['-xzf', join(out, filename), '-C', target, '--strip-components=1']);
}

const html = (script) => `<!doctype html><title>quorate</title><link rel="icon" href="data:,">${script}`;

async function withVite(folder) {
  const warnings = [];
  const log = vite.createLogger('warn');
  log.warn = log.warnOnce = (message) => warnings.push(message);
  for (const page of PAGES) writeFileSync(join(app, `${page}.html`), html(`<script type="module" src="./${page}.js"></script>`));
  try {
    await vite.build({
      root: app,
      base: './',
      configFile: false,
      customLogger: log,
      build: {
        outDir: folder,
        emptyOutDir: true,
        rolldownOptions: {
          input: PAGES.map((page) => join(app, `${page}.html`)),
          // A busy machine is slow, which does not concern the package.
          checks: { bundlerTimings: false },
        },
      },
    });
    await withViteDevelopment();
  } finally {
    for (const page of PAGES) rmSync(join(app, `${page}.html`));
  }
  assert.deepEqual(warnings, []);
}

async function withWebpack(folder) {
  const compiler = webpack({
    mode: 'production',
    context: app,
    entry: Object.fromEntries(PAGES.map((page) => [page, `./${page}.js`])),
    output: { path: folder, clean: true },
    performance: false,
  });
  const stats = await new Promise((resolve, reject) => compiler.run((error, done) => (error ? reject(error) : resolve(done))));
  await new Promise((resolve) => compiler.close(resolve));
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
  assert.deepEqual([...errors, ...warnings].map(({ message }) => message), []);
  for (const page of PAGES) writeFileSync(join(folder, `${page}.html`), html(`<script src="./${page}.js"></script>`));
}

const one = sample(quorate, 'bls-min-sig');

/** Verifies a certificate in a page. */
async function verified(open, url) {
  const { page, problems } = await open(url);
  await page.waitForFunction(() => window.verify);
  const run = async ([unpack, given]) => {
    const { unpacked } = await import(unpack);
    return window.verify(unpacked(given));
  };
  const signers = await within(page.evaluate(run, [new URL('/unpack.js', url).href, packed(one)]), url);
  assert.deepEqual([signers, problems], [one.signers, []], url);
  await page.close();
}

async function opened(open, bundler, folder) {
  const server = await serve(folder, { '/unpack.js': UNPACK });
  const downloaded = () => server.requests.splice(0).filter((path) => !['/unpack.js', '/favicon.ico'].includes(path));
  try {
    for (const page of PAGES) {
      await verified(open, `${server.url}/${page}.html`);
      const files = [...new Set(downloaded())];
      const size = files.reduce((sum, path) => sum + gzipSync(readFileSync(join(folder, path)), { level: 9 }).length, 0);
      console.log(`${bundler}: ${page} downloads ${files.length} files, ${size} bytes gzipped`);
      if (page === 'certificate' || page === 'own') assert(size <= LIMIT, `${page} downloads ${size} bytes: ${files}`);
    }
  } finally {
    server.close();
  }
}

let open;
async function withViteDevelopment() {
  const server = await vite.createServer({
    root: app,
    configFile: false,
    logLevel: 'error',
    cacheDir: join(out, 'vite-cache'),
    server: { host: '127.0.0.1', port: 0, watch: null },
    plugins: [{
      name: 'unpack',
      configureServer: ({ middlewares }) => void middlewares.use('/unpack.js', (_, response) => {
        response.setHeader('content-type', 'text/javascript');
        response.end(UNPACK);
      }),
    }],
    optimizeDeps: { exclude: ['quorate-wasm'] },
  });
  try {
    await server.listen();
    const { port } = server.httpServer.address();
    for (const page of PAGES) await verified(open, `http://127.0.0.1:${port}/${page}.html`);
    console.log(`vite: the development server serves ${PAGES.length} pages`);
  } finally {
    await server.close();
  }
}

install();
await withChromium([chromium, tools], async (opener) => {
  open = opener;
  for (const [bundler, build] of [['vite', withVite], ['webpack', withWebpack]]) {
    const folder = join(out, bundler);
    await build(folder);
    console.log(`${bundler}: ${readdirSync(folder).length} entries`);
    await opened(open, bundler, folder);
  }
});
