// The WebAssembly module, with the functions of the native library: a method of one of its classes is a function here.

import { QuorateError } from '../common/errors.js';

/** The functions of a backend, by their names. */
export type Backend = Record<string, (...values: any[]) => any>;

const notLoaded = () => new Error('quorate-wasm is not loaded yet: `await init()` first');

/** The functions of the backend. */
export let native: Backend = new Proxy<Backend>(
  {},
  {
    get() {
      throw notLoaded();
    },
  },
);

const waiting: (() => void)[] = [];

/** Runs a function once the backend can be called. */
export const whenLoaded = (run: () => void): void => void waiting.push(run);

/** Uses a loaded module. */
export function provide(exports: any): void {
  native = { ...methods(exports), handleFree };
  for (const run of waiting.splice(0)) run();
}

/** A consumed object has no pointer. */
const handleFree = (raw: any): void => raw.__wbg_ptr && raw.free();

/** The error among results, if this is one. */
export const errorOf = (value: unknown): QuorateError | undefined => (value instanceof QuorateError ? value : undefined);

/** A list of byte strings for the backend. */
export const byteStrings = (list: Uint8Array[]): unknown => filled(native.byteStringsEmpty(), list);

/** Lists of numbers, if there are any, for the backend. */
export const numberLists = (lists: number[][] = []): unknown => filled(native.numberListsEmpty!(), lists);

/** A list of objects of the module's class `name` for the backend. */
export const objects = (name: string, handles: unknown[]): unknown => filled(native[`${name}ListEmpty`]!(), handles);

/** As {@link objects}, of one class. */
export const objectsOf = (name: string) => (handles: unknown[]) => objects(name, handles);

/** A list of integers of 128 bits for the backend. */
export const wide = (list: bigint[]): unknown =>
  BigUint64Array.from(list.flatMap((value) => [value & 0xffff_ffff_ffff_ffffn, value >> 64n]));

/** An object of the module's class `name`, or none, for the backend: a list of at most one. */
export const optionalObject = (name: string, handle: unknown): unknown =>
  objects(name, handle === undefined ? [] : [handle]);

/** Fills a list of the module with the items of columns; it is freed if an item is rejected. */
export function filled(raw: any, ...columns: any[][]): any {
  try {
    columns[0]!.forEach((_, at) => raw.add(...columns.map((column) => column[at])));
  } catch (error) {
    raw.free();
    throw error;
  }
  return raw;
}

const camel = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
/** The methods among the properties of a class or of its prototype. */
const methodsOf = (object: any, others: string[]): string[] =>
  Object.getOwnPropertyNames(object ?? {}).filter((name) => !others.includes(name) && !name.startsWith('__'));

/** `Vote.prototype.encode_link` as `voteEncodeLink(vote)`, `Vote.decode` as `voteDecode(…)`, and each function. */
function methods(exports: any): Backend {
  const all: Backend = {};
  for (const [name, value] of Object.entries<any>(exports)) {
    if (typeof value !== 'function') continue;
    all[camel(name)] = value;
    const prefix = name.charAt(0).toLowerCase() + name.slice(1);
    const named = (method: string) => prefix + camel(`_${method}`);
    for (const method of methodsOf(value, ['length', 'name', 'prototype'])) {
      all[named(method)] = (...given) => value[method](...given);
    }
    for (const method of methodsOf(value.prototype, ['constructor', 'free'])) {
      all[named(method)] = (self, ...given) => self[method](...given);
    }
  }
  return all;
}
