// The examples of a README, and of the guide in it, are programs; each runs as it is printed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Declares a test of each example of the package with this name in this folder, of which the first one prints this. */
export function readmeTests(url, name, printed) {
  const folder = fileURLToPath(url);
  const read = (file) => readFileSync(folder + file, 'utf8');
  const text = `${read('README.md')}\n${read('../javascript/GUIDE.md').replaceAll("from 'quorate'", `from '${name}'`)}`;
  let title;
  let count = 0;
  for (const [, heading, part, program] of text.matchAll(/^## (.*)|^### (.*)|^```js\n([^]*?)^```$/gm)) {
    title = heading ?? part ?? title;
    if (program === undefined) continue;
    count += 1;
    const section = title;
    test(`README: ${section}, example ${count}`, () => {
      const ran = spawnSync(process.execPath, ['--input-type=module'], { cwd: folder, input: program, encoding: 'utf8' });
      assert.equal(ran.status, 0, ran.stderr);
      if (section === 'Quick start') assert.equal(ran.stdout, printed);
    });
  }
  test('the README has its examples', () => assert.equal(count, 23));
}
