// The client: a connection that is made again when it is lost, and for each command exactly one outcome.
import { setTimeout as sleep } from 'node:timers/promises';

import { BadFront, Failure, Lost, Refused, Unreachable } from './failure.mjs';
import { Ended, greet } from './link.mjs';
import { Pending } from './pending.mjs';
import { Malformed, encodeCommand } from './resp.mjs';
import { Signing } from './signing.mjs';
import { MAX_REPLY, message, readFrame, signedCommand } from './wire.mjs';

/**
 * How a client signs, and what it asks of the front.
 *
 * @typedef {object} Options
 * @property {string} [scheme] `dsig` (the default), `eddsa`, or `none`
 * @property {string} [suite] of DSig; default: `wots-blake3`
 * @property {Uint8Array | undefined} [store] the front's 32-byte name; without it the first front is believed, and
 *   later ones must have the same
 * @property {number} [patience] how many milliseconds connecting may take, at first and whenever the connection is lost
 */

/** How many commands may be under way; a front takes no more. */
export const WINDOW = 1024;
const [FIRST_PAUSE, LONGEST_PAUSE] = [50, 1000];

/**
 * Signs commands and sends them through one front. Made by {@link Client.connect}.
 *
 * When the connection is lost, another is made while commands wait, or with the next one. Commands that are not in the
 * log are sent again as they were signed, so that none is executed twice; the others fail with `Lost`.
 */
export class Client {
  #front;
  #key;
  #signing;
  #store;
  #patience;
  #pending = new Pending();
  /** The time of the last command, in microseconds. */
  #last = 0n;
  /** First come, first sent. @type {Promise<unknown>} */
  #order = Promise.resolve();
  /** @type {import('./link.mjs').Link | undefined} */
  #link;
  /** @type {Promise<Failure | undefined> | undefined} */
  #joining;
  #joined = false;
  /** @type {Failure | undefined} */
  #over;
  #ending = new AbortController();

  /**
   * Use {@link Client.connect}.
   *
   * @param {string} front
   * @param {import('./keys.mjs').Key} key
   * @param {Options} options
   */
  constructor(front, key, { scheme = 'dsig', suite = 'wots-blake3', store, patience = 5000 }) {
    this.#front = front;
    this.#key = key;
    this.#signing = new Signing(key, scheme, suite);
    this.#store = store;
    this.#patience = patience;
  }

  /**
   * Connects to a front and proves who we are.
   *
   * @param {string} front `host:port`
   * @param {import('./keys.mjs').Key} key
   * @param {Options} [options]
   */
  static async connect(front, key, options = {}) {
    const client = new Client(front, key, options);
    try {
      await client.#linked();
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
   * Asks for a command and waits for the answer. Many calls may be made at once.
   *
   * Throws `RedisError` if Redis answers with an error, `Refused` if the front does not take the command, `Lost` if the
   * answer cannot come, `BadFront` if the front lies, and `BadInput`.
   *
   * @param {import('./resp.mjs').Word[]} command
   */
  async call(...command) {
    return (await this.send(...command)).answer;
  }

  /**
   * Signs a command and sends it; `answer` is what {@link Client.call} gives. Waits while there is no one-time key.
   * A caller that ignores `answer` is not told of a failure.
   *
   * @param {import('./resp.mjs').Word[]} command
   */
  async send(...command) {
    const encoded = encodeCommand(command);
    const sent = this.#order.then(() => this.#send(encoded));
    this.#order = sent.catch(() => {});
    return sent;
  }

  /** Each command is signed later than those before it: after a refusal the front asks for that. */
  #now() {
    const clock = BigInt(Date.now()) * 1000n;
    this.#last = clock > this.#last ? clock : this.#last + 1n;
    return this.#last;
  }

  /** @param {Uint8Array} encoded */
  async #send(encoded) {
    for (;;) {
      const link = await this.#linked();
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
      // Nothing waits between the number and here: no failure leaves a gap.
      const frame = signedCommand(this.#signing.scheme, sequence, now, signature, encoded);
      const answer = this.#pending.add(frame);
      // It may fail before the caller awaits it.
      answer.catch(() => {});
      link.write(frame);
      await link.drained();
      return { answer };
    }
  }

  /** Ends the connection and wipes the keys. Commands under way fail with `Lost`. */
  async close() {
    this.#end(new Lost('the client was closed; what was under way may or may not have been executed'));
    await this.#joining;
  }

  async #linked() {
    for (;;) {
      if (this.#over) throw this.#over;
      if (this.#link) return this.#link;
      const failure = await this.#join();
      if (failure) throw failure;
    }
  }

  #join() {
    this.#joining ??= this.#connect().finally(() => (this.#joining = undefined));
    return this.#joining;
  }

  /**
   * Makes a connection; a lost one is given time to come back.
   *
   * @returns {Promise<Failure | undefined>}
   */
  async #connect() {
    const late = AbortSignal.any([AbortSignal.timeout(this.#patience), this.#ending.signal]);
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      try {
        this.#begin(await greet(this.#front, this.#key, this.#store, late));
        return undefined;
      } catch (error) {
        if (!(error instanceof Unreachable)) {
          const failure = error instanceof Failure ? error : new Failure('FAILED', `connecting: ${error}`);
          this.#end(failure);
          return failure;
        }
        // Ended early if there is no time left.
        if (this.#joined) await sleep(pause, undefined, { signal: late }).catch(() => {});
        if (!this.#joined || late.aborted) {
          this.#pending.fail(new Lost('the connection does not come back; the command may be executed or not'));
          return error;
        }
      }
    }
  }

  /** @param {import('./link.mjs').Link} link */
  #begin(link) {
    /** @type {Uint8Array[]} */
    let again = [];
    try {
      if (this.#over) throw this.#over;
      if (this.#joined) again = this.#pending.resume(link.last);
      else this.#pending.begin(link.last);
    } catch (error) {
      link.close();
      throw error;
    }
    this.#store = link.store;
    this.#joined = true;
    this.#link = link;
    // Announcements come before what is signed with their keys, also before what is sent again.
    this.#signing.start((frame) => link.write(frame));
    for (const frame of again) link.write(frame);
    this.#read(link);
  }

  /** @param {import('./link.mjs').Link} link */
  async #read(link) {
    try {
      for (;;) this.#pending.take(await readFrame(link, MAX_REPLY));
    } catch (error) {
      if (error instanceof Ended) this.#lose(link);
      else if (error instanceof Malformed) this.#end(new BadFront('BAD_FRAME', `${this.#front}: ${error.message}`));
      else this.#end(error instanceof Failure ? error : new Failure('FAILED', `reading: ${error}`));
    }
  }

  /** @param {import('./link.mjs').Link} link */
  #lose(link) {
    link.close();
    this.#link = undefined;
    this.#stop();
    if (this.#pending.size > 0 && !this.#over) this.#join();
  }

  /**
   * Nothing is sent or believed any longer.
   *
   * @param {Failure} failure
   */
  #end(failure) {
    this.#over ??= failure;
    this.#ending.abort();
    this.#link?.close();
    this.#link = undefined;
    // What a refused connection had under way may have been executed.
    const refused = failure instanceof Refused && new Lost(`the connection was refused: ${failure.message}`);
    this.#pending.fail(refused || failure);
    this.#signing.close();
    this.#stop();
  }

  /** Wakes the waiting callers, which check the connection again. */
  #stop() {
    this.#signing.stop();
    this.#pending.wake();
  }
}
