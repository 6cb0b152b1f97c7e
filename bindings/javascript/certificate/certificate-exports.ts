// The exports of the module of certificates, which the whole package has too.

export { MAX_MEMBERS } from '../common/constants.js';
export * from '../common/public-errors.js';
export { VERSION } from '../common/version.js';
export { Certificate, VerifiedCertificate } from './certificates.js';
export { Committee, type RawSigners } from './committee.js';
export { UntrustedHeader } from './header.js';
export { ChainId, CommitteeId } from './ids.js';
export { PublicKey } from './public-key.js';
export { SignerSet } from './signers.js';
export { Statement, type Verified } from './statement.js';
export { SUITE_NUMBERS, Suite } from './suites.js';
