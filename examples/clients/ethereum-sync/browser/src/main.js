// The page: reads files, verifies them in a Worker, and shows the signers.

import bootstrap from '../../testdata/mainnet/bootstrap.json?url';
import updates from '../../testdata/mainnet/updates.json?url';
import { show, showFailure } from './show.js';

/** Files that `ethereum-sync generate` created when the page was built. */
const generated = import.meta.glob('../generated/*', { query: '?url', import: 'default', eager: true });
const SAMPLES = {
  mainnet: {
    files: { 'bootstrap.json': bootstrap, 'updates.json': updates },
    trustedRoot: '0x5afc212a7924789b2bc86acad3ab3a6ffb1f6e97253ea50bee7f4f51422c9275',
  },
  generated: {
    files: Object.fromEntries(
      ['network', 'bootstrap', 'update', 'finality_update', 'optimistic_update']
        .map((name) => [`${name}.json`, generated[`../generated/${name}.json`]])
        .concat([['trusted-root.txt', generated['../generated/trusted-root.txt']]]),
    ),
  },
};
/** A list of 128 updates has about 9 MB. */
const MAX_FILE = 64 << 20;

const element = (id) => document.getElementById(id);
const [form, drop, picker, chosen, result] = ['form', 'drop', 'files', 'chosen', 'result'].map(element);
const [root, period] = [element('root'), element('period')];
let files = [];
/** Number of replacements of all files; results for earlier files are dropped. */
let replaced = 0;

const worker = new Worker(new URL('./verify.js', import.meta.url), { type: 'module' });
const waiting = new Map();
let calls = 0;
worker.onmessage = ({ data: { id, report, failed } }) => {
  const { resolve, reject } = waiting.get(id);
  waiting.delete(id);
  if (failed) reject(new Error(failed));
  else resolve(report);
};
/** The error that stopped the Worker. */
let broken;
worker.onerror = (event) => {
  broken = new Error(`the Worker does not work: ${event.message || 'it could not be loaded'}; load the page again`);
  for (const { reject } of waiting.values()) reject(broken);
  waiting.clear();
};

function check(given) {
  return new Promise((resolve, reject) => {
    calls += 1;
    if (broken) throw broken;
    waiting.set(calls, { resolve, reject });
    worker.postMessage({ id: calls, given });
  });
}

/** Verifies the files and shows the report of the newest request. */
async function verify() {
  const mine = calls + 1;
  result.setAttribute('aria-busy', 'true');
  try {
    const report = await check({ files, trustedRoot: root.value.trim(), period: period.value.trim() });
    if (mine !== calls) return;
    result.replaceChildren(...show(report));
    window.report = report;
  } catch (error) {
    if (mine === calls) result.replaceChildren(showFailure({ code: 'FAILED', message: error.message }));
  } finally {
    if (mine === calls) result.setAttribute('aria-busy', 'false');
  }
}

function take(more) {
  for (const { name, text } of more) {
    // The generator writes the root to a separate file.
    if (/^\s*0x[0-9a-f]{64}\s*$/i.test(text)) root.value = text.trim();
    else files = [...files.filter((file) => file.name !== name), { name, text }];
  }
  chosen.replaceChildren(
    ...files.map(({ name }) => Object.assign(document.createElement('li'), { textContent: name })),
  );
}

function clear() {
  replaced += 1;
  files = [];
  for (const input of [root, period, picker]) input.value = '';
  take([]);
  result.replaceChildren();
}

async function takeFiles(list) {
  const large = list.find((file) => file.size > MAX_FILE);
  if (large) {
    const message = `${large.name}: file too large: at most ${MAX_FILE} bytes, got ${large.size}`;
    result.replaceChildren(showFailure({ code: 'BAD_INPUT', message }));
    return;
  }
  const mine = replaced;
  const texts = await Promise.all(list.map(async (file) => ({ name: file.name, text: await file.text() })));
  if (mine === replaced) take(texts);
}

async function trySample(name) {
  const sample = SAMPLES[name];
  replaced += 1;
  const mine = replaced;
  const texts = Object.entries(sample.files).map(async ([file, url]) => {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${file}: ${response.status}`);
    return { name: file, text: await response.text() };
  });
  try {
    const loaded = await Promise.all(texts);
    if (mine !== replaced) return;
    clear();
    take(loaded);
    root.value = sample.trustedRoot ?? root.value;
    await verify();
  } catch (error) {
    if (mine === replaced) result.replaceChildren(showFailure({ code: 'FAILED', message: error.message }));
  }
}

for (const button of document.querySelectorAll('[data-sample]')) {
  button.addEventListener('click', () => trySample(button.dataset.sample));
}
form.addEventListener('submit', (event) => {
  event.preventDefault();
  verify();
});
element('clear').addEventListener('click', clear);
picker.addEventListener('change', () => takeFiles([...picker.files]));
for (const [event, over] of [['dragenter', true], ['dragover', true], ['dragleave', false], ['drop', false]]) {
  drop.addEventListener(event, (dragged) => {
    dragged.preventDefault();
    drop.classList.toggle('over', over);
  });
}
drop.addEventListener('drop', ({ dataTransfer }) => takeFiles([...dataTransfer.files]));
