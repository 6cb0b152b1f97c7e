import * as check from '../common/check.js';

/** A time for the backend: microseconds, by default of the system's clock. */
export const time = (now: unknown = BigInt(Date.now()) * 1000n, what = 'now'): bigint => check.u64(now, what);
