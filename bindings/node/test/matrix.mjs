// One language of the cross-language matrix: `node test/matrix.mjs write DIR` writes a file of new objects per suite,
// `read DIR` reads and checks the files of all languages. As core/examples/matrix.rs.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as quorate from 'quorate';
import { readMatrix, writeMatrix } from './shared/matrix.mjs';

const [, , command, folder] = process.argv;
if (command === 'write' && folder) {
  for (const suite of Object.values(quorate.Suite)) {
    writeFileSync(join(folder, `node-${suite}.json`), `${JSON.stringify(writeMatrix(quorate, suite), null, 2)}\n`);
  }
} else if (command === 'read' && folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json')).sort();
  for (const name of files) {
    console.log(name);
    readMatrix(quorate, JSON.parse(readFileSync(join(folder, name), 'utf8')));
  }
  console.log(`${files.length} files read`);
} else {
  console.error('usage: node test/matrix.mjs write|read DIR');
  process.exitCode = 2;
}
