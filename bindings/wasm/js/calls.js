// Calls to another thread: one is in progress at a time; the others wait here and can be cancelled.

import { closed, tooLarge } from '../dist/common/errors.js';
import { recreatedError } from '../dist/whole/worker-classes.js';
import { pack, unpack } from './packing.js';

/** Maximum number of waiting calls; a caller that exceeds it gets an error. */
export const MAX_WAITING = 16_384;

export class Calls {
  #port;
  /** By number, ascending from the oldest. */
  #waiting = new Map();
  /** The call in progress; initially, the start of the other thread. */
  #running = { id: 0, resolve() {}, reject() {} };
  #oldest = 1;
  #next = 1;
  /** Creates the error of all later calls, once the other thread has ended. */
  #ended;

  constructor(port) {
    this.#port = port;
    port.listen(
      (answer) => this.#answered(answer),
      (reason) => this.end(() => new Error(`the worker does not work: ${reason}; start another one`)),
    );
  }

  /** Returns a promise of the answer. `discard` receives an answer that arrives after the call was cancelled. */
  call(operation, given, signal, discard) {
    if (this.#ended) return Promise.reject(this.#ended());
    if (signal?.aborted) return Promise.reject(signal.reason);
    // A release is never rejected: the Worker would hold the object forever.
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

  /** Ends all calls: waiting ones, the one in progress, and later ones. */
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
      // A cancelled call has left a gap.
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
      // It cannot be copied, or memory for a copy is lacking.
      job.reject(error);
    }
  }

  /** The process must stay alive while an answer is pending, and only then. */
  #hold() {
    if (!this.#ended) this.#port.hold(this.#running !== undefined || this.#waiting.size > 0);
  }

  #answered({ id, value, error, fatal }) {
    const job = this.#running;
    // A message sent before the end may arrive after it.
    if (this.#ended || job?.id !== id) return;
    this.#running = undefined;
    if (fatal) {
      job.reject(recreatedError(error));
      this.end(() => new Error('the worker broke down; start another one'));
      return;
    }
    if (error) job.reject(recreatedError(error));
    else job.resolve(unpack(value));
    this.#advance();
  }
}
