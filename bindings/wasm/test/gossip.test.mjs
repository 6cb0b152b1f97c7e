// Aggregates and lotteries: the tests shared by both packages for JavaScript, and freed memory.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as quorate from 'quorate-wasm';
import { gossip } from '../../node/test/shared/gossip.mjs';
import { declarations } from '../../node/test/shared/declarations.mjs';
import { differences } from '../../node/test/shared/surface.mjs';

for (const [name, run] of Object.entries(gossip(quorate, assert))) test(`gossip: ${name}`, run);

test('gossip: freed objects raise CLOSED', () => {
  const { ChainId, Committee, SecretKey, Suite, VerifiedKey } = quorate;
  const { Gossip, Peers } = quorate.gossip;
  const { Lottery, Seed } = quorate.sortition;
  const secret = SecretKey.generate(Suite.MinSigCounted);
  const committee = new Committee(ChainId.fromName('test'), 0n, [[VerifiedKey.fromSecret(secret), 1n]]);
  const state = new Gossip(committee, 0, committee.statement(1, 1n, new Uint8Array(32)));
  const peers = new Peers(0, 1);
  const lottery = new Lottery(committee, Seed.genesis(ChainId.fromName('test'), new Uint8Array()), 1n);
  assert.ok(lottery.committee.equals(committee));
  committee.free();
  for (const object of [peers, state, lottery]) {
    object.free();
    object.free();
  }
  for (const call of [() => state.next(peers), () => peers.nextFree(), () => lottery.draw(secret), () => lottery.committee]) {
    assert.throws(call, quorate.ClosedError);
  }
});

for (const name of ['gossip', 'sortition']) {
  test(`exports are exactly those of ${name}.d.ts`, () => {
    const read = (file) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
    assert.deepEqual(differences(quorate[name], declarations(read, `dist/whole/${name}.d.ts`), {}), []);
  });
}
