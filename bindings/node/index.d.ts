export * from './dist/classes/index.js';
export * as erasure from './types/erasure.js';
export * as threshold from './types/threshold.js';
