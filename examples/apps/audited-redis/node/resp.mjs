// RESP2, as far as a client needs it: the one encoding of a command, and replies with caps and without recursion.
import { BadInput, RedisError } from './failure.mjs';

/**
 * A part of a command; text is UTF-8, a number decimal.
 * @typedef {string | Uint8Array | number | bigint} Word
 */
/**
 * What Redis answered: a simple string is a string, a bulk string a `Buffer`, what is not there `null`, and an integer
 * a number, or a bigint if it is too large for one.
 * @typedef {string | Buffer | number | bigint | null | RedisError | Reply[]} Reply
 */

export const MAX_COMMAND = 8 << 20;
export const MAX_ARGUMENTS = 1 << 16;
export const MAX_DEPTH = 32;
export const MAX_LINE = 1 << 16;
/** An item may take three bytes on the way and a hundred here. */
export const MAX_ITEMS = 1 << 20;

const [CR, LF] = [13, 10];

/** Bytes that are not what they should be. */
export class Malformed extends Error {}

/**
 * The bytes that are signed, logged, and sent to Redis.
 *
 * @param {readonly Word[]} words
 * @returns {Buffer}
 */
export function encodeCommand(words) {
  if (words.length < 1 || words.length > MAX_ARGUMENTS) {
    throw new BadInput(`a command has 1 to ${MAX_ARGUMENTS} words, not ${words.length}`);
  }
  /** @type {Uint8Array[]} */
  const parts = [Buffer.from(`*${words.length}\r\n`)];
  let size = parts[0].length;
  for (const word of words) {
    const data = bytes(word);
    const head = Buffer.from(`$${data.length}\r\n`);
    size += head.length + data.length + 2;
    if (size > MAX_COMMAND) throw new BadInput(`a command has at most ${MAX_COMMAND} bytes; divide it`);
    parts.push(head, data, Buffer.from('\r\n'));
  }
  return Buffer.concat(parts);
}

/** @param {Word} word */
function bytes(word) {
  if (typeof word === 'string') return Buffer.from(word);
  if (typeof word === 'bigint' || Number.isSafeInteger(word)) return Buffer.from(String(word));
  if (word instanceof Uint8Array) return word;
  throw new TypeError('a word of a command is a string, a Uint8Array or an integer');
}

/**
 * Reads a reply that fills `data` exactly.
 *
 * @param {Buffer} data
 * @returns {Reply}
 */
export function parseReply(data) {
  let at = 0;
  let items = 0;
  /** @type {{ array: Reply[], wanted: number }[]} */
  const open = [];
  for (;;) {
    const end = lineEnd(data, at);
    const [kind, text] = [String.fromCharCode(data[at]), data.subarray(at + 1, end)];
    at = end + 2;
    items += 1;
    if (items > MAX_ITEMS) throw new Malformed(`more than ${MAX_ITEMS} items`);
    /** @type {Reply} */
    let value;
    if (kind === '+') {
      value = text.toString();
    } else if (kind === '-') {
      value = new RedisError(text.toString());
    } else if (kind === ':') {
      value = integer(text.toString('latin1'));
    } else if ((kind === '$' || kind === '*') && text.toString('latin1') === '-1') {
      value = null;
    } else if (kind === '$') {
      const last = at + length(text);
      if (data[last] !== CR || data[last + 1] !== LF) throw new Malformed('a bulk string does not end where it says');
      value = Buffer.from(data.subarray(at, last));
      at = last + 2;
    } else if (kind === '*') {
      if (open.length >= MAX_DEPTH) throw new Malformed(`arrays within arrays, more than ${MAX_DEPTH} deep`);
      const wanted = length(text);
      value = [];
      if (wanted > 0) {
        open.push({ array: value, wanted });
        continue;
      }
    } else {
      throw new Malformed('an unknown kind of reply');
    }
    for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
      inner.array.push(value);
      if (inner.array.length < inner.wanted) break;
      value = inner.array;
      open.pop();
    }
    if (open.length > 0) continue;
    if (at !== data.length) throw new Malformed('bytes after the reply');
    return value;
  }
}

/**
 * @param {Buffer} data
 * @param {number} at
 */
function lineEnd(data, at) {
  // Not `indexOf` on all of it: a garbage frame would be searched once for each of its lines.
  const found = data.subarray(at, at + MAX_LINE + 2).indexOf('\r\n');
  if (found < 1) throw new Malformed('a line is empty, cut short or too long');
  return at + found;
}

/** @param {string} text */
function integer(text) {
  if (!/^[+-]?[0-9]{1,19}$/.test(text)) throw new Malformed('a number that is none of 64 bits');
  const number = BigInt(text.replace('+', ''));
  if (BigInt.asIntN(64, number) !== number) throw new Malformed('a number that is none of 64 bits');
  return Number.isSafeInteger(Number(number)) ? Number(number) : number;
}

/** @param {Buffer} text */
function length(text) {
  if (text.length > 15 || !/^[0-9]+$/.test(text.toString('latin1'))) throw new Malformed('a length that is no number');
  return Number(text.toString('latin1'));
}
