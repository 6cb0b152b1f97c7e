// Builds the page into a folder: `node build.mjs [FOLDER]`. The generated committee is made by the Rust program, which the
// environment's ETHEREUM_SYNC names or cargo builds.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));
const program = process.env.ETHEREUM_SYNC;
const [command, ...before] = program ? [program] : ['cargo', 'run', '--quiet', '--package', 'quorate-ethereum-sync', '--'];
execFileSync(command, [...before, 'generate', '--out', 'generated'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });

await build({
  root,
  base: './',
  configFile: false,
  logLevel: 'warn',
  worker: { format: 'es' },
  // Files stay files: a page that allows no `data:` may fetch them.
  build: { outDir: process.argv[2] ?? 'dist', emptyOutDir: true, assetsInlineLimit: 0, target: 'es2022' },
});
