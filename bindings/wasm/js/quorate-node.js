// For Node: the module is read from disk while this file is loaded, so that `init` does nothing.

import { readFileSync } from 'node:fs';
import { initSync } from '../dist/quorate.js';
import * as exports from '../dist/quorate.js';
import { fullApi } from './full-api.js';
import { loading } from './loading.js';

const { wasm, loaded } = loading(exports);
initSync({ module: readFileSync(new URL('../dist/quorate_bg.wasm', import.meta.url)) });
loaded();
const init = async () => {};

export default init;
export { init };
export * from './public-errors.js';
export { MAX_MEMBERS, SUITE_NUMBERS, Suite } from './certificate-api.js';
export { MAX_TOTAL_WEIGHT, MAX_TIMEOUT_GROUPS, DEFAULT_BATCH_THRESHOLD } from './full-api.js';
export { VERSION } from './version.js';
export const { ChainId, CommitteeId, PublicKey, SignerSet, Statement, Committee, Certificate, VerifiedCertificate, Ciphersuite, UntrustedHeader, SecretKey, Signature, UnverifiedKey, VerifiedKey, Vote, VerifiedVote, Suspects, VoteCollector, TimeoutVote, VerifiedTimeoutVote, TimeoutCollector, TimeoutCertificate, VerifiedTimeoutCertificate, Equivocation, VerifiedEquivocation, Conflict, VerifiedConflict, Guard, GuardRecord, Merkle, Path, bls, dsig, erasure, gossip, sortition, threshold, wire } = fullApi(wasm);
