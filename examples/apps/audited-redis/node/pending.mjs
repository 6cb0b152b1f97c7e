// Commands that wait for their answers, and what the front may answer.
import { BadFront, Lost, RedisError } from './failure.mjs';
import { refused } from './link.mjs';
import { Malformed, parseReply } from './resp.mjs';

/**
 * What Redis answered to a command: the client's number of the command, and the number of its entry in the log.
 * @typedef {{ sequence: number, entry: number, reply: import('./resp.mjs').Reply }} Answer
 */
/**
 * A command under way. What is sent again is the same frame, so that it is executed once at most.
 * @typedef {{ frame: Uint8Array, resolve: (answer: Answer) => void, reject: (failure: Error) => void }} Waiting
 */

/** Numbers without gaps, and for each command exactly one outcome. */
export class Pending {
  /** Ascending. @type {Map<number, Waiting>} */
  #byNumber = new Map();
  /** What is in the log, as the front says; the end of that may be lost with it. */
  #accepted = 0;
  /** What was answered, and is on disk therefore. */
  #answered = 0;
  #entry = 0;
  /** @type {number | undefined} */
  #refused;
  #wake = () => {};
  next = 1;

  get size() {
    return this.#byNumber.size;
  }

  /** Waits until something has changed. */
  changed() {
    return /** @type {Promise<void>} */ (new Promise((resolve) => (this.#wake = resolve)));
  }

  wake() {
    this.#wake();
  }

  /** Whether the next number is known: after a refusal, when every command has its answer. */
  ready() {
    if (this.#refused !== undefined && this.size === 0) {
      this.next = this.#accepted + 1;
      this.#refused = undefined;
    }
    return this.#refused === undefined;
  }

  /**
   * The command with the next number is sent.
   *
   * @param {Uint8Array} frame
   * @returns {Promise<Answer>}
   */
  add(frame) {
    return new Promise((resolve, reject) => {
      this.#byNumber.set(this.next, { frame, resolve, reject });
      this.next += 1;
    });
  }

  /**
   * The first connection: earlier programs with this key sent this number of commands.
   *
   * @param {number} last
   */
  begin(last) {
    this.#accepted = last;
    this.next = last + 1;
  }

  /**
   * Another connection: what to send again.
   *
   * @param {number} last
   */
  resume(last) {
    if (last < this.#answered) {
      const message = `the front has our commands to number ${last}, but answered number ${this.#answered}`;
      throw new BadFront('ROLLED_BACK', `${message}; its log has lost entries`);
    }
    if (last >= this.next) throw new Lost('another program uses this key; give each its own');
    this.#accepted = last;
    const logged = [...this.#byNumber.keys()].filter((number) => number <= last);
    this.#fail(logged, new Lost('the command is in the log, but its answer is lost with the connection', true));
    const [first = last + 1] = this.#byNumber.keys();
    if (this.#refused !== undefined || first !== last + 1) {
      // They were signed with numbers that never come.
      this.#fail([...this.#byNumber.keys()], new Lost('the connection is lost; the command was not executed', false));
    }
    this.#refused = undefined;
    this.next = last + 1 + this.size;
    this.wake();
    return [...this.#byNumber.values()].map(({ frame }) => frame);
  }

  /**
   * What the front says. Throws what ends the connection.
   *
   * @param {import('./wire.mjs').Welcome | import('./wire.mjs').Executed | import('./wire.mjs').Refusal} frame
   */
  take(frame) {
    if (frame.kind === 'executed') this.#executed(frame);
    else if (frame.kind === 'refusal') this.#refusal(frame);
    else throw new BadFront('BAD_ORDER', 'the front welcomes us twice');
    this.wake();
  }

  /**
   * No answer comes any longer.
   *
   * @param {Error} failure
   */
  fail(failure) {
    this.#fail([...this.#byNumber.keys()], failure);
    this.wake();
  }

  /** @param {import('./wire.mjs').Executed} frame */
  #executed({ sequence, entry, reply }) {
    const [first] = this.#byNumber.keys();
    if (first !== sequence || (this.#refused !== undefined && sequence > this.#refused)) {
      throw new BadFront('BAD_ORDER', `the front answers command ${sequence}, which is not the next`);
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
      return reject(new BadFront('BAD_REPLY', `${place}, is no RESP2 that is accepted here: ${reason.message}`));
    }
    if (value instanceof RedisError) return reject(new RedisError(value.text, sequence, entry));
    return resolve({ sequence, entry, reply: value });
  }

  /** @param {import('./wire.mjs').Refusal} frame */
  #refusal(frame) {
    const failure = refused(frame);
    if (frame.sequence === 0 || failure instanceof BadFront) throw failure;
    if (!this.#byNumber.has(frame.sequence)) {
      throw new BadFront('BAD_ORDER', `the front refuses command ${frame.sequence}, which has no answer to come`);
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
    const waiting = this.#byNumber.get(number);
    if (!waiting) throw new RangeError(`no command ${number} is under way`);
    this.#byNumber.delete(number);
    return waiting;
  }
}
