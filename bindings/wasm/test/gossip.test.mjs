// Freed aggregates and lotteries.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as quorate from 'quorate-wasm';

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
