/** Identifiers of chains and committees. */

/** Identifier of a chain: 32 bytes that no other chain uses, for instance the hash of the genesis. */
export class ChainId {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** Derives an identifier from a name, for tests and demonstrations: any party that knows the name can derive it. */
  static fromName(name: string): ChainId;
  /** @throws {@link MalformedError} unless there are 32 bytes */
  static fromBytes(bytes: Uint8Array): ChainId;
  readonly bytes: Uint8Array;
  equals(other: ChainId): boolean;
  /** 64 hex digits. */
  toString(): string;
  toJSON(): string;
}

/** Identifier of a committee of one chain in one epoch: a hash of all its parameters, which every signature covers. */
export class CommitteeId {
  #private;
  /** Frees the native memory now; after that every use throws {@link ClosedError}. Further calls do nothing. */
  free(): void;
  [Symbol.dispose](): void;
  private constructor();
  /** @throws {@link MalformedError} unless there are 32 bytes */
  static fromBytes(bytes: Uint8Array): CommitteeId;
  readonly bytes: Uint8Array;
  equals(other: CommitteeId): boolean;
  /** 64 hex digits. */
  toString(): string;
  toJSON(): string;
}
