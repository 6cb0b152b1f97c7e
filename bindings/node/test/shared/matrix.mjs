// One language of the cross-language matrix. What it writes and checks is in bindings/interface/operations/matrix.rs.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tests } from '../../../javascript/dist/vector-operations.mjs';
import { support } from './vector-support.mjs';

export const writeMatrix = (q, suite) => tests(q, support(q, true)).operations['matrix.write']({ suite });
export const readMatrix = (q, file) => tests(q, support(q, true)).operations['matrix.read'](file);

/**
 * The program: `matrix.mjs write DIR` writes a file of new objects per suite, `read DIR` reads and checks the files of
 * all languages.
 */
export function runMatrix(q, language, [command, folder]) {
  if (command === 'write' && folder) {
    for (const suite of Object.values(q.Suite)) {
      writeFileSync(join(folder, `${language}-${suite}.json`), `${JSON.stringify(writeMatrix(q, suite), null, 2)}\n`);
    }
  } else if (command === 'read' && folder) {
    const files = readdirSync(folder).filter((name) => name.endsWith('.json')).sort();
    for (const name of files) {
      console.log(name);
      readMatrix(q, JSON.parse(readFileSync(join(folder, name), 'utf8')));
    }
    console.log(`${files.length} files read`);
  } else {
    console.error('usage: node test/matrix.mjs write|read DIR');
    process.exitCode = 2;
  }
}
