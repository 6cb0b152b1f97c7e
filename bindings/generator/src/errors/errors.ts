/** Errors of the package: one class for each code. */

/** Only this package creates errors, so that each code stands for an actual failure. */
const TOKEN = Symbol('quorate');

/** A code that never changes its meaning, the same in all languages. */
export type ErrorCode =
// CODES

/** Further values of an error. Each subclass has its own fields. */
export type ErrorDetails = { readonly [name: string]: string | number | bigint | readonly number[] };

/** Every error of this package, except wrong types (`TypeError`), wrong ranges (`RangeError`) and aborts. */
export class QuorateError extends Error {
  /** Code of the error. */
  readonly code: ErrorCode;
  /** The members at fault, in ascending order; empty if none is known. */
  readonly culprits: readonly number[];
  /** Values beyond the message. */
  readonly details: ErrorDetails;

  /** Only this package creates its errors. */
  protected constructor(token: unknown, code: ErrorCode, message: string, culprits: Iterable<number>) {
    if (token !== TOKEN) throw new TypeError('only quorate creates its errors');
    super(message);
    this.code = code;
    this.culprits = Object.freeze([...culprits]);
    this.details = {};
  }
}
Object.defineProperty(QuorateError.prototype, 'name', { value: 'QuorateError', writable: true, configurable: true });

// CLASSES

/** The class of each code. */
const CLASSES = {
// MAP
} satisfies Record<ErrorCode, unknown>;
for (const [code, Class] of Object.entries(CLASSES)) {
  // Bundlers may rename classes; the public names must stay.
  const name = `${code.toLowerCase().replace(/(^|_)([a-z])/g, (_, __, letter) => letter.toUpperCase())}Error`;
  Object.defineProperty(Class, 'name', { value: name });
  Object.defineProperty(Class.prototype, 'name', { value: name, writable: true, configurable: true });
}

/** Every code that {@link QuorateError.code} can have. */
export const CODES: readonly ErrorCode[] = Object.freeze(Object.keys(CLASSES) as ErrorCode[]);

/** Creates the error of a code. */
export function make(code: string, message: string, culprits: Iterable<number>): QuorateError {
  const Class = (CLASSES as Record<string, unknown>)[code] ?? QuorateError;
  return Reflect.construct(Class as typeof MalformedError, [TOKEN, code, message, culprits]);
}

const field = (name: string) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
/** Details of at most 32 bits; the other ones are `bigint`. */
const SMALL = new Set([/* SMALL */]);
const detailsOf = (error: QuorateError) => error.details as Record<string, unknown>;

export function addText(error: QuorateError, name: string, value: string): void {
  detailsOf(error)[field(name)] = value;
}

export function addNumber(error: QuorateError, name: string, value: bigint): void {
  detailsOf(error)[field(name)] = SMALL.has(name) ? Number(value) : value;
}

export function addMembers(error: QuorateError, name: string, value: Iterable<number>): void {
  detailsOf(error)[field(name)] = Object.freeze([...value]);
}

/** The object was freed. */
export function closed(what: string): QuorateError {
  const error = make('CLOSED', `this ${what} was closed, freed or consumed`, []);
  addText(error, 'what', what);
  return error;
}

/** An argument exceeds the limit and is not examined. */
export function tooLarge(what: string, limit: number): QuorateError {
  const error = make('TOO_LARGE', `${what}: above the limit of ${limit}`, []);
  addText(error, 'what', what);
  addNumber(error, 'limit', BigInt(limit));
  return error;
}
