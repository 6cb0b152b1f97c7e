/**
 * BLS threshold signatures: t of N parties sign, and the result is a standard BLS signature. Nothing is consumed. The
 * signature of a message is unique, so its {@link beacon} is a coin that no party could choose.
 *
 * The suite is one of the two BLS suites; Ed25519 throws {@link WrongContextError}.
 */

import type { CommitteeId } from '../../dist/whole/ids.js';
import type { Signature } from '../../dist/whole/keys.js';
import type { PublicKey } from '../../dist/whole/public-key.js';
import type { Suite } from '../../dist/whole/suites.js';
import type { Counts } from './ecdsa.js';
import type { Agreement, Cache, Threshold, Tolerance } from './common.js';

/**
 * Generates a key and shares it, one share per party. **The process that runs this knows the key.** The key has one
 * threshold: {@link Agreement} states when f + 1 suffices.
 *
 * @throws {@link RngError} @throws {@link WrongContextError}
 */
export function deal(suite: Suite, committee: CommitteeId, tolerance: Tolerance, agreement: Agreement): KeyShare[];
/** Returns 32 bytes that were unpredictable before t parties had signed. **Verify the signature first.** */
export function beacon(signature: Signature): Uint8Array;

/** Public part of a shared key. */
export class GroupKey {
  #private;
  private constructor();
  /** Frees the memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** Cost: a square root and a subgroup check for each party. */
  static decode(suite: Suite, bytes: Uint8Array): GroupKey;
  encode(): Uint8Array;
  readonly suite: Suite;
  /** Identifier of 32 bytes, which every share contains. */
  readonly id: Uint8Array;
  readonly committee: CommitteeId;
  readonly tolerance: Tolerance;
  /** Number of shares that a signature needs. */
  readonly threshold: Threshold;
  /** Key under which the signatures verify. */
  readonly public: PublicKey;
  /** Verification key of a party's shares; `undefined` if there is no such party. */
  party(member: number): PublicKey | undefined;
  equals(other: GroupKey): boolean;
  toString(): string;
}

/** One party's share of the key. It never reveals itself; {@link KeyShare.close} wipes it. */
export class KeyShare {
  #private;
  private constructor();
  /** Decodes the result of `toBytes`. @throws {@link WrongContextError} if the secret does not belong to the member */
  static fromBytes(suite: Suite, bytes: Uint8Array): KeyShare;
  /** Returns the whole share, **secret**, to be sealed for its party. */
  toBytes(): Uint8Array;
  readonly suite: Suite;
  readonly member: number;
  readonly key: GroupKey;
  /** Signs. The caller decides whether the message may be signed. */
  sign(message: Uint8Array): SignatureShare;
  /** Frees the memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  /** Wipes it. Closing twice does nothing. */
  close(): void;
  [Symbol.dispose](): void;
  readonly closed: boolean;
  /** Without the secret. */
  toString(): string;
  toJSON(): string;
}

/** One party's part of a signature. */
export class SignatureShare {
  #private;
  private constructor();
  /** Frees the memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  static decode(suite: Suite, bytes: Uint8Array): SignatureShare;
  encode(): Uint8Array;
  readonly suite: Suite;
  /** Index of the party that the share names. Compare it with the sender. */
  readonly member: number;
  /** A hash of the key and the message: 32 bytes. */
  readonly digest: Uint8Array;
  /**
   * Returns the bytes that a party signs with a key known to be its own, so that a wrong share can be attributed to it.
   */
  attestedBytes(): Uint8Array;
  /** The party's signature on those bytes; empty if there is none. */
  readonly attestation: Uint8Array;
  /** This share with the party's signature. @throws {@link TooLargeError} above 8,192 bytes */
  attest(attestation: Uint8Array): SignatureShare;
  equals(other: SignatureShare): boolean;
  toString(): string;
}

/**
 * Collects shares of one message: combines optimistically, and verifies shares only if the signature does not verify.
 */
export class Combiner {
  #private;
  constructor(key: GroupKey, message: Uint8Array, cache?: Cache);
  /** Frees the memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /**
   * Adds a share received over a link that authenticates `from`.
   *
   * @throws {@link WrongContextError} for a share of another message, or of another party than the sender
   * @throws {@link DuplicateSignerError} @throws {@link UnknownSignerError}
   * @throws {@link BadShareError} from a member that sent a wrong share before
   */
  add(from: number, share: SignatureShare): Outcome;
  readonly signature: Signature | undefined;
  readonly counts: Counts;
  toString(): string;
}

/** Result of adding a share. */
export interface Outcome {
  /** Present once it exists. */
  readonly signature: Signature | undefined;
  readonly faults: Fault[];
}

/** A member that sent a wrong share, and the evidence. */
export interface Fault {
  readonly culprit: number;
  readonly evidence: ShareFault;
}

/**
 * A wrong share, with the message that it was to sign; every holder of the {@link GroupKey} can verify it, if the share
 * is attested.
 */
export class ShareFault {
  #private;
  private constructor();
  /** Frees the memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** Decodes the bytes; the evidence is not verified yet. */
  static decode(suite: Suite, bytes: Uint8Array): ShareFault;
  encode(): Uint8Array;
  readonly suite: Suite;
  readonly share: SignatureShare;
  /**
   * Verifies the evidence and returns the culprit.
   *
   * @param attested - returns true if a member's attestation of some bytes is valid; called for each share of the
   * evidence, after all other checks
   * @throws {@link NotEvidenceError} if the share is right, or `attested` does not return `true`
   * @throws {@link WrongContextError} for evidence of another key
   */
  verify(key: GroupKey, attested: (member: number, bytes: Uint8Array, attestation: Uint8Array) => boolean): number;
  equals(other: ShareFault): boolean;
  toString(): string;
}
