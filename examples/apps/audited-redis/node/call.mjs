#!/usr/bin/env node
// The command line: node call.mjs --help. It says what `audited-redis call` says.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { WINDOW } from './client.mjs';
import { BadInput, Client, EXIT, Failure, Key, Lost, RedisError, Refused, SCHEMES, SUITES } from './index.mjs';

/** @typedef {import('./index.mjs').Answer} Answer */
/** @typedef {import('./index.mjs').Reply} Reply */
/** @typedef {ReturnType<typeof commandLine>} Options */

const [USAGE, INTERRUPTED] = [2, 130];
/** Milliseconds that answers may still take after Ctrl-C. */
const GRACE = 5000;
const MAX_INPUT_LINE = 16 << 20;

/** The user interrupted twice, or while no answer was due. */
class Interrupted extends Error {}

/** Sends commands, and prints their outcomes in the same order. */
class Program {
  #sent = 0;
  #shown = 0;
  /** @type {number} */
  #worst = 0;
  #sending = true;
  #connected = false;
  /** @type {(reason: Error) => void} */
  #give_up = () => {};

  /** @param {Options} options */
  constructor(options) {
    this.options = options;
  }

  /** Runs until all commands are answered, or the user interrupts. */
  async run() {
    /** @type {Promise<never>} */
    const interrupted = new Promise((_, reject) => (this.#give_up = reject));
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => this.#interrupt());
    try {
      await Promise.race([this.#work(), interrupted]);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      tell(`interrupted; commands without an answer: ${this.#sent - this.#shown}`);
      return INTERRUPTED;
    }
    return this.#sending ? this.#worst : INTERRUPTED;
  }

  /** Ctrl-C: once to stop, twice to end. */
  #interrupt() {
    if (!this.#sending || !this.#connected || this.#sent === this.#shown) this.#give_up(new Interrupted());
    this.#sending = false;
    process.stdin.destroy();
    setTimeout(() => this.#give_up(new Interrupted()), GRACE).unref();
  }

  async #work() {
    const { front, key, signer: scheme, suite, store, patience } = this.options;
    const client = await Client.connect(front, Key.load(key), { scheme, suite, store, patience });
    this.#connected = true;
    /** @type {Promise<unknown>} */
    let showing = Promise.resolve();
    try {
      for await (const words of this.#commands()) {
        const { answer } = await client.send(...words);
        this.#sent += 1;
        const [before, outcome] = [showing, this.#wait(answer)];
        showing = before.then(async () => this.#outcome(client, await outcome));
        // Waits for a slow reader of standard output.
        if (this.#sent - this.#shown >= WINDOW) await showing;
      }
    } finally {
      // Whatever ends this, what was sent is shown first.
      await showing;
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
   * How a command ends.
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
   * Prints how a command ended.
   *
   * @param {Client} client
   * @param {Answer | Failure} ended
   */
  #outcome(client, ended) {
    this.#shown += 1;
    if (!(ended instanceof Failure)) return this.#print(client, ended.sequence, ended.entry, ended.reply);
    if (ended instanceof RedisError) return this.#print(client, ended.sequence, ended.entry, ended);
    this.#worst = Math.max(this.#worst, ended.exit);
    if (ended instanceof Refused) {
      return this.#print(client, ended.sequence, null, new RedisError(`${ended.code} ${ended.reason}`));
    }
    const { code, reason: message } = ended;
    const logged = (ended instanceof Lost && ended.logged) ?? null;
    if (this.options.json) say(JSON.stringify({ failed: { code, message, logged } }));
    else tell(`audited-redis: ${ended.message}`);
  }

  /**
   * Prints what the front says of a command.
   *
   * @param {Client} client
   * @param {number} sequence
   * @param {number | null} entry
   * @param {Reply} reply
   */
  #print(client, sequence, entry, reply) {
    if (this.options.json) {
      const store = client.store.toString('hex');
      say(`{"entry":${entry},"sequence":${sequence},"store":"${store}","reply":${json(reply)}}`);
      return;
    }
    shown(reply).forEach(say);
    tell(entry === null ? 'refused by the front; nothing was executed' : `entry ${entry} of the log`);
  }
}

/** @param {string[]} given */
function commandLine(given) {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean' });
  const known = { front: text, key: text, signer: text, suite: text, store: text, patience: text, timeout: text };
  const options = { ...known, json: flag, help: flag };
  // What follows the command's name is the command's, whatever it looks like.
  const { tokens } = parseArgs({ args: given, options, allowPositionals: true, strict: false, tokens: true });
  const name = tokens.find(({ kind }) => kind === 'positional')?.index ?? given.length;
  const { values } = parseArgs({ args: given.slice(0, name), options });
  const { front = '', key = '', signer = 'dsig', suite = 'wots-blake3', store, json = false, help = false } = values;
  const one = (/** @type {readonly string[]} */ names, /** @type {string} */ value) => {
    if (!names.includes(value)) throw new TypeError(`'${value}' is none of ${names.join(', ')}`);
    return value;
  };
  if (!help && (!front || !key)) throw new TypeError('--front and --key are needed');
  if (store !== undefined && !/^[0-9a-fA-F]{64}$/.test(store)) {
    throw new TypeError(`--store '${store}' is not 64 hexadecimal digits`);
  }
  return {
    ...{ front, key, json, help, signer: one(SCHEMES, signer), suite: one(SUITES, suite) },
    store: store === undefined ? undefined : Buffer.from(store, 'hex'),
    patience: milliseconds(values.patience ?? '5'),
    timeout: milliseconds(values.timeout ?? '60'),
    command: given.slice(name),
  };
}

/** @param {string} seconds */
function milliseconds(seconds) {
  const milliseconds = Math.ceil(Number(seconds) * 1000);
  if (!/^[0-9]{1,6}(\.[0-9]{1,9})?$/.test(seconds) || milliseconds === 0) {
    throw new TypeError(`'${seconds}' is no number of seconds`);
  }
  return milliseconds;
}

/**
 * The words of a line.
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
    // told below
  }
  if (Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string')) return words;
  throw new BadInput('a line that begins with [ is a JSON array of strings');
}

/** @param {AsyncIterable<Buffer>} stream */
async function* lines(stream) {
  let rest = Buffer.alloc(0);
  try {
    for await (const piece of stream) {
      rest = Buffer.concat([rest, piece]);
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        yield rest.subarray(0, end).toString();
        rest = rest.subarray(end + 1);
      }
      if (rest.length > MAX_INPUT_LINE) throw new BadInput(`a line of more than ${MAX_INPUT_LINE} bytes`);
    }
  } catch (error) {
    // Ctrl-C closed it.
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE')) throw error;
    return;
  }
  yield rest.toString();
}

/**
 * A reply in JSON; integers may be larger than the numbers of this language.
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
 * As redis-cli shows it to programs: one item per line. What strangers wrote cannot command a terminal.
 *
 * @param {Reply} reply
 * @returns {string[]}
 */
export function shown(reply) {
  if (Array.isArray(reply)) return reply.flatMap(shown);
  if (reply instanceof RedisError) return [`(error) ${escaped(Buffer.from(reply.text))}`];
  if (reply === null) return ['(nil)'];
  return [escaped(Buffer.isBuffer(reply) ? reply : Buffer.from(String(reply)))];
}

/**
 * Text as it is, everything else escaped.
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
function say(line) {
  process.stdout.write(`${line}\n`);
}

/** @param {string} line on standard error */
export function tell(line) {
  process.stderr.write(`${escaped(Buffer.from(line)).replaceAll(/\\(["'])/g, '$1')}\n`);
}

/** @param {string[]} given */
async function main(given) {
  let options;
  try {
    options = commandLine(given);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    tell(`audited-redis: ${error.message}; --help says more`);
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
    tell(`audited-redis: ${error.message}`);
    return error.exit;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  // The reader closed the pipe.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(EXIT.FAILED));
  const code = await main(process.argv.slice(2));
  // Standard input may still be open; nothing waits for it.
  process.stdout.write('', () => process.exit(code));
}
