export * from './bls.js';
export { aggregateVerifyAsync, fastAggregateVerifyAsync } from './async.js';
