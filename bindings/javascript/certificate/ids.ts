/** Identifiers of chains and committees. */

import * as check from '../common/check.js';
import { hex } from '../common/hex.js';
import { native } from './backend.js';
import { Handle, named, open, wrap } from './handle.js';

/** Identifier of a chain: 32 bytes that no other chain uses, for instance the hash of the genesis. */
export class ChainId extends Handle {
  declare private readonly brand: never;
  private constructor() {
    super();
  }
  /** Derives an identifier from a name, for tests and demonstrations: any party that knows the name can derive it. */
  static fromName(name: string): ChainId {
    return wrap(ChainId, native.chainIdFromName(check.string(name, 'name')));
  }
  /** @throws {@link MalformedError} unless there are 32 bytes */
  static fromBytes(bytes: Uint8Array): ChainId {
    return wrap(ChainId, native.chainIdFromBytes(check.bytes(bytes, 'bytes')));
  }
  get bytes(): Uint8Array {
    return native.chainIdBytes(open(this, ChainId));
  }
  equals(other: ChainId): boolean {
    open(other, ChainId, 'other');
    return this.toString() === other.toString();
  }
  /** 64 hex digits. */
  toString(): string {
    return hex(this.bytes);
  }
  toJSON(): string {
    return this.toString();
  }
}

/** Identifier of a committee of one chain in one epoch: a hash of all its parameters, which every signature covers. */
export class CommitteeId extends Handle {
  declare private readonly brand: never;
  private constructor() {
    super();
  }
  /** @throws {@link MalformedError} unless there are 32 bytes */
  static fromBytes(bytes: Uint8Array): CommitteeId {
    return wrap(CommitteeId, native.committeeIdFromBytes(check.bytes(bytes, 'bytes')));
  }
  get bytes(): Uint8Array {
    return native.committeeIdBytes(open(this, CommitteeId));
  }
  equals(other: CommitteeId): boolean {
    open(other, CommitteeId, 'other');
    return this.toString() === other.toString();
  }
  /** 64 hex digits. */
  toString(): string {
    return hex(this.bytes);
  }
  toJSON(): string {
    return this.toString();
  }
}

named({ ChainId, CommitteeId });
