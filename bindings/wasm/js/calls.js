// Calls that are answered elsewhere: one is on its way at a time, and the others wait here, where they can be called off.

import { make, closed, tooLarge } from './errors.js';
import { pack, unpack } from './packing.js';

/** So many calls may wait; who asks faster than anything can be verified must hear of it. */
export const MAX_WAITING = 16_384;

/** An error as the other side described it. */
export function remade({ code, name, message, culprits, details }) {
  if (code !== undefined) {
    const error = make(code, message, culprits);
    for (const [field, value] of Object.entries(details)) {
      error.details[field] = Array.isArray(value) ? Object.freeze(value) : value;
    }
    return error;
  }
  return new ({ TypeError, RangeError }[name] ?? Error)(message);
}

export class Calls {
  #port;
  /** By their numbers, which go up from the oldest. */
  #waiting = new Map();
  /** What is under way; at first, that the other side begins to listen. */
  #running = { id: 0, resolve() {}, reject() {} };
  #oldest = 1;
  #next = 1;
  /** Makes the error of every later call, once there is no other side any more. */
  #ended;

  constructor(port) {
    this.#port = port;
    port.listen(
      (answer) => this.#answered(answer),
      (reason) => this.end(() => new Error(`the worker does not work: ${reason}; start another one`)),
    );
  }

  /**
   * A promise of the answer. `discard` gets an answer that came after the call was called off.
   */
  call(operation, given, signal, discard) {
    if (this.#ended) return Promise.reject(this.#ended());
    if (signal?.aborted) return Promise.reject(signal.reason);
    // What gives back is never refused: the Worker would keep it for good.
    const full = this.#waiting.size >= MAX_WAITING && operation !== 'release';
    if (full) return Promise.reject(tooLarge('calls waiting for the worker', MAX_WAITING));
    return new Promise((resolve, reject) => {
      const job = { id: this.#next++, operation, given: operation === 'init' ? given : pack(given) };
      const abort = () => {
        this.#waiting.delete(job.id);
        job.resolve = (answer) => discard?.(answer);
        job.reject = () => {};
        reject(signal.reason);
        this.#hold();
      };
      const settle = (how) => (outcome) => {
        signal?.removeEventListener('abort', abort);
        how(outcome);
      };
      job.resolve = settle(resolve);
      job.reject = settle(reject);
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.set(job.id, job);
      this.#advance();
    });
  }

  /** Ends everything: what waits, what is under way, and what is yet to be called. */
  end(error = () => closed('worker')) {
    if (this.#ended) return;
    this.#ended = error;
    this.#port.stop();
    const jobs = [this.#running, ...this.#waiting.values()].filter(Boolean);
    this.#waiting.clear();
    this.#running = undefined;
    for (const job of jobs) job.reject(error());
  }

  get ended() {
    return this.#ended !== undefined;
  }

  #advance() {
    while (!this.#running && this.#waiting.size > 0) {
      const job = this.#waiting.get(this.#oldest);
      // One that was called off has left a gap.
      if (job) this.#send(job);
      this.#oldest += 1;
    }
    this.#hold();
  }

  #send(job) {
    this.#waiting.delete(job.id);
    try {
      const { id, operation, given } = job;
      this.#port.post({ id, operation, given }, operation === 'init' ? [] : [given.bytes.buffer]);
      this.#running = job;
    } catch (error) {
      // It cannot be copied, or there is no memory for a copy.
      job.reject(error);
    }
  }

  /** A process must not end while an answer is due, and may end otherwise. */
  #hold() {
    if (!this.#ended) this.#port.hold(this.#running !== undefined || this.#waiting.size > 0);
  }

  #answered({ id, value, error, fatal }) {
    const job = this.#running;
    // What was sent before the end may still arrive after it.
    if (this.#ended || job?.id !== id) return;
    this.#running = undefined;
    if (fatal) {
      job.reject(remade(error));
      this.end(() => new Error('the worker broke down; start another one'));
      return;
    }
    if (error) job.reject(remade(error));
    else job.resolve(unpack(value));
    this.#advance();
  }
}
