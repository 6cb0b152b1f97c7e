// The part of RESP2 that a client needs: the canonical encoding of commands, and a bounded parser of replies.
import { BadInput, RedisError } from './failure.mjs';

/**
 * A word of a command. Text is encoded as UTF-8, an integer in decimal.
 * @typedef {string | Uint8Array | number | bigint} Word
 */
/**
 * Redis' reply: a simple string is a string, a bulk string a `Buffer`, a null `null`, and an integer a number, or a
 * bigint beyond the safe range.
 * @typedef {string | Buffer | number | bigint | null | RedisError | Reply[]} Reply
 */

export const MAX_COMMAND = 8 << 20;
export const MAX_ARGUMENTS = 1 << 16;
export const MAX_DEPTH = 32;
export const MAX_LINE = 1 << 16;
/** Maximum number of items in a reply: one may take three bytes on the wire and a hundred in memory. */
export const MAX_ITEMS = 1 << 20;

const [CR, LF] = [13, 10];

/** Malformed bytes. */
export class Malformed extends Error {}

/**
 * Encodes a command: the bytes that are signed, logged and sent to Redis.
 *
 * @param {readonly Word[]} words
 * @returns {Buffer}
 */
export function encodeCommand(words) {
  if (words.length < 1 || words.length > MAX_ARGUMENTS) {
    throw new BadInput(`expected 1 to ${MAX_ARGUMENTS} words in a command, got ${words.length}`);
  }
  /** @type {Uint8Array[]} */
  const parts = [Buffer.from(`*${words.length}\r\n`)];
  let size = parts[0].length;
  for (const word of words) {
    const data = bytes(word);
    const head = Buffer.from(`$${data.length}\r\n`);
    size += head.length + data.length + 2;
    if (size > MAX_COMMAND) throw new BadInput(`the command exceeds ${MAX_COMMAND} bytes; split it`);
    parts.push(head, data, Buffer.from('\r\n'));
  }
  return Buffer.concat(parts);
}

/** @param {Word} word */
function bytes(word) {
  if (typeof word === 'string') return Buffer.from(word);
  if (typeof word === 'bigint' || Number.isSafeInteger(word)) return Buffer.from(String(word));
  if (word instanceof Uint8Array) return word;
  throw new TypeError(`expected a string, a Uint8Array or an integer as a word of a command, got ${typeof word}`);
}

/**
 * Parses a reply that fills `data` exactly.
 *
 * @param {Buffer} data
 * @returns {Reply}
 */
export function parseReply(data) {
  let at = 0;
  let items = 0;
  /** @type {{ array: Reply[], count: number }[]} */
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
      const complete = data[last] === CR && data[last + 1] === LF;
      if (!complete) throw new Malformed('a bulk string does not have its stated length');
      value = Buffer.from(data.subarray(at, last));
      at = last + 2;
    } else if (kind === '*') {
      if (open.length >= MAX_DEPTH) throw new Malformed(`arrays are nested more than ${MAX_DEPTH} deep`);
      const count = length(text);
      value = [];
      if (count > 0) {
        open.push({ array: value, count });
        continue;
      }
    } else {
      throw new Malformed('unknown type of reply');
    }
    for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
      inner.array.push(value);
      if (inner.array.length < inner.count) break;
      value = inner.array;
      open.pop();
    }
    if (open.length > 0) continue;
    if (at !== data.length) throw new Malformed('trailing bytes after the reply');
    return value;
  }
}

/**
 * @param {Buffer} data
 * @param {number} at
 */
function lineEnd(data, at) {
  // `indexOf` on the whole frame would take quadratic time for a malicious frame.
  const found = data.subarray(at, at + MAX_LINE + 2).indexOf('\r\n');
  if (found < 1) throw new Malformed('a line is empty, truncated or too long');
  return at + found;
}

/** @param {string} text */
function integer(text) {
  if (!/^[+-]?[0-9]{1,19}$/.test(text)) throw new Malformed('an integer is malformed or exceeds 64 bits');
  const number = BigInt(text.replace('+', ''));
  if (BigInt.asIntN(64, number) !== number) throw new Malformed('an integer is malformed or exceeds 64 bits');
  return Number.isSafeInteger(Number(number)) ? Number(number) : number;
}

/** @param {Buffer} text */
function length(text) {
  if (text.length > 15 || !/^[0-9]+$/.test(text.toString('latin1'))) throw new Malformed('a length is malformed');
  return Number(text.toString('latin1'));
}
