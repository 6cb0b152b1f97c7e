// For browsers, workers and bundlers: `await init()` fetches the module.

import load, * as exports from '../dist/quorate.js';
import { provide } from '../dist/whole/backend.js';
import { once } from './loading.js';

const init = once((source) => load(source === undefined ? undefined : { module_or_path: source }), () => provide(exports));

export default init;
export { init };
export * from '../dist/whole/index.js';
