import { readmeTests } from './shared/readme.mjs';

readmeTests(new URL('..', import.meta.url), 'quorate', 'true\n');
