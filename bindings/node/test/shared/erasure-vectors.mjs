// The vector operations of spec/vectors/erasure.json, and of jerasure.json if the package supports that code.
import { bytes, hex } from './hex.mjs';

/** By operation: a function of the input of a case. */
export function erasureOperations(q, check) {
  const { CheckedShard, Coder, Coding, Commitment, Shape, Suite, Table } = q.erasure;
  function same(value, data) {
    check(hex(value.encode()) === data, 'decoded, but encodes to something else');
    return value;
  }
  const shapeOf = (input) => new Shape(input.data, input.parity);
  function codingOf(input) {
    const suite = same(Suite.decode(bytes(input.suite)), input.suite);
    return new Coding(shapeOf(input), input.max_message, suite);
  }
  const shardOf = (text, coding) => same(CheckedShard.decode(bytes(text), coding), text);
  const tableOf = (input) => same(Table.decode(bytes(input.table)), input.table);
  const shown = ({ shape, message, suite, cost }) => ({
    data: shape.data,
    parity: shape.parity,
    message: String(message),
    suite: hex(suite.encode()),
    cost: String(cost),
  });

  return {
    'erasure.coding': (input) => {
      const coding = codingOf(input);
      return { shard_len: coding.shardLength(coding.maxMessage), max_encoded_len: CheckedShard.maxEncodedLength(coding) };
    },
    'erasure.disperse': (input) => {
      const coding = codingOf(input);
      const made = new Coder(coding).disperse(bytes(input.message));
      const { commitment } = made;
      same(Commitment.decode(commitment.encode(), coding), hex(commitment.encode()));
      check(hex(made.message) === input.message, 'another message');
      return {
        commitment: hex(commitment.encode()),
        identity: hex(commitment.identity()),
        shards: input.indices.map((index) => hex(made.shard(index).encode())),
      };
    },
    'erasure.shard': (input) => {
      const shard = shardOf(input.shard, codingOf(input));
      return { identity: hex(shard.commitment.identity()), index: shard.index, bytes: hex(shard.bytes) };
    },
    'erasure.decode': (input) => {
      const coding = codingOf(input);
      const shards = input.shards.map((text) => shardOf(text, coding));
      return { message: hex(new Coder(coding).decode(shards).message) };
    },
    'erasure.table': (input) => ({ rows: tableOf(input).rows().map(shown) }),
    'erasure.lookup': (input) => {
      const row = tableOf(input).best(shapeOf(input), Number(input.message), (suite) => input.suites.includes(suite.number));
      return { row: row ? shown(row) : null };
    },
  };
}
