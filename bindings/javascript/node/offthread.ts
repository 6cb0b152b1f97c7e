// Work off the main thread that an AbortSignal can cancel.

import { type AbortSignalLike, signalOf } from '../common/signal.js';
import { native } from './backend.js';
import type { Raw } from './handle.js';

/** Cancellation of an asynchronous call. */
export interface AsyncOptions {
  /**
   * Aborting it rejects the promise with an `AbortError` (`code` `"ABORT_ERR"`, `cause` the signal's reason). Queued
   * work is then skipped; work in progress runs to its end, and its result is dropped. Any `AbortSignal` is accepted.
   */
  readonly signal?: AbortSignalLike | undefined;
}

/** As in Node: `name` AbortError, `code` ABORT_ERR, `cause` the signal's reason. */
class AbortError extends Error {
  code = 'ABORT_ERR';
  constructor(reason: unknown) {
    super('The operation was aborted', { cause: reason });
  }
}
Object.defineProperty(AbortError.prototype, 'name', { value: 'AbortError', writable: true, configurable: true });

/**
 * A promise of native work. `begin` checks the arguments and calls the native function with a flag that cancels queued
 * work; `finish` converts its result. Wrong arguments also reject the promise.
 */
export async function offThread<T>(
  options: unknown,
  begin: (flag: Raw) => Promise<Raw>,
  finish: (result: Raw) => T = (result) => result,
): Promise<T> {
  const signal = signalOf(options);
  if (signal === undefined) return finish(await begin(undefined));
  if (signal.aborted) throw new AbortError(signal.reason);
  const flag = native.flagNew();
  const work = begin(flag);
  let onAbort = () => {};
  const aborted = new Promise((_, reject) => {
    onAbort = () => {
      native.flagRaise(flag);
      reject(new AbortError(signal.reason));
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return finish(await Promise.race([work, aborted]));
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
