// The connection to the front and its handshake.
import { once } from 'node:events';
import { connect } from 'node:net';

import { BadFront, BadInput, Failure, RedisError, Refused, Unreachable } from './failure.mjs';
import { Malformed, parseReply } from './resp.mjs';
import { MAGIC, MAX_WELCOME, hello, readFrame } from './wire.mjs';

/** Maximum number of bytes that are read ahead. */
const MAX_READ_AHEAD = 1 << 20;

/** The connection ended. */
export class ConnectionEnded extends Error {}

/** A connection with a buffered reader. */
export class Link {
  /** The front's store. */
  store = Buffer.alloc(0);
  /** Sequence number of the client's last command in the log. */
  last = 0;
  /** @type {Buffer[]} */
  #chunks = [];
  #size = 0;
  #wanted = 0;
  /** @type {ConnectionEnded | undefined} */
  #ended;
  #wake = () => {};

  /** @param {import('node:net').Socket} socket */
  constructor(socket) {
    this.socket = socket;
    socket.setNoDelay(true).setKeepAlive(true, 10_000);
    socket.on('data', (chunk) => {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
      if (this.#size >= Math.max(this.#wanted, MAX_READ_AHEAD)) socket.pause();
      if (this.#size >= this.#wanted) this.#wake();
    });
    socket.on('error', (error) => this.#end(error.message));
    // The front may close only its half of the connection.
    socket.on('end', () => this.#end('the server closed the connection'));
    socket.on('close', () => this.#end('the server closed the connection'));
  }

  /**
   * Reads exactly `length` bytes. It takes memory only for bytes that have arrived.
   *
   * @param {number} length
   */
  async readExactly(length) {
    while (this.#size < length) {
      if (this.#ended) throw this.#ended;
      this.#wanted = length;
      this.socket.resume();
      await /** @type {Promise<void>} */ (new Promise((resolve) => (this.#wake = resolve)));
    }
    if (this.#chunks[0]?.length < length) this.#chunks = [Buffer.concat(this.#chunks)];
    const [first] = this.#chunks;
    this.#size -= length;
    if (first.length === length) this.#chunks.shift();
    else this.#chunks[0] = first.subarray(length);
    return first.subarray(0, length);
  }

  /** @param {Uint8Array} bytes */
  write(bytes) {
    return this.socket.write(bytes);
  }

  /** Waits until the written bytes are sent or the connection ends. */
  async drained() {
    if (!this.socket.writableNeedDrain || this.#ended) return;
    const controller = new AbortController();
    const { signal } = controller;
    const either = ['drain', 'close'].map((event) => once(this.socket, event, { signal }));
    await Promise.race(either).catch(() => {});
    controller.abort();
  }

  close() {
    this.socket.destroy();
  }

  /** @param {string} reason */
  #end(reason) {
    this.#ended ??= new ConnectionEnded(reason);
    this.#wake();
  }
}

/**
 * Splits `host:port`.
 *
 * @param {string} front
 */
export function address(front) {
  const [, host = '', port = ''] = /^(.+):([0-9]{1,5})$/.exec(front) ?? [];
  if (Number(port) < 1 || Number(port) > 65_535) {
    throw new BadInput(`expected an address such as 127.0.0.1:7379, got '${front}'`);
  }
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

/**
 * Connects and authenticates the client; the front must have `store`, unless it is undefined.
 *
 * @param {string} front
 * @param {import('./keys.mjs').Key} key
 * @param {Uint8Array | undefined} store
 * @param {AbortSignal} signal cancels the handshake
 */
export async function openLink(front, key, store, signal) {
  const link = new Link(connect(address(front)));
  const abort = () => link.close();
  signal.addEventListener('abort', abort);
  try {
    await handshake(front, key, store, link);
    return link;
  } catch (error) {
    link.close();
    if (signal.aborted) throw new Unreachable(`${front}: no answer within the time limit`);
    if (error instanceof ConnectionEnded) throw new Unreachable(`${front}: ${error.message}; is the front running?`);
    if (!(error instanceof Malformed)) throw error;
    throw new BadFront('BAD_FRAME', `${front}: ${error.message}; the server is not a front`);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * @param {string} front
 * @param {import('./keys.mjs').Key} key
 * @param {Uint8Array | undefined} store
 * @param {Link} link
 */
async function handshake(front, key, store, link) {
  link.write(Buffer.concat([MAGIC, key.public]));
  if (!(await link.readExactly(MAGIC.length)).equals(MAGIC)) {
    throw new BadFront('NO_FRONT', `${front}: the server is not a front; check the port`);
  }
  const [found, challenge] = [Buffer.from(await link.readExactly(32)), await link.readExactly(32)];
  if (store && !found.equals(store)) {
    const [expected, actual] = [store, found].map((bytes) => Buffer.from(bytes).toString('hex'));
    throw new BadFront('OTHER_STORE', `${front}: expected store ${expected}, got ${actual}`);
  }
  link.write(key.sign(hello(found, challenge, key.public)));
  const frame = await readFrame(link, MAX_WELCOME);
  if (frame.kind === 'refusal') throw refused(frame);
  if (frame.kind !== 'welcome') throw new BadFront('BAD_ORDER', `${front}: unexpected answer before the welcome`);
  Object.assign(link, { store: found, last: frame.last });
}

/**
 * Converts a refusal to a failure.
 *
 * @param {import('./wire.mjs').Refusal} frame
 * @returns {Failure}
 */
export function refused({ sequence, reply }) {
  let error;
  try {
    error = parseReply(reply);
  } catch (reason) {
    if (!(reason instanceof Malformed)) throw reason;
  }
  if (error instanceof RedisError) return new Refused(error.code, error.reason, sequence);
  return new BadFront('BAD_REPLY', 'the refusal is not a RESP2 error');
}
