/** Cancellation of asynchronous calls. */

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
