export * from './dist/whole/index.js';
export { default, init } from './init.js';
