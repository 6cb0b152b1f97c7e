// The way to the front: connecting, and the hello of both sides.
import { once } from 'node:events';
import { connect } from 'node:net';

import { BadFront, BadInput, Failure, RedisError, Refused, Unreachable } from './failure.mjs';
import { Malformed, parseReply } from './resp.mjs';
import { MAGIC, MAX_WELCOME, hello, readFrame } from './wire.mjs';

/** Bytes that are read ahead. */
const AHEAD = 1 << 20;

/** The connection ended, for what reason ever. */
export class Ended extends Error {}

/** A connection whose bytes are read in the pieces that one asks for. */
export class Link {
  /** The front's name. */
  store = Buffer.alloc(0);
  /** The number of our last command in the log. */
  last = 0;
  /** @type {Buffer[]} */
  #chunks = [];
  #size = 0;
  #wanted = 0;
  /** @type {Ended | undefined} */
  #ended;
  #wake = () => {};

  /** @param {import('node:net').Socket} socket */
  constructor(socket) {
    this.socket = socket;
    socket.setNoDelay(true).setKeepAlive(true, 10_000);
    socket.on('data', (chunk) => {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
      if (this.#size >= Math.max(this.#wanted, AHEAD)) socket.pause();
      if (this.#size >= this.#wanted) this.#wake();
    });
    socket.on('error', (error) => this.#end(error.message));
    // The other side may close its half first; nothing comes from it then.
    socket.on('end', () => this.#end('it hung up'));
    socket.on('close', () => this.#end('it hung up'));
  }

  /**
   * The next bytes. Memory is used for what has arrived only.
   *
   * @param {number} length
   */
  async exactly(length) {
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

  /** Waits until what was written has left, or never will. */
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
    this.#ended ??= new Ended(reason);
    this.#wake();
  }
}

/**
 * `host:port` in its two parts.
 *
 * @param {string} front
 */
export function address(front) {
  const [, host = '', port = ''] = /^(.+):([0-9]{1,5})$/.exec(front) ?? [];
  if (Number(port) < 1 || Number(port) > 65_535) {
    throw new BadInput(`'${front}' is no address of a front; one looks like 127.0.0.1:7379`);
  }
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

/**
 * Connects and proves who we are; the front must have this store, if one is given.
 *
 * @param {string} front
 * @param {import('./keys.mjs').Key} key
 * @param {Uint8Array | undefined} store
 * @param {AbortSignal} signal ends it
 */
export async function greet(front, key, store, signal) {
  const link = new Link(connect(address(front)));
  const abort = () => link.close();
  signal.addEventListener('abort', abort);
  try {
    await hands(front, key, store, link);
    return link;
  } catch (error) {
    link.close();
    if (signal.aborted) throw new Unreachable(`${front}: no front answers there in time`);
    if (error instanceof Ended) throw new Unreachable(`${front}: ${error.message}; is the front running?`);
    if (error instanceof Malformed) throw new BadFront('BAD_FRAME', `${front}: ${error.message}; that is no front`);
    throw error;
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
async function hands(front, key, store, link) {
  link.write(Buffer.concat([MAGIC, key.public]));
  if (!(await link.exactly(MAGIC.length)).equals(MAGIC)) {
    throw new BadFront('NO_FRONT', `${front}: what answers there is no front; check the port`);
  }
  const [found, challenge] = [Buffer.from(await link.exactly(32)), await link.exactly(32)];
  if (store && !found.equals(store)) {
    const message = `${front}: it has the store ${found.toString('hex')}, which is not the expected one`;
    throw new BadFront('OTHER_STORE', message);
  }
  link.write(key.sign(hello(found, challenge, key.public)));
  const frame = await readFrame(link, MAX_WELCOME);
  if (frame.kind === 'refusal') throw refused(frame);
  if (frame.kind !== 'welcome') throw new BadFront('BAD_ORDER', `${front}: an answer to a command that was never sent`);
  Object.assign(link, { store: found, last: frame.last });
}

/**
 * What a refusal says.
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
  return new BadFront('BAD_REPLY', 'the front refuses with what is no error of RESP2');
}
