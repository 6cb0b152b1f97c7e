// The tests of both packages for JavaScript. Each package has further tests of its own.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { badInput } from './bad-input.mjs';
import { hookTests } from './dsig-hooks.mjs';
import { dsigTests } from './dsig.mjs';
import { objectTests } from './objects.mjs';
import { probing } from './probing.mjs';
import { compareSurface } from './surface.mjs';
import { thresholdBadInput } from './threshold-bad-input.mjs';
import { behaviours } from './vectors.mjs';

/** Declares the tests of a package in this folder, in which `blocks` has the declarations of its blocks. */
export function sharedTests(q, folder, blocks) {
  const read = (file) => readFileSync(new URL(file, folder), 'utf8');
  const withWrongArguments = probing(q, assert, behaviours);
  const groups = [
    ['', withWrongArguments.tests],
    ['bad input: ', badInput(q, assert)],
    ['dsig: ', dsigTests(q, assert, read(`${blocks}/dsig.d.ts`))],
    ['dsig: ', hookTests(q, assert)],
    ['threshold: ', thresholdBadInput(q, assert)],
    ['objects: ', objectTests(q, assert, withWrongArguments.objects)],
  ];
  for (const [group, tests] of groups) for (const [name, run] of Object.entries(tests)) test(`${group}${name}`, run);

  test('every function of a behaviour had wrong arguments too', (t) => {
    if (!withWrongArguments.haveAllRun()) return t.skip('not all behaviours ran');
    assert.ok(withWrongArguments.probed.size > 300, `${withWrongArguments.probed.size} functions`);
    const never = [...withWrongArguments.awaited].filter(([, calls]) => calls === 0).map(([name]) => name);
    assert.deepEqual(never, [], 'every asynchronous function is called');
  });

  test('exports are exactly those of index.d.ts', () => {
    compareSurface(q, folder, 'index');
  });
}
