// A small server that speaks the front's protocol and lies in one place. It signs nothing and executes nothing.
import { once } from 'node:events';
import { createServer } from 'node:net';

import { Ended, Link } from '../link.mjs';
import { MAGIC } from '../wire.mjs';

export const STORE = Buffer.from(Array.from({ length: 32 }, (_, place) => place));

/**
 * A frame towards the client.
 *
 * @param {number} kind
 * @param {(number | bigint | Uint8Array)[]} parts
 */
export function frame(kind, ...parts) {
  const body = parts.map((part) => {
    if (part instanceof Uint8Array) return part;
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(part));
    return bytes;
  });
  const head = Buffer.alloc(5, kind);
  head.writeUInt32LE(body.reduce((size, part) => size + part.length, 1));
  return Buffer.concat([head, ...body]);
}

/** @param {number | bigint} last */
export const welcome = (last = 0) => frame(0x81, last);
/**
 * @param {number} sequence
 * @param {number} entry
 * @param {string} reply
 */
export const executed = (sequence, entry, reply = '+OK\r\n') => frame(0x82, sequence, entry, Buffer.from(reply));
/**
 * @param {number} sequence
 * @param {string} reply
 */
export const refusal = (sequence, reply = '-STALE sign it again\r\n') => frame(0x83, sequence, Buffer.from(reply));

/** One client's connection. */
export class Visit {
  /** @type {Buffer[]} */
  announced = [];
  /** @type {Buffer[]} */
  commands = [];

  /** @param {import('node:net').Socket} socket */
  constructor(socket) {
    this.socket = socket;
    this.link = new Link(socket);
  }

  /** Welcomes each client. */
  async greet(last = 0) {
    await this.link.exactly(40);
    this.say(MAGIC, STORE, Buffer.alloc(32));
    await this.link.exactly(64);
    this.say(welcome(last));
  }

  /** @param {Uint8Array[]} bytes */
  say(...bytes) {
    this.socket.write(Buffer.concat(bytes));
  }

  /** The next signed command; announcements on the way are kept. */
  async command() {
    for (;;) {
      const body = Buffer.from(await this.link.exactly((await this.link.exactly(4)).readUInt32LE()));
      const kept = body[0] === 2 ? this.commands : this.announced;
      kept.push(body.subarray(1));
      if (body[0] === 2) return body.subarray(1);
    }
  }

  /** Waits until the client has gone. */
  async gone() {
    for (;;) await this.link.exactly(1);
  }
}

/**
 * Does with each visit, first to last, what it is told.
 *
 * @param {import('node:test').TestContext} test
 * @param {((visit: Visit) => Promise<void>)[]} scripts
 */
export async function liar(test, ...scripts) {
  /** @type {Visit[]} */
  const visits = [];
  const server = createServer((socket) => {
    const visit = new Visit(socket);
    visits.push(visit);
    const script = scripts[Math.min(visits.length, scripts.length) - 1];
    script(visit).catch((error) => {
      if (!(error instanceof Ended)) throw error; // the client has gone
    }).finally(() => socket.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => {
    server.close();
    visits.forEach(({ socket }) => socket.destroy());
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { address: `127.0.0.1:${port}`, visits };
}
