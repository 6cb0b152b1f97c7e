export * from './dist/whole/index.js';
export * as threshold from './types/threshold.js';
export { default, init } from './init.js';
