/** Every error of the package: a class for each code. */

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

/** What an error says beyond its message. Each subclass has its own fields. */
export type ErrorDetails = { readonly [name: string]: string | number | bigint | readonly number[] };

/** Everything that this package throws, but for wrong types (`TypeError`), wrong ranges (`RangeError`) and aborts. */
export class QuorateError extends Error {
  protected constructor();
  /** What went wrong. */
  readonly code: ErrorCode;
  /** The members whose fault it is, ascending; empty where nobody's fault is known. */
  readonly culprits: readonly number[];
  /** What is known beyond the message. */
  readonly details: ErrorDetails;
}

/** The bytes are not an encoding of the thing: wrong length, unknown tag, not a point. */
export class MalformedError extends QuorateError {
  readonly code: 'MALFORMED';
  readonly details: { readonly what: string };
}
/** The bytes decode, but another encoding of the same value is the only accepted one. */
export class NonCanonicalError extends QuorateError {
  readonly code: 'NON_CANONICAL';
  readonly details: { readonly what: string };
}
/** A length or count is above its limit; nothing was allocated for it. */
export class TooLargeError extends QuorateError {
  readonly code: 'TOO_LARGE';
  readonly details: { readonly what: string; readonly limit: bigint };
}
/** The point is outside the prime-order subgroup. */
export class NotInSubgroupError extends QuorateError {
  readonly code: 'NOT_IN_SUBGROUP';
  readonly details: {};
}
/** A key, a signature or an aggregate is the neutral element, or of small order. */
export class InfinityError extends QuorateError {
  readonly code: 'INFINITY';
  readonly details: {};
}
/** There is no such member in the committee. */
export class UnknownSignerError extends QuorateError {
  readonly code: 'UNKNOWN_SIGNER';
  readonly details: { readonly index: number };
}
/** A member appears twice where each may appear once. */
export class DuplicateSignerError extends QuorateError {
  readonly code: 'DUPLICATE_SIGNER';
  readonly details: { readonly index: number };
}
/** Two members' keys are equal or each other's negation. */
export class RelatedKeysError extends QuorateError {
  readonly code: 'RELATED_KEYS';
  readonly details: { readonly first: number; readonly second: number };
}
/** No members, too many, or weights that are zero or too large in sum. */
export class BadCommitteeError extends QuorateError {
  readonly code: 'BAD_COMMITTEE';
  readonly details: { readonly rule: string };
}
/** No erasure code makes so many shards, or has such parameters. */
export class BadShapeError extends QuorateError {
  readonly code: 'BAD_SHAPE';
  readonly details: { readonly rule: string };
}
/** A sender committed to shards that are not those of one message; all who decode them come to this. */
export class BadEncodingError extends QuorateError {
  readonly code: 'BAD_ENCODING';
  readonly details: {};
}
/** The signers, or the shards, do not reach the threshold. */
export class BelowQuorumError extends QuorateError {
  readonly code: 'BELOW_QUORUM';
  readonly details: { readonly signed: bigint; readonly needed: bigint };
}
/** A signature does not verify; `culprits` names whose, where it is known. */
export class BadSignatureError extends QuorateError {
  readonly code: 'BAD_SIGNATURE';
  readonly details: { readonly signers: readonly number[] };
}
/** A proof of possession does not verify for its key. */
export class BadPossessionError extends QuorateError {
  readonly code: 'BAD_POSSESSION';
  readonly details: {};
}
/** Shares of a secret, a signature or a decryption are wrong; `culprits` names whose, where it is known. */
export class BadShareError extends QuorateError {
  readonly code: 'BAD_SHARE';
  readonly details: { readonly members: readonly number[] };
}
/** A threshold ciphertext's proof does not hold, or its payload is not what its label and its key say: take it for empty. */
export class BadCiphertextError extends QuorateError {
  readonly code: 'BAD_CIPHERTEXT';
  readonly details: {};
}
/** Valid, but for another committee, chain, epoch, view or suite than the one at hand. */
export class WrongContextError extends QuorateError {
  readonly code: 'WRONG_CONTEXT';
  readonly details: { readonly what: string };
}
/** Signing this would contradict what was signed before; nothing was signed. */
export class ContradictionError extends QuorateError {
  readonly code: 'CONTRADICTION';
  readonly details: { readonly kind: number; readonly signedView: bigint };
}
/** Two objects that were offered as evidence do not contradict each other. */
export class NotEvidenceError extends QuorateError {
  readonly code: 'NOT_EVIDENCE';
  readonly details: {};
}
/**
 * What signs once is used up; nothing was signed. No fresh one-time key is left: prepare a batch, and sign again. Or the
 * presignature is spent, burnt, or past its plan or epoch: sign under another tag.
 */
export class ExhaustedError extends QuorateError {
  readonly code: 'EXHAUSTED';
  readonly details: {};
}
/** One one-time key signed two messages. Keep both signatures, for they are evidence, and refuse their signer. */
export class OneTimeReuseError extends QuorateError {
  readonly code: 'ONE_TIME_REUSE';
  readonly details: {};
}
/** The ticket is not one that wins its lottery; a member who shows it is at fault. */
export class NotDrawnError extends QuorateError {
  readonly code: 'NOT_DRAWN';
  readonly details: {};
}
/** More announcements came from a signer than it may send; this one was not looked at. */
export class RateLimitedError extends QuorateError {
  readonly code: 'RATE_LIMITED';
  readonly details: {};
}
/** The random number generator failed. */
export class RngError extends QuorateError {
  readonly code: 'RNG';
  readonly details: {};
}
/** The object was closed, or handed over as a secret key is to its guard. */
export class ClosedError extends QuorateError {
  readonly code: 'CLOSED';
  readonly details: { readonly what: string };
}
