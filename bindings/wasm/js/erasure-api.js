// Erasure coding; `wasm()` returns the module's exports, as in full-api.js.

import { bytes, callable, list, size, u16, u32, u64, u8 } from '../dist/common/check.js';
import { Handle, TOKEN, hex, name, open, wrap } from './handle.js';
import { equal, fill } from './threshold/common.js';

export const MAX_MESSAGE = 1 << 30;
export const MAX_SHARDS = 2 ** 31 - 1;
export const MAX_ROWS = 4096;

/** The module rejects more, whatever they are. */
const MANY_SHARDS = 65_535;

export function erasureApi(wasm) {
  /** The handle of packets is that of their suite. */
  class Packets extends Handle {
    constructor(word, log2Packet) {
      const made = () => wasm().ErasureSuite.jerasure(u8(word, 'word'), u8(log2Packet, 'log2Packet'));
      super(TOKEN, word === TOKEN ? log2Packet : made());
    }
    get word() {
      return open(this, Packets).packets()[0];
    }
    get packet() {
      return 2 ** open(this, Packets).packets()[1];
    }
    get log2Packet() {
      return open(this, Packets).packets()[1];
    }
    equals(other) {
      open(this, Packets);
      open(other, Packets, 'other');
      return this.word === other.word && this.log2Packet === other.log2Packet;
    }
    toString() {
      return `Packets(w = ${this.word}, p = ${this.packet})`;
    }
  }

  class Suite extends Handle {
    static get Leopard() {
      return wrap(Suite, wasm().ErasureSuite.leopard());
    }
    static get Gf8() {
      return wrap(Suite, wasm().ErasureSuite.gf8());
    }
    static Jerasure(packets) {
      return wrap(Suite, wasm().ErasureSuite.jerasure(...open(packets, Packets, 'packets').packets()));
    }
    static recommended(shape) {
      return wrap(Suite, wasm().ErasureSuite.recommended(open(shape, Shape, 'shape')));
    }
    static decode(data) {
      return wrap(Suite, wasm().ErasureSuite.decode(bytes(data, 'bytes')));
    }
    encode() {
      return open(this, Suite).encode();
    }
    get number() {
      return open(this, Suite).number();
    }
    get name() {
      return open(this, Suite).name();
    }
    get packets() {
      const packets = open(this, Suite).packets();
      return packets.length > 0 ? new Packets(...packets) : undefined;
    }
    get isAvailable() {
      return open(this, Suite).is_available();
    }
    get unit() {
      return open(this, Suite).unit();
    }
    toString() {
      return this.packets ? `${this.name}(${this.packets})` : this.name;
    }
  }

  class Shape extends Handle {
    constructor(data, parity) {
      const made = () => wasm().ErasureShape.new(u16(data, 'data'), u16(parity, 'parity'));
      super(TOKEN, data === TOKEN ? parity : made());
    }
    static forCommittee(members, faulty) {
      return wrap(Shape, wasm().ErasureShape.for_committee(u16(members, 'members'), u16(faulty, 'faulty')));
    }
    get data() {
      return open(this, Shape).data();
    }
    get parity() {
      return open(this, Shape).parity();
    }
    get shards() {
      return open(this, Shape).shards();
    }
    equals(other) {
      open(this, Shape);
      open(other, Shape, 'other');
      return this.data === other.data && this.parity === other.parity;
    }
    toString() {
      return `Shape(${this.data} + ${this.parity})`;
    }
  }

  class Coding extends Handle {
    constructor(suite, shape, maxMessage) {
      super(TOKEN, suite === TOKEN ? shape : Coding.#parse(suite, shape, maxMessage));
    }
    static #parse(suite, shape, maxMessage) {
      const [form, longest] = [open(shape, Shape, 'shape'), size(maxMessage, 'maxMessage')];
      const code = suite === undefined ? wasm().ErasureSuite.recommended(form) : open(suite, Suite, 'suite');
      try {
        return wasm().ErasureCoding.new(code, form, longest);
      } finally {
        if (suite === undefined) code.free();
      }
    }
    get suite() {
      return wrap(Suite, open(this, Coding).suite());
    }
    get shape() {
      return wrap(Shape, open(this, Coding).shape());
    }
    get maxMessage() {
      return open(this, Coding).max_message();
    }
    shardLength(message) {
      return open(this, Coding).shard_length(size(message, 'message'));
    }
    equals(other) {
      open(this, Coding);
      open(other, Coding, 'other');
      const same = this.suite.equals(other.suite) && this.shape.equals(other.shape);
      return same && this.maxMessage === other.maxMessage;
    }
    toString() {
      return `Coding(${this.suite}, ${this.shape}, at most ${this.maxMessage} bytes)`;
    }
  }

  class Coder extends Handle {
    constructor(coding) {
      super(TOKEN, wasm().ErasureCoder.new(open(coding, Coding, 'coding')));
    }
    get coding() {
      return wrap(Coding, open(this, Coder).coding());
    }
    disperse(message) {
      return wrap(Dispersal, open(this, Coder).disperse(bytes(message, 'message')));
    }
    decode(shards) {
      open(this, Coder);
      // The list is read first: each of its shards is copied.
      const given = list(shards, 'shards', (shard, what) => (open(shard, CheckedShard, what), shard), MANY_SHARDS);
      const all = fill(wasm().ErasureShards.empty(), given, 'shards', (shard, what) => open(shard, CheckedShard, what));
      return wrap(Dispersal, open(this, Coder).decode(all));
    }
    toString() {
      return `Coder(${this.coding})`;
    }
  }

  class Commitment extends Handle {
    static decode(data, coding) {
      const parts = [bytes(data, 'bytes'), open(coding, Coding, 'coding')];
      return wrap(Commitment, wasm().ErasureCommitment.decode(...parts));
    }
    encode() {
      return open(this, Commitment).encode();
    }
    get suite() {
      return wrap(Suite, open(this, Commitment).suite());
    }
    get shape() {
      return wrap(Shape, open(this, Commitment).shape());
    }
    get messageLength() {
      return open(this, Commitment).message_length();
    }
    get root() {
      return open(this, Commitment).root();
    }
    identity() {
      return open(this, Commitment).identity();
    }
    toString() {
      return `Commitment(${hex(this.encode())})`;
    }
  }

  class CheckedShard extends Handle {
    static decode(data, coding) {
      return wrap(CheckedShard, wasm().ErasureShard.decode(bytes(data, 'bytes'), open(coding, Coding, 'coding')));
    }
    encode() {
      return open(this, CheckedShard).encode();
    }
    static maxEncodedLength(coding) {
      return open(coding, Coding, 'coding').max_encoded_length();
    }
    get commitment() {
      return wrap(Commitment, open(this, CheckedShard).commitment());
    }
    get index() {
      return open(this, CheckedShard).index();
    }
    get bytes() {
      return open(this, CheckedShard).bytes();
    }
    toString() {
      return `CheckedShard(${this.index}, ${this.commitment})`;
    }
  }

  class Dispersal extends Handle {
    get commitment() {
      return wrap(Commitment, open(this, Dispersal).commitment());
    }
    get message() {
      return open(this, Dispersal).message();
    }
    shard(index) {
      return wrap(CheckedShard, open(this, Dispersal).shard(u32(index, 'index')));
    }
    shards() {
      open(this, Dispersal);
      return Array.from({ length: this.commitment.shape.shards }, (_, index) => this.shard(index));
    }
    toString() {
      return `Dispersal(${this.commitment})`;
    }
  }

  class Row extends Handle {
    constructor(shape, message, suite, cost) {
      super(TOKEN, shape === TOKEN ? message : Row.#parse(shape, message, suite, cost));
    }
    static #parse(shape, message, suite, cost) {
      const parts = [open(shape, Shape, 'shape'), size(message, 'message'), open(suite, Suite, 'suite')];
      return wasm().ErasureRow.new(...parts, u64(cost, 'cost'));
    }
    get shape() {
      return wrap(Shape, open(this, Row).shape());
    }
    get message() {
      return open(this, Row).message();
    }
    get suite() {
      return wrap(Suite, open(this, Row).suite());
    }
    get cost() {
      return open(this, Row).cost();
    }
    equals(other) {
      return open(this, Row).equals(open(other, Row, 'other'));
    }
    toString() {
      return `Row(${this.shape}, ${this.message} bytes, ${this.suite}, ${this.cost} ns)`;
    }
  }

  class Table extends Handle {
    constructor(token, raw) {
      super(TOKEN, token === TOKEN ? raw : wasm().ErasureTable.empty());
    }
    static decode(data) {
      return wrap(Table, wasm().ErasureTable.decode(bytes(data, 'bytes')));
    }
    encode() {
      return open(this, Table).encode();
    }
    rows() {
      return open(this, Table).rows().map((row) => wrap(Row, row));
    }
    insert(row) {
      open(this, Table).insert(open(row, Row, 'row'));
    }
    merge(newer) {
      // A copy, since it may be the same object.
      open(this, Table).merge(open(newer, Table, 'newer').copy());
    }
    best(shape, message, allow = (suite) => suite.isAvailable) {
      open(this, Table);
      const [form, length] = [open(shape, Shape, 'shape'), size(message, 'message')];
      const suites = new Map(this.rows().map((row) => [hex(row.suite.encode()), row.suite]));
      const allowed = [...suites.values()].filter(callable(allow, 'allow'));
      const raw = fill(wasm().ErasureSuites.empty(), allowed, 'suites', (suite, what) => open(suite, Suite, what));
      return wrap(Row, open(this, Table).best(form, length, raw));
    }
    toString() {
      return `Table(${open(this, Table).length()} rows)`;
    }
  }
  Object.defineProperty(Table, 'MAX_ROWS', { value: MAX_ROWS, enumerable: true });

  for (const Class of [Suite, Commitment, CheckedShard, Table]) Class.prototype.equals = equal(Class);
  const sizes = { Packets, Suite, Shape, Coding };
  return Object.freeze({
    MAX_MESSAGE,
    MAX_SHARDS,
    ...name({ ...sizes, Coder, Commitment, CheckedShard, Dispersal, Row, Table }),
  });
}
