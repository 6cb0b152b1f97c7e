/**
 * A client of the audited Redis: signs every command, assigns sequence numbers, and matches answers to commands.
 *
 * ```js
 * const client = await Client.connect('127.0.0.1:7379', Key.load('alice.key'));
 * const { reply, entry } = await client.call('SET', 'greeting', 'hello');
 * console.log(reply, 'is entry', entry, 'of the log');
 * await client.close();
 * ```
 *
 * `node call.mjs --help` describes the command-line program.
 */
export { Client } from './client.mjs';
export { BadFront, BadInput, EXIT, Failure, Lost, RedisError, Refused, Unreachable } from './failure.mjs';
export { Key } from './keys.mjs';
export { SCHEMES, SUITES } from './signing.mjs';
/** @typedef {import('./pending.mjs').Answer} Answer */
/** @typedef {import('./resp.mjs').Reply} Reply */
