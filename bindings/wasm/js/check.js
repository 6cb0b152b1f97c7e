// Types and ranges of arguments: a TypeError or RangeError names the argument before any computation.

import { tooLarge } from './errors.js';

const U64 = (1n << 64n) - 1n;
const U128 = (1n << 128n) - 1n;
/** Bytes are copied into the module's memory, which is limited. */
export const MAX_BYTES = 1 << 28;

const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
const getter = (name) => Object.getOwnPropertyDescriptor(typedArray, name).get;
const lengthOf = getter('length');
const bufferOf = getter('buffer');
const offsetOf = getter('byteOffset');
const tagOf = getter(Symbol.toStringTag);

/** The bytes of a Uint8Array of any realm, as a plain array on the same memory. */
export function bytes(value, what) {
  // The getters of the prototype ignore the object's own properties.
  if (tagOf.call(value) !== 'Uint8Array') throw new TypeError(`${what} must be a Uint8Array, not ${shown(value)}`);
  const length = lengthOf.call(value);
  if (length === 0) refuseDetached(value, what);
  if (length > MAX_BYTES) throw tooLarge(what, MAX_BYTES);
  // The copy into the module reads the array's length twice and trusts both results. This array's length is fixed: it
  // has no user-defined getter, and does not grow with its buffer.
  return new Uint8Array(bufferOf.call(value), offsetOf.call(value), length);
}

/** A detached array looks empty; accepting it would hide a mistake. */
function refuseDetached(value, what) {
  try {
    Uint8Array.prototype.indexOf.call(value, 0);
  } catch {
    throw new TypeError(`${what} is detached or out of bounds of its buffer: it was transferred, or the buffer shrunk`);
  }
}

function integer(value, what, limit) {
  if (typeof value !== 'number') throw new TypeError(`${what} must be a number, not ${shown(value)}`);
  if (!Number.isInteger(value) || value < 0 || value > limit) {
    throw new RangeError(`${what} must be an integer from 0 to ${limit}, not ${value}`);
  }
  return value;
}

function big(value, what, limit, bits) {
  if (typeof value !== 'bigint') {
    const hint = typeof value === 'number' && Number.isInteger(value) ? `; write ${value}n` : '';
    throw new TypeError(`${what} must be a bigint, not ${shown(value)}${hint}`);
  }
  if (value < 0n || value > limit) throw new RangeError(`${what} must be an unsigned integer of ${bits} bits`);
  return value;
}

export const u8 = (value, what) => integer(value, what, 0xff);
export const u16 = (value, what) => integer(value, what, 0xffff);
export const u32 = (value, what) => integer(value, what, 0xffff_ffff);
/** A length: memory ends at 32 bits, so larger values are clamped. */
export const size = (value, what) => Math.min(integer(value, what, Number.MAX_SAFE_INTEGER), 0xffff_ffff);
export const u64 = (value, what) => big(value, what, U64, 64);
export const u128 = (value, what) => big(value, what, U128, 128);

export function string(value, what) {
  if (typeof value !== 'string') throw new TypeError(`${what} must be a string, not ${shown(value)}`);
  if (value.length > MAX_BYTES) throw tooLarge(what, MAX_BYTES);
  return value;
}

export function boolean(value, what) {
  if (typeof value !== 'boolean') throw new TypeError(`${what} must be a boolean, not ${shown(value)}`);
  return value;
}

export function callable(value, what) {
  if (typeof value !== 'function') throw new TypeError(`${what} must be a function, not ${shown(value)}`);
  return value;
}

export const suite = (value) => string(value, 'suite');

/** An options object; `undefined` is an empty one. */
export function options(value, what = 'options') {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null) throw new TypeError(`${what} must be an object, not ${shown(value)}`);
  return value;
}

/** Maximum number of items of a list without a limit of its own: four million. */
const MANY = 1 << 22;

/**
 * The checked items of an iterable. With a `limit`, at most one item more is read, so that the core reports the error;
 * without one, more than four million are rejected.
 */
export function list(value, what, check, limit) {
  if (value === null || value === undefined || typeof value === 'string' || typeof value[Symbol.iterator] !== 'function') {
    throw new TypeError(`${what} must be iterable, not ${shown(value)}`);
  }
  const items = [];
  for (const item of value) {
    if (items.length > limit) break;
    if (limit === undefined && items.length === MANY) throw tooLarge(what, MANY);
    items.push(check(item, `${what}[${items.length}]`));
  }
  return items;
}

/** A pair whose two elements are checked. */
export function pair(value, what, first, second) {
  if (!Array.isArray(value) || value.length !== 2) {
    throw new TypeError(`${what} must be an array of two, not ${shown(value)}`);
  }
  return [first(value[0], `${what}[0]`), second(value[1], `${what}[1]`)];
}

/** Three elements, each of which is checked. */
export function triple(value, what, ...checks) {
  if (!Array.isArray(value) || value.length !== 3) {
    throw new TypeError(`${what} must be an array of three, not ${shown(value)}`);
  }
  return checks.map((check, at) => check(value[at], `${what}[${at}]`));
}

export const optional = (check) => (value, what) => (value === undefined ? undefined : check(value, what));

/** Describes a value in an error message by its type, never by its content. */
export function shown(value) {
  if (value === null) return 'null';
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object') return typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`;
  let name;
  try {
    name = value.constructor?.name;
  } catch {
    // A user's getter or proxy threw; its error is not reported.
  }
  return typeof name === 'string' && name !== '' ? `an object of class ${name}` : 'an object';
}
