// The exports of the module of certificates, which the whole package has too.

// Adds methods to classes.
import './forms.js';

export * from '../common/public-errors.js';
export { VERSION } from '../common/version.js';
export { Certificate, VerifiedCertificate } from './certificates.js';
export { Committee, MAX_MEMBERS, MAX_TOTAL_WEIGHT } from './committee.js';
export { type RawSigners, type Verified } from './forms.js';
export { UntrustedHeader } from './header.js';
export { ChainId, CommitteeId } from './ids.js';
export { PublicKey } from './keys.js';
export { SignerSet } from './signers.js';
export { Statement } from './statement.js';
export { SUITE_NUMBERS, Suite } from './suites.js';
