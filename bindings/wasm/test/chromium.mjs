// A headless browser and a server on loopback for it.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';

const TYPES = { js: 'text/javascript', mjs: 'text/javascript', wasm: 'application/wasm', html: 'text/html', css: 'text/css', json: 'application/json', '/': 'text/html' };
/** As strict as a careful page: only its own scripts, with WebAssembly allowed. */
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src data:";

/** Serves a folder, and `pages` by their paths; `requests` lists the requested paths, `gone` the missing ones. */
export async function serve(root, pages = {}) {
  const [requests, gone] = [[], new Set()];
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, 'http://localhost').pathname);
    requests.push(path);
    response.setHeader('content-type', TYPES[path.split('.').pop()] ?? 'text/plain');
    response.setHeader('content-security-policy', POLICY);
    try {
      if (gone.has(path)) throw new Error('gone');
      response.end(pages[path] ?? readFileSync(join(root, path)));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  return { url, requests, gone, close: () => server.close() };
}

/** Runs `use` with a function that opens pages; an error in a page is an error here. */
export async function withChromium([executablePath, tools], use) {
  const { chromium } = createRequire(join(tools, 'package.json'))('playwright-core');
  const profile = mkdtempSync(join(tmpdir(), 'quorate-browser-'));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    timeout: 180_000,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'].concat(
      ['--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
    ),
  });
  try {
    await use(async (url) => {
      const page = await browser.newPage();
      page.setDefaultTimeout(120_000);
      const problems = [];
      page.on('pageerror', (error) => problems.push(String(error)));
      page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
      await page.goto(url);
      return { page, problems };
    });
  } finally {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

/** A promise with a timeout: code in a page may hang. */
export function within(promise, what, seconds = 180) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing after ${seconds} s`)), seconds * 1000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Encodes the bytes in any value as text that a page can decode. */
export const packed = (value) =>
  JSON.stringify(value, (_, part) => (part instanceof Uint8Array ? { bytes: Buffer.from(part).toString('hex') } : part));

/** In the page: decodes the output of `packed`. */
export const UNPACK = `export const unpacked = (text) =>
  JSON.parse(text, (_, part) => part?.bytes === undefined ? part
    : Uint8Array.from(part.bytes.match(/../g) ?? [], (byte) => parseInt(byte, 16)));`;
