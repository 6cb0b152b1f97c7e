export * from './dist/classes/index.js';
export * as threshold from './types/threshold.js';
