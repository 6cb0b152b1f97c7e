// Follows the validators of a chain and verifies everything they report: node watch.mjs --help.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { LightClient, QuorateError } from 'quorate';

import { Chain, Contradiction, Refused, TRANSACTIONS, hex, short } from './chain.mjs';
import { Link, Lost } from './link.mjs';

const [USAGE, NO_GENESIS, NOTHING_VERIFIED, NOT_PROVED, INVALID_REPORT, FORK] = [2, 3, 4, 6, 7, 8]; // exit codes
const [MIN_PAUSE, MAX_PAUSE] = [0.25, 5];
const [MAX_BLOCK, MAX_PROOF, MAX_TICKET, MAX_EPOCHS] = [4 << 20, 16 << 20, 64 << 10, 160 << 20];
const COLOURS = { alarm: '1;31', late: '33', lost: '33', proof: '32', summary: '1' };
const isRefusal = (error) => [QuorateError, Refused, Contradiction].some((kind) => error instanceof kind);

/** Coordinates the followers and reports events. */
class Watcher {
  counts = { lost: 0, late: 0, alarms: 0 };
  worst = 0;
  #disputed = new Set();
  #over = false;
  #stop;
  #done = new Promise((resolve, reject) => (this.#stop = { resolve, reject }));

  constructor(chain, links, options) {
    Object.assign(this, { chain, options });
    this.followers = links.map((link) => new Follower(this, link));
  }

  /** Watches until stopped, and returns the exit code. */
  async run() {
    for (const follower of this.followers) follower.run().then(() => this.#ended(), this.#stop.reject);
    if (this.options.probe > 0) this.#probe().catch(this.#stop.reject);
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => this.stop());
    // The reader closed the pipe, as in `watch | head`.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(this.code()));
    if (this.options.duration) setTimeout(() => this.stop(), this.options.duration * 1000);
    await this.#done;
    this.#summary();
    return this.code();
  }

  stop() {
    this.#stop.resolve();
  }

  /** Ends the program if all validators are refused. */
  #ended() {
    if (this.followers.every(({ state }) => state === 'refused')) this.stop();
  }

  /** Submits a transaction at intervals, to each validator in turn. */
  async #probe() {
    for (let number = 0; ; number++) {
      await sleep(this.options.probe * 1000);
      // A proof leads to the newest epoch, from which blocks of many epochs before cannot be verified.
      const waits = this.chain.client.protocol === 'gosig' && !this.followers.some(({ caughtUp }) => caughtUp);
      if (waits) continue;
      await this.#prove(Buffer.from(`put watch-${process.pid} ${process.hrtime.bigint()}-${Date.now()}`), number);
    }
  }

  /** Asks the validators in turn until one proves that the transaction is committed. */
  async #prove(transaction, first) {
    const wanted = hex(TRANSACTIONS.leaf(transaction));
    let code = 'UNREACHABLE';
    for (const number of this.followers.keys()) {
      const follower = this.followers[(first + number) % this.followers.length];
      if (follower.state === 'refused') continue;
      try {
        if (await follower.prove(transaction, wanted)) return;
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
        code = error.code;
      }
    }
    this.counts.late += 1;
    this.say('late', `${short(wanted)}  no validator proved it in time (${code})`, { transaction: wanted, code });
  }

  alarm(url, error, of) {
    this.counts.alarms += 1;
    const fields = { validator: url, code: error.code, message: `${of}: ${error.message}` };
    if (error instanceof Contradiction) {
      this.worst = FORK;
      fields.evidence = hex(error.evidence);
    } else {
      this.worst = Math.max(this.worst, INVALID_REPORT);
    }
    this.say('alarm', `${url}: ${of}: ${error.message} (${error.code})`, fields);
    if (this.worst === FORK) this.stop();
  }

  /** Reports two validators with different blocks at one height and no proof. Each is named once. */
  dispute(height, url, other) {
    if (this.#disputed.has(url) || this.#disputed.has(other)) return;
    const message = `${other} reports a different block, and no proof decides between them`;
    this.alarm(url, new Refused('WRONG_CONTEXT', message), `block ${height}`);
    this.#disputed.add(url).add(other);
  }

  /** Refuses the validators whose earlier reports a proof contradicts. */
  refuseRefuted(height, digest) {
    const refuted = this.chain.refutedBy(height, digest);
    const message = `a proof shows that block ${height} is ${short(digest)}, unlike the earlier report`;
    for (const follower of this.followers) {
      if (!refuted.includes(follower.link.url) || follower.state === 'refused') continue;
      follower.refuse(new Refused('WRONG_CONTEXT', message), `block ${follower.next}`);
    }
  }

  #summary() {
    const { certificates, proofs, view } = this.chain;
    const { lost, late, alarms } = this.counts;
    const blocks = this.followers.reduce((sum, follower) => sum + follower.blocks, 0);
    const followed = this.followers.filter((follower) => follower.blocks > 0).length;
    const validators = this.followers.map(({ link, blocks, state }) => ({ validator: link.url, blocks, state }));
    const line =
      `${certificates} certificates and ${proofs} proofs verified; ${blocks} blocks of ${followed} of ` +
      `${this.followers.length} validators agree; lost ${lost}, late ${late}, alarms ${alarms}`;
    this.say('summary', line, { certificates, proofs, view, lost, late, alarms, code: this.code(), validators });
  }

  code() {
    if (this.worst > 0) return this.worst;
    if (this.followers.every(({ blocks }) => blocks === 0)) return NOTHING_VERIFIED;
    return this.counts.late > 0 ? NOT_PROVED : 0;
  }

  say(event, line, fields) {
    if (this.#over) return;
    this.#over = event === 'summary';
    if (this.options.json) {
      process.stdout.write(`${JSON.stringify({ event, ...fields })}\n`);
      return;
    }
    const stream = ['block', 'epoch', 'proof', 'summary'].includes(event) ? process.stdout : process.stderr;
    const coloured = event in COLOURS && stream.isTTY && !process.env.NO_COLOR;
    const word = event.padEnd(7);
    stream.write(`${coloured ? `\x1b[${COLOURS[event]}m${word}\x1b[m` : word}  ${line}\n`);
  }
}

/** Follows one validator: reconnects after a failure, and stops once it is refused. */
class Follower {
  blocks = 0;
  state = 'silent';
  caughtUp = false;
  #pause = MIN_PAUSE;
  #last;

  constructor(watcher, link) {
    Object.assign(this, { watcher, link, next: watcher.options.from });
  }

  async run() {
    while (this.state !== 'refused') {
      try {
        await this.#follow();
      } catch (error) {
        if (this.state === 'refused') return;
        if (isRefusal(error)) this.refuse(error, `block ${this.next}`);
        else if (error instanceof Lost) await this.#wait(error);
        else throw error;
      }
    }
  }

  async #follow() {
    for await (const line of this.link.lines('/v1/commits')) {
      if (!line.startsWith('id:')) continue;
      const [, digits] = /^id: ?([0-9]{1,15})$/.exec(line) ?? [];
      if (!digits) throw new Refused('MALFORMED', 'malformed stream: expected a height after `id:`');
      const height = Number(digits);
      this.next ||= Math.max(height, 1);
      // Read the blocks missed while disconnected; the stream waits meanwhile.
      while (this.next <= height && this.state !== 'refused') await this.#block(this.next);
      this.caughtUp = true;
    }
  }

  async #block(height) {
    const answer = await this.link.get(`/v1/blocks/${height}`, MAX_BLOCK);
    const { claim, certified: last, signers } = await this.#certified(height, answer);
    this.#last = claim;
    this.next = height + 1;
    if (!last || this.state === 'refused') return;
    const first = this.blocks ? undefined : this.watcher.chain.firstMissed(last);
    if (first) {
      [this.next, this.#last] = [first, undefined];
      return;
    }
    const other = this.watcher.chain.agree(last, this.link.url);
    if (other) this.watcher.dispute(last.height, this.link.url, other);
    if (this.state === 'lost') {
      const line = `${this.link.url}: followed again from block ${last.height}`;
      this.watcher.say('back', line, { validator: this.link.url, height: last.height });
    }
    this.blocks += 1;
    this.state = 'followed';
    this.#pause = MIN_PAUSE;
    if (this.watcher.chain.newest(last)) {
      const line =
        `${String(last.height).padStart(7)}  view ${last.view}  ${short(last.digest)}  by ${last.author ?? 'all'}  ` +
        `${last.transactions} transactions  signed by ${signers.join(' ')}  ${this.link.url}`;
      this.watcher.say('block', line, { ...last, signers, validator: this.link.url });
    }
  }

  async #certified(height, answer) {
    const { chain } = this.watcher;
    const epoch = chain.claimedEpoch(answer);
    await this.#handOver(epoch);
    try {
      return await chain.certified(this.#last, height, answer);
    } catch (error) {
      if (!(error instanceof QuorateError) || !chain.isForgotten(epoch)) throw error;
      [this.next, this.#last] = [0, undefined];
      const message = `block ${height} is of epoch ${epoch}, which is too old to be verified; the newest block is next`;
      throw new Lost(error.code, message);
    }
  }

  /** Follows the changes of the members up to an epoch, as far as this validator knows them. */
  async #handOver(needed) {
    const { chain } = this.watcher;
    let reached = -1n;
    while (reached < chain.client.epoch && chain.client.epoch < needed) {
      reached = chain.client.epoch;
      const answer = await this.link.get(`/v1/epochs?from=${reached + 1n}`, MAX_EPOCHS);
      for (const epoch of await chain.handOver(answer, needed)) {
        const members = chain.client.voters(epoch).size;
        const line = `${String(epoch).padStart(7)}  ${members} members  ${this.link.url}`;
        this.watcher.say('epoch', line, { epoch: Number(epoch), members, validator: this.link.url });
      }
    }
  }

  /** Submits a transaction and returns true if this validator proves its commit. */
  async prove(transaction, wanted) {
    await this.link.post('/v1/transactions', transaction, MAX_TICKET);
    const wait = 5;
    const answer = await this.link.get(`/v1/transactions/${wanted}?wait=${wait}`, MAX_PROOF, wait);
    let found;
    try {
      if (this.watcher.chain.client.protocol === 'gosig') await this.#handOver(BigInt(Number.MAX_SAFE_INTEGER));
      found = await this.watcher.chain.proof(wanted, answer);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.refuse(error, `proof of ${short(wanted)}`);
      return false;
    }
    const line = `${short(wanted)}  is in block ${found.height}, ${short(found.digest)}  ${this.link.url}`;
    this.watcher.say('proof', line, { transaction: wanted, ...found, validator: this.link.url });
    this.watcher.refuseRefuted(found.height, found.digest);
    return true;
  }

  async #wait(lost) {
    this.watcher.counts.lost += 1;
    this.state = 'lost';
    const { code, message } = lost;
    const line = `${this.link.url}: ${message} (${code}); next attempt in ${this.#pause} s`;
    this.watcher.say('lost', line, { validator: this.link.url, code, message });
    await sleep(this.#pause * 1000);
    this.#pause = Math.min(2 * this.#pause, MAX_PAUSE);
  }

  refuse(error, of) {
    this.state = 'refused';
    this.watcher.chain.forget(this.link.url);
    this.link.close();
    this.watcher.alarm(this.link.url, error, of);
  }
}

/** A reason to stop, with its exit code. */
class ExitError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

function commandLine() {
  const text = { type: 'string' };
  const options = {
    ...{ genesis: text, from: text, probe: text, timeout: text, duration: text },
    ...{ json: { type: 'boolean' }, help: { type: 'boolean' } },
  };
  try {
    const { values, positionals: urls } = parseArgs({ allowPositionals: true, options });
    if (urls.length > 0 && !values.genesis) throw new TypeError('validators on the command line need --genesis FILE');
    return {
      ...values,
      urls,
      from: values.from === undefined ? 0 : number(values.from, /^[0-9]{1,15}$/, 1, 'expected an integer from 1'),
      probe: seconds(values.probe ?? '1', 0),
      timeout: seconds(values.timeout ?? '10', 0.001),
      duration: values.duration === undefined ? undefined : seconds(values.duration, 0.001),
    };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ExitError(USAGE, `${error.message}; see --help`);
  }
}

const seconds = (text, least) => number(text, /^[0-9]{1,9}(\.[0-9]{1,9})?$/, least, 'expected a number of seconds');

function number(text, pattern, least, what) {
  if (!pattern.test(text) || Number(text) < least) throw new TypeError(`invalid value '${text}': ${what}`);
  return Number(text);
}

/** The most recently started testnet, as the program `quorate` finds it. */
function testnet({ QUORATE_TESTNET: named, XDG_STATE_HOME: state } = process.env) {
  const usual = join(state || join(homedir(), '.local/state'), 'quorate');
  const file = join(named || usual, 'testnet.json');
  try {
    const { http: urls, genesis } = JSON.parse(readFileSync(file, 'utf8'));
    if (Array.isArray(urls) && typeof genesis === 'string') return { urls, genesis };
  } catch {
    // reported below
  }
  const text = 'no testnet is running; start one with `quorate testnet`, or name validators and --genesis';
  throw new ExitError(NOTHING_VERIFIED, text);
}

function prepare(options) {
  const found = options.urls.length > 0 ? options : testnet();
  const file = options.genesis ?? found.genesis;
  try {
    const client = LightClient.fromGenesis(readFileSync(file, 'utf8'));
    return [new Chain(client), found.urls.map((url) => new Link(url, options.timeout))];
  } catch (error) {
    if (error instanceof TypeError) throw new ExitError(USAGE, error.message);
    if (!(error instanceof QuorateError) && !error.syscall) throw error;
    throw new ExitError(NO_GENESIS, `${file}: ${error.message}`);
  }
}

async function main() {
  try {
    const options = commandLine();
    if (options.help) {
      const text = readFileSync(new URL('../help.txt', import.meta.url), 'utf8');
      process.stdout.write(text.replaceAll('{program}', 'node watch.mjs'));
      return 0;
    }
    return await new Watcher(...prepare(options), options).run();
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    process.stderr.write(`watch: ${error.message}\n`);
    return error.code;
  }
}

const code = await main();
// Exits without waiting for open connections.
process.stdout.write('', () => process.exit(code));
