// The error classes, one per code. The WebAssembly module creates its errors through the functions below.

const TOKEN = Symbol('quorate');

export class QuorateError extends Error {
  constructor(token, code, message, culprits) {
    if (token !== TOKEN) throw new TypeError('only quorate creates its errors');
    super(message);
    this.code = code;
    this.culprits = Object.freeze([...culprits]);
    this.details = {};
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
// Bundlers may rename classes; the public names must stay.
const NAMES = {};
for (const [code, Class] of Object.entries(named)) {
  const name = `${code.toLowerCase().replace(/(^|_)([a-z])/g, (_, __, letter) => letter.toUpperCase())}Error`;
  Object.defineProperty(Class, 'name', { value: name });
  Object.defineProperty(Class.prototype, 'name', { value: name, writable: true, configurable: true });
  NAMES[name] = Class;
}

export const CODES = Object.freeze(Object.keys(named));
export const {
  MalformedError,
  NonCanonicalError,
  TooLargeError,
  NotInSubgroupError,
  InfinityError,
  UnknownSignerError,
  DuplicateSignerError,
  RelatedKeysError,
  BadCommitteeError,
  BadShapeError,
  BadEncodingError,
  BelowQuorumError,
  BadSignatureError,
  BadPossessionError,
  BadShareError,
  BadCiphertextError,
  WrongContextError,
  ContradictionError,
  NotEvidenceError,
  ExhaustedError,
  OneTimeReuseError,
  NotDrawnError,
  RateLimitedError,
  RngError,
  ClosedError,
} = NAMES;

export function make(code, message, culprits) {
  return new (named[code] ?? QuorateError)(TOKEN, code, message, culprits);
}

const field = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
/** Details of at most 32 bits; the other ones are `bigint`. */
const SMALL = new Set(['index', 'first', 'second', 'kind']);

export function addText(error, name, value) {
  error.details[field(name)] = value;
}

export function addNumber(error, name, value) {
  error.details[field(name)] = SMALL.has(name) ? Number(value) : value;
}

export function addMembers(error, name, value) {
  error.details[field(name)] = Object.freeze([...value]);
}

export function closed(what) {
  const error = make('CLOSED', `this ${what} was closed, freed or consumed`, []);
  addText(error, 'what', what);
  return error;
}

export function tooLarge(what, limit) {
  const error = make('TOO_LARGE', `${what}: above the limit of ${limit}`, []);
  addText(error, 'what', what);
  addNumber(error, 'limit', BigInt(limit));
  return error;
}
