// Work off the main thread that an AbortSignal can cancel.

import * as check from '../common/check.js';
import { shown } from '../common/shown.js';
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

/** The part of `AbortSignal` that this package uses, so that neither DOM nor Node types are needed. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason?: any;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** As in Node: `name` AbortError, `code` ABORT_ERR, `cause` the signal's reason. */
class AbortError extends Error {
  code = 'ABORT_ERR';
  constructor(reason: unknown) {
    super('The operation was aborted', { cause: reason });
  }
}
Object.defineProperty(AbortError.prototype, 'name', { value: 'AbortError', writable: true, configurable: true });

function signalOf(given: unknown): AbortSignalLike | undefined {
  const { signal } = check.options(given);
  if (signal === undefined) return undefined;
  const fits =
    typeof signal === 'object' &&
    signal !== null &&
    typeof signal.aborted === 'boolean' &&
    typeof signal.addEventListener === 'function' &&
    typeof signal.removeEventListener === 'function';
  if (!fits) throw new TypeError(`options.signal must be an AbortSignal, not ${shown(signal)}`);
  return signal;
}

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
