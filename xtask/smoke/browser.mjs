// Opens the page of a folder in Chromium and prints its console until the last line of the tour.
// `node browser.mjs FOLDER CHROMIUM`

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, normalize } from 'node:path';
import { chromium } from 'playwright-core';

const [folder, executablePath] = process.argv.slice(2);
const TYPES = { html: 'text/html', js: 'text/javascript', wasm: 'application/wasm' };

const server = createServer((request, response) => {
  const path = normalize(new URL(request.url, 'http://localhost').pathname).replace(/\/$/, '/index.html');
  try {
    const bytes = readFileSync(join(folder, path));
    response.setHeader('content-type', TYPES[path.split('.').pop()] ?? 'text/plain');
    response.end(bytes);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
args.push('--disable-component-update', '--disable-sync', '--disable-dev-shm-usage');
const browser = await chromium.launch({ executablePath, headless: true, timeout: 60_000, args });
try {
  const page = await browser.newPage();
  const ended = new Promise((resolve, reject) => {
    page.on('pageerror', reject);
    page.on('requestfailed', (request) => reject(new Error(`${request.url()}: ${request.failure()?.errorText}`)));
    page.on('console', (message) => {
      console.log(message.text());
      if (message.text().startsWith('tour of ')) resolve();
      if (message.type() === 'error') reject(new Error(message.text()));
    });
    setTimeout(() => reject(new Error('the page did not finish the tour within 60 s')), 60_000).unref();
  });
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await ended;
} finally {
  await browser.close();
  server.close();
}
