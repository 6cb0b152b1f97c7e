// The declarations of a file of the package, with the files whose names it re-exports.

/** `read` returns the text of a file of the package, by its path. */
export function declarations(read, file = 'index.d.ts') {
  const text = read(file);
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  const files = [...text.matchAll(/^export \* from '\.\/(.*)\.js';/gm)].map(([, name]) => `${folder}${name}.d.ts`);
  return [text, ...files.map(read)].join('\n');
}
