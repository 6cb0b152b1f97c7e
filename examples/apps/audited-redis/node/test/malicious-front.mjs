// A fake front whose connections follow a script, for protocol violations. It executes nothing.
import { once } from 'node:events';
import { createServer } from 'node:net';

import { ConnectionEnded, Link } from '../link.mjs';
import { MAGIC } from '../wire.mjs';

export const STORE = Buffer.from(Array.from({ length: 32 }, (_, place) => place));

/**
 * Encodes a frame to the client.
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

/** A client's connection. */
export class Session {
  /** @type {Buffer[]} */
  announced = [];
  /** @type {Buffer[]} */
  commands = [];

  /** @param {import('node:net').Socket} socket */
  constructor(socket) {
    this.socket = socket;
    this.link = new Link(socket);
  }

  /** Performs the handshake and accepts every client. */
  async accept(last = 0) {
    await this.link.readExactly(40);
    this.write(MAGIC, STORE, Buffer.alloc(32));
    await this.link.readExactly(64);
    this.write(welcome(last));
  }

  /** @param {Uint8Array[]} bytes */
  write(...bytes) {
    this.socket.write(Buffer.concat(bytes));
  }

  /** Returns the next signed command, and records the announcements before it. */
  async command() {
    for (;;) {
      const body = Buffer.from(await this.link.readExactly((await this.link.readExactly(4)).readUInt32LE()));
      const received = body[0] === 2 ? this.commands : this.announced;
      received.push(body.subarray(1));
      if (body[0] === 2) return body.subarray(1);
    }
  }

  /** Waits until the client closes the connection. */
  async closed() {
    for (;;) await this.link.readExactly(1);
  }
}

/**
 * Starts a server that runs a script for each session; the last script serves all later sessions.
 *
 * @param {import('node:test').TestContext} test
 * @param {((session: Session) => Promise<void>)[]} scripts
 */
export async function maliciousFront(test, ...scripts) {
  /** @type {Session[]} */
  const sessions = [];
  const server = createServer((socket) => {
    const session = new Session(socket);
    sessions.push(session);
    const script = scripts[Math.min(sessions.length, scripts.length) - 1];
    script(session).catch((error) => {
      if (!(error instanceof ConnectionEnded)) throw error; // the client closed the connection
    }).finally(() => socket.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => {
    server.close();
    sessions.forEach(({ socket }) => socket.destroy());
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { address: `127.0.0.1:${port}`, sessions };
}
