// For Node: the module is read from disk while this file is loaded, so that `init` does nothing.

import { readFileSync } from 'node:fs';
import { initSync } from '../dist/quorate.js';
import * as exports from '../dist/quorate.js';
import { provide } from '../dist/whole/backend.js';

initSync({ module: readFileSync(new URL('../dist/quorate_bg.wasm', import.meta.url)) });
provide(exports);
const init = async () => {};

export default init;
export { init };
export * from '../dist/whole/index.js';
