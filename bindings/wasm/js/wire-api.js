// `wire`: the canonical encoding.

import { boolean, bytes, size, string, u128, u16, u32, u64, u8 } from './check.js';
import { Handle, TOKEN, name, open } from './handle.js';

export function wireApi(wasm) {
  class Reader extends Handle {
    constructor(data) {
      super(TOKEN, wasm().Reader.new(bytes(data, 'bytes')));
    }
    get remaining() {
      return open(this, Reader).remaining();
    }
    raw(length) {
      return open(this, Reader).raw(size(length, 'length'));
    }
    bytes(cap) {
      return open(this, Reader).bytes(size(cap, 'cap'));
    }
    count(cap) {
      return open(this, Reader).count(size(cap, 'cap'));
    }
    toString() {
      return `Reader(${this.remaining} bytes left)`;
    }
  }
  for (const method of ['u8', 'u16', 'u32', 'u64', 'u128', 'varint', 'option', 'finish']) {
    Reader.prototype[method] = function read() {
      return open(this, Reader)[method]();
    };
  }

  class Writer extends Handle {
    constructor() {
      super(TOKEN, wasm().Writer.empty());
    }
    get length() {
      return open(this, Writer).length();
    }
    intoBytes() {
      return open(this, Writer).take();
    }
    toString() {
      return `Writer(${this.length} bytes)`;
    }
  }
  const written = { raw: bytes, bytes, u8, u16, u32, u64, u128, varint: u32, count: u32, option: boolean };
  for (const [method, check] of Object.entries(written)) {
    Writer.prototype[method] = function write(value) {
      open(this, Writer)[method](check(value, check === bytes ? 'bytes' : 'value'));
    };
  }

  return {
    hash: (domain, data) => wasm().hash(string(domain, 'domain'), bytes(data, 'bytes')),
    get DOMAINS() {
      return Object.freeze(wasm().domains());
    },
    ...name({ Reader, Writer }),
  };
}
