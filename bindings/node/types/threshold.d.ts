/**
 * Threshold cryptography: operations that need t of n members.
 *
 * A trusted dealer generates the keys, and knows them: run it once, offline, and give each member only its own share,
 * sealed ({@link seal}). Shares are verified only when needed, and senders of wrong ones are identified.
 */

export * from './threshold/common.js';
export * as bls from './threshold/bls.js';
export * as coin from './threshold/coin.js';
export * as ecdsa from './threshold/ecdsa.js';
export * as seal from './threshold/seal.js';
export * as tdh2 from './threshold/tdh2.js';
