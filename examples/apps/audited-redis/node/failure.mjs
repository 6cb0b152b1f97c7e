// Failures: each has a class and a stable code for programs, an exit code for scripts, and a message for users.

/** Exit codes of the program, equal to those of the Rust program. */
export const EXIT = Object.freeze({ FAILED: 1, INPUT: 3, UNREACHABLE: 4, REFUSED: 5 });

/** Base class of all failures. */
export class Failure extends Error {
  /** @type {number} */
  exit = EXIT.FAILED;

  /**
   * @param {string} code
   * @param {string} reason
   */
  constructor(code, reason) {
    super(`${reason} (${code})`);
    this.name = new.target.name;
    this.code = code;
    this.reason = reason;
  }
}

/** A key file or a command that cannot be used. Nothing was sent. */
export class BadInput extends Failure {
  exit = EXIT.INPUT;

  /** @param {string} reason */
  constructor(reason) {
    super('BAD_INPUT', reason);
  }
}

/** The front does not answer. The command was not sent. */
export class Unreachable extends Failure {
  exit = EXIT.UNREACHABLE;

  /** @param {string} reason */
  constructor(reason) {
    super('UNREACHABLE', reason);
  }
}

/**
 * The answer is lost.
 *
 * `logged` is true if the front reports the command in its log: it was executed, unless the front crashed before that.
 * False: the command is not in the log and was not executed. Undefined: unknown.
 */
export class Lost extends Failure {
  exit = EXIT.UNREACHABLE;

  /**
   * @param {string} reason
   * @param {boolean} [logged]
   */
  constructor(reason, logged) {
    super('LOST', reason);
    this.logged = logged;
  }
}

/**
 * The server is not a front, or violates the protocol. The client does not contact it again.
 *
 * Codes: `NO_FRONT`, `OTHER_STORE`, `BAD_FRAME`, `BAD_ORDER`, `BAD_REPLY`, `ROLLED_BACK`.
 */
export class BadFront extends Failure {
  /**
   * @param {string} code
   * @param {string} reason
   */
  constructor(code, reason) {
    super(code, reason);
    this.exit = code === 'OTHER_STORE' ? EXIT.REFUSED : EXIT.UNREACHABLE;
  }
}

/** The front refused the command, with the front's code: it is not in the log and was not executed. */
export class Refused extends Failure {
  exit = EXIT.REFUSED;

  /**
   * @param {string} code
   * @param {string} reason
   * @param {number} sequence sequence number of the command, 0 if the connection was refused
   */
  constructor(code, reason, sequence) {
    super(code, reason);
    this.sequence = sequence;
  }
}

/** Redis answered with an error. The command is in the log, as `entry`. An error inside an array is a value. */
export class RedisError extends Failure {
  /**
   * @param {string} text
   * @param {number} [sequence]
   * @param {number} [entry]
   */
  constructor(text, sequence = 0, entry = 0) {
    const [code = ''] = text.split(' ', 1);
    super(code, text.slice(code.length + 1));
    /** The text of Redis' reply. */
    this.text = text;
    this.sequence = sequence;
    this.entry = entry;
  }
}
