'use strict';
// Work off the main thread that an AbortSignal can cancel.

const native = require('./native.js');
const { options } = require('./check.js');
const { shown } = require('./sealed.js');

/** As in Node: `name` AbortError, `code` ABORT_ERR, `cause` the signal's reason. */
class AbortError extends Error {
  constructor(reason) {
    super('The operation was aborted', { cause: reason });
    this.code = 'ABORT_ERR';
  }
}
Object.defineProperty(AbortError.prototype, 'name', { value: 'AbortError', writable: true, configurable: true });

function signalOf(given) {
  const { signal } = options(given);
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
async function offThread(given, begin, finish = (result) => result) {
  const signal = signalOf(given);
  if (signal === undefined) return finish(await begin(undefined));
  if (signal.aborted) throw new AbortError(signal.reason);
  const flag = native.flagNew();
  const work = begin(flag);
  let onAbort;
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

module.exports = { offThread };
