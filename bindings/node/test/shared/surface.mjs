// Compares a package with its declarations: every declared name exists, and no other name is exported.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The names of the members of an object, and of those that it inherits from, except from `Object`. */
function members(object, isHidden) {
  const names = new Set();
  for (let at = object; at && at !== Object.prototype && at !== Function.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at).filter((name) => !isHidden(name))) names.add(JSON.stringify(name));
  }
  for (const name of ['iterator', 'dispose']) {
    if ((Symbol[name] ?? Symbol.for(`Symbol.${name}`)) in object) names.add(`[Symbol.${name}]`);
  }
  return [...names];
}

/** Lines of TypeScript, each of which compiles only if a type has exactly the names of a value of the package. */
function* lines(value, type) {
  const same = (of, names) => `({ ${names.map((name) => `${name}: 0`).join(', ')} }) satisfies Record<keyof ${of}, 0>;`;
  if (typeof value === 'object' && !Array.isArray(value)) {
    yield same(`typeof ${type}`, Object.keys(value).map((name) => JSON.stringify(name)));
    for (const [name, one] of Object.entries(value)) {
      if (/^\w+$/.test(name) && name !== 'default') yield* lines(one, `${type}.${name}`);
    }
  } else if (value?.prototype && /^class/.test(value) && !(value.prototype instanceof Error)) {
    yield same(type, members(value.prototype, (name) => name === 'constructor'));
    yield same(`typeof ${type}`, [...members(value, (name) => ['length', 'name'].includes(name))]);
  }
}

/** Throws an error that names the differences between a package and a file of declarations in its folder. */
export function compareSurface(q, folder, file) {
  const path = (name) => fileURLToPath(new URL(name, folder));
  const program = path(`dist/surface-${file}.ts`);
  writeFileSync(program, [`import * as q from '../${file}.js';`, ...lines({ ...q }, 'q'), ''].join('\n'));
  const options = ['--noEmit', '--strict', '--ignoreConfig', '--target', 'es2022', '--module', 'nodenext'];
  options.push('--lib', 'es2022,esnext.disposable', '--types', '');
  try {
    execFileSync(process.execPath, [path('node_modules/typescript/bin/tsc'), ...options, program], { encoding: 'utf8' });
  } catch (error) {
    throw new Error(error.stdout, { cause: error });
  } finally {
    rmSync(program);
  }
}
