/**
 * Threshold ECDSA: t of N parties sign, in one round and in half a microsecond each, with presignatures dealt in
 * advance.
 *
 * **One presignature, one message**: two signatures with one presignature reveal the key. Signing consumes a
 * {@link Presignature} and records its use in the journal of the {@link Guard}, which also records votes. Make the
 * record durable **before** the share leaves.
 */

import type { AsyncOptions } from '../../dist/classes/offthread.js';
import type { Guard, GuardRecord } from '../../dist/classes/guard.js';
import type { CommitteeId } from '../../dist/classes/ids.js';
import type { Agreement, Cache, Group, Tolerance } from './common.js';

/** Maximum length of a share's attestation. */
export const MAX_ATTESTATION: number;

/**
 * Generates a key and deals its presignatures. **It knows the key**, and can compute it from any signature made with
 * its presignatures. Run it offline, seal each party's file, and wipe the machine.
 */
export class TrustedDealer {
  #private;
  /** Does what `close` does. */
  free(): void;
  /** Generates a new key. @throws {@link RngError} @throws {@link WrongContextError} for an unknown group */
  constructor(group: Group, committee: CommitteeId, tolerance: Tolerance);
  /** Returns the dealer of a stored key. @throws {@link MalformedError} @throws {@link NonCanonicalError} */
  static fromBytes(group: Group, committee: CommitteeId, tolerance: Tolerance, secret: Uint8Array): TrustedDealer;
  /** Returns the secret key: 32 bytes. */
  toBytes(): Uint8Array;
  readonly key: GroupKey;
  /**
   * Deals the presignatures of one epoch: one file for each party. **Never deal an epoch twice.** Cost: 0.1 ms per
   * presignature and party. Memory: 150 bytes for each.
   *
   * @throws {@link WrongContextError} for a plan with another number of parties
   * @throws {@link TooLargeError} @throws {@link MalformedError} @throws {@link RngError}
   */
  deal(epoch: bigint, plan: Plan): Presignatures[];
  /** As {@link TrustedDealer.deal}, off this thread. Closing the dealer does not stop a call in progress. */
  dealAsync(epoch: bigint, plan: Plan, options?: AsyncOptions): Promise<Presignatures[]>;
  /** Wipes it. Closing twice does nothing. */
  close(): void;
  [Symbol.dispose](): void;
  readonly closed: boolean;
  /** Without the secret. */
  toString(): string;
  toJSON(): string;
}

/** The public key of a committee. */
export class GroupKey {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  static decode(group: Group, bytes: Uint8Array): GroupKey;
  encode(): Uint8Array;
  readonly group: Group;
  /** Identifier of 32 bytes, which every share and every record contains. */
  readonly id: Uint8Array;
  readonly committee: CommitteeId;
  readonly tolerance: Tolerance;
  /** Verifies a signature made under a tag. @throws {@link BadSignatureError} */
  verify(tag: Tag, message: Uint8Array, signature: Signature): void;
  /**
   * Verifies a signature over secp256k1 as standard ECDSA with SHA-256. @throws {@link BadSignatureError} @throws
   * {@link WrongContextError} over another group
   */
  verifyMessage(message: Uint8Array, signature: Signature): void;
  /**
   * Returns the key over secp256k1 in the form that OpenSSL reads. @throws {@link WrongContextError} over another group
   */
  toSpkiDer(): Uint8Array;
  equals(other: GroupKey): boolean;
  /** Returns the encoding in hex. */
  toString(): string;
  toJSON(): string;
}

/** A decoded signature: 64 bytes. */
export class Signature {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  static decode(group: Group, bytes: Uint8Array): Signature;
  encode(): Uint8Array;
  readonly group: Group;
  /**
   * Returns the form that X.509 and OpenSSL expect. @throws {@link WrongContextError} over another group than secp256k1
   */
  toDer(): Uint8Array;
  equals(other: Signature): boolean;
  /** Returns the encoding in hex. */
  toString(): string;
  toJSON(): string;
}

/** Plan of an epoch's presignatures. */
export class Plan {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** Default number of rounds of an agreement: 20. */
  static readonly ROUNDS: number;
  /** Maximum number of presignatures of an epoch. */
  static readonly MAX_COUNT: number;
  /** Creates a plan for the asynchronous agreement of `parties` parties, with at most `rounds` rounds. */
  static forAgreement(parties: number, rounds?: number): Plan;
  /** Creates a plan of `count` presignatures, all for agreed messages. */
  static forAgreed(count: number): Plan;
  /** Creates a plan of `count` presignatures, all for unagreed messages. */
  static forUnagreed(count: number): Plan;
  static decode(bytes: Uint8Array): Plan;
  /** 5 bytes. */
  encode(): Uint8Array;
  /** Number of presignatures in the plan. */
  readonly count: number;
  /** Class of a presignature; `undefined` past the end. */
  agreement(index: number): Agreement | undefined;
  /**
   * Returns the tag for the delivery of a party's broadcast. @throws {@link UnknownSignerError} @throws
   * {@link WrongContextError} for another plan
   */
  prbc(epoch: bigint, member: number): Tag;
  /**
   * Returns the tag for step 1 to 4 of a party's promotion in a round, counted from 0. @throws {@link ExhaustedError}
   * past the last round
   */
  promotion(epoch: bigint, round: number, member: number, step: number): Tag;
  /**
   * Returns the tag for the completion of a round, counted from 0, after enough promotions. @throws
   * {@link ExhaustedError} past the last round
   */
  completion(epoch: bigint, round: number): Tag;
  /**
   * Tag number `number` of a plan of agreed presignatures. @throws {@link ExhaustedError} @throws
   * {@link WrongContextError}
   */
  agreed(epoch: bigint, number: number): Tag;
  /**
   * Tag number `number` of a plan of unagreed presignatures. @throws {@link ExhaustedError} @throws
   * {@link WrongContextError}
   */
  unagreed(epoch: bigint, number: number): Tag;
  equals(other: Plan): boolean;
  toString(): string;
}

/** One presignature of one epoch, and the class of messages that it may sign. Only a {@link Plan} creates tags. */
export class Tag {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  readonly epoch: bigint;
  readonly index: number;
  readonly agreement: Agreement;
  equals(other: Tag): boolean;
  toString(): string;
}

/** Public part of the deal for one epoch; its holder can verify evidence. */
export class Deal {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  static decode(bytes: Uint8Array): Deal;
  encode(): Uint8Array;
  /** Identifier: parties that hold different deals cannot sign together. */
  readonly id: Uint8Array;
  /** Identifier of the key. */
  readonly key: Uint8Array;
  readonly epoch: bigint;
  readonly plan: Plan;
  /** Returns the roots of the parties' trees of openings. */
  roots(): Uint8Array[];
  equals(other: Deal): boolean;
  toString(): string;
}

/** One party's presignatures of one epoch. Each can be taken once; the rest are wiped when this is closed. */
export class Presignatures {
  #private;
  /** Does what `close` does. */
  free(): void;
  private constructor();
  /** Decodes the result of `toBytes`. @throws {@link WrongContextError} if its parts do not belong together */
  static fromBytes(group: Group, bytes: Uint8Array): Presignatures;
  /**
   * Returns the whole share, **secret**, to be sealed for its party. @throws {@link ExhaustedError} after the first
   * `take`: only dealers write files
   */
  toBytes(): Uint8Array;
  readonly group: Group;
  readonly member: number;
  readonly key: GroupKey;
  readonly deal: Deal;
  /** Number of presignatures left. */
  readonly left: number;
  /** Takes the presignature of a tag. @throws {@link ExhaustedError} if it was taken before @throws {@link WrongContextError} */
  take(tag: Tag): Presignature;
  /**
   * Returns the input for combining shares of a message under a tag, whether or not this party's presignature is spent.
   * @throws {@link WrongContextError}
   */
  signing(tag: Tag, message: Uint8Array): Signing;
  /**
   * Checks the dealer's material for one of them. @throws {@link WrongContextError} if it is wrong @throws
   * {@link ExhaustedError}
   */
  audit(index: number): void;
  /**
   * Ends the epoch: wipes the remaining presignatures, closes this object, and makes the guard refuse all copies. Make
   * the record durable.
   */
  destroy(guard: Guard): GuardRecord;
  /** Wipes it. Closing twice does nothing. */
  close(): void;
  [Symbol.dispose](): void;
  readonly closed: boolean;
  /** Without the secret. */
  toString(): string;
  toJSON(): string;
}

/** One presignature. It signs one message. */
export class Presignature {
  #private;
  /** Does what `close` does. */
  free(): void;
  private constructor();
  readonly group: Group;
  readonly agreement: Agreement;
  /**
   * Signs, after the guard has recorded the use of the presignature. **The record must be durable before the share
   * leaves.** Use an agreed tag only for a message that no honest party contradicts.
   *
   * @throws {@link ContradictionError} if the presignature was spent on another message
   * @throws {@link ExhaustedError} if it is burnt, if its epoch is closed, or on a second call; it is consumed in any
   * case
   */
  sign(guard: Guard, message: Uint8Array): Signed;
  /** Wipes it. Closing twice does nothing. */
  close(): void;
  [Symbol.dispose](): void;
  readonly closed: boolean;
  /** Without the secret. */
  toString(): string;
  toJSON(): string;
}

/** Result of signing. Process its fields in this order. */
export interface Signed {
  /** Make this durable first. `undefined` if the presignature lies in a block whose reservation is durable. */
  readonly record: GuardRecord | undefined;
  /** Send this next. */
  readonly share: SignatureShare;
  /** Keep this until the signature exists, in case a member requests an opening. */
  readonly opener: Opener;
}

/** Opens a share that was sent, in case the signature does not verify. */
export class Opener {
  #private;
  /** Does what `close` does. */
  free(): void;
  private constructor();
  /**
   * Returns the opening, for the holders of the share. @throws {@link WrongContextError} if the dealer made a mistake
   */
  open(): Opening;
  /** Wipes it. Closing twice does nothing. */
  close(): void;
  [Symbol.dispose](): void;
  readonly closed: boolean;
  /** Without the secret. */
  toString(): string;
  toJSON(): string;
}

/** One party's part of a signature. It is public; whether it is right is unknown until the signature verifies. */
export class SignatureShare {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  static decode(group: Group, bytes: Uint8Array): SignatureShare;
  encode(): Uint8Array;
  readonly group: Group;
  /** Index of the party that the share names. Compare it with the sender. */
  readonly member: number;
  readonly epoch: bigint;
  readonly index: number;
  /** Hash of the key, the epoch, the index and the message: 32 bytes. */
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

/** An opening, which lets the other members check a party's share. */
export class Opening {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  static decode(group: Group, bytes: Uint8Array): Opening;
  encode(): Uint8Array;
  readonly group: Group;
  readonly member: number;
  readonly index: number;
  equals(other: Opening): boolean;
  toString(): string;
}

/** A message under a tag: the subject of a {@link Combiner}. */
export class Signing {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /**
   * For a combiner without a party's file; parties call {@link Presignatures.signing}. A wrong nonce makes every
   * combination fail.
   *
   * @throws {@link MalformedError} @throws {@link WrongContextError} if key, deal and tag do not belong together
   */
  constructor(key: GroupKey, deal: Deal, nonce: Uint8Array, tag: Tag, message: Uint8Array);
  readonly group: Group;
  readonly message: Uint8Array;
  /** The encoded R. */
  readonly nonce: Uint8Array;
  readonly tag: Tag;
  toString(): string;
}

/**
 * Collects shares of one message: combines optimistically, and verifies shares only if the signature does not verify.
 */
export class Combiner {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  constructor(signing: Signing, cache?: Cache);
  /**
   * Adds a share received over a link that authenticates `from`.
   *
   * @throws {@link WrongContextError} for a share of another message, or of another party than the sender
   * @throws {@link DuplicateSignerError} @throws {@link UnknownSignerError}
   * @throws {@link BadShareError} from a member that sent a wrong share before
   */
  add(from: number, share: SignatureShare): Outcome;
  /**
   * Adds the opening of a share, from any sender. It is ignored unless it was requested. @throws
   * {@link WrongContextError}
   */
  open(of: number, opening: Opening): Outcome;
  readonly signing: Signing;
  readonly signature: Signature | undefined;
  readonly counts: Counts;
  toString(): string;
}

/** Result of adding a share or an opening. */
export interface Outcome {
  /** Present once it exists. */
  readonly signature: Signature | undefined;
  /** Members whose share openings are needed; request them. */
  readonly wanted: number[];
  readonly faults: Fault[];
}

/** A member that sent a wrong share, and the evidence. */
export interface Fault {
  readonly culprit: number;
  readonly evidence: ShareFault;
}

/** Work done by a combiner so far. */
export interface Counts {
  readonly combinations: number;
  readonly shareChecks: number;
  readonly decodings: number;
}

/**
 * A wrong share, with the evidence against it; every holder of the {@link Deal} can verify it, if the share is
 * attested.
 */
export class ShareFault {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** Decodes the bytes; the evidence is not verified yet. */
  static decode(group: Group, bytes: Uint8Array): ShareFault;
  encode(): Uint8Array;
  readonly group: Group;
  readonly share: SignatureShare;
  /**
   * Verifies the evidence and returns the culprit.
   *
   * @param attested - returns true if a member's attestation of some bytes is valid; called for each share of the
   * evidence, after all other checks
   * @throws {@link NotEvidenceError} if the share is right, or `attested` does not return `true`
   * @throws {@link WrongContextError} for evidence of another key
   */
  verify(
    key: GroupKey,
    deal: Deal,
    attested: (member: number, bytes: Uint8Array, attestation: Uint8Array) => boolean,
  ): number;
  equals(other: ShareFault): boolean;
  toString(): string;
}
