// For browsers, workers and bundlers: `await init()` fetches the module.

import load, * as exports from '../dist/certificate.js';
import { certificateApi } from './certificate-api.js';
import { loading, once } from './loading.js';

const { wasm, loaded } = loading(exports);
const init = once((source) => load(source === undefined ? undefined : { module_or_path: source }), loaded);

export default init;
export { init };
export * from './public-errors.js';
export { MAX_MEMBERS, SUITE_NUMBERS, Suite } from './certificate-api.js';
export { VERSION } from './version.js';
export const { ChainId, CommitteeId, PublicKey, SignerSet, Statement, Committee, Certificate, VerifiedCertificate, UntrustedHeader } = certificateApi(wasm).classes;
