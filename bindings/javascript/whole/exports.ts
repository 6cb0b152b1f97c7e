// The exports of the whole package.

export * from './certificate-exports.js';
export { Ciphersuite } from './ciphersuite.js';
export * from './collectors.js';
export * from './evidence.js';
export * from './faults.js';
export * from './guard.js';
export { SecretKey, Signature, UnverifiedKey, VerifiedKey } from './keys.js';
export * from './light.js';
export { Merkle, Path } from './merkle.js';
export { Suspects } from './signers.js';
export * from './timeouts.js';
export * from './votes.js';
export type { CollectorOptions, RawProof } from './types.js';
export * as bls from './bls.js';
export * as dsig from './dsig.js';
export * as erasure from './erasure.js';
export * as gossip from './gossip.js';
export * as sortition from './sortition.js';
export * as threshold from './threshold-index.js';
export * as wire from './wire.js';
