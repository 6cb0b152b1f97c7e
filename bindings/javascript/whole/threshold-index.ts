/**
 * Threshold cryptography: operations that need t of n members.
 *
 * A trusted dealer generates the keys, and knows them: run it once, offline, and give each member only its own share,
 * sealed ({@link seal}). Shares are verified only when needed, and senders of wrong ones are identified.
 */

export * from './threshold.js';
export * as bls from './threshold_bls.js';
export * as coin from './threshold_coin.js';
export * as ecdsa from './threshold_ecdsa.js';
export * as seal from './threshold_seal.js';
export * as tdh2 from './threshold_tdh2.js';
