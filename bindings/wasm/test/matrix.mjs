// The matrix of languages in WebAssembly.
import * as quorate from 'quorate-wasm';
import { runMatrix } from '../../node/test/shared/matrix.mjs';

runMatrix(quorate, 'wasm', process.argv.slice(2));
