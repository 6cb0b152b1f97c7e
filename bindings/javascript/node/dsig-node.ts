export * from './dsig.js';
export { verifyAllAsync } from './async.js';
