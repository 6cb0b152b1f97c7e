/**
 * Threshold ECDSA: t of N parties sign, in one round and in half a microsecond each, with material that is dealt beforehand.
 *
 * **One presignature, one message**: two signatures with one give the key away. A {@link Presignature} is consumed by signing,
 * which notes what it is spent on in the {@link Guard}'s journal, the one that records votes. Make the record durable
 * **before** the share leaves.
 */

import type { CommitteeId, Guard, GuardRecord } from '../../index.js';
import type { Agreement, Cache, Group, Tolerance } from '../threshold.js';

/** The longest attestation of a share. */
export const MAX_ATTESTATION: number;

/**
 * Makes a key and deals presignatures of it. **It knows the key**, and can compute it from any signature that is made of what
 * it dealt. Run it offline, seal each party's file, and wipe the machine.
 */
export class TrustedDealer {
  #private;
  /** A new key. @throws {@link RngError} @throws {@link WrongContextError} for a group that there is not */
  constructor(group: Group, committee: CommitteeId, tolerance: Tolerance);
  /** The dealer of a key that was written down. @throws {@link MalformedError} @throws {@link NonCanonicalError} */
  static fromBytes(group: Group, committee: CommitteeId, tolerance: Tolerance, secret: Uint8Array): TrustedDealer;
  /** The secret key itself: 32 bytes. */
  toBytes(): Uint8Array;
  readonly key: GroupKey;
  /**
   * Deals the presignatures of one epoch, to each party its own. **Never deal an epoch twice.** Cost: three
   * multiplications for each presignature and party, on this thread. Memory: 150 bytes for each, and there are a million at most.
   *
   * @throws {@link WrongContextError} for a plan of another number of parties
   * @throws {@link TooLargeError} @throws {@link MalformedError} @throws {@link RngError}
   */
  deal(epoch: bigint, plan: Plan): Presignatures[];
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

/** The public key of a committee. */
export class GroupKey {
  #private;
  private constructor();
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  static decode(group: Group, bytes: Uint8Array): GroupKey;
  encode(): Uint8Array;
  readonly group: Group;
  /** Its name: 32 bytes, which every share and every record binds. */
  readonly id: Uint8Array;
  readonly committee: CommitteeId;
  readonly tolerance: Tolerance;
  /** Checks a signature that was made under a tag. @throws {@link BadSignatureError} */
  verify(tag: Tag, message: Uint8Array, signature: Signature): void;
  /** Checks a signature over secp256k1 as any ECDSA library would, with SHA-256. @throws {@link BadSignatureError} @throws {@link WrongContextError} over another group */
  verifyMessage(message: Uint8Array, signature: Signature): void;
  /** The key over secp256k1 as OpenSSL reads it. @throws {@link WrongContextError} over another group */
  toSpkiDer(): Uint8Array;
  equals(other: GroupKey): boolean;
  /** The encoding in hex. */
  toString(): string;
  toJSON(): string;
}

/** A signature that decoded: 64 bytes. */
export class Signature {
  #private;
  private constructor();
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  static decode(group: Group, bytes: Uint8Array): Signature;
  encode(): Uint8Array;
  readonly group: Group;
  /** The form that X.509 and OpenSSL expect. @throws {@link WrongContextError} over another group than secp256k1 */
  toDer(): Uint8Array;
  equals(other: Signature): boolean;
  /** The encoding in hex. */
  toString(): string;
  toJSON(): string;
}

/** What the presignatures of an epoch are for. */
export class Plan {
  #private;
  private constructor();
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** The rounds of an agreement if nothing else is asked for: 20. */
  static readonly ROUNDS: number;
  /** The most presignatures of an epoch. */
  static readonly MAX_COUNT: number;
  /** The asynchronous agreement of so many parties, of at most so many rounds. */
  static ofAgreement(parties: number, rounds?: number): Plan;
  /** So many, all for agreed messages. */
  static ofAgreed(count: number): Plan;
  /** So many, all for unagreed messages. */
  static ofUnagreed(count: number): Plan;
  static decode(bytes: Uint8Array): Plan;
  /** 5 bytes. */
  encode(): Uint8Array;
  /** How many presignatures it takes. */
  readonly count: number;
  /** The class of a presignature; `undefined` past the end. */
  agreement(index: number): Agreement | undefined;
  /** A party's broadcast was delivered. @throws {@link UnknownSignerError} @throws {@link WrongContextError} for another plan */
  prbc(epoch: bigint, member: number): Tag;
  /** Step 1 to 4 of a party's promotion in a round from 0. @throws {@link ExhaustedError} past the last round */
  promotion(epoch: bigint, round: number, member: number, step: number): Tag;
  /** A round from 0 has enough promotions. @throws {@link ExhaustedError} past the last round */
  completion(epoch: bigint, round: number): Tag;
  /** Number `number` of a plan of agreed ones. @throws {@link ExhaustedError} @throws {@link WrongContextError} */
  agreed(epoch: bigint, number: number): Tag;
  /** Number `number` of a plan of unagreed ones. @throws {@link ExhaustedError} @throws {@link WrongContextError} */
  unagreed(epoch: bigint, number: number): Tag;
  equals(other: Plan): boolean;
  toString(): string;
}

/** One presignature of one epoch, and the class of messages that it may sign. Only a {@link Plan} makes one. */
export class Tag {
  #private;
  private constructor();
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  readonly epoch: bigint;
  readonly index: number;
  readonly agreement: Agreement;
  equals(other: Tag): boolean;
  toString(): string;
}

/** What was dealt for one epoch, as far as everybody may know it: whoever holds it can judge evidence. */
export class Deal {
  #private;
  private constructor();
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  static decode(bytes: Uint8Array): Deal;
  encode(): Uint8Array;
  /** Its name: parties who hold different deals cannot sign together. */
  readonly id: Uint8Array;
  /** The name of the key. */
  readonly key: Uint8Array;
  readonly epoch: bigint;
  readonly plan: Plan;
  /** The roots of the parties' trees of openings. */
  roots(): Uint8Array[];
  equals(other: Deal): boolean;
  toString(): string;
}

/** One party's presignatures of one epoch. What is taken from it is gone from it; what is left is wiped when it is closed. */
export class Presignatures {
  #private;
  private constructor();
  /** Reads what `toBytes` wrote. @throws {@link WrongContextError} if its parts do not belong together */
  static fromBytes(group: Group, bytes: Uint8Array): Presignatures;
  /** All of it, **secret**, to be sealed for its party. @throws {@link ExhaustedError} if any was taken: only dealers write files */
  toBytes(): Uint8Array;
  readonly group: Group;
  readonly member: number;
  readonly key: GroupKey;
  readonly deal: Deal;
  /** How many are left. */
  readonly left: number;
  /** Takes the presignature of a tag. @throws {@link ExhaustedError} if it was taken before @throws {@link WrongContextError} */
  take(tag: Tag): Presignature;
  /** What combines shares of a message under a tag, be the own presignature spent or not. @throws {@link WrongContextError} */
  signing(tag: Tag, message: Uint8Array): Signing;
  /** Finds a mistake of the dealer's in one of them. @throws {@link WrongContextError} if there is one @throws {@link ExhaustedError} */
  audit(index: number): void;
  /** Ends the epoch: wipes what is left, closes this object, and has the guard refuse all copies. Make the record durable. */
  destroy(guard: Guard): GuardRecord;
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

/** One presignature. It signs one message. */
export class Presignature {
  #private;
  private constructor();
  readonly group: Group;
  readonly agreement: Agreement;
  /**
   * Signs, after the guard has noted what this is spent on. **The record must be durable before the share leaves.** Under an
   * agreed tag the caller knows that no honest party ever signs another message with it.
   *
   * @throws {@link ContradictionError} if the presignature was spent on something else
   * @throws {@link ExhaustedError} if it is burnt or its epoch over, and if this object signed before, or failed to: it is gone
   * in either case
   */
  sign(guard: Guard, message: Uint8Array): Signed;
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

/** What signing gives. Carry it out in this order. */
export interface Signed {
  /** Make it durable first. `undefined` if the presignature lies in a block whose reservation is durable. */
  readonly record: GuardRecord | undefined;
  /** Then send it. */
  readonly share: SignatureShare;
  /** Keep it until the signature is made, in case somebody asks for an opening. */
  readonly opener: Opener;
}

/** Opens a share that was sent, should the signature not verify. */
export class Opener {
  #private;
  private constructor();
  /** The opening, for whoever has the share. @throws {@link WrongContextError} if the dealer made a mistake */
  open(): Opening;
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

/** One party's part of a signature. It is public; whether it is right is open until the signature verifies. */
export class SignatureShare {
  #private;
  private constructor();
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  static decode(group: Group, bytes: Uint8Array): SignatureShare;
  encode(): Uint8Array;
  readonly group: Group;
  /** Whose it claims to be. Compare it with the sender. */
  readonly member: number;
  readonly epoch: bigint;
  readonly index: number;
  /** What it signs: 32 bytes. */
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

/** What lets others check a party's share. */
export class Opening {
  #private;
  private constructor();
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  static decode(group: Group, bytes: Uint8Array): Opening;
  encode(): Uint8Array;
  readonly group: Group;
  readonly member: number;
  readonly index: number;
  equals(other: Opening): boolean;
  toString(): string;
}

/** A message under a tag: what a {@link Combiner} collects shares for. */
export class Signing {
  #private;
  /**
   * For whoever combines without a party's file; parties call {@link Presignatures.signing}. A wrong nonce makes every
   * combination fail.
   *
   * @throws {@link MalformedError} @throws {@link WrongContextError} if key, deal and tag do not belong together
   */
  constructor(key: GroupKey, deal: Deal, nonce: Uint8Array, tag: Tag, message: Uint8Array);
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  readonly group: Group;
  readonly message: Uint8Array;
  /** R, encoded. */
  readonly nonce: Uint8Array;
  readonly tag: Tag;
  toString(): string;
}

/** Collects shares of one message: combines first, and checks shares only if the signature does not verify. */
export class Combiner {
  #private;
  constructor(signing: Signing, cache?: Cache);
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
  /** Takes the opening of a share, from whomever it came. It is ignored unless it was asked for. @throws {@link WrongContextError} */
  open(of: number, opening: Opening): Outcome;
  readonly signing: Signing;
  readonly signature: Signature | undefined;
  readonly counts: Counts;
  toString(): string;
}

/** What follows from a share or an opening. */
export interface Outcome {
  /** Once there is one. */
  readonly signature: Signature | undefined;
  /** Ask these members for the openings of their shares. */
  readonly wanted: number[];
  readonly faults: Fault[];
}

/** Who sent a wrong share, and what proves it. */
export interface Fault {
  readonly culprit: number;
  readonly evidence: ShareFault;
}

/** What a combiner did so far. */
export interface Counts {
  readonly combinations: number;
  readonly shareChecks: number;
  readonly decodings: number;
}

/** A wrong share, with what shows that it is wrong, for anybody who holds the {@link Deal} if the share is attested. */
export class ShareFault {
  #private;
  private constructor();
  /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
  free(): void;
  [Symbol.dispose](): void;
  /** The bytes only: it still is to be verified. */
  static decode(group: Group, bytes: Uint8Array): ShareFault;
  encode(): Uint8Array;
  readonly group: Group;
  readonly share: SignatureShare;
  /**
   * Checks it, and names the culprit.
   *
   * @param attested - whether a member's attestation of some bytes is good; it is asked for each share of the evidence, and
   * only of what is evidence otherwise
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
