// The built page in a headless browser, against the Rust program:
// `ETHEREUM_SYNC=PROGRAM node tests/page.mjs CHROMIUM FOLDER-WITH-PLAYWRIGHT PAGE FOLDER-FOR-SCREENSHOTS`

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve, withChromium, within } from '../../../../../bindings/wasm/test/chromium.mjs';

const [executablePath, tools, page, screenshots] = process.argv.slice(2);
const program = process.env.ETHEREUM_SYNC;
const here = fileURLToPath(new URL('..', import.meta.url));
const mainnet = (name) => readFileSync(join(here, '../testdata/mainnet', name), 'utf8');
const generated = (name) => readFileSync(join(here, 'generated', name), 'utf8');
const TRUSTED = '0x5afc212a7924789b2bc86acad3ab3a6ffb1f6e97253ea50bee7f4f51422c9275';
mkdirSync(screenshots, { recursive: true });

/** The Rust program's report on the same files. */
function rust(files, { root, period }) {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-page-'));
  try {
    const path = (name) => join(folder, name);
    for (const [name, text] of Object.entries(files)) writeFileSync(path(name), text);
    const given = ['verify', '--json'];
    if (files['network.json']) given.push('--network', path('network.json'));
    if (period) given.push('--committee', path('committee.json'), '--period', period);
    else given.push('--bootstrap', path('bootstrap.json'), '--trusted-root', root);
    const updates = Object.keys(files).filter((name) => /update/.test(name));
    const ran = spawnSync(program, [...given, ...updates.map(path)], { encoding: 'utf8' });
    assert(ran.stdout, ran.stderr);
    return JSON.parse(ran.stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The page's report without its additional fields. */
function plain({ committee_milliseconds: once, updates, ...rest }) {
  return { ...rest, updates: updates.map(({ signers, milliseconds, ...update }) => {
    assert.equal(signers.length, update.participants);
    assert(milliseconds > 0);
    return update;
  }) };
}

async function settled(tab, begin) {
  await tab.evaluate(() => { window.report = undefined; });
  await begin();
  await within(tab.waitForFunction(() => window.report && document.getElementById('result').ariaBusy !== 'true'), 'a report');
  return tab.evaluate(() => window.report);
}

/** Chooses files, fills in the fields and verifies. */
async function ask(tab, files, { root = '', period = '' }) {
  await tab.click('#clear');
  const chosen = Object.entries(files).map(([name, text]) => ({ name, mimeType: 'application/json', buffer: Buffer.from(text) }));
  await tab.setInputFiles('#files', chosen);
  await tab.waitForFunction((count) => document.querySelectorAll('#chosen li').length === count, chosen.length);
  await tab.fill('#root', root);
  await tab.fill('#period', period);
  return settled(tab, () => tab.click('#verify'));
}

/** The same files to both; the reports must be equal, but for words. */
async function both(tab, files, fields, code = null) {
  const [ours, theirs] = [plain(await ask(tab, files, fields)), rust(files, fields)];
  assert.equal(ours.error?.code ?? null, code, JSON.stringify(ours.error));
  assert.equal(theirs.error?.code ?? null, code, JSON.stringify(theirs.error));
  ours.error = theirs.error;
  if (code === 'BAD_INPUT') ours.network = theirs.network;
  assert.deepEqual(ours, theirs);
}

const flip = (holder, name) => {
  holder[name] = holder[name].slice(0, -1) + (holder[name].endsWith('0') ? '1' : '0');
};
const CHANGES = [
  ['bootstrap.json', 'TRUSTED_ROOT', (d) => flip(d.header.beacon, 'state_root')],
  ['bootstrap.json', 'CURRENT_COMMITTEE_BRANCH', (d) => flip(d.current_sync_committee_branch, 3)],
  ['bootstrap.json', 'COMMITTEE_SIZE', (d) => d.current_sync_committee.pubkeys.pop()],
  ['bootstrap.json', 'EXECUTION_BRANCH', (d) => flip(d.header.execution, 'block_number')],
  ['update.json', 'BAD_SIGNATURE', (d) => flip(d.attested_header.beacon, 'proposer_index')],
  ['update.json', 'EXECUTION_BRANCH', (d) => flip(d.attested_header.execution, 'logs_bloom')],
  ['update.json', 'EXECUTION_BRANCH', (d) => delete d.attested_header.execution],
  ['update.json', 'FINALITY_BRANCH', (d) => flip(d.finality_branch, 6)],
  ['update.json', 'NEXT_COMMITTEE_BRANCH', (d) => flip(d.next_sync_committee.pubkeys, 511)],
  ['update.json', 'SLOTS', (d) => { d.signature_slot = d.attested_header.beacon.slot; }],
  ['update.json', 'MALFORMED', (d) => { d.sync_aggregate.sync_committee_bits = '0x00'; }],
  ['update.json', 'BELOW_QUORUM', (d) => { d.sync_aggregate.sync_committee_bits = `0x${'00'.repeat(64)}`; }],
  ['update.json', 'BAD_SIGNATURE', (d) => { d.sync_aggregate.sync_committee_bits = `0x${'ff'.repeat(64)}`; }],
  ['update.json', 'INFINITY', (d) => { d.sync_aggregate.sync_committee_signature = `0xc0${'00'.repeat(95)}`; }],
  ['update.json', 'MALFORMED', (d) => { d.sync_aggregate.sync_committee_bits = '00'.repeat(8 << 20); }],
  ['update.json', 'BAD_INPUT', (d) => { d.signature_slot = 5; }],
  ['update.json', 'BAD_INPUT', (d) => { d.signature_slot = '\ud800'; }],
  ['update.json', 'BAD_INPUT', (d) => delete d.sync_aggregate],
];

async function samples(tab) {
  // By keyboard: the first stop is the first sample.
  await tab.keyboard.press('Tab');
  const real = plain(await settled(tab, () => tab.keyboard.press('Enter')));
  const theirs = rust({ 'bootstrap.json': mainnet('bootstrap.json'), 'updates.json': mainnet('updates.json') }, { root: TRUSTED });
  assert.deepEqual(real, theirs);
  assert.equal(real.updates[0].participants, 511);
  assert.equal(await tab.locator('#verified').count(), 1);
  assert.equal(await tab.locator('article svg').first().getAttribute('aria-label'), '511 of 512 members signed');
  assert.equal(await tab.locator('article svg').first().locator('.signed').count(), 511);
  await tab.screenshot({ path: join(screenshots, 'mainnet.png'), fullPage: true });
  await tab.keyboard.press('Tab');
  const made = plain(await settled(tab, () => tab.keyboard.press('Enter')));
  const names = ['network.json', 'bootstrap.json', 'update.json', 'finality_update.json', 'optimistic_update.json'];
  const files = Object.fromEntries(names.map((name) => [name, generated(name)]));
  assert.deepEqual(made, rust(files, { root: generated('trusted-root.txt').trim() }));
  assert.deepEqual(made.updates.map(({ participants }) => participants), [500, 500, 500]);
  // One after the other, faster than they load: the last one is shown, and nothing of the first.
  const press = () => ['mainnet', 'generated'].map((name) => document.querySelector(`[data-sample=${name}]`).click());
  assert.deepEqual(plain(await settled(tab, () => tab.evaluate(press))).updates, made.updates);
  await tab.waitForLoadState('networkidle');
  assert.equal(await tab.locator('#chosen li').count(), names.length);
}

async function ownFiles(tab) {
  const [bootstrap, updates] = [mainnet('bootstrap.json'), mainnet('updates.json')];
  const files = { 'bootstrap.json': bootstrap, 'updates.json': updates };
  const asked = await ask(tab, files, {});
  assert.equal(asked.error.code, 'TRUSTED_ROOT');
  assert(asked.error.message.includes(TRUSTED), 'the page says which root is meant');
  await both(tab, files, { root: TRUSTED });
  await both(tab, files, { root: TRUSTED.replace('5afc', '5afd') }, 'TRUSTED_ROOT');
  await tab.screenshot({ path: join(screenshots, 'refused.png'), fullPage: true });
  const given = { 'committee.json': mainnet('committee-867.json'), 'finality_update.json': mainnet('finality_update.json') };
  await both(tab, { ...given, 'optimistic_update.json': mainnet('optimistic_update.json') }, { period: '867' });
  await both(tab, given, { period: '866' }, 'UNKNOWN_COMMITTEE');
  for (const text of ['', '{', '7', '[]', '{"data": null}', '[['.repeat(50_000)]) {
    assert.equal((await ask(tab, { 'odd.json': text }, { root: TRUSTED })).error.code, 'BAD_INPUT', text.slice(0, 9));
  }
  // Dropped instead of chosen, with the root in a file of its own.
  await tab.click('#clear');
  const dropped = { ...files, 'trusted-root.txt': `${TRUSTED}\n` };
  await tab.evaluate((contents) => {
    const dataTransfer = new DataTransfer();
    for (const [name, text] of Object.entries(contents)) dataTransfer.items.add(new File([text], name));
    document.getElementById('drop').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }, dropped);
  await tab.waitForFunction(() => document.querySelectorAll('#chosen li').length === 2);
  assert.equal((await settled(tab, () => tab.press('#root', 'Enter'))).error, null);
}

async function changed(tab) {
  const names = ['network.json', 'bootstrap.json', 'update.json'];
  const files = Object.fromEntries(names.map((name) => [name, generated(name)]));
  const root = generated('trusted-root.txt').trim();
  await both(tab, files, { root });
  for (const [name, code, change] of CHANGES) {
    const value = JSON.parse(files[name]);
    change(value.data);
    await both(tab, { ...files, [name]: JSON.stringify(value) }, { root }, code);
  }
  const weak = mkdtempSync(join(tmpdir(), 'quorate-page-'));
  spawnSync(program, ['generate', '--out', weak, '--absent', '171', '--fork', 'deneb']);
  const few = Object.fromEntries(names.map((name) => [name, readFileSync(join(weak, name), 'utf8')]));
  const trusted = readFileSync(join(weak, 'trusted-root.txt'), 'utf8').trim();
  rmSync(weak, { recursive: true });
  await both(tab, few, { root: trusted }, 'BELOW_TWO_THIRDS');
  await tab.screenshot({ path: join(screenshots, 'weak.png'), fullPage: true });
}

async function looks(tab) {
  await tab.emulateMedia({ colorScheme: 'dark' });
  await tab.setViewportSize({ width: 360, height: 740 });
  await settled(tab, () => tab.click('[data-sample=mainnet]'));
  const wide = () => tab.evaluate(() => document.scrollingElement.scrollWidth - window.innerWidth);
  assert((await wide()) <= 0, 'nothing is wider than a phone');
  const colours = () => tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await colours();
  await tab.screenshot({ path: join(screenshots, 'phone-dark.png'), fullPage: true });
  await tab.emulateMedia({ colorScheme: 'light' });
  assert.notEqual(await colours(), dark);
}

const server = await serve(page, { '/': readFileSync(join(page, 'index.html')) });
try {
  await withChromium([executablePath, tools], async (open) => {
    const { page: tab, problems } = await open(`${server.url}/`);
    for (const part of [samples, ownFiles, changed, looks]) await part(tab);
    assert.deepEqual(problems, []);
    const modules = new Set(server.requests.filter((path) => path.endsWith('.wasm')));
    assert.equal(modules.size, 1, 'only the small module is downloaded');
  });
} finally {
  server.close();
}
console.log(`${CHANGES.length} changes refused for what they are; reports equal the Rust program's`);
