/** Sets of members. */

import * as check from '../common/check.js';
import { native } from './backend.js';
import { Handle, TOKEN, named, open, wrap } from './handle.js';

/** A set of members of a committee of `committeeSize`. Iteration is in ascending order. */
export class SignerSet extends Handle implements Iterable<number> {
  declare private readonly brand: never;
  /** The set of these members, each listed once, or the empty set. @throws as {@link SignerSet.fromMembers} */
  constructor(committeeSize: number, members?: Iterable<number>) {
    const size = check.u16(committeeSize, 'committeeSize');
    super(TOKEN, members === undefined ? native.signerSetNew(size) : fromMembers(size, members));
  }
  /** Returns the set of all members. */
  static full(committeeSize: number): SignerSet {
    return wrap(SignerSet, native.signerSetFull(check.u16(committeeSize, 'committeeSize')));
  }
  /** The set of these members, each listed once. @throws {@link UnknownSignerError}, {@link DuplicateSignerError} */
  static fromMembers(committeeSize: number, members: Iterable<number>): SignerSet {
    return wrap(SignerSet, fromMembers(check.u16(committeeSize, 'committeeSize'), members));
  }
  /** Adds a member: changes this set. Returns false if it is in the set already, or not in the committee. */
  insert(member: number): boolean {
    return native.signerSetInsert(open(this, SignerSet), check.u16(member, 'member'));
  }
  contains(member: number): boolean {
    return native.signerSetContains(open(this, SignerSet), check.u16(member, 'member'));
  }
  /** Number of members in the set. */
  get size(): number {
    return native.signerSetSize(open(this, SignerSet));
  }
  /** Size of the committee. */
  get committeeSize(): number {
    return native.signerSetCommitteeSize(open(this, SignerSet));
  }
  [Symbol.iterator](): IterableIterator<number> {
    return native.signerSetMembers(open(this, SignerSet))[Symbol.iterator]();
  }
  /** Returns all members that are not in the set. */
  complement(): SignerSet {
    return wrap(SignerSet, native.signerSetComplement(open(this, SignerSet)));
  }
  /** Members of both sets. */
  intersection(other: SignerSet): SignerSet {
    return wrap(SignerSet, native.signerSetIntersection(open(this, SignerSet), open(other, SignerSet, 'other')));
  }
  /** Members of either set; members outside this committee are dropped. */
  union(other: SignerSet): SignerSet {
    return wrap(SignerSet, native.signerSetUnion(open(this, SignerSet), open(other, SignerSet, 'other')));
  }
  isDisjoint(other: SignerSet): boolean {
    return native.signerSetIsDisjoint(open(this, SignerSet), open(other, SignerSet, 'other'));
  }
  equals(other: SignerSet): boolean {
    return native.signerSetEquals(open(this, SignerSet), open(other, SignerSet, 'other'));
  }
  /** `SignerSet([0, 2] of 4)` */
  toString(): string {
    return `SignerSet([${[...this].join(', ')}] of ${this.committeeSize})`;
  }
  toJSON(): number[] {
    return [...this];
  }
}

/** One index more than the committee's size suffices: the core reports the duplicate or unknown one. */
const fromMembers = (size: number, members: Iterable<number>) =>
  native.signerSetFromMembers(size, check.list(members, 'members', check.u16, size));

named({ SignerSet });
