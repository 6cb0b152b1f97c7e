// The client: it reconnects after a lost connection, and each command has exactly one outcome.
import { setTimeout as sleep } from 'node:timers/promises';

import { BadFront, Failure, Lost, Refused, Unreachable } from './failure.mjs';
import { ConnectionEnded, openLink } from './link.mjs';
import { PendingCommands } from './pending.mjs';
import { Malformed, encodeCommand } from './resp.mjs';
import { CommandSigner } from './signing.mjs';
import { MAX_REPLY, message, readFrame, signedCommand } from './wire.mjs';

/**
 * Options of a client.
 *
 * @typedef {object} ClientOptions
 * @property {string} [scheme] signature scheme: `dsig` (the default), `eddsa`, or `none`
 * @property {string} [suite] suite of DSig; default: `wots-blake3`
 * @property {Uint8Array | undefined} [store] expected 32-byte store of the front. The default accepts any store on the
 *   first connection and requires the same one when reconnecting
 * @property {number} [connectTimeout] time limit in milliseconds for connecting and reconnecting
 */

/** Maximum number of commands in flight; a front accepts no more. */
export const WINDOW = 1024;
const [FIRST_PAUSE, LONGEST_PAUSE] = [50, 1000];

/**
 * Signs commands and sends them through one front. Create it with {@link Client.connect}.
 *
 * The client reconnects after a lost connection, at once if commands wait, otherwise with the next one. Commands that
 * are not in the log are sent again with the same signature, so that none is executed twice; the others fail with
 * `Lost`.
 */
export class Client {
  #front;
  #key;
  #signing;
  #store;
  #connectTimeout;
  #pending = new PendingCommands();
  /** Time of the last command, in microseconds. */
  #last = 0n;
  /** Resolves when the previous command is sent, which keeps their order. @type {Promise<unknown>} */
  #order = Promise.resolve();
  /** @type {import('./link.mjs').Link | undefined} */
  #link;
  /** @type {Promise<Failure | undefined> | undefined} */
  #connecting;
  #wasConnected = false;
  /** @type {Failure | undefined} */
  #closed;
  /** Cancels the current attempt to connect. */
  #cancel = () => {};

  /**
   * Creates a client without a connection. Use {@link Client.connect} instead.
   *
   * @param {string} front
   * @param {import('./keys.mjs').Key} key
   * @param {ClientOptions} options
   */
  constructor(front, key, { scheme = 'dsig', suite = 'wots-blake3', store, connectTimeout = 5000 }) {
    this.#front = front;
    this.#key = key;
    this.#signing = new CommandSigner(key, scheme, suite);
    this.#store = store;
    this.#connectTimeout = connectTimeout;
  }

  /**
   * Connects to a front and authenticates the client.
   *
   * @param {string} front `host:port`
   * @param {import('./keys.mjs').Key} key
   * @param {ClientOptions} [options]
   */
  static async connect(front, key, options = {}) {
    const client = new Client(front, key, options);
    try {
      await client.#connectedLink();
    } catch (error) {
      await client.close();
      throw error;
    }
    return client;
  }

  /** The front's store. */
  get store() {
    return Buffer.from(this.#store ?? []);
  }

  /**
   * Sends a command and waits for the answer. Calls may be concurrent.
   *
   * Throws `RedisError` if Redis answers with an error, `Refused` if the front refuses the command, `Lost` if no answer
   * arrives, `BadFront` if the front violates the protocol, and `BadInput`.
   *
   * @param {import('./resp.mjs').Word[]} command
   */
  async call(...command) {
    return (await this.send(...command)).answer;
  }

  /**
   * Signs a command and sends it; `answer` has the result of {@link Client.call}. Waits until a one-time key is ready.
   * A failure is not reported to a caller that ignores `answer`.
   *
   * @param {import('./resp.mjs').Word[]} command
   */
  async send(...command) {
    const encoded = encodeCommand(command);
    const sent = this.#order.then(() => this.#send(encoded));
    this.#order = sent.catch(() => {});
    return sent;
  }

  /** Returns a time above that of the last command: after a refusal the front requires increasing times. */
  #now() {
    const clock = BigInt(Date.now()) * 1000n;
    this.#last = clock > this.#last ? clock : this.#last + 1n;
    return this.#last;
  }

  /** @param {Uint8Array} encoded */
  async #send(encoded) {
    for (;;) {
      const link = await this.#connectedLink();
      if (this.#pending.size >= WINDOW || !this.#pending.ready()) {
        await this.#pending.changed();
        continue;
      }
      const [sequence, now] = [this.#pending.next, this.#now()];
      const signature = this.#signing.sign(message(this.store, sequence, now, encoded), now);
      if (!signature) {
        await this.#signing.made();
        continue;
      }
      // No await since the number was assigned: no failure leaves a gap.
      const frame = signedCommand(this.#signing.scheme, sequence, now, signature, encoded);
      const answer = this.#pending.add(frame);
      // It may fail before the caller awaits it.
      answer.catch(() => {});
      link.write(frame);
      await link.drained();
      return { answer };
    }
  }

  /** Closes the connection and wipes the keys. Commands in flight fail with `Lost`. */
  async close() {
    this.#closeWith(new Lost('the client was closed; commands in flight may or may not have been executed'));
    await this.#connecting;
  }

  async #connectedLink() {
    for (;;) {
      if (this.#closed) throw this.#closed;
      if (this.#link) return this.#link;
      const failure = await this.#startConnecting();
      if (failure) throw failure;
    }
  }

  #startConnecting() {
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  /**
   * Connects; after a lost connection it retries within the time limit.
   *
   * @returns {Promise<Failure | undefined>}
   */
  async #connect() {
    // A timer of our own: in Node 20, AbortSignal.any refers to AbortSignal.timeout weakly, and after a garbage
    // collection neither is ever aborted.
    const late = new AbortController();
    this.#cancel = () => late.abort();
    const timer = setTimeout(this.#cancel, this.#connectTimeout);
    try {
      return await this.#connectBefore(late.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * @param {AbortSignal} late
   * @returns {Promise<Failure | undefined>}
   */
  async #connectBefore(late) {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      try {
        this.#useLink(await openLink(this.#front, this.#key, this.#store, late));
        return undefined;
      } catch (error) {
        if (!(error instanceof Unreachable)) {
          const failure = error instanceof Failure ? error : new Failure('FAILED', `connecting: ${error}`);
          this.#closeWith(failure);
          return failure;
        }
        // The signal ends the pause at the time limit.
        if (this.#wasConnected) await sleep(pause, undefined, { signal: late }).catch(() => {});
        if (!this.#wasConnected || late.aborted) {
          this.#pending.fail(new Lost('reconnecting failed; the command may or may not have been executed'));
          return error;
        }
      }
    }
  }

  /** @param {import('./link.mjs').Link} link */
  #useLink(link) {
    /** @type {Uint8Array[]} */
    let again = [];
    try {
      if (this.#closed) throw this.#closed;
      if (this.#wasConnected) again = this.#pending.resume(link.last);
      else this.#pending.start(link.last);
    } catch (error) {
      link.close();
      throw error;
    }
    this.#store = link.store;
    this.#wasConnected = true;
    this.#link = link;
    // Announcements are sent before signatures of their keys, also before commands that are sent again.
    this.#signing.start((frame) => link.write(frame));
    for (const frame of again) link.write(frame);
    this.#receive(link);
  }

  /** @param {import('./link.mjs').Link} link */
  async #receive(link) {
    try {
      for (;;) this.#pending.receive(await readFrame(link, MAX_REPLY));
    } catch (error) {
      if (error instanceof ConnectionEnded) return this.#dropLink(link);
      const malformed = error instanceof Malformed && new BadFront('BAD_FRAME', `${this.#front}: ${error.message}`);
      this.#closeWith(malformed || (error instanceof Failure ? error : new Failure('FAILED', `reading: ${error}`)));
    }
  }

  /** @param {import('./link.mjs').Link} link */
  async #dropLink(link) {
    link.close();
    this.#link = undefined;
    this.#stopSigning();
    // The link may end before the attempt that opened it is over, and a new attempt starts only after that one.
    await this.#connecting;
    if (this.#pending.size > 0 && !this.#link && !this.#closed) this.#startConnecting();
  }

  /**
   * Closes the client permanently: nothing is sent or accepted afterwards.
   *
   * @param {Failure} failure
   */
  #closeWith(failure) {
    this.#closed ??= failure;
    this.#cancel();
    this.#link?.close();
    this.#link = undefined;
    // The commands in flight of a refused connection may have been executed.
    const refused = failure instanceof Refused && new Lost(`the connection was refused: ${failure.message}`);
    this.#pending.fail(refused || failure);
    this.#signing.close();
    this.#stopSigning();
  }

  /** Wakes the waiting callers, which check the connection again. */
  #stopSigning() {
    this.#signing.stop();
    this.#pending.wake();
  }
}
