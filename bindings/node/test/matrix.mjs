// The matrix of languages in Node.
import * as quorate from 'quorate';
import { runMatrix } from './shared/matrix.mjs';

runMatrix(quorate, 'node', process.argv.slice(2));
