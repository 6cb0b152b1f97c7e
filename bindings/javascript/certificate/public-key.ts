/** Public keys. */

import * as check from '../common/check.js';
import { hex } from '../common/hex.js';
import { native } from './backend.js';
import { Handle, named, open, wrap } from './handle.js';
import { Suite } from './suites.js';

/** A decoded public key: a point of the right group, canonical, and not the neutral element. */
export class PublicKey extends Handle {
  declare private readonly brand: never;
  private constructor() {
    super();
  }
  /** Cost: one square root and one subgroup check. @throws {@link MalformedError} and other decoding errors */
  static decode(suite: Suite, bytes: Uint8Array): PublicKey {
    return wrap(PublicKey, native.publicKeyDecode(check.suite(suite), check.bytes(bytes, 'bytes')));
  }
  encode(): Uint8Array {
    return native.publicKeyEncode(open(this, PublicKey));
  }
  get suite(): Suite {
    return native.publicKeySuite(open(this, PublicKey));
  }
  equals(other: PublicKey): boolean {
    return native.publicKeyEquals(open(this, PublicKey), open(other, PublicKey, 'other'));
  }
  /** Returns the encoding in hex, suitable as the key of a `Map`. */
  toString(): string {
    return hex(this.encode());
  }
  toJSON(): string {
    return this.toString();
  }
}

named({ PublicKey });
