// For Node: the module is read from disk while this file is loaded, so that `init` does nothing.

import { readFileSync } from 'node:fs';
import { initSync } from '../dist/certificate.js';
import * as exports from '../dist/certificate.js';
import { certificateApi } from './certificate-api.js';
import { loading } from './loading.js';

const { wasm, loaded } = loading(exports);
initSync({ module: readFileSync(new URL('../dist/certificate_bg.wasm', import.meta.url)) });
loaded();
const init = async () => {};

export default init;
export { init };
export * from './public-errors.js';
export { MAX_MEMBERS, SUITE_NUMBERS, Suite } from './certificate-api.js';
export { VERSION } from './version.js';
export const { ChainId, CommitteeId, PublicKey, SignerSet, Statement, Committee, Certificate, VerifiedCertificate, UntrustedHeader } = certificateApi(wasm).classes;
