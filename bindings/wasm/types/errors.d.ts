/** Errors of the package: one class for each code. */

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
  protected constructor();
  /** Code of the error. */
  readonly code: ErrorCode;
  /** The members at fault, in ascending order; empty if none is known. */
  readonly culprits: readonly number[];
  /** Values beyond the message. */
  readonly details: ErrorDetails;
}

/** The bytes are not an encoding of the expected type: wrong length, unknown tag, or not a point. */
export class MalformedError extends QuorateError {
  readonly code: 'MALFORMED';
  /** For a wrong length: `expected` and `actual` in bytes, or the `count` of trailing bytes. */
  readonly details: {
    readonly what: string;
    readonly expected?: bigint;
    readonly actual?: bigint;
    readonly count?: bigint;
  };
}
/** The bytes decode, but they are not the canonical encoding of the value. */
export class NonCanonicalError extends QuorateError {
  readonly code: 'NON_CANONICAL';
  readonly details: { readonly what: string };
}
/** A length or count exceeds its limit; no memory was allocated for it. */
export class TooLargeError extends QuorateError {
  readonly code: 'TOO_LARGE';
  readonly details: { readonly what: string; readonly limit: bigint };
}
/** The point is outside the prime-order subgroup. */
export class NotInSubgroupError extends QuorateError {
  readonly code: 'NOT_IN_SUBGROUP';
  readonly details: {};
}
/** A key, signature or aggregate is the neutral element, or has small order. */
export class InfinityError extends QuorateError {
  readonly code: 'INFINITY';
  readonly details: {};
}
/** The committee has no such member. */
export class UnknownSignerError extends QuorateError {
  readonly code: 'UNKNOWN_SIGNER';
  readonly details: { readonly index: number };
}
/** A member appears twice where it may appear only once. */
export class DuplicateSignerError extends QuorateError {
  readonly code: 'DUPLICATE_SIGNER';
  readonly details: { readonly index: number };
}
/** The keys of two members are equal, or each is the negation of the other. */
export class RelatedKeysError extends QuorateError {
  readonly code: 'RELATED_KEYS';
  readonly details: { readonly first: number; readonly second: number };
}
/** No members, too many members, a weight of zero, or a total weight above the limit. */
export class BadCommitteeError extends QuorateError {
  readonly code: 'BAD_COMMITTEE';
  readonly details: { readonly rule: string };
}
/** No erasure code supports this number of shards or these parameters. */
export class BadShapeError extends QuorateError {
  readonly code: 'BAD_SHAPE';
  readonly details: { readonly rule: string };
}
/** The sender committed to shards that do not encode one message; every member that decodes them gets this error. */
export class BadEncodingError extends QuorateError {
  readonly code: 'BAD_ENCODING';
  readonly details: {};
}
/** The signers, or the shards, are below the threshold. */
export class BelowQuorumError extends QuorateError {
  readonly code: 'BELOW_QUORUM';
  readonly details: { readonly signed: bigint; readonly needed: bigint };
}
/** A signature does not verify; `culprits` lists the members at fault, if known. */
export class BadSignatureError extends QuorateError {
  readonly code: 'BAD_SIGNATURE';
  readonly details: { readonly signers: readonly number[] };
}
/** A proof of possession does not verify for its key. */
export class BadPossessionError extends QuorateError {
  readonly code: 'BAD_POSSESSION';
  readonly details: {};
}
/** Shares of a key, a signature or a decryption are wrong; `culprits` lists the members at fault, if known. */
export class BadShareError extends QuorateError {
  readonly code: 'BAD_SHARE';
  readonly details: { readonly members: readonly number[] };
}
/**
 * The proof of a threshold ciphertext does not verify, or its payload does not match its label and key: treat it as
 * empty.
 */
export class BadCiphertextError extends QuorateError {
  readonly code: 'BAD_CIPHERTEXT';
  readonly details: {};
}
/** The object is valid, but for another committee, chain, epoch, view or suite. */
export class WrongContextError extends QuorateError {
  readonly code: 'WRONG_CONTEXT';
  /** `expected` and `actual` for a number, such as an epoch, a view or a committee size. */
  readonly details: { readonly what: string; readonly expected?: bigint; readonly actual?: bigint };
}
/** Signing this would contradict an earlier signature; nothing was signed. */
export class ContradictionError extends QuorateError {
  readonly code: 'CONTRADICTION';
  readonly details: { readonly kind: number; readonly signedView: bigint };
}
/** Two objects submitted as evidence do not contradict each other. */
export class NotEvidenceError extends QuorateError {
  readonly code: 'NOT_EVIDENCE';
  readonly details: {};
}
/**
 * The one-time key or presignature is not available; nothing was signed. Either no fresh one-time key is left: prepare
 * a batch and sign again. Or the presignature is spent, burnt, or outside its plan or epoch: sign under another tag.
 */
export class ExhaustedError extends QuorateError {
  readonly code: 'EXHAUSTED';
  readonly details: {};
}
/** A one-time key signed two messages. Both signatures are evidence: store them, and reject their signer. */
export class OneTimeReuseError extends QuorateError {
  readonly code: 'ONE_TIME_REUSE';
  readonly details: {};
}
/** The ticket does not win its lottery; a member that presents it is at fault. */
export class NotDrawnError extends QuorateError {
  readonly code: 'NOT_DRAWN';
  readonly details: {};
}
/** The signer sent more announcements than its allowance; this one was not examined. */
export class RateLimitedError extends QuorateError {
  readonly code: 'RATE_LIMITED';
  readonly details: {};
}
/** The random number generator failed. */
export class RngError extends QuorateError {
  readonly code: 'RNG';
  readonly details: {};
}
/** The object was closed, or its ownership was transferred, as that of a secret key to its guard. */
export class ClosedError extends QuorateError {
  readonly code: 'CLOSED';
  readonly details: { readonly what: string };
}
