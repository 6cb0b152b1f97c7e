'use strict';
// The error classes, one per code, and the conversion of the native half's errors.

/** Only this package may create errors, so that each code stands for an actual failure. */
const TOKEN = Symbol('quorate');

class QuorateError extends Error {
  constructor(token, code, message, culprits, details) {
    if (token !== TOKEN) throw new TypeError('only quorate creates its errors');
    super(message);
    // Not enumerable, like `message` and `stack`; but `console.log` prints only enumerable properties, so these are
    // enumerable.
    this.code = code;
    this.culprits = Object.freeze(culprits);
    this.details = Object.freeze(details);
  }
}
Object.defineProperty(QuorateError.prototype, 'name', { value: 'QuorateError', writable: true, configurable: true });

const named = {
  MALFORMED: class MalformedError extends QuorateError {},
  NON_CANONICAL: class NonCanonicalError extends QuorateError {},
  TOO_LARGE: class TooLargeError extends QuorateError {},
  NOT_IN_SUBGROUP: class NotInSubgroupError extends QuorateError {},
  INFINITY: class InfinityError extends QuorateError {},
  UNKNOWN_SIGNER: class UnknownSignerError extends QuorateError {},
  DUPLICATE_SIGNER: class DuplicateSignerError extends QuorateError {},
  RELATED_KEYS: class RelatedKeysError extends QuorateError {},
  BAD_COMMITTEE: class BadCommitteeError extends QuorateError {},
  BAD_SHAPE: class BadShapeError extends QuorateError {},
  BAD_ENCODING: class BadEncodingError extends QuorateError {},
  BELOW_QUORUM: class BelowQuorumError extends QuorateError {},
  BAD_SIGNATURE: class BadSignatureError extends QuorateError {},
  BAD_POSSESSION: class BadPossessionError extends QuorateError {},
  BAD_SHARE: class BadShareError extends QuorateError {},
  BAD_CIPHERTEXT: class BadCiphertextError extends QuorateError {},
  WRONG_CONTEXT: class WrongContextError extends QuorateError {},
  CONTRADICTION: class ContradictionError extends QuorateError {},
  NOT_EVIDENCE: class NotEvidenceError extends QuorateError {},
  EXHAUSTED: class ExhaustedError extends QuorateError {},
  ONE_TIME_REUSE: class OneTimeReuseError extends QuorateError {},
  NOT_DRAWN: class NotDrawnError extends QuorateError {},
  RATE_LIMITED: class RateLimitedError extends QuorateError {},
  RNG: class RngError extends QuorateError {},
  CLOSED: class ClosedError extends QuorateError {},
};
for (const Class of Object.values(named)) {
  Object.defineProperty(Class.prototype, 'name', { value: Class.name, writable: true, configurable: true });
}

/** Details of at most 32 bits; the other ones are `bigint`. */
const SMALL = new Set(['index', 'first', 'second', 'kind']);

function detail([name, type, value]) {
  const key = name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
  if (type === 'members') return [key, Object.freeze(value)];
  if (type === 'number') return [key, SMALL.has(name) ? Number(value) : BigInt(value)];
  return [key, value];
}

/** An argument exceeds the limit and is not examined. */
function tooLarge(what, limit) {
  const error = new named.TOO_LARGE(TOKEN, 'TOO_LARGE', `${what}: above the limit of ${limit}`, [], { what, limit: BigInt(limit) });
  Error.captureStackTrace?.(error, tooLarge);
  return error;
}

/** The object was freed. */
function closed(what) {
  const error = new named.CLOSED(TOKEN, 'CLOSED', `this ${what} was closed, freed or consumed`, [], { what });
  Error.captureStackTrace?.(error, closed);
  return error;
}

/** The error that the native half encoded as JSON; the stack begins below the function `below`. */
function failure(text, below = failure) {
  const { code, message, culprits, details } = JSON.parse(text);
  const Class = named[code] ?? QuorateError;
  const error = new Class(TOKEN, code, message, culprits, Object.fromEntries(details.map(detail)));
  Error.captureStackTrace?.(error, below);
  return error;
}

/** Converts an error of the native half to a public one. */
function translated(error, below) {
  if (error?.code === 'GenericFailure' && error.message.startsWith('{')) return failure(error.message, below);
  // A handle of another type; it occurs only if an object's prototype was replaced.
  if (error?.code === 'InvalidArg') return new TypeError(error.message);
  return error;
}

const classes = Object.fromEntries(Object.values(named).map((Class) => [Class.name, Class]));

module.exports = { failure, closed, tooLarge, translated, codes: Object.keys(named), classes: { QuorateError, ...classes } };
