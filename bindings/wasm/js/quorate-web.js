// For browsers, workers and bundlers: `await init()` fetches the module.

import load, * as exports from '../dist/quorate.js';
import { fullApi } from './full-api.js';
import { loading, once } from './loading.js';

const { wasm, loaded } = loading(exports);
const init = once((source) => load(source === undefined ? undefined : { module_or_path: source }), loaded);

export default init;
export { init };
export * from './public-errors.js';
export { MAX_MEMBERS, SUITE_NUMBERS, Suite } from './certificate-api.js';
export { MAX_TOTAL_WEIGHT, MAX_TIMEOUT_GROUPS, DEFAULT_BATCH_THRESHOLD } from './full-api.js';
export { VERSION } from './version.js';
export const { ChainId, CommitteeId, PublicKey, SignerSet, Statement, Committee, Certificate, VerifiedCertificate, Ciphersuite, UntrustedHeader, SecretKey, Signature, UnverifiedKey, VerifiedKey, Vote, VerifiedVote, Suspects, VoteCollector, TimeoutVote, VerifiedTimeoutVote, TimeoutCollector, TimeoutCertificate, VerifiedTimeoutCertificate, Equivocation, VerifiedEquivocation, Conflict, VerifiedConflict, Guard, GuardRecord, Merkle, Path, bls, dsig, erasure, gossip, sortition, threshold, wire } = fullApi(wasm);
