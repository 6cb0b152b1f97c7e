// The examples of the README, and of the guide in it, are programs; each runs here as printed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('..', import.meta.url));
const text = ['README.md', '../javascript/GUIDE.md'].map((file) => readFileSync(folder + file, 'utf8')).join('\n');
const examples = [...text.matchAll(/^## (.*)|^### (.*)|^```js\n([^]*?)^```$/gm)];

let title;
let count = 0;
for (const [, section, part, program] of examples) {
  title = section ?? part ?? title;
  if (program === undefined) continue;
  count += 1;
  test(`README: ${title}`, () => {
    const ran = spawnSync(process.execPath, ['--input-type=module'], { cwd: folder, input: program, encoding: 'utf8' });
    assert.equal(ran.status, 0, ran.stderr);
    if (title === 'Quick start') assert.equal(ran.stdout, 'true\n');
  });
}

test('the README has its examples', () => assert.equal(count, 23));
