export * from './dist/whole/index.js';
export * as erasure from './types/erasure.js';
export * as threshold from './types/threshold.js';
export { default, init } from './init.js';
