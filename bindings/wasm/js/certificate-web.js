// For browsers, workers and bundlers: `await init()` fetches the module.

import load, * as exports from '../dist/certificate.js';
import { provide } from '../dist/certificate/backend.js';
import { once } from './loading.js';

const init = once((source) => load(source === undefined ? undefined : { module_or_path: source }), () => provide(exports));

export default init;
export { init };
export * from '../dist/certificate/certificate.js';
