/** A failure; its code is the same in all languages of this example. */
export class Failure extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}
