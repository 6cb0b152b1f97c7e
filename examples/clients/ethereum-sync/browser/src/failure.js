/** Why there is no success; the code is the same in all of this example's languages. */
export class Failure extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}
