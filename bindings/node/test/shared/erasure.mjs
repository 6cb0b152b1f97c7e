// Invalid arguments of erasure coding, in JavaScript's own words. Each entry is a test of its own.
import { detached, endless, refusals } from './refusals.mjs';
import { dispersing } from './threshold-world.mjs';

export function erasureTests(q, assert) {
  const { CheckedShard, Coder, Coding, Row, Shape, Suite, Table } = q.erasure;
  const { type, range, code } = refusals(q, assert);

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
      type(() => table.best(shape, 900, true), /^allow must be a function/);
      for (const cost of [-1n, 1n << 64n]) range(() => new Row(shape, 1, Suite.Gf8, cost), 'cost');
      code(() => new Row(shape, 2 ** 40, Suite.Gf8, 1n), 'TOO_LARGE');
      for (const length of [2 ** 32, Number.MAX_SAFE_INTEGER]) code(() => new Coding(new Shape(2, 2), length), 'TOO_LARGE');
    },
    'wrong types and numbers'() {
      const { coding, coder, sent, shards } = dispersing(q);
      for (const value of [undefined, null, 0, 'text', {}, [], [1], new ArrayBuffer(4), new Uint16Array(2), Symbol('s')]) {
        type(() => coder.disperse(value), /^message must be a Uint8Array/);
        type(() => CheckedShard.decode(value, coding), /^bytes must be a Uint8Array/);
        type(() => Table.decode(value), /^bytes must be a Uint8Array/);
        type(() => CheckedShard.decode(new Uint8Array(3), value), /^coding must be a Coding/);
        type(() => new Coder(value), /^coding must be a Coding/);
        type(() => coder.decode([value]), /^shards\[0\] must be a CheckedShard/);
        if (value !== undefined) type(() => new Coding(coding.shape, 1, value), /^suite must be a Suite/);
      }
      for (const value of [undefined, null, 7, {}, 'text']) type(() => coder.decode(value), /^shards must be iterable/);
      for (const value of [-1, 0.5, NaN, 65_536]) {
        range(() => new Shape(value, 1), 'data');
        range(() => new Shape(1, value), 'parity');
      }
      for (const value of [-1, 0.5, NaN, Infinity]) range(() => new Coding(coding.shape, value), 'maxMessage');
      range(() => sent.shard(-1), 'index');
      range(() => sent.shard(2 ** 32), 'index');
      code(() => sent.shard(2 ** 32 - 1), 'MALFORMED');
      code(() => coder.decode(endless(shards[0])), 'DUPLICATE_SIGNER');
      type(() => coder.disperse(detached()), /is detached/);
      const padded = new Uint8Array(3000).fill(9);
      padded.set(shards[0].encode(), 11);
      assert.ok(CheckedShard.decode(padded.subarray(11, 11 + shards[0].encode().length), coding).equals(shards[0]));
    },
  };
}
