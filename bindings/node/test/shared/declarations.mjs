// What index.d.ts declares, with the files whose names it exports as its own.

/** `read` gives the text of a file of the package. */
export function declarations(read) {
  const index = read('index.d.ts');
  const files = [...index.matchAll(/^export \* from '\.\/(.*)\.js';/gm)].map(([, name]) => `${name}.d.ts`);
  return [index, ...files.map(read)].join('\n');
}
