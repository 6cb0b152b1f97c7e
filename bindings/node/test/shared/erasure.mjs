// Erasure coding through a package: decoding, and invalid arguments. Each entry is a test of its own.
import { MESSAGE, dispersing, utf8 } from './threshold-world.mjs';

export function erasureTests(q, assert) {
  const { CheckedShard, Coder, Coding, Commitment, Dispersal, MAX_MESSAGE, Packets, Row, Shape, Suite, Table } = q.erasure;
  const type = (call, pattern) => assert.throws(call, (e) => e instanceof TypeError && (!pattern || pattern.test(e.message)));
  const range = (call, name) => assert.throws(call, (e) => e instanceof RangeError && e.message.includes(name));
  const code = (call, wanted) => assert.throws(call, (e) => e instanceof q.QuorateError && e.code === wanted);
  const jerasure = Suite.Jerasure(new Packets(8, 3));

  return {
    'any k of n shards restore the message'() {
      for (const suite of [undefined, Suite.Leopard, Suite.Gf8]) {
        const { coding, coder, sent, shards } = dispersing(q, suite);
        assert.ok(coding.suite.equals(suite ?? Suite.recommended(coding.shape)) && coder.coding.equals(coding));
        const onTheWire = [6, 1, 4].map((member) => shards[member].encode());
        const received = onTheWire.map((data) => CheckedShard.decode(data, coding));
        const decoded = coder.decode(received);
        assert.ok(decoded instanceof Dispersal && decoded.commitment.equals(sent.commitment));
        assert.deepEqual(decoded.message, MESSAGE);
        // All shards are restored, including those that were lost.
        decoded.shards().forEach((shard, i) => assert.ok(shard.equals(shards[i]) && shard.index === i));
        assert.ok(onTheWire.every(({ length }) => length <= CheckedShard.maxEncodedLength(coding)));
        assert.deepEqual([sent.commitment.messageLength, sent.commitment.shape.shards, shards[0].bytes.length], [MESSAGE.length, 7, coding.shardLength(MESSAGE.length)]);
        code(() => coder.decode(received.slice(1)), 'BELOW_QUORUM');
        code(() => coder.decode([]), 'BELOW_QUORUM');
        code(() => coder.decode([...received, received[0]]), 'DUPLICATE_SIGNER');
        const other = coder.disperse(utf8('something else')).shard(0);
        code(() => coder.decode([...received, other]), 'WRONG_CONTEXT');
        code(() => sent.shard(7), 'MALFORMED');
        assert.deepEqual(coder.disperse(new Uint8Array(0)).message, new Uint8Array(0));
      }
    },
    'a megabyte, more than once'() {
      const { coder } = dispersing(q);
      const message = new Uint8Array(1 << 20).map((_, i) => (i * i) >> 5);
      for (let round = 0; round < 3; round += 1) {
        const shards = coder.disperse(message).shards();
        assert.deepEqual(coder.decode(shards.slice(4)).message, message);
      }
    },
    'all members detect shards that encode no message'() {
      // Two data shards and two parity shards, one of them from another message; the tree over them is right.
      const coding = new Coding(new Shape(2, 2), 100, Suite.Gf8);
      const coder = new Coder(coding);
      const [one, two] = ['a message', 'ANOTHER 1'].map((text) => coder.disperse(utf8(text)).shards());
      const tree = new q.Merkle('quorate-v1-erasure-shard', 'quorate-v1-erasure-node');
      const data = [one[0], one[1], one[2], two[3]].map((shard) => shard.bytes);
      const leaves = tree.leaves(data);
      const commitment = one[0].commitment.encode();
      commitment.set(tree.root(leaves), commitment.length - 32);
      const cheated = data.map((part, i) => Uint8Array.of(...commitment, ...tree.path(leaves, i).encode(), ...part));
      const shards = cheated.map((bytes) => CheckedShard.decode(bytes, coding));
      for (const given of [[0, 1], [2, 3], [0, 3], [0, 1, 2], [0, 1, 2, 3]]) {
        code(() => coder.decode(given.map((i) => shards[i])), 'BAD_ENCODING');
      }
    },
    'shards are checked as they are read'() {
      const { coding, shards } = dispersing(q);
      const data = shards[2].encode();
      for (let at = 0; at < data.length; at += 1) {
        const other = data.slice();
        other[at] ^= 1;
        assert.throws(() => CheckedShard.decode(other, coding), q.QuorateError, `byte ${at}`);
      }
      for (let length = 0; length < data.length; length += 13) assert.throws(() => CheckedShard.decode(data.subarray(0, length), coding), q.QuorateError);
      assert.throws(() => CheckedShard.decode(Uint8Array.of(...data, 0), coding), q.QuorateError);
      code(() => CheckedShard.decode(data, new Coding(coding.shape, 1000, Suite.Leopard)), 'WRONG_CONTEXT');
      code(() => CheckedShard.decode(data, new Coding(coding.shape, 3)), 'TOO_LARGE');
      const { commitment } = shards[2];
      assert.ok(Commitment.decode(commitment.encode(), coding).equals(commitment));
      assert.deepEqual([commitment.encode().length, commitment.identity().length, commitment.root.length], [43, 32, 32]);
      code(() => Commitment.decode(commitment.encode(), new Coding(new Shape(3, 3), 1000)), 'WRONG_CONTEXT');
      // The caller may change the result.
      shards[2].bytes.fill(255);
      assert.deepEqual(shards[2].encode(), data);
    },
    'valid and invalid shapes, suites and codings'() {
      for (const [data, parity] of [[0, 3], [32_768, 1], [65_535, 65_535]]) code(() => new Shape(data, parity), 'BAD_SHAPE');
      for (const [members, faulty] of [[3, 1], [0, 0], [4, 65_535]]) code(() => Shape.forCommittee(members, faulty), 'BAD_SHAPE');
      assert.ok(Shape.forCommittee(100, 25).equals(new Shape(50, 50)));
      for (const [word, log2] of [[1, 0], [17, 0], [8, 17], [255, 255]]) code(() => new Packets(word, log2), 'BAD_SHAPE');
      assert.deepEqual([jerasure.number, jerasure.name, jerasure.unit, jerasure.packets.packet], [3, 'jerasure', 64, 8]);
      assert.deepEqual([Suite.Leopard, Suite.Gf8].map(({ number, name, unit, packets, isAvailable }) => [number, name, unit, packets, isAvailable]), [[1, 'leopard', 2, undefined, true], [2, 'gf8', 1, undefined, true]]);
      assert.ok(Suite.recommended(new Shape(200, 56)).equals(Suite.Gf8) && Suite.recommended(new Shape(200, 57)).equals(Suite.Leopard));
      for (const suite of [Suite.Leopard, Suite.Gf8, jerasure]) assert.ok(Suite.decode(suite.encode()).equals(suite));
      for (const bytes of [[], [1], [9, 0, 0], [1, 1, 0], [3, 1, 0], [1, 0, 0, 0]]) assert.throws(() => Suite.decode(Uint8Array.from(bytes)), q.QuorateError);
      code(() => new Coding(new Shape(200, 57), 100, Suite.Gf8), 'BAD_SHAPE');
      for (const length of [MAX_MESSAGE + 1, 2 ** 32, Number.MAX_SAFE_INTEGER]) code(() => new Coding(new Shape(2, 2), length), 'TOO_LARGE');
      code(() => new Coding(new Shape(1, 32_767), 1 << 20, Suite.Leopard), 'TOO_LARGE');
      if (!jerasure.isAvailable) code(() => new Coder(new Coding(new Shape(3, 2), 100, jerasure)), 'BAD_SHAPE');
      const coder = new Coder(new Coding(new Shape(2, 2), 4));
      code(() => coder.disperse(new Uint8Array(5)), 'TOO_LARGE');
      // The maximum number of shards.
      const many = new Coder(new Coding(new Shape(1, 32_767), 2, Suite.Leopard));
      assert.deepEqual(many.decode([many.disperse(Uint8Array.of(1, 2)).shard(32_767)]).message, Uint8Array.of(1, 2));
    },
    'a table selects the fastest suite'() {
      const shape = new Shape(50, 50);
      const table = new Table();
      assert.equal(table.best(shape, 100), undefined);
      const rows = [[1000, Suite.Leopard, 7n], [1000, Suite.Gf8, 5n], [1000, jerasure, 1n], [100_000, Suite.Leopard, 3n]];
      for (const [message, suite, cost] of rows) table.insert(new Row(shape, message, suite, cost));
      const named = (row) => row && [row.message, row.suite.name, row.cost];
      assert.deepEqual(named(table.best(shape, 900, () => true)), [1000, 'jerasure', 1n]);
      assert.deepEqual(named(table.best(shape, 900, ({ number }) => number < 3)), [1000, 'gf8', 5n]);
      assert.deepEqual(named(table.best(shape, 900)), jerasure.isAvailable ? [1000, 'jerasure', 1n] : [1000, 'gf8', 5n]);
      assert.deepEqual(named(table.best(shape, Number.MAX_SAFE_INTEGER)), [100_000, 'leopard', 3n]);
      assert.deepEqual([table.best(new Shape(50, 49), 900), table.best(shape, 900, () => false)], [undefined, undefined]);
      assert.throws(() => table.best(shape, 900, () => { throw new Error('mine'); }), /mine/);
      type(() => table.best(shape, 900, true), /^allow must be a function/);
      const again = Table.decode(table.encode());
      assert.ok(again.equals(table) && again.rows().length === 4 && again.rows()[0].equals(table.rows()[0]));
      const newer = new Table();
      newer.insert(new Row(shape, 1000, Suite.Gf8, 9n));
      again.merge(newer);
      again.merge(again);
      assert.deepEqual([again.rows().length, named(again.best(shape, 1000, ({ number }) => number === 2))], [4, [1000, 'gf8', 9n]]);
      for (const bytes of [table.encode().map((byte, i) => (i === 9 ? byte ^ 1 : byte)), new Uint8Array(4).fill(255), new Uint8Array(0)]) {
        assert.throws(() => Table.decode(bytes), q.QuorateError);
      }
      for (const cost of [-1n, 1n << 64n]) range(() => new Row(shape, 1, Suite.Gf8, cost), 'cost');
      code(() => new Row(shape, 2 ** 40, Suite.Gf8, 1n), 'TOO_LARGE');
      assert.equal(Table.MAX_ROWS, 4096);
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
      const endless = { *[Symbol.iterator]() { for (;;) yield shards[0]; } };
      code(() => coder.decode(endless), 'DUPLICATE_SIGNER');
      const gone = new Uint8Array(32);
      structuredClone(gone.buffer, { transfer: [gone.buffer] });
      type(() => coder.disperse(gone), /is detached/);
      const padded = new Uint8Array(3000).fill(9);
      padded.set(shards[0].encode(), 11);
      assert.ok(CheckedShard.decode(padded.subarray(11, 11 + shards[0].encode().length), coding).equals(shards[0]));
    },
  };
}
