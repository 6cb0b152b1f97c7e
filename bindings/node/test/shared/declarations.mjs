// The declarations of index.d.ts, with the files whose names it re-exports.

/** `read` returns the text of a file of the package. */
export function declarations(read) {
  const index = read('index.d.ts');
  const files = [...index.matchAll(/^export \* from '\.\/(.*)\.js';/gm)].map(([, name]) => `${name}.d.ts`);
  return [index, ...files.map(read)].join('\n');
}
