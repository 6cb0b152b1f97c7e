// Frames between a client and the front, and the signed bytes, as SPEC.md specifies them.
import { Malformed } from './resp.mjs';

/**
 * The welcome, with the sequence number of the client's last command in the log, 0 if there is none.
 * @typedef {{ kind: 'welcome', last: number }} Welcome
 */
/**
 * Redis' reply to a command, and the number of its entry in the log.
 * @typedef {{ kind: 'executed', sequence: number, entry: number, reply: Buffer }} Executed
 */
/**
 * A refused command, which is not in the log and was not executed; sequence 0 refuses the connection.
 * @typedef {{ kind: 'refusal', sequence: number, reply: Buffer }} Refusal
 */

export const MAGIC = Buffer.from('QAREDIS1');
/** Maximum size of a frame to the client. */
export const MAX_REPLY = 134_217_792;
/** Maximum size of a frame to the client before the welcome. */
export const MAX_WELCOME = 4096;

/**
 * Returns the bytes that a client signs with Ed25519 to authenticate itself.
 *
 * @param {Uint8Array} store
 * @param {Uint8Array} challenge
 * @param {Uint8Array} key the public key
 */
export const hello = (store, challenge, key) =>
  Buffer.concat([Buffer.from('quorate-v1-audited-redis-hello'), store, challenge, key]);

/**
 * Returns the bytes that a client signs for a command.
 *
 * @param {Uint8Array} store
 * @param {number} sequence
 * @param {bigint} time microseconds since 1970
 * @param {Uint8Array} command
 */
export const message = (store, sequence, time, command) =>
  Buffer.concat([Buffer.from('quorate-v1-audited-redis-command'), store, u64(sequence), u64(time), command]);

/** @param {Uint8Array} body encoded DSig announcement */
export const announcement = (body) => frame(1, body);

/**
 * Encodes the frame of a signed command.
 *
 * @param {number} scheme
 * @param {number} sequence
 * @param {bigint} time
 * @param {Uint8Array} signature
 * @param {Uint8Array} command
 */
export const signedCommand = (scheme, sequence, time, signature, command) =>
  frame(2, Buffer.of(scheme), u64(sequence), u64(time), signature, command);

/**
 * Reads the next frame; one above `maxSize` is refused before its body is read.
 *
 * @param {{ readExactly(length: number): Promise<Buffer> }} reader
 * @param {number} maxSize
 */
export async function readFrame(reader, maxSize) {
  const length = (await reader.readExactly(4)).readUInt32LE();
  if (length < 1 || length > maxSize) throw new Malformed(`expected a frame of 1 to ${maxSize} bytes, got ${length}`);
  return decode(await reader.readExactly(length));
}

/**
 * Decodes a frame without its length.
 *
 * @param {Buffer} frame
 * @returns {Welcome | Executed | Refusal}
 */
export function decode(frame) {
  const [kind, size] = [frame[0], frame.length];
  if (kind === 0x81 && size === 9) return { kind: 'welcome', last: number(frame, 1) };
  if (kind === 0x82 && size >= 17) {
    return { kind: 'executed', sequence: number(frame, 1), entry: number(frame, 9), reply: frame.subarray(17) };
  }
  if (kind === 0x83 && size >= 9) return { kind: 'refusal', sequence: number(frame, 1), reply: frame.subarray(9) };
  throw new Malformed(`malformed frame of type 0x${kind.toString(16)} and ${size} bytes`);
}

/**
 * @param {number} kind
 * @param {Uint8Array[]} body
 */
function frame(kind, ...body) {
  const head = Buffer.alloc(5);
  head.writeUInt32LE(body.reduce((size, part) => size + part.length, 1));
  head[4] = kind;
  return Buffer.concat([head, ...body]);
}

/** @param {number | bigint} value */
function u64(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

/**
 * Decodes a number, which counts commands and is therefore below 2⁵³.
 *
 * @param {Buffer} frame
 * @param {number} at
 */
function number(frame, at) {
  const value = frame.readBigUInt64LE(at);
  if (value >= BigInt(Number.MAX_SAFE_INTEGER)) throw new Malformed(`expected a number below 2^53, got ${value}`);
  return Number(value);
}
