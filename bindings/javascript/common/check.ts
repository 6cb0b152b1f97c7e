// Types and ranges of arguments: a TypeError or RangeError names the argument before any computation.

import { tooLarge } from './errors.js';
import { MAX_BYTES, MAX_SIZE, plain } from './platform.js';
import { shown } from './shown.js';

/** Checks an argument that `what` names and returns it. */
export type Check<T> = (value: any, what: string) => T;

const U64 = (1n << 64n) - 1n;
const U128 = (1n << 128n) - 1n;

const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
const getter = (name: string | symbol) => Object.getOwnPropertyDescriptor(typedArray, name)!.get!;
const lengthOf = getter('length');
const tagOf = getter(Symbol.toStringTag);

/** Bytes: a Uint8Array of any realm. */
export function bytes(value: any, what: string): Uint8Array {
  // The getters of the prototype ignore the object's own properties.
  if (tagOf.call(value) !== 'Uint8Array') throw new TypeError(`${what} must be a Uint8Array, not ${shown(value)}`);
  const length = lengthOf.call(value);
  if (length === 0) refuseDetached(value, what);
  if (length > MAX_BYTES) throw tooLarge(what, MAX_BYTES);
  return plain(value);
}

/** A detached array, or one whose buffer has shrunk, looks empty; accepting it would hide a mistake. */
function refuseDetached(value: Uint8Array, what: string): void {
  try {
    Uint8Array.prototype.indexOf.call(value, 0);
  } catch {
    throw new TypeError(`${what} is detached or out of bounds of its buffer: it was transferred, or the buffer shrunk`);
  }
}

function integer(value: any, what: string, limit: number): number {
  if (typeof value !== 'number') throw new TypeError(`${what} must be a number, not ${shown(value)}`);
  if (!Number.isInteger(value) || value < 0 || value > limit) {
    throw new RangeError(`${what} must be an integer from 0 to ${limit}, not ${value}`);
  }
  return value;
}

function big(value: any, what: string, limit: bigint, bits: number): bigint {
  if (typeof value !== 'bigint') {
    const hint = typeof value === 'number' && Number.isInteger(value) ? `; write ${value}n` : '';
    throw new TypeError(`${what} must be a bigint, not ${shown(value)}${hint}`);
  }
  if (value < 0n || value > limit) throw new RangeError(`${what} must be an unsigned integer of ${bits} bits`);
  return value;
}

export const u8: Check<number> = (value, what) => integer(value, what, 0xff);
export const u16: Check<number> = (value, what) => integer(value, what, 0xffff);
export function nonZeroU16(value: any, what: string): number {
  const number = u16(value, what);
  if (number === 0) throw new RangeError(`${what} must be an integer from 1 to 65535, not 0`);
  return number;
}
export const u32: Check<number> = (value, what) => integer(value, what, 0xffff_ffff);
/** A length in memory; larger values are clamped to the largest that the backend can represent. */
export const size: Check<number> = (value, what) => Math.min(integer(value, what, Number.MAX_SAFE_INTEGER), MAX_SIZE);
/** A length in bytes; larger values are clamped to 2³² − 1, which exceeds every limit of the core. */
export const length: Check<number> = (value, what) => Math.min(integer(value, what, Number.MAX_SAFE_INTEGER), 0xffff_ffff);
export const u64: Check<bigint> = (value, what) => big(value, what, U64, 64);
export const u128: Check<bigint> = (value, what) => big(value, what, U128, 128);

export function string(value: any, what: string): string {
  if (typeof value !== 'string') throw new TypeError(`${what} must be a string, not ${shown(value)}`);
  if (value.length > MAX_BYTES) throw tooLarge(what, MAX_BYTES);
  return value;
}

export function boolean(value: any, what: string): boolean {
  if (typeof value !== 'boolean') throw new TypeError(`${what} must be a boolean, not ${shown(value)}`);
  return value;
}

export function callable<T>(value: T, what: string): T {
  if (typeof value !== 'function') throw new TypeError(`${what} must be a function, not ${shown(value)}`);
  return value;
}

export const suite = (value: any): string => string(value, 'suite');

/** An options object; `undefined` is an empty one. */
export function options(value: any, what = 'options'): any {
  return value === undefined ? {} : object(value, what);
}

/** An object whose fields are read. */
export function object(value: any, what: string): any {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${what} must be an object, not ${shown(value)}`);
  return value;
}

/** Maximum number of items of a list without a limit of its own: four million. */
const MANY = 1 << 22;

/**
 * The checked items of an iterable. With a `limit`, at most one item more is read, so that the core reports the error;
 * without one, more than four million are rejected.
 */
export function list<T>(value: any, what: string, check: Check<T>, limit?: number): T[] {
  if (value === null || value === undefined || typeof value === 'string' || typeof value[Symbol.iterator] !== 'function') {
    throw new TypeError(`${what} must be iterable, not ${shown(value)}`);
  }
  const items: T[] = [];
  for (const item of value) {
    if (limit !== undefined && items.length > limit) break;
    if (limit === undefined && items.length === MANY) throw tooLarge(what, MANY);
    items.push(check(item, `${what}[${items.length}]`));
  }
  return items;
}

/** The check of one part of each item of a list, and the conversion of the list of these parts. */
export type Column = readonly [check: Check<any>, convert?: (parts: any[]) => unknown];

/**
 * The parts of the items of a list, a list of each part; `limit` as in {@link list}. They are checked after the caller's
 * iterator has run, which may have freed objects or detached bytes.
 */
export function columns(value: any, what: string, limit: number | undefined, ...parts: Column[]): unknown[] {
  const rows = list(value, what, (item, name) => tuple(item, name, parts.length), limit);
  const checked = parts.map(([check], at) => rows.map((row, line) => check(row[at], `${what}[${line}][${at}]`)));
  const total = checked.flat().reduce((sum, part) => sum + (part instanceof Uint8Array ? part.length : 0), 0);
  if (total > MAX_BYTES) throw tooLarge(what, MAX_BYTES);
  return checked.map((column, at) => parts[at]![1]?.(column) ?? column);
}

function tuple(value: any, what: string, length: number): any[] {
  if (!Array.isArray(value) || value.length !== length) {
    throw new TypeError(`${what} must be an array of ${['two', 'three'][length - 2]}, not ${shown(value)}`);
  }
  return value;
}

/** A pair whose two elements are checked. */
export function pair<A, B>(value: any, what: string, first: Check<A>, second: Check<B>): [A, B] {
  tuple(value, what, 2);
  return [first(value[0], `${what}[0]`), second(value[1], `${what}[1]`)];
}

/** Three elements, each of which is checked. */
export function triple<A, B, C>(value: any, what: string, a: Check<A>, b: Check<B>, c: Check<C>): [A, B, C] {
  tuple(value, what, 3);
  return [a(value[0], `${what}[0]`), b(value[1], `${what}[1]`), c(value[2], `${what}[2]`)];
}

export const optional =
  <T>(check: Check<T>): Check<T | undefined> =>
  (value, what) => (value === undefined ? undefined : check(value, what));
