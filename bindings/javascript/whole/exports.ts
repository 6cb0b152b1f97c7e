// The exports of the whole package, but for the namespaces that differ between Node and the web.

// Adds methods to classes.
import './raw.js';

export * from './certificate-exports.js';
export { Ciphersuite } from './ciphersuite.js';
export * from './collectors.js';
export * from './evidence.js';
export * from './guard.js';
export { SecretKey, Signature, UnverifiedKey } from './keys.js';
export { Merkle, Path } from './merkle.js';
export { type RawProof } from './raw.js';
export * from './timeouts.js';
export { VerifiedKey } from './verified-key.js';
export * from './votes.js';
export * as erasure from './erasure.js';
export * as gossip from './gossip.js';
export * as sortition from './sortition.js';
export * as wire from './wire.js';

/** Maximum total weight of a committee: 2¹²⁵. */
export const MAX_TOTAL_WEIGHT = 1n << 125n;
/** Maximum number of different values in one timeout certificate. */
export const MAX_TIMEOUT_GROUPS = 1024;
/** Fewer pending votes than this are verified one by one. */
export const DEFAULT_BATCH_THRESHOLD = 2;
