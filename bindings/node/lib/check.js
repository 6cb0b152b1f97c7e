'use strict';
// Types and ranges of arguments: a TypeError or RangeError names the argument before any computation.

const { tooLarge } = require('./errors.js');
const { shown } = require('./sealed.js');

const U64 = (1n << 64n) - 1n;
const U128 = (1n << 128n) - 1n;

const byteLength = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'byteLength').get;
const buffer = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'buffer').get;
const tag = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;
const sharedLength =
  typeof SharedArrayBuffer === 'undefined'
    ? undefined
    : Object.getOwnPropertyDescriptor(SharedArrayBuffer.prototype, 'byteLength').get;

function isShared(memory) {
  try {
    sharedLength?.call(memory);
    return sharedLength !== undefined;
  } catch {
    return false;
  }
}

/** Bytes: a Uint8Array of any realm. Memory that other threads can write to is copied. */
function bytes(value, what) {
  // The getters of the prototype ignore the object's own properties.
  if (tag.call(value) !== 'Uint8Array') throw new TypeError(`${what} must be a Uint8Array, not ${shown(value)}`);
  if (byteLength.call(value) === 0) refuseDetached(value, what);
  return isShared(buffer.call(value)) ? new Uint8Array(value) : value;
}

/** A detached array, or one whose buffer has shrunk, looks empty; accepting it would hide a mistake. */
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

const u8 = (value, what) => integer(value, what, 0xff);
const u16 = (value, what) => integer(value, what, 0xffff);
const u32 = (value, what) => integer(value, what, 0xffff_ffff);
const size = (value, what) => integer(value, what, Number.MAX_SAFE_INTEGER);
const u64 = (value, what) => big(value, what, U64, 64);
const u128 = (value, what) => big(value, what, U128, 128);

function string(value, what) {
  if (typeof value !== 'string') throw new TypeError(`${what} must be a string, not ${shown(value)}`);
  return value;
}

function boolean(value, what) {
  if (typeof value !== 'boolean') throw new TypeError(`${what} must be a boolean, not ${shown(value)}`);
  return value;
}

function callable(value, what) {
  if (typeof value !== 'function') throw new TypeError(`${what} must be a function, not ${shown(value)}`);
  return value;
}

const suite = (value) => string(value, 'suite');

/** An options object; `undefined` is an empty one. */
function options(value, what = 'options') {
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
function list(value, what, check, limit) {
  if (value === null || value === undefined || typeof value[Symbol.iterator] !== 'function' || typeof value === 'string') {
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
function pair(value, what, first, second) {
  if (!Array.isArray(value) || value.length !== 2) {
    throw new TypeError(`${what} must be an array of two, not ${shown(value)}`);
  }
  return [first(value[0], `${what}[0]`), second(value[1], `${what}[1]`)];
}

/** Three elements, each of which is checked. */
function triple(value, what, ...checks) {
  if (!Array.isArray(value) || value.length !== 3) {
    throw new TypeError(`${what} must be an array of three, not ${shown(value)}`);
  }
  return checks.map((check, at) => check(value[at], `${what}[${at}]`));
}

const optional = (check) => (value, what) => (value === undefined ? undefined : check(value, what));

module.exports = { bytes, u8, u16, u32, size, u64, u128, string, boolean, callable, suite, options, list, pair, triple, optional };
