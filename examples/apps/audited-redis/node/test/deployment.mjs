// A real redis-server with the real front before it.
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
export const TIMEOUT = 60_000;
const NAMES = ['alice', 'bob', 'mallory'];

/** @typedef {import('node:child_process').ChildProcess} Process */

/** A folder with a redis-server and a front before it, with clients `alice` and `bob`. `close` stops both. */
export class Deployment {
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
  static async start(test) {
    const deployment = new Deployment();
    test.after(() => deployment.close());
    await eventually(async () => (await deployment.redisCommand('PING')) === 'PONG');
    await deployment.startFront();
    return deployment;
  }

  /** Stops the processes and removes the folder. */
  async close() {
    for (const process of this.#started) await kill(process);
    rmSync(this.path, { recursive: true });
  }

  /** Starts the front; a restarted front keeps its address. */
  async startFront() {
    const lines = [`listen = "${this.listen}"`, 'redis = "unix:redis.sock"', 'log = "audit.log"'];
    lines.push('refusals = "refusals.jsonl"', 'accept = ["dsig", "eddsa"]', 'max_age_ms = 600000');
    lines.push(`scripts = ${this.scripts}`);
    NAMES.slice(0, 2).forEach((name, n) => lines.push('[[client]]', `name = "${name}"`, `key = "${this.public[n]}"`));
    writeFileSync(join(this.path, 'front.toml'), lines.join('\n'));
    this.front = this.#start(PROGRAM, ['front', '--json', '--config', 'front.toml'], 'pipe');
    if (!this.front.stdout) throw new Error('no output');
    const ended = once(this.front, 'exit').then(([code]) => {
      throw new Error(`the front exited with ${code}`);
    });
    const [line] = await Promise.race([once(createInterface({ input: this.front.stdout }), 'line'), ended]);
    ({ listen: this.listen, store: this.store } = JSON.parse(line));
  }

  /** Kills the front as a crash does. */
  async killFront() {
    await kill(this.front);
  }

  /**
   * Stops a process until it is killed or thawed.
   *
   * @param {Process} process
   */
  async freeze(process) {
    process.kill('SIGSTOP');
    // Waits for all threads: each one stops at a different time.
    const threads = `/proc/${process.pid}/task`;
    const stopped = (/** @type {string} */ id) => {
      try {
        return readFileSync(`${threads}/${id}/stat`, 'utf8').includes(') T ');
      } catch {
        return false; // the thread has just ended
      }
    };
    await eventually(() => readdirSync(threads).every(stopped));
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
   * @param {import('../client.mjs').ClientOptions} [options]
   */
  client(name, options = {}) {
    return Client.connect(this.listen, this.key(name), { connectTimeout: TIMEOUT, ...options });
  }

  /**
   * Runs a command of the Rust program.
   *
   * @param {string[]} args
   */
  run(...args) {
    const run = spawnSync(PROGRAM, args, { cwd: this.path, encoding: 'utf8' });
    if (run.error) throw new Error('AUDITED_REDIS does not name the Rust program', { cause: run.error });
    return run;
  }

  /** Audits the log, expects no findings, and returns the number of entries and of each client's commands. */
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

  /** Returns the codes of the recorded refusals. */
  refusals() {
    const lines = readFileSync(join(this.path, 'refusals.jsonl'), 'utf8').trim().split('\n');
    return lines.filter(Boolean).map((line) => JSON.parse(line).code);
  }

  /**
   * Sends a command to Redis directly, bypassing the front.
   *
   * @param {string[]} words
   * @returns {Promise<import('../resp.mjs').Reply | undefined>}
   */
  async redisCommand(...words) {
    if (!existsSync(join(this.path, 'redis.sock'))) return undefined;
    const socket = connect(join(this.path, 'redis.sock'));
    let reply = Buffer.alloc(0);
    try {
      socket.write(encodeCommand(words));
      for await (const chunk of socket) {
        reply = Buffer.concat([reply, chunk]);
        try {
          return parseReply(reply);
        } catch (error) {
          if (!(error instanceof Malformed)) throw error; // the reply is incomplete
        }
      }
    } catch {
      return undefined;
    }
  }

  /**
   * @param {string} program
   * @param {string[]} args
   * @param {'ignore' | 'pipe'} out
   */
  #start(program, args, out) {
    const process = spawn(program, args, { cwd: this.path, stdio: ['ignore', out, 'inherit'] });
    this.#started.push(process);
    return process;
  }
}

/** @param {Process} process */
async function kill(process) {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const ended = once(process, 'exit');
  process.kill('SIGKILL');
  await ended;
}

/** @param {() => boolean | Promise<boolean>} condition */
export async function eventually(condition) {
  const until = Date.now() + 120_000;
  while (!(await condition())) {
    if (Date.now() > until) throw new Error('not within two minutes');
    await sleep(20);
  }
}
