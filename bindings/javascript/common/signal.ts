// Cancellation of calls by an AbortSignal.

import { options } from './check.js';
import { shown } from './shown.js';

/** The part of `AbortSignal` that this package uses, so that neither DOM nor Node types are needed. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason?: any;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The signal among the options of a call. */
export function signalOf(given: unknown): AbortSignalLike | undefined {
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
