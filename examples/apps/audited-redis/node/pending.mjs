// Commands in flight, and the checks on the front's answers.
import { BadFront, Lost, RedisError } from './failure.mjs';
import { refused } from './link.mjs';
import { Malformed, parseReply } from './resp.mjs';

/**
 * Redis' answer to a command, with the command's sequence number and the number of its entry in the log.
 * @typedef {{ sequence: number, entry: number, reply: import('./resp.mjs').Reply }} Answer
 */
/**
 * A command in flight. Its frame is sent again unchanged, so that the command is executed at most once.
 * @typedef {{ frame: Uint8Array, resolve: (answer: Answer) => void, reject: (failure: Error) => void }} PendingCommand
 */

/** Assigns sequence numbers without gaps, and gives each command exactly one outcome. */
export class PendingCommands {
  /** In ascending order. @type {Map<number, PendingCommand>} */
  #bySequence = new Map();
  /** Last in the log as the front reports; a crash may lose the end of the log. */
  #accepted = 0;
  /** Last that was answered, so that it is on disk. */
  #answered = 0;
  #entry = 0;
  /** @type {number | undefined} */
  #refused;
  #wake = () => {};
  next = 1;

  get size() {
    return this.#bySequence.size;
  }

  /** Waits until the state has changed. */
  changed() {
    return /** @type {Promise<void>} */ (new Promise((resolve) => (this.#wake = resolve)));
  }

  wake() {
    this.#wake();
  }

  /** Returns whether the next number is known: after a refusal, when all commands are answered. */
  ready() {
    if (this.#refused !== undefined && this.size === 0) {
      this.next = this.#accepted + 1;
      this.#refused = undefined;
    }
    return this.#refused === undefined;
  }

  /**
   * Adds the command with the next sequence number.
   *
   * @param {Uint8Array} frame
   * @returns {Promise<Answer>}
   */
  add(frame) {
    return new Promise((resolve, reject) => {
      this.#bySequence.set(this.next, { frame, resolve, reject });
      this.next += 1;
    });
  }

  /**
   * Starts the first connection, after `last` commands that earlier programs sent with this key.
   *
   * @param {number} last
   */
  start(last) {
    this.#accepted = last;
    this.next = last + 1;
  }

  /**
   * Continues on a new connection and returns the frames to send again.
   *
   * @param {number} last
   */
  resume(last) {
    if (last < this.#answered) {
      const message = `the front's log ends at sequence number ${last}, but it answered number ${this.#answered}`;
      throw new BadFront('ROLLED_BACK', `${message}: it has lost entries`);
    }
    if (last >= this.next) throw new Lost('another program uses this key; give each program its own key');
    this.#accepted = last;
    const logged = [...this.#bySequence.keys()].filter((number) => number <= last);
    this.#fail(logged, new Lost('the command is in the log, but its answer is lost with the connection', true));
    const [first = last + 1] = this.#bySequence.keys();
    if (this.#refused !== undefined || first !== last + 1) {
      // The front never accepts their sequence numbers.
      this.#fail([...this.#bySequence.keys()], new Lost('the connection is lost; the command was not executed', false));
    }
    this.#refused = undefined;
    this.next = last + 1 + this.size;
    this.wake();
    return [...this.#bySequence.values()].map(({ frame }) => frame);
  }

  /**
   * Handles a frame of the front. Throws the failures that end the connection.
   *
   * @param {import('./wire.mjs').Welcome | import('./wire.mjs').Executed | import('./wire.mjs').Refusal} frame
   */
  receive(frame) {
    if (frame.kind === 'executed') this.#executed(frame);
    else if (frame.kind === 'refusal') this.#refusal(frame);
    else throw new BadFront('BAD_ORDER', 'the front sent a second welcome');
    this.wake();
  }

  /**
   * Fails all commands in flight.
   *
   * @param {Error} failure
   */
  fail(failure) {
    this.#fail([...this.#bySequence.keys()], failure);
    this.wake();
  }

  /** @param {import('./wire.mjs').Executed} frame */
  #executed({ sequence, entry, reply }) {
    const [first] = this.#bySequence.keys();
    if (first !== sequence || (this.#refused !== undefined && sequence > this.#refused)) {
      throw new BadFront('BAD_ORDER', `expected the answer to command ${first}, got ${sequence}`);
    }
    if (entry <= this.#entry) throw new BadFront('BAD_ORDER', `entry ${entry} of the log after entry ${this.#entry}`);
    this.#accepted = sequence;
    this.#answered = sequence;
    this.#entry = entry;
    const { resolve, reject } = this.#remove(sequence);
    let value;
    try {
      value = parseReply(reply);
    } catch (reason) {
      if (!(reason instanceof Malformed)) throw reason;
      const place = `the reply to command ${sequence}, entry ${entry} of the log`;
      return reject(new BadFront('BAD_REPLY', `${place}, is malformed RESP2: ${reason.message}`));
    }
    if (value instanceof RedisError) return reject(new RedisError(value.text, sequence, entry));
    return resolve({ sequence, entry, reply: value });
  }

  /** @param {import('./wire.mjs').Refusal} frame */
  #refusal(frame) {
    const failure = refused(frame);
    if (frame.sequence === 0 || failure instanceof BadFront) throw failure;
    if (!this.#bySequence.has(frame.sequence)) {
      throw new BadFront('BAD_ORDER', `the front refused command ${frame.sequence}, which is not in flight`);
    }
    this.#refused = Math.min(frame.sequence, this.#refused ?? frame.sequence);
    this.#fail([frame.sequence], failure);
  }

  /**
   * @param {number[]} numbers
   * @param {Error} failure
   */
  #fail(numbers, failure) {
    for (const number of numbers) this.#remove(number).reject(failure);
  }

  /** @param {number} number */
  #remove(number) {
    const pending = this.#bySequence.get(number);
    if (!pending) throw new RangeError(`command ${number} is not in flight`);
    this.#bySequence.delete(number);
    return pending;
  }
}
