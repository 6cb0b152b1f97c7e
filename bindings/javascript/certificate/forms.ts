/** Forms of arguments and results that only JavaScript has. */

import * as check from '../common/check.js';
import { Committee, MAX_MEMBERS } from './committee.js';
import { methods, open, statics } from './handle.js';
import type { CommitteeId } from './ids.js';
import { SignerSet } from './signers.js';

/**
 * A value that was verified against a committee. Compare {@link Verified.committee} with the id of the current
 * committee.
 */
export interface Verified<T> {
  /** The verified value. */
  readonly value: T;
  /** Committee against which it was verified. Equal ids mean equal chain, epoch, suite, keys and weights. */
  readonly committee: CommitteeId;
}

/** Signers as other chains encode them: exactly one of the three forms. */
export type RawSigners =
  /** Member indices in any order, without duplicates. */
  | { readonly indices: Iterable<number>; readonly lsbFirst?: undefined; readonly msbFirst?: undefined }
  /** A bitmap of ⌈n/8⌉ bytes, member 0 in the lowest bit of the first byte. */
  | { readonly lsbFirst: Uint8Array; readonly indices?: undefined; readonly msbFirst?: undefined }
  /** A bitmap of ⌈n/8⌉ bytes, member 0 in the highest bit of the first byte. */
  | { readonly msbFirst: Uint8Array; readonly indices?: undefined; readonly lsbFirst?: undefined };

declare module './committee.js' {
  interface Committee {
    /**
     * Reads a signer set of this committee.
     *
     * @throws {@link UnknownSignerError}, {@link DuplicateSignerError}, {@link MalformedError} for a bitmap of another
     * length, {@link NonCanonicalError} for one whose padding is not zero
     */
    signerSet(signers: RawSigners): SignerSet;
  }
}

methods(Committee, {
  signerSet(signers) {
    open(this, Committee);
    const { indices, lsbFirst, msbFirst } = check.object(signers, 'signers');
    if ([indices, lsbFirst, msbFirst].filter((form) => form !== undefined).length !== 1) {
      throw new TypeError('signers must have exactly one of indices, lsbFirst and msbFirst');
    }
    if (lsbFirst !== undefined) return this.signerSetLsbFirst(check.bytes(lsbFirst, 'signers.lsbFirst'));
    if (msbFirst !== undefined) return this.signerSetMsbFirst(check.bytes(msbFirst, 'signers.msbFirst'));
    return this.signerSetIndices(check.list(indices, 'signers.indices', check.u32, MAX_MEMBERS));
  },
});

declare module './signers.js' {
  namespace SignerSet {
    /** The set of these members, each listed once. @throws {@link UnknownSignerError}, {@link DuplicateSignerError} */
    function fromMembers(committeeSize: number, members: Iterable<number>): SignerSet;
  }
}

statics(SignerSet, {
  fromMembers: (committeeSize: number, members: Iterable<number>) =>
    new SignerSet(committeeSize, check.list(members, 'members', check.u16, MAX_MEMBERS)),
});
