/**
 * BLS threshold signatures: t of N parties sign, and what comes out is a plain BLS signature. Nothing is consumed, and the
 * signature of a message is unique, so that its {@link beacon} is a coin that nobody could choose.
 *
 * The suite is one of the two of BLS; Ed25519 throws {@link WrongContextError}.
 */

import type { CommitteeId, PublicKey, Signature, Suite } from '../../index.js';
import type { Agreement, Cache, Threshold, Tolerance } from '../threshold.js';
import type { Counts } from './ecdsa.js';

/**
 * Makes a key and shares it, to each party its own. **Whoever runs this knows the key.** The threshold is one of the key:
 * {@link Agreement} says when f + 1 is enough.
 *
 * @throws {@link RngError} @throws {@link WrongContextError}
 */
export function deal(suite: Suite, committee: CommitteeId, tolerance: Tolerance, agreement: Agreement): KeyShare[];
/** 32 bytes that nobody knew before t parties had signed. **Verify the signature first.** */
export function beacon(signature: Signature): Uint8Array;

/** The public side of a shared key. */
export class GroupKey {
  #private;
  private constructor();
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** Cost: a square root and a subgroup check for each party. */
  static decode(suite: Suite, bytes: Uint8Array): GroupKey;
  encode(): Uint8Array;
  readonly suite: Suite;
  /** Its name, which every share binds: 32 bytes. */
  readonly id: Uint8Array;
  readonly committee: CommitteeId;
  readonly tolerance: Tolerance;
  /** How many shares make a signature. */
  readonly threshold: Threshold;
  /** What the signatures verify under. */
  readonly public: PublicKey;
  /** What a party's shares verify under; `undefined` if there is no such party. */
  party(member: number): PublicKey | undefined;
  equals(other: GroupKey): boolean;
  toString(): string;
}

/** One party's share of the key. It never shows itself; {@link KeyShare.close} wipes it. */
export class KeyShare {
  #private;
  private constructor();
  /** Reads what `toBytes` wrote. @throws {@link WrongContextError} if the secret is not the member's */
  static fromBytes(suite: Suite, bytes: Uint8Array): KeyShare;
  /** All of it, **secret**, to be sealed for its party. */
  toBytes(): Uint8Array;
  readonly suite: Suite;
  readonly member: number;
  readonly key: GroupKey;
  /** Signs. Whether the message may be signed is for the caller to know. */
  sign(message: Uint8Array): SignatureShare;
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
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
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  static decode(suite: Suite, bytes: Uint8Array): SignatureShare;
  encode(): Uint8Array;
  readonly suite: Suite;
  /** Whose it claims to be. Compare it with the sender. */
  readonly member: number;
  /** A hash of the key and the message: 32 bytes. */
  readonly digest: Uint8Array;
  /** What a party signs with a key that others know to be its own, so that a wrong share can be proven to be its. */
  attestedBytes(): Uint8Array;
  /** The party's signature of those bytes; empty if there is none. */
  readonly attestation: Uint8Array;
  /** This share with the party's signature. @throws {@link TooLargeError} above 8,192 bytes */
  attest(attestation: Uint8Array): SignatureShare;
  equals(other: SignatureShare): boolean;
  toString(): string;
}

/** Collects shares of one message: combines first, and checks shares only if the signature does not verify. */
export class Combiner {
  #private;
  constructor(key: GroupKey, message: Uint8Array, cache?: Cache);
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /**
   * Takes a share that came over a link that authenticates `from`.
   *
   * @throws {@link WrongContextError} for a share of something else, or of another than its sender
   * @throws {@link DuplicateSignerError} @throws {@link UnknownSignerError}
   * @throws {@link BadShareError} from a member that sent a wrong one
   */
  add(from: number, share: SignatureShare): Outcome;
  readonly signature: Signature | undefined;
  readonly counts: Counts;
  toString(): string;
}

/** What follows from a share. */
export interface Outcome {
  /** Once there is one. */
  readonly signature: Signature | undefined;
  readonly faults: Fault[];
}

/** Who sent a wrong share, and what proves it. */
export interface Fault {
  readonly culprit: number;
  readonly evidence: ShareFault;
}

/** A wrong share and what it was to sign, for anybody who holds the {@link GroupKey} if the share is attested. */
export class ShareFault {
  #private;
  private constructor();
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** The bytes only: it still is to be verified. */
  static decode(suite: Suite, bytes: Uint8Array): ShareFault;
  encode(): Uint8Array;
  readonly suite: Suite;
  readonly share: SignatureShare;
  /**
   * Checks it, and names the culprit.
   *
   * @param attested - whether a member's attestation of some bytes is good; it is asked for each share of the evidence, and
   * only of what is evidence otherwise
   * @throws {@link NotEvidenceError} if the share is right, or `attested` does not return `true`
   * @throws {@link WrongContextError} for evidence of another key
   */
  verify(key: GroupKey, attested: (member: number, bytes: Uint8Array, attestation: Uint8Array) => boolean): number;
  equals(other: ShareFault): boolean;
  toString(): string;
}
