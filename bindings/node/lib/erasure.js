'use strict';

const native = require('./shared.js').native;
const { bytes, callable, list, size, u16, u32, u64, u8 } = require('./shared.js').check;
const { hex } = require('./shared.js');
const { offThread } = require('./shared.js');
const { sealed } = require('./sealed.js');
const { equal } = require('./threshold/common.js');

const suite = sealed('Suite');
const packets = sealed('Packets');
const shape = sealed('Shape');
const coding = sealed('Coding');
const coder = sealed('Coder');
const commitment = sealed('Commitment');
const checkedShard = sealed('CheckedShard');
const dispersal = sealed('Dispersal');
const row = sealed('Row');
const table = sealed('Table');

/** A length: no message exceeds 32 bits, so larger values are clamped. */
const length = (value, what) => Math.min(size(value, what), 0xffff_ffff);
/** The native half rejects more, whatever they are. */
const MAX_SHARDS_OF_A_MESSAGE = 65_535;

class Packets extends packets.Sealed {
  constructor(word, log2Packet) {
    super(packets.key, native.erasureSuiteJerasure(u8(word, 'word'), u8(log2Packet, 'log2Packet')));
  }
  get word() {
    return native.erasureSuiteInfo(packets.open(this, 'this')).word;
  }
  get packet() {
    return 2 ** native.erasureSuiteInfo(packets.open(this, 'this')).log2Packet;
  }
  get log2Packet() {
    return native.erasureSuiteInfo(packets.open(this, 'this')).log2Packet;
  }
  toString() {
    return `Packets(w = ${this.word}, p = ${this.packet})`;
  }
}
Packets.prototype.equals = equal(packets.open, native.erasureSuiteEncode);

class Suite extends suite.Sealed {
  static get Leopard() {
    return makeSuite(native.erasureSuiteLeopard());
  }
  static get Gf8() {
    return makeSuite(native.erasureSuiteGf8());
  }
  static Jerasure(of) {
    // The handle of packets is that of their suite.
    return makeSuite(packets.open(of, 'packets'));
  }
  static recommended(of) {
    return makeSuite(native.erasureSuiteRecommended(shape.open(of, 'shape')));
  }
  static decode(data) {
    return makeSuite(native.erasureSuiteDecode(bytes(data, 'bytes')));
  }
  encode() {
    return native.erasureSuiteEncode(suite.open(this, 'this'));
  }
  get number() {
    return native.erasureSuiteInfo(suite.open(this, 'this')).number;
  }
  get name() {
    return native.erasureSuiteInfo(suite.open(this, 'this')).name;
  }
  get packets() {
    const handle = suite.open(this, 'this');
    return native.erasureSuiteInfo(handle).word == null ? undefined : packets.make(Packets, handle);
  }
  get isAvailable() {
    return native.erasureSuiteInfo(suite.open(this, 'this')).isAvailable;
  }
  get unit() {
    return native.erasureSuiteInfo(suite.open(this, 'this')).unit;
  }
  toString() {
    return this.packets ? `${this.name}(${this.packets})` : this.name;
  }
}
Suite.prototype.equals = equal(suite.open, native.erasureSuiteEncode);
const makeSuite = (handle) => suite.make(Suite, handle);

class Shape extends shape.Sealed {
  constructor(data, parity) {
    super(shape.key, native.erasureShapeNew(u16(data, 'data'), u16(parity, 'parity')));
  }
  static forCommittee(members, faulty) {
    return makeShape(native.erasureShapeForCommittee(u16(members, 'members'), u16(faulty, 'faulty')));
  }
  get data() {
    return native.erasureShapeInfo(shape.open(this, 'this')).data;
  }
  get parity() {
    return native.erasureShapeInfo(shape.open(this, 'this')).parity;
  }
  get shards() {
    return native.erasureShapeInfo(shape.open(this, 'this')).shards;
  }
  equals(other) {
    const [one, two] = [shape.open(this, 'this'), shape.open(other, 'other')].map(native.erasureShapeInfo);
    return one.data === two.data && one.parity === two.parity;
  }
  toString() {
    return `Shape(${this.data} + ${this.parity})`;
  }
}
const makeShape = (handle) => shape.make(Shape, handle);

class Coding extends coding.Sealed {
  constructor(of, form, maxMessage) {
    const [made, longest] = [shape.open(form, 'shape'), length(maxMessage, 'maxMessage')];
    const code = of === undefined ? native.erasureSuiteRecommended(made) : suite.open(of, 'suite');
    super(coding.key, native.erasureCodingNew(code, made, longest));
  }
  get suite() {
    return makeSuite(native.erasureCodingInfo(coding.open(this, 'this')).suite);
  }
  get shape() {
    return makeShape(native.erasureCodingInfo(coding.open(this, 'this')).shape);
  }
  get maxMessage() {
    return native.erasureCodingInfo(coding.open(this, 'this')).maxMessage;
  }
  shardLength(message) {
    return native.erasureCodingShardLength(coding.open(this, 'this'), length(message, 'message'));
  }
  equals(other) {
    coding.open(other, 'other');
    const same = this.suite.equals(other.suite) && this.shape.equals(other.shape);
    return same && this.maxMessage === other.maxMessage;
  }
  toString() {
    return `Coding(${this.suite}, ${this.shape}, at most ${this.maxMessage} bytes)`;
  }
}
const makeCoding = (handle) => coding.make(Coding, handle);

const openShards = (shards) => list(shards, 'shards', checkedShard.open, MAX_SHARDS_OF_A_MESSAGE);

class Coder extends coder.Sealed {
  constructor(of) {
    super(coder.key, native.erasureCoderNew(coding.open(of, 'coding')));
  }
  get coding() {
    return makeCoding(native.erasureCoderCoding(coder.open(this, 'this')));
  }
  disperse(message) {
    return makeDispersal(native.erasureCoderDisperse(coder.open(this, 'this'), bytes(message, 'message')));
  }
  disperseAsync(message, options) {
    const begin = (flag) =>
      native.erasureCoderDisperseAsync(coder.open(this, 'this'), bytes(message, 'message'), flag);
    return offThread(options, begin, makeDispersal);
  }
  decode(shards) {
    return makeDispersal(native.erasureCoderDecode(coder.open(this, 'this'), openShards(shards)));
  }
  decodeAsync(shards, options) {
    const begin = (flag) => native.erasureCoderDecodeAsync(coder.open(this, 'this'), openShards(shards), flag);
    return offThread(options, begin, makeDispersal);
  }
  toString() {
    return `Coder(${this.coding})`;
  }
}

class Commitment extends commitment.Sealed {
  static decode(data, of) {
    return makeCommitment(native.erasureCommitmentDecode(bytes(data, 'bytes'), coding.open(of, 'coding')));
  }
  encode() {
    return native.erasureCommitmentEncode(commitment.open(this, 'this'));
  }
  get suite() {
    return makeSuite(native.erasureCommitmentInfo(commitment.open(this, 'this')).suite);
  }
  get shape() {
    return makeShape(native.erasureCommitmentInfo(commitment.open(this, 'this')).shape);
  }
  get messageLength() {
    return native.erasureCommitmentInfo(commitment.open(this, 'this')).messageLength;
  }
  get root() {
    return native.erasureCommitmentInfo(commitment.open(this, 'this')).root;
  }
  identity() {
    return native.erasureCommitmentIdentity(commitment.open(this, 'this'));
  }
  toString() {
    return `Commitment(${hex(this.encode())})`;
  }
}
Commitment.prototype.equals = equal(commitment.open, native.erasureCommitmentEncode);
const makeCommitment = (handle) => commitment.make(Commitment, handle);

class CheckedShard extends checkedShard.Sealed {
  static decode(data, of) {
    return makeShard(native.erasureShardDecode(bytes(data, 'bytes'), coding.open(of, 'coding')));
  }
  encode() {
    return native.erasureShardEncode(checkedShard.open(this, 'this'));
  }
  static maxEncodedLength(of) {
    return native.erasureCodingInfo(coding.open(of, 'coding')).maxEncodedLength;
  }
  get commitment() {
    return makeCommitment(native.erasureShardCommitment(checkedShard.open(this, 'this')));
  }
  get index() {
    return native.erasureShardIndex(checkedShard.open(this, 'this'));
  }
  get bytes() {
    return native.erasureShardBytes(checkedShard.open(this, 'this'));
  }
  equals(other) {
    return native.erasureShardEquals(checkedShard.open(this, 'this'), checkedShard.open(other, 'other'));
  }
  toString() {
    return `CheckedShard(${this.index}, ${this.commitment})`;
  }
}
const makeShard = (handle) => checkedShard.make(CheckedShard, handle);

class Dispersal extends dispersal.Sealed {
  get commitment() {
    return makeCommitment(native.erasureDispersalCommitment(dispersal.open(this, 'this')));
  }
  get message() {
    return native.erasureDispersalMessage(dispersal.open(this, 'this'));
  }
  shard(index) {
    return makeShard(native.erasureDispersalShard(dispersal.open(this, 'this'), u32(index, 'index')));
  }
  shards() {
    return Array.from({ length: this.commitment.shape.shards }, (_, index) => this.shard(index));
  }
  toString() {
    return `Dispersal(${this.commitment})`;
  }
}
const makeDispersal = (handle) => dispersal.make(Dispersal, handle);

class Row extends row.Sealed {
  constructor(form, message, of, cost) {
    const parts = [shape.open(form, 'shape'), length(message, 'message'), suite.open(of, 'suite'), u64(cost, 'cost')];
    super(row.key, native.erasureRowNew(...parts));
  }
  get shape() {
    return makeShape(native.erasureRowInfo(row.open(this, 'this')).shape);
  }
  get message() {
    return native.erasureRowInfo(row.open(this, 'this')).message;
  }
  get suite() {
    return makeSuite(native.erasureRowInfo(row.open(this, 'this')).suite);
  }
  get cost() {
    return native.erasureRowInfo(row.open(this, 'this')).cost;
  }
  equals(other) {
    return native.erasureRowEquals(row.open(this, 'this'), row.open(other, 'other'));
  }
  toString() {
    return `Row(${this.shape}, ${this.message} bytes, ${this.suite}, ${this.cost} ns)`;
  }
}
const makeRow = (handle) => row.make(Row, handle);

class Table extends table.Sealed {
  constructor() {
    super(table.key, native.erasureTableNew());
  }
  static decode(data) {
    return table.make(Table, native.erasureTableDecode(bytes(data, 'bytes')));
  }
  encode() {
    return native.erasureTableEncode(table.open(this, 'this'));
  }
  rows() {
    return native.erasureTableRows(table.open(this, 'this')).map(makeRow);
  }
  insert(one) {
    native.erasureTableInsert(table.open(this, 'this'), row.open(one, 'row'));
  }
  merge(newer) {
    native.erasureTableMerge(table.open(this, 'this'), native.erasureTableRows(table.open(newer, 'newer')));
  }
  best(form, message, allow) {
    const parts = [table.open(this, 'this'), shape.open(form, 'shape'), length(message, 'message')];
    const found = native.erasureTableBest(...parts, allowed(this, allow));
    return found ? makeRow(found) : undefined;
  }
  toString() {
    return `Table(${native.erasureTableRows(table.open(this, 'this')).length} rows)`;
  }
}
Table.prototype.equals = equal(table.open, native.erasureTableEncode);

/** The suites of a table that the user's function accepts; by default, those of this build. */
function allowed(of, allow = (one) => one.isAvailable) {
  callable(allow, 'allow');
  const suites = new Map(of.rows().map((one) => [hex(one.suite.encode()), one.suite]));
  return [...suites.values()].filter((one) => allow(one)).map((one) => suite.open(one, 'suite'));
}

const limits = native.erasureConstants();
Object.defineProperty(Table, 'MAX_ROWS', { value: limits.maxRows, enumerable: true });

module.exports = {
  MAX_MESSAGE: limits.maxMessage,
  MAX_SHARDS: limits.maxShards,
  Packets,
  Suite,
  Shape,
  Coding,
  Coder,
  Commitment,
  CheckedShard,
  Dispersal,
  Row,
  Table,
};
