// How things fail: a class and a stable code for programs, an exit code for scripts, and what to do for people.

/** The exit codes of the program, those of the Rust one. */
export const EXIT = Object.freeze({ FAILED: 1, INPUT: 3, UNREACHABLE: 4, REFUSED: 5 });

/** Why there is no success. */
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

/** No front answers. Nothing was sent. */
export class Unreachable extends Failure {
  exit = EXIT.UNREACHABLE;

  /** @param {string} reason */
  constructor(reason) {
    super('UNREACHABLE', reason);
  }
}

/**
 * The answer will not come.
 *
 * `logged` is true if the front says that the command is in the log: it was executed, unless the front crashed just
 * then. False: it is not, and was not executed. Undefined: it is unknown.
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
 * What answers is no front, or one that lies: nothing that it says is believed any longer.
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

/** The front refused, with a code of its own: the command is not in the log and was not executed. */
export class Refused extends Failure {
  exit = EXIT.REFUSED;

  /**
   * @param {string} code
   * @param {string} reason
   * @param {number} sequence the client's number of the command, 0 if there is none
   */
  constructor(code, reason, sequence) {
    super(code, reason);
    this.sequence = sequence;
  }
}

/** Redis answered with an error. The command is in the log, as `entry`; in an array an error is a value instead. */
export class RedisError extends Failure {
  /**
   * @param {string} text
   * @param {number} [sequence]
   * @param {number} [entry]
   */
  constructor(text, sequence = 0, entry = 0) {
    const [code = ''] = text.split(' ', 1);
    super(code, text.slice(code.length + 1));
    /** As Redis wrote it. */
    this.text = text;
    this.sequence = sequence;
    this.entry = entry;
  }
}
