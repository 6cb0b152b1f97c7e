// A real redis-server and the real front before it, as operators run them.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { Client, Key } from '../index.mjs';
import { Malformed, encodeCommand, parseReply } from '../resp.mjs';

export const PROGRAM = process.env.AUDITED_REDIS ?? 'audited-redis';
export const PATIENCE = 60_000;
const NAMES = ['alice', 'bob', 'stranger'];

/** @typedef {import('node:child_process').ChildProcess} Process */

/** A folder with a Redis in it, and a front before that, for the clients alice and bob; ended by `close`. */
export class House {
  path = mkdtempSync(join(tmpdir(), 'audited-'));
  listen = '127.0.0.1:0';
  scripts = false;
  store = '';
  /** @type {Process[]} */
  #started = [];
  /** @type {Process} */
  redis;

  constructor() {
    this.public = NAMES.map((name) => this.run('keygen', '--out', `${name}.key`).stdout.trim());
    const options = ['--port', '0', '--save', '', '--appendonly', 'no', '--unixsocket', 'redis.sock'];
    this.redis = this.#start('redis-server', options, 'ignore');
    this.front = this.redis;
  }

  /** @param {import('node:test').TestContext} test */
  static async build(test) {
    const house = new House();
    test.after(() => house.close());
    await eventually(async () => (await house.ask('PING')) === 'PONG');
    await house.startFront();
    return house;
  }

  /** Ends both. */
  async close() {
    for (const process of this.#started) await end(process);
    rmSync(this.path, { recursive: true });
  }

  /** Starts the front, from the second time on at the address that it had. */
  async startFront() {
    const lines = [`listen = "${this.listen}"`, 'redis = "unix:redis.sock"', 'log = "audit.log"'];
    lines.push('refusals = "refusals.jsonl"', 'accept = ["dsig", "eddsa"]', 'max_age_ms = 600000');
    lines.push(`scripts = ${this.scripts}`);
    NAMES.slice(0, 2).forEach((name, n) => lines.push('[[client]]', `name = "${name}"`, `key = "${this.public[n]}"`));
    writeFileSync(join(this.path, 'front.toml'), lines.join('\n'));
    this.front = this.#start(PROGRAM, ['front', '--json', '--config', 'front.toml'], 'pipe');
    if (!this.front.stdout) throw new Error('no output');
    const [line] = await once(createInterface({ input: this.front.stdout }), 'line');
    ({ listen: this.listen, store: this.store } = JSON.parse(line));
  }

  /** As a crash does. */
  async killFront() {
    await end(this.front);
  }

  /**
   * The process does nothing until it is killed or thawed.
   *
   * @param {Process} process
   */
  async freeze(process) {
    process.kill('SIGSTOP');
    // Each thread stops by itself, when it gets to it.
    const threads = `/proc/${process.pid}/task`;
    const state = (/** @type {string} */ id) => readFileSync(`${threads}/${id}/stat`, 'utf8');
    await eventually(() => readdirSync(threads).every((id) => state(id).includes(') T ')));
  }

  /** @param {Process} process */
  thaw(process) {
    process.kill('SIGCONT');
  }

  /** @param {string} name */
  key(name) {
    return Key.load(join(this.path, `${name}.key`));
  }

  /**
   * @param {string} name
   * @param {import('../client.mjs').Options} [options]
   */
  client(name, options = {}) {
    return Client.connect(this.listen, this.key(name), { patience: PATIENCE, ...options });
  }

  /**
   * A part of the Rust program.
   *
   * @param {string[]} given
   */
  run(...given) {
    const run = spawnSync(PROGRAM, given, { cwd: this.path, encoding: 'utf8' });
    if (run.error) throw new Error('AUDITED_REDIS does not name the Rust program', { cause: run.error });
    return run;
  }

  /** What an auditor finds, once all is well: the number of entries, and each client's commands. */
  audit() {
    const { status, stdout } = this.run('audit', '--json', 'audit.log', '--clients', 'front.toml');
    const report = JSON.parse(stdout);
    if (status !== 0 || !report.ok) throw new Error(stdout);
    /** @type {Record<string, number>} */
    const last = {};
    for (const signer of report.signers) {
      if (signer.last !== signer.commands) throw new Error(stdout);
      last[signer.name] = signer.last;
    }
    return { entries: /** @type {number} */ (report.entries), ...last };
  }

  logSize() {
    return readFileSync(join(this.path, 'audit.log')).length;
  }

  /** The codes of what was refused. */
  refusals() {
    const lines = readFileSync(join(this.path, 'refusals.jsonl'), 'utf8').trim().split('\n');
    return lines.filter(Boolean).map((line) => JSON.parse(line).code);
  }

  /**
   * Redis itself, around the front.
   *
   * @param {string[]} words
   * @returns {Promise<import('../resp.mjs').Reply | undefined>}
   */
  async ask(...words) {
    if (!existsSync(join(this.path, 'redis.sock'))) return undefined;
    const socket = connect(join(this.path, 'redis.sock'));
    let reply = Buffer.alloc(0);
    try {
      socket.write(encodeCommand(words));
      for await (const piece of socket) {
        reply = Buffer.concat([reply, piece]);
        try {
          return parseReply(reply);
        } catch (error) {
          if (!(error instanceof Malformed)) throw error; // more is to come
        }
      }
    } catch {
      return undefined;
    }
  }

  /**
   * @param {string} program
   * @param {string[]} given
   * @param {'ignore' | 'pipe'} out
   */
  #start(program, given, out) {
    const process = spawn(program, given, { cwd: this.path, stdio: ['ignore', out, 'inherit'] });
    this.#started.push(process);
    return process;
  }
}

/** @param {Process} process */
async function end(process) {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const ended = once(process, 'exit');
  process.kill('SIGKILL');
  await ended;
}

/** @param {() => boolean | Promise<boolean>} holds */
export async function eventually(holds) {
  const until = Date.now() + 120_000;
  while (!(await holds())) {
    if (Date.now() > until) throw new Error('not within two minutes');
    await sleep(20);
  }
}
