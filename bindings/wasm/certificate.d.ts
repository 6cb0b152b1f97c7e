/**
 * quorate-wasm/certificate: the part of quorate-wasm that verifies certificates, less than half the size. The package's
 * `index.d.ts` describes each item; the error classes are the same.
 *
 * @packageDocumentation
 */

/// <reference lib="es2020" />
/// <reference lib="esnext.disposable" />

import type { RawSigners, Suite as SuiteName } from './index.js';

export {
  init,
  default,
  VERSION,
  CODES,
  MAX_MEMBERS,
  Suite,
  SUITE_NUMBERS,
  QuorateError,
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
} from './index.js';
export type { ErrorCode, ErrorDetails, RawSigners } from './index.js';

/** Methods of every object. */
interface Owned {
  free(): void;
  [Symbol.dispose](): void;
  toString(): string;
}

export class PublicKey implements Owned {
  #private;
  private constructor();
  static decode(suite: SuiteName, bytes: Uint8Array): PublicKey;
  encode(): Uint8Array;
  readonly suite: SuiteName;
  equals(other: PublicKey): boolean;
  free(): void;
  [Symbol.dispose](): void;
}

export class ChainId implements Owned {
  #private;
  private constructor();
  static fromName(name: string): ChainId;
  static fromBytes(bytes: Uint8Array): ChainId;
  readonly bytes: Uint8Array;
  equals(other: ChainId): boolean;
  free(): void;
  [Symbol.dispose](): void;
}

export class CommitteeId implements Owned {
  #private;
  private constructor();
  static fromBytes(bytes: Uint8Array): CommitteeId;
  readonly bytes: Uint8Array;
  equals(other: CommitteeId): boolean;
  free(): void;
  [Symbol.dispose](): void;
}

export class SignerSet implements Iterable<number>, Owned {
  #private;
  constructor(committeeSize: number, members?: Iterable<number>);
  static full(committeeSize: number): SignerSet;
  static fromMembers(committeeSize: number, members: Iterable<number>): SignerSet;
  insert(member: number): boolean;
  contains(member: number): boolean;
  readonly size: number;
  readonly committeeSize: number;
  [Symbol.iterator](): IterableIterator<number>;
  complement(): SignerSet;
  intersection(other: SignerSet): SignerSet;
  union(other: SignerSet): SignerSet;
  isDisjoint(other: SignerSet): boolean;
  equals(other: SignerSet): boolean;
  free(): void;
  [Symbol.dispose](): void;
}

export class Statement implements Owned {
  #private;
  constructor(fields: {
    readonly kind: number;
    readonly epoch: bigint;
    readonly view: bigint;
    readonly digest: Uint8Array;
  });
  static decode(bytes: Uint8Array): Statement;
  encode(): Uint8Array;
  readonly kind: number;
  readonly epoch: bigint;
  readonly view: bigint;
  readonly digest: Uint8Array;
  signedBytes(committee: CommitteeId): Uint8Array;
  identity(committee: CommitteeId): Uint8Array;
  contradicts(other: Statement): boolean;
  equals(other: Statement): boolean;
  free(): void;
  [Symbol.dispose](): void;
}

export class Committee implements Owned {
  #private;
  private constructor();
  static fromAttested(
    chain: ChainId,
    epoch: bigint,
    members: Iterable<readonly [PublicKey, bigint]>,
    options?: { readonly allowRepeats?: boolean | undefined },
  ): Committee;
  readonly suite: SuiteName;
  readonly id: CommitteeId;
  readonly chain: ChainId;
  readonly epoch: bigint;
  readonly size: number;
  readonly totalWeight: bigint;
  readonly quorumWeight: bigint;
  readonly honestWeight: bigint;
  weight(member: number): bigint | undefined;
  key(member: number): PublicKey | undefined;
  keys(): PublicKey[];
  position(key: PublicKey): number | undefined;
  weightOf(signers: SignerSet): bigint;
  hasQuorum(signers: SignerSet): boolean;
  requireQuorum(signers: SignerSet): void;
  signerSet(signers: RawSigners): SignerSet;
  verifyRaw(message: Uint8Array, signers: SignerSet, proof: Uint8Array): bigint;
  statement(kind: number, view: bigint, digest: Uint8Array): Statement;
  equals(other: Committee): boolean;
  free(): void;
  [Symbol.dispose](): void;
}

export class Certificate implements Owned {
  #private;
  private constructor();
  static decode(bytes: Uint8Array, committee: Committee): Certificate;
  encode(): Uint8Array;
  static decodeDetached(bytes: Uint8Array, statement: Statement, committee: Committee): Certificate;
  encodeDetached(): Uint8Array;
  readonly encodedLength: number;
  readonly suite: SuiteName;
  readonly statement: Statement;
  readonly signers: SignerSet;
  proof(): Uint8Array;
  verify(committee: Committee): VerifiedCertificate;
  equals(other: Certificate): boolean;
  free(): void;
  [Symbol.dispose](): void;
}

export class VerifiedCertificate implements Owned {
  #private;
  private constructor();
  readonly value: Certificate;
  readonly committee: CommitteeId;
  free(): void;
  [Symbol.dispose](): void;
}

export class UntrustedHeader implements Owned {
  #private;
  private constructor();
  static peek(bytes: Uint8Array): UntrustedHeader;
  static decode(bytes: Uint8Array): UntrustedHeader;
  encode(): Uint8Array;
  readonly suite: SuiteName;
  readonly kind: number;
  readonly epoch: bigint;
  readonly view: bigint;
  equals(other: UntrustedHeader): boolean;
  free(): void;
  [Symbol.dispose](): void;
}
