/** Errors of the package: one class for each code. */

/** Only this package creates errors, so that each code stands for an actual failure. */
const TOKEN = Symbol('quorate');

/** A code that never changes its meaning, the same in all languages. */
export type ErrorCode =
  | 'MALFORMED'
  | 'NON_CANONICAL'
  | 'TOO_LARGE'
  | 'NOT_IN_SUBGROUP'
  | 'INFINITY'
  | 'UNKNOWN_SIGNER'
  | 'DUPLICATE_SIGNER'
  | 'RELATED_KEYS'
  | 'BAD_COMMITTEE'
  | 'BAD_SHAPE'
  | 'BAD_ENCODING'
  | 'BELOW_QUORUM'
  | 'BAD_SIGNATURE'
  | 'BAD_POSSESSION'
  | 'BAD_SHARE'
  | 'BAD_CIPHERTEXT'
  | 'WRONG_CONTEXT'
  | 'CONTRADICTION'
  | 'NOT_EVIDENCE'
  | 'EXHAUSTED'
  | 'ONE_TIME_REUSE'
  | 'NOT_DRAWN'
  | 'RATE_LIMITED'
  | 'RNG'
  | 'CLOSED';

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

/** The bytes are not an encoding of the expected type: wrong length, unknown tag, or not a point. */
export class MalformedError extends QuorateError {
  declare readonly code: 'MALFORMED';
  /** For a wrong length: `expected` and `actual` in bytes, or the `count` of trailing bytes. */
  declare readonly details: {
    readonly what: string;
    readonly expected?: bigint;
    readonly actual?: bigint;
    readonly count?: bigint;
  };
}
/** The bytes decode, but they are not the canonical encoding of the value. */
export class NonCanonicalError extends QuorateError {
  declare readonly code: 'NON_CANONICAL';
  declare readonly details: { readonly what: string };
}
/** A length or count exceeds its limit; no memory was allocated for it. */
export class TooLargeError extends QuorateError {
  declare readonly code: 'TOO_LARGE';
  declare readonly details: { readonly what: string; readonly limit: bigint };
}
/** The point is outside the prime-order subgroup. */
export class NotInSubgroupError extends QuorateError {
  declare readonly code: 'NOT_IN_SUBGROUP';
  declare readonly details: {};
}
/** A key, signature or aggregate is the neutral element, or has small order. */
export class InfinityError extends QuorateError {
  declare readonly code: 'INFINITY';
  declare readonly details: {};
}
/** The committee has no such member. */
export class UnknownSignerError extends QuorateError {
  declare readonly code: 'UNKNOWN_SIGNER';
  declare readonly details: { readonly index: number };
}
/** A member appears twice where it may appear only once. */
export class DuplicateSignerError extends QuorateError {
  declare readonly code: 'DUPLICATE_SIGNER';
  declare readonly details: { readonly index: number };
}
/** The keys of two members are equal, or each is the negation of the other. */
export class RelatedKeysError extends QuorateError {
  declare readonly code: 'RELATED_KEYS';
  declare readonly details: { readonly first: number; readonly second: number };
}
/** No members, too many members, a weight of zero, or a total weight above the limit. */
export class BadCommitteeError extends QuorateError {
  declare readonly code: 'BAD_COMMITTEE';
  declare readonly details: { readonly rule: string };
}
/** No erasure code supports this number of shards or these parameters. */
export class BadShapeError extends QuorateError {
  declare readonly code: 'BAD_SHAPE';
  declare readonly details: { readonly rule: string };
}
/** The sender committed to shards that do not encode one message; every member that decodes them gets this error. */
export class BadEncodingError extends QuorateError {
  declare readonly code: 'BAD_ENCODING';
  declare readonly details: {};
}
/** The signers, or the shards, are below the threshold. */
export class BelowQuorumError extends QuorateError {
  declare readonly code: 'BELOW_QUORUM';
  declare readonly details: { readonly signed: bigint; readonly needed: bigint };
}
/** A signature does not verify; `culprits` lists the members at fault, if known. */
export class BadSignatureError extends QuorateError {
  declare readonly code: 'BAD_SIGNATURE';
  declare readonly details: { readonly signers: readonly number[] };
}
/** A proof of possession does not verify for its key. */
export class BadPossessionError extends QuorateError {
  declare readonly code: 'BAD_POSSESSION';
  declare readonly details: {};
}
/** Shares of a key, a signature or a decryption are wrong; `culprits` lists the members at fault, if known. */
export class BadShareError extends QuorateError {
  declare readonly code: 'BAD_SHARE';
  declare readonly details: { readonly members: readonly number[] };
}
/**
 * The proof of a threshold ciphertext does not verify, or its payload does not match its label and key: treat it as
 * empty.
 */
export class BadCiphertextError extends QuorateError {
  declare readonly code: 'BAD_CIPHERTEXT';
  declare readonly details: {};
}
/** The object is valid, but for another committee, chain, epoch, view or suite. */
export class WrongContextError extends QuorateError {
  declare readonly code: 'WRONG_CONTEXT';
  /** `expected` and `actual` for a number, such as an epoch, a view or a committee size. */
  declare readonly details: { readonly what: string; readonly expected?: bigint; readonly actual?: bigint };
}
/** Signing this would contradict an earlier signature; nothing was signed. */
export class ContradictionError extends QuorateError {
  declare readonly code: 'CONTRADICTION';
  declare readonly details: { readonly kind: number; readonly signedView: bigint };
}
/** Two objects submitted as evidence do not contradict each other. */
export class NotEvidenceError extends QuorateError {
  declare readonly code: 'NOT_EVIDENCE';
  declare readonly details: {};
}
/**
 * The one-time key or presignature is not available; nothing was signed. Either no fresh one-time key is left: prepare
 * a batch and sign again. Or the presignature is spent, burnt, or outside its plan or epoch: sign under another tag.
 */
export class ExhaustedError extends QuorateError {
  declare readonly code: 'EXHAUSTED';
  declare readonly details: {};
}
/** A one-time key signed two messages. Both signatures are evidence: store them, and reject their signer. */
export class OneTimeReuseError extends QuorateError {
  declare readonly code: 'ONE_TIME_REUSE';
  declare readonly details: {};
}
/** The ticket does not win its lottery; a member that presents it is at fault. */
export class NotDrawnError extends QuorateError {
  declare readonly code: 'NOT_DRAWN';
  declare readonly details: {};
}
/** The signer sent more announcements than its allowance; this one was not examined. */
export class RateLimitedError extends QuorateError {
  declare readonly code: 'RATE_LIMITED';
  declare readonly details: {};
}
/** The random number generator failed. */
export class RngError extends QuorateError {
  declare readonly code: 'RNG';
  declare readonly details: {};
}
/** The object was closed, or its ownership was transferred, as that of a secret key to its guard. */
export class ClosedError extends QuorateError {
  declare readonly code: 'CLOSED';
  declare readonly details: { readonly what: string };
}

/** The class of each code. */
const CLASSES = {
  MALFORMED: MalformedError,
  NON_CANONICAL: NonCanonicalError,
  TOO_LARGE: TooLargeError,
  NOT_IN_SUBGROUP: NotInSubgroupError,
  INFINITY: InfinityError,
  UNKNOWN_SIGNER: UnknownSignerError,
  DUPLICATE_SIGNER: DuplicateSignerError,
  RELATED_KEYS: RelatedKeysError,
  BAD_COMMITTEE: BadCommitteeError,
  BAD_SHAPE: BadShapeError,
  BAD_ENCODING: BadEncodingError,
  BELOW_QUORUM: BelowQuorumError,
  BAD_SIGNATURE: BadSignatureError,
  BAD_POSSESSION: BadPossessionError,
  BAD_SHARE: BadShareError,
  BAD_CIPHERTEXT: BadCiphertextError,
  WRONG_CONTEXT: WrongContextError,
  CONTRADICTION: ContradictionError,
  NOT_EVIDENCE: NotEvidenceError,
  EXHAUSTED: ExhaustedError,
  ONE_TIME_REUSE: OneTimeReuseError,
  NOT_DRAWN: NotDrawnError,
  RATE_LIMITED: RateLimitedError,
  RNG: RngError,
  CLOSED: ClosedError,
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
const SMALL = new Set(['index', 'first', 'second', 'kind']);
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
