// A client's key file, as `audited-redis keygen` writes it.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { inspect } from 'node:util';

import { SecretKey } from 'quorate';

import { BadInput } from './failure.mjs';

const FIRST_LINE = 'quorate-audited-redis-key 1';
const MAX_FILE = 4096;

/** A client's secret key. It is never printed, and `close` wipes it. */
export class Key {
  #secret;

  /**
   * Takes ownership of the 32 bytes, which `close` wipes. They should have their own `ArrayBuffer`.
   *
   * @param {Uint8Array} secret
   */
  constructor(secret) {
    this.#secret = secret;
    const key = this.secretKey();
    /** The public key. */
    this.public = Buffer.from(key.publicKey().encode());
    key.close();
  }

  /**
   * Reads a key file, which only its owner may read.
   *
   * @param {string} path
   */
  static load(path) {
    // The secret is parsed in place, because a string cannot be wiped.
    const buffer = Buffer.from(new ArrayBuffer(MAX_FILE + 1));
    let file;
    try {
      file = openSync(path, 'r');
      if (fstatSync(file).mode & 0o077) {
        throw new BadInput(`${path}: other users can read it; run \`chmod 600 ${path}\` first`);
      }
      let size = 0;
      for (let read = -1; read !== 0; size += read) read = readSync(file, buffer, size, buffer.length - size, null);
      if (size > MAX_FILE) throw new BadInput(`${path}: too large to be a key file; check the path`);
      return parsed(buffer.subarray(0, size), path);
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      throw new BadInput(`${path}: ${error.message}; create a key file with \`audited-redis keygen\``);
    } finally {
      buffer.fill(0);
      if (file !== undefined) closeSync(file);
    }
  }

  /** Returns a signing key, which the caller must close. */
  secretKey() {
    if (this.#secret.length === 0) throw new TypeError('the key was closed; load its file again');
    return SecretKey.fromBytes('ed25519', this.#secret);
  }

  /**
   * Signs `data` with Ed25519.
   *
   * @param {Uint8Array} data
   */
  sign(data) {
    const key = this.secretKey();
    const signature = key.sign(data).encode();
    key.close();
    return signature;
  }

  /** Wipes the secret. Signing fails afterwards. */
  close() {
    this.#secret.fill(0);
    this.#secret = new Uint8Array();
  }

  toString() {
    return `Key(${this.public.toString('hex')})`;
  }
  toJSON() {
    return this.toString();
  }
  [inspect.custom]() {
    return this.toString();
  }
}

/**
 * @param {Buffer} buffer
 * @param {string} path
 */
function parsed(buffer, path) {
  const found = [...lines(buffer)].filter((line) => line.length > 0 && line[0] !== 0x23);
  if (!found[0]?.equals(Buffer.from(FIRST_LINE))) {
    throw new BadInput(`${path}: the first line is not \`${FIRST_LINE}\`; check the path`);
  }
  const damaged = new BadInput(`${path}: malformed key file; restore it from a backup`);
  const [, secretLine, publicLine] = found;
  if (found.length !== 3 || secretLine.length !== 7 + 64 || secretLine.indexOf('secret ') !== 0) throw damaged;
  const secret = new Uint8Array(new ArrayBuffer(32));
  for (let place = 0; place < 64; place += 1) {
    const digit = '0123456789abcdefABCDEF'.indexOf(String.fromCharCode(secretLine[7 + place]));
    if (digit < 0) {
      secret.fill(0);
      throw damaged;
    }
    secret[place >> 1] = (secret[place >> 1] << 4) | (digit < 16 ? digit : digit - 6);
  }
  const key = new Key(secret);
  if (publicLine.equals(Buffer.from(`public ${key.public.toString('hex')}`))) return key;
  key.close();
  throw damaged;
}

/** @param {Buffer} buffer */
function* lines(buffer) {
  for (let start = 0; start < buffer.length; ) {
    const found = buffer.indexOf(10, start);
    const end = found < 0 ? buffer.length : found;
    yield buffer.subarray(start, end > start && buffer[end - 1] === 13 ? end - 1 : end);
    start = end + 1;
  }
}
