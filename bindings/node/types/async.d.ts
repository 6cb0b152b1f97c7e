/** How asynchronous calls are called off. */

/** How an asynchronous call can be called off. */
export interface AsyncOptions {
  /**
   * Rejects the promise with an `AbortError` (`code` `"ABORT_ERR"`, `cause` the signal's reason). Work that is still
   * queued is then not done; work that has begun runs to its end unseen. Any `AbortSignal` fits.
   */
  readonly signal?: AbortSignalLike | undefined;
}

/** The part of `AbortSignal` that is used, so that neither DOM nor Node types are needed. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason?: any;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
