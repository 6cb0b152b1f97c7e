#!/usr/bin/env node
// The command line: node call.mjs --help. Its output is that of `audited-redis call`.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { WINDOW } from './client.mjs';
import { BadInput, Client, EXIT, Failure, Key, Lost, RedisError, Refused, SCHEMES, SUITES } from './index.mjs';

/** @typedef {import('./index.mjs').Answer} Answer */
/** @typedef {import('./index.mjs').Reply} Reply */
/** @typedef {ReturnType<typeof commandLine>} CommandLine */

const [USAGE, INTERRUPTED] = [2, 130];
/** Milliseconds to wait for missing answers after Ctrl-C. */
const GRACE = 5000;
const MAX_INPUT_LINE = 16 << 20;

/** The user interrupted twice, or while no answer was missing. */
class Interrupted extends Error {}

/** Sends commands, and prints their outcomes in the same order. */
class Program {
  #sent = 0;
  #printed = 0;
  /** @type {number} */
  #exitCode = 0;
  #sending = true;
  #connected = false;
  /** @type {(reason: Error) => void} */
  #abort = () => {};

  /** @param {CommandLine} options */
  constructor(options) {
    this.options = options;
  }

  /** Runs until all commands are answered or the user interrupts the program. */
  async run() {
    /** @type {Promise<never>} */
    const interrupted = new Promise((_, reject) => (this.#abort = reject));
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => this.#interrupt());
    try {
      await Promise.race([this.#work(), interrupted]);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      printStderr(`interrupted; commands without an answer: ${this.#sent - this.#printed}`);
      return INTERRUPTED;
    }
    return this.#sending ? this.#exitCode : INTERRUPTED;
  }

  /** Handles Ctrl-C: the first stops reading, the second exits. */
  #interrupt() {
    if (!this.#sending || !this.#connected || this.#sent === this.#printed) this.#abort(new Interrupted());
    this.#sending = false;
    process.stdin.destroy();
    setTimeout(() => this.#abort(new Interrupted()), GRACE).unref();
  }

  async #work() {
    const { front, key, signer: scheme, suite, store, connectTimeout } = this.options;
    const client = await Client.connect(front, Key.load(key), { scheme, suite, store, connectTimeout });
    this.#connected = true;
    /** @type {Promise<unknown>} */
    let printing = Promise.resolve();
    try {
      for await (const words of this.#commands()) {
        const { answer } = await client.send(...words);
        this.#sent += 1;
        const [before, outcome] = [printing, this.#wait(answer)];
        printing = before.then(async () => this.#printOutcome(client, await outcome));
        // Waits for a slow reader of standard output.
        if (this.#sent - this.#printed >= WINDOW) await printing;
      }
    } finally {
      // The outcomes of sent commands are printed before the program exits.
      await printing;
      await client.close();
    }
  }

  async *#commands() {
    if (this.options.command.length > 0) {
      yield this.options.command;
      return;
    }
    for await (const line of lines(process.stdin)) {
      if (!this.#sending) return;
      const words = split(line);
      if (words.length > 0) yield words;
    }
  }

  /**
   * Waits for the outcome of a command.
   *
   * @param {Promise<Answer>} answer
   */
  async #wait(answer) {
    const { timeout } = this.options;
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, timeout)));
    try {
      const lost = new Lost(`no answer in ${timeout / 1000} s; the command may or may not be executed`);
      return await Promise.race([answer, late.then(() => lost)]);
    } catch (failure) {
      if (failure instanceof Failure) return failure;
      throw failure;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Prints the outcome of a command.
   *
   * @param {Client} client
   * @param {Answer | Failure} outcome
   */
  #printOutcome(client, outcome) {
    this.#printed += 1;
    if (!(outcome instanceof Failure)) return this.#printReply(client, outcome.sequence, outcome.entry, outcome.reply);
    if (outcome instanceof RedisError) return this.#printReply(client, outcome.sequence, outcome.entry, outcome);
    this.#exitCode = Math.max(this.#exitCode, outcome.exit);
    if (outcome instanceof Refused) {
      return this.#printReply(client, outcome.sequence, null, new RedisError(`${outcome.code} ${outcome.reason}`));
    }
    const { code, reason: message } = outcome;
    const logged = (outcome instanceof Lost && outcome.logged) ?? null;
    if (this.options.json) printLine(JSON.stringify({ failed: { code, message, logged } }));
    else printStderr(`audited-redis: ${outcome.message}`);
  }

  /**
   * Prints the front's reply to a command.
   *
   * @param {Client} client
   * @param {number} sequence
   * @param {number | null} entry
   * @param {Reply} reply
   */
  #printReply(client, sequence, entry, reply) {
    if (this.options.json) {
      const store = client.store.toString('hex');
      printLine(`{"entry":${entry},"sequence":${sequence},"store":"${store}","reply":${json(reply)}}`);
      return;
    }
    replyLines(reply).forEach(printLine);
    printStderr(entry === null ? 'refused by the front; nothing was executed' : `entry ${entry} of the log`);
  }
}

/** @param {string[]} args */
function commandLine(args) {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean' });
  const known = { front: text, key: text, signer: text, suite: text, store: text, 'connect-timeout': text, timeout: text };
  const options = { ...known, json: flag, help: flag };
  // All words after the command's name belong to the command, even if they look like options.
  const { tokens } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true });
  const name = tokens.find(({ kind }) => kind === 'positional')?.index ?? args.length;
  const { values } = parseArgs({ args: args.slice(0, name), options });
  const { front = '', key = '', signer = 'dsig', suite = 'wots-blake3', store, json = false, help = false } = values;
  const oneOf = (/** @type {readonly string[]} */ names, /** @type {string} */ value) => {
    if (!names.includes(value)) throw new TypeError(`expected one of ${names.join(', ')}, got '${value}'`);
    return value;
  };
  if (!help && (!front || !key)) throw new TypeError('--front and --key are required');
  if (store !== undefined && !/^[0-9a-fA-F]{64}$/.test(store)) {
    throw new TypeError(`--store: expected 64 hexadecimal digits, got '${store}'`);
  }
  return {
    ...{ front, key, json, help, signer: oneOf(SCHEMES, signer), suite: oneOf(SUITES, suite) },
    store: store === undefined ? undefined : Buffer.from(store, 'hex'),
    connectTimeout: milliseconds(values['connect-timeout'] ?? '5'),
    timeout: milliseconds(values.timeout ?? '60'),
    command: args.slice(name),
  };
}

/** @param {string} seconds */
function milliseconds(seconds) {
  const milliseconds = Math.ceil(Number(seconds) * 1000);
  if (!/^[0-9]{1,6}(\.[0-9]{1,9})?$/.test(seconds) || milliseconds === 0) {
    throw new TypeError(`expected a positive number of seconds, got '${seconds}'`);
  }
  return milliseconds;
}

/**
 * Splits a line into words.
 *
 * @param {string} line
 * @returns {string[]}
 */
export function split(line) {
  if (!line.trimStart().startsWith('[')) return line.split(/\s+/).filter((word) => word !== '');
  let words;
  try {
    words = JSON.parse(line);
  } catch {
    // reported below
  }
  if (Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string')) return words;
  throw new BadInput('a line that begins with [ must be a JSON array of strings');
}

/** @param {AsyncIterable<Buffer>} stream */
async function* lines(stream) {
  let rest = Buffer.alloc(0);
  try {
    for await (const chunk of stream) {
      rest = Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        yield rest.subarray(0, end).toString();
        rest = rest.subarray(end + 1);
      }
      if (rest.length > MAX_INPUT_LINE) throw new BadInput(`a line exceeds ${MAX_INPUT_LINE} bytes`);
    }
  } catch (error) {
    // Ctrl-C closed the stream.
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE')) throw error;
    return;
  }
  yield rest.toString();
}

/**
 * Encodes a reply in JSON, with integers beyond the safe range of JavaScript's numbers.
 *
 * @param {Reply} reply
 * @returns {string}
 */
function json(reply) {
  if (Array.isArray(reply)) return `[${reply.map(json).join(',')}]`;
  if (typeof reply === 'bigint') return reply.toString();
  if (reply instanceof RedisError) return JSON.stringify({ error: reply.text });
  if (!Buffer.isBuffer(reply)) return JSON.stringify(reply);
  const text = reply.toString();
  return JSON.stringify(Buffer.from(text).equals(reply) ? text : { hex: reply.toString('hex') });
}

/**
 * Formats a reply as redis-cli does for programs, one item per line, without control characters.
 *
 * @param {Reply} reply
 * @returns {string[]}
 */
export function replyLines(reply) {
  if (Array.isArray(reply)) return reply.flatMap(replyLines);
  if (reply instanceof RedisError) return [`(error) ${escaped(Buffer.from(reply.text))}`];
  if (reply === null) return ['(nil)'];
  return [escaped(Buffer.isBuffer(reply) ? reply : Buffer.from(String(reply)))];
}

/**
 * Escapes quotes, backslashes, and all bytes that are not printable ASCII.
 *
 * @param {Buffer} bytes
 */
function escaped(bytes) {
  return bytes.toString('latin1').replaceAll(/[^ -~]|["'\\]/g, (found) => {
    const named = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '"': '\\"', "'": "\\'", '\\': '\\\\' }[found];
    return named ?? `\\x${found.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}

/** @param {string} line on standard output */
function printLine(line) {
  process.stdout.write(`${line}\n`);
}

/** @param {string} line on standard error */
export function printStderr(line) {
  process.stderr.write(`${escaped(Buffer.from(line)).replaceAll(/\\(["'])/g, '$1')}\n`);
}

/** @param {string[]} args */
async function main(args) {
  let options;
  try {
    options = commandLine(args);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    printStderr(`audited-redis: ${error.message}; see --help`);
    return USAGE;
  }
  if (options.help) {
    process.stdout.write(readFileSync(new URL('help.txt', import.meta.url)));
    return 0;
  }
  try {
    return await new Program(options).run();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    printStderr(`audited-redis: ${error.message}`);
    return error.exit;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  // The reader of the output may close the pipe.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(EXIT.FAILED));
  const code = await main(process.argv.slice(2));
  // Exits explicitly, because standard input may still be open.
  process.stdout.write('', () => process.exit(code));
}
