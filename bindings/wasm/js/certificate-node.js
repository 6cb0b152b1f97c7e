// For Node: the module is read from disk while this file is loaded, so that `init` does nothing.

import { readFileSync } from 'node:fs';
import { initSync } from '../dist/certificate.js';
import * as exports from '../dist/certificate.js';
import { provide } from '../dist/certificate/backend.js';

initSync({ module: readFileSync(new URL('../dist/certificate_bg.wasm', import.meta.url)) });
provide(exports);
const init = async () => {};

export default init;
export { init };
export * from '../dist/certificate/certificate.js';
