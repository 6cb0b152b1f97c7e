// Invalid arguments of erasure coding, in JavaScript's own words. Each entry is a test of its own.
import { endless, refusals } from './refusals.mjs';
import { dispersing } from './threshold-world.mjs';

export function erasureTests(q, assert) {
  const { CheckedShard, Coder, Coding, Row, Shape, Suite, Table } = q.erasure;
  const { range, code } = refusals(q, assert);

  return {
    'the bytes of a shard are a copy'() {
      const { shards } = dispersing(q);
      const data = shards[2].encode();
      // The caller may change the result.
      shards[2].bytes.fill(255);
      assert.deepEqual(shards[2].encode(), data);
    },
    'the function and the numbers of a table'() {
      const shape = new Shape(50, 50);
      const table = new Table();
      table.insert(new Row(shape, 1000, Suite.Gf8, 5n));
      assert.throws(() => table.best(shape, 900, () => { throw new Error('mine'); }), /mine/);
      range(() => new Row(shape, 1, Suite.Gf8, 1n << 64n), 'cost');
      code(() => new Row(shape, 2 ** 40, Suite.Gf8, 1n), 'TOO_LARGE');
      for (const length of [2 ** 32, Number.MAX_SAFE_INTEGER]) code(() => new Coding(new Shape(2, 2), length), 'TOO_LARGE');
    },
    'wrong numbers, lists and views'() {
      const { coding, coder, sent, shards } = dispersing(q);
      for (const name of ['data', 'parity']) range(() => new Shape(name === 'data' ? 65_536 : 1, 65_536), name);
      range(() => sent.shard(2 ** 32), 'index');
      code(() => sent.shard(2 ** 32 - 1), 'MALFORMED');
      code(() => coder.decode(endless(shards[0])), 'DUPLICATE_SIGNER');
      const padded = new Uint8Array(3000).fill(9);
      padded.set(shards[0].encode(), 11);
      assert.ok(CheckedShard.decode(padded.subarray(11, 11 + shards[0].encode().length), coding).equals(shards[0]));
    },
  };
}
