// The tests of both packages for JavaScript.

import * as quorate from 'quorate-wasm';
import { sharedTests } from '../../node/test/shared/all.mjs';

sharedTests(quorate, new URL('../', import.meta.url), 'dist/whole');
