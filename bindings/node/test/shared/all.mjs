// The tests of both packages for JavaScript. Each package has further tests of its own.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { badInput } from './bad-input.mjs';
import { declarations } from './declarations.mjs';
import { auditTests } from './dsig-audit.mjs';
import { hookTests } from './dsig-hooks.mjs';
import { dsigTests } from './dsig.mjs';
import { erasureTests } from './erasure.mjs';
import { gossip } from './gossip.mjs';
import { objectTests } from './objects.mjs';
import { otherChains } from './other-chains.mjs';
import { probing } from './probing.mjs';
import { differences } from './surface.mjs';
import { thresholdBadInput } from './threshold-bad-input.mjs';
import { oneOfEachModule } from './threshold-world.mjs';
import { tour } from './tour.mjs';
import { FILES, OTHERS, VECTORS, behaviours } from './vectors.mjs';
import { oneOfEach } from './world.mjs';

/** Declares the tests of a package in this folder, in which `blocks` has the declarations of its blocks. */
export function sharedTests(q, folder, blocks) {
  const read = (file) => readFileSync(new URL(file, folder), 'utf8');
  const declared = (name) => declarations(read, `${blocks}/${name}.d.ts`);
  const withWrongArguments = probing(q, assert, behaviours);
  const groups = [
    ['', withWrongArguments.tests],
    ['bad input: ', badInput(q, assert)],
    ['other chains: ', otherChains(q, assert)],
    ['dsig: ', dsigTests(q, assert, read(`${blocks}/dsig.d.ts`))],
    ['dsig: ', hookTests(q, assert)],
    ['dsig: ', auditTests(q, assert)],
    ['gossip: ', gossip(q, assert)],
    ['threshold: ', thresholdBadInput(q, assert)],
    ['erasure: ', erasureTests(q, assert)],
    ['objects: ', objectTests(q, assert)],
  ];
  for (const [group, tests] of groups) for (const [name, run] of Object.entries(tests)) test(`${group}${name}`, run);

  test('every function of a behaviour had wrong arguments too', (t) => {
    if (!withWrongArguments.haveAllRun()) return t.skip('not all behaviours ran');
    assert.ok(withWrongArguments.probed.size > 300, `${withWrongArguments.probed.size} functions`);
  });

  test('the tour', () => {
    assert.deepEqual(tour(q), { culprits: [1], signers: [0, 2, 3], length: 100, same: true });
  });

  test('exports are exactly those of index.d.ts', () => {
    assert.deepEqual(differences(q, declarations(read), oneOfEach(q)), []);
  });

  test('exports are exactly those of the modules', () => {
    for (const [name, objects] of Object.entries(oneOfEachModule(q))) {
      const module = name.split('/').reduce((at, part) => at[part], q);
      const file = name === 'threshold' ? 'threshold-index' : name.replace('/', '_');
      assert.deepEqual(differences(module, declared(file), objects), [], name);
      const classes = Object.keys(module).filter((key) => module[key].prototype && /^[A-Z]/.test(key));
      assert.deepEqual(classes.sort(), Object.keys(objects).sort(), name);
    }
  });

  test('every vector file is read', () => {
    const known = [...FILES, ...OTHERS].map((name) => `${name}.json`).sort();
    assert.deepEqual(readdirSync(VECTORS).filter((name) => name.endsWith('.json')).sort(), known);
  });
}
