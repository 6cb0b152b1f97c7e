// The functions that the generated operations and behaviours call: see bindings/generator/src/operations.rs.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytes as unhex, hex } from './hex.mjs';

/** How many encodings of each kind are also decoded truncated, extended and changed. */
const DAMAGED = 2;

/** An error of the core's that no function of the package throws here. */
export class Refused extends Error {
  constructor(code) {
    super(code);
    this.code = code;
  }
}

/** The functions, for a package. */
export function support(q, isWhole) {
  const check = (holds, what) => assert.ok(holds, what);

  function fail(code) {
    throw new Refused(code);
  }

  function unknown(what) {
    throw new Error(`an unknown ${what}`);
  }

  const damaged = new Map();

  /** Decodes; the value must encode to the same bytes. Other bytes are refused, or encode to themselves. */
  function again(data, decode, encode) {
    const value = decode(data);
    const isSame = (decoded, bytes) => check(hex(encode(decoded)) === hex(bytes), 'decoded, but encodes to something else');
    isSame(value, data);
    const count = damaged.get(String(decode)) ?? 0;
    damaged.set(String(decode), count + 1);
    if (count >= DAMAGED) return value;
    const shorter = [data.subarray(0, data.length / 2), data.subarray(0, -1)];
    for (const bad of [...shorter, Uint8Array.of(...data, 0), new Uint8Array(1000).fill(255), new Uint8Array(1 << 20)]) {
      refuses('any', () => decode(bad));
    }
    const others = [new Uint8Array(0), new Uint8Array(data.length).fill(255)];
    for (let at = 0; at < data.length; at += 1 + Math.floor(data.length / 20)) others.push(flipped(data, at));
    for (const other of others) {
      const found = attempt(() => decode(other));
      if (refused(found) === null) isSame(found, other);
    }
    return value;
  }

  function equal(one, other) {
    if (one instanceof Uint8Array) return hex(one) === hex(other);
    if (Array.isArray(one)) return one.length === other.length && one.every((item, at) => equal(item, other[at]));
    if (one === null || one === undefined || typeof one !== 'object') return one === other;
    if (typeof one.equals === 'function') return one.equals(other);
    if ('value' in one) return equal(one.value, other.value);
    const fields = Object.keys(one);
    // An object without fields would equal each other one.
    check(fields.length > 0, 'objects that cannot be compared');
    return fields.length === Object.keys(other).length && fields.every((name) => equal(one[name], other[name]));
  }

  const some = (value, convert) => (value === null || value === undefined ? null : convert(value));

  // A verdict is a value or an error.
  function attempt(step) {
    try {
      return step();
    } catch (error) {
      if (error instanceof q.QuorateError) return error;
      throw error;
    }
  }

  function unwrap(verdict) {
    if (verdict instanceof q.QuorateError) throw verdict;
    return verdict;
  }

  /** The step must fail with this error of the core, or with any. */
  function refuses(code, step, culprits) {
    const error = attempt(step);
    check(error instanceof q.QuorateError, `${code} expected, but the result is ${error}`);
    check(code === 'any' || error.code === code, `${code} expected, not ${error}`);
    if (culprits) check(equal(error.culprits, culprits), `culprits: ${error.culprits}`);
  }

  const outOfRange = (name, step) => assert.throws(step, (error) => error instanceof RangeError && error.message.includes(name), name);

  class OwnError extends Error {}

  function ownError() {
    throw new OwnError('of a hook of the tests');
  }

  const throws = (what, step) => assert.throws(step, what === 'own' ? OwnError : RangeError);

  function there(value) {
    check(value !== null && value !== undefined, 'nothing is there');
    return value;
  }

  const refused = (verdict) => (verdict instanceof q.QuorateError ? verdict.code : null);

  /** The secret is not shown, and can be closed; tests of all objects check the rest. */
  function closes(secret, hidden) {
    check(!String(secret).includes(hex(hidden).slice(-24)), 'a secret is shown');
    secret.close();
    check(secret.closed, 'it is not closed');
  }

  function agree(verdicts, single) {
    check(verdicts.length > 0, 'no verdicts');
    for (const verdict of verdicts) {
      check(refused(verdict) === refused(single), 'a batch decides otherwise');
      check(refused(single) !== null || equal(verdict, single), 'a batch has another result');
    }
  }

  function outcome(step) {
    const result = attempt(step);
    return refused(result) ?? shown(result);
  }

  function shown(value) {
    if (value === null || value === undefined) return null;
    if (value instanceof Uint8Array) return hex(value);
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object') return value;
    if (value[Symbol.iterator]) return [...value].map(shown);
    return Object.getPrototypeOf(value) === Object.prototype ? value : String(value);
  }

  function parameters({ parameters: { fan_out: fanOut, back_off: backOff, send_timeout: sendTimeout, ...others } }) {
    const time = (value) => value === undefined ? undefined : BigInt(value);
    const chosen = { fanOut, backOff: time(backOff), sendTimeout: time(sendTimeout) };
    return { ...others, ...Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined)) };
  }

  function flipped(data, at) {
    const copy = Uint8Array.from(data);
    copy[at] ^= 1;
    return copy;
  }

  /** The path of a folder that can be created; it is removed at the end. */
  function missingFolder() {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-'));
    process.on('exit', () => rmSync(folder, { recursive: true }));
    return join(folder, 'journal');
  }

  /** Changes a bit of the journal's second record. */
  function damageJournal(path) {
    const file = join(path, 'guard.journal');
    writeFileSync(file, flipped(readFileSync(file), 100));
  }

  return {
    again, agree, attempt, check, closes, damageJournal, equal, fail, flipped, missingFolder, outOfRange, outcome, ownError, parameters,
    refused, refuses, shown, some, there, throws, unhex, unknown, unwrap,
    culprits: (error) => error.culprits,
    isWhole: () => isWhole,
    together: (count, work) => Array.from({ length: count }, (_, at) => work(at)),
    utf8: (text) => new TextEncoder().encode(text),
  };
}
