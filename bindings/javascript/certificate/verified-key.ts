/** Keys whose owners proved possession. */

import { native } from './backend.js';
import { Handle, named, open, wrap } from './handle.js';
import { PublicKey } from './public-key.js';
import { Suite } from './suites.js';

/**
 * A public key whose owner proved possession of the secret key. Only {@link UnverifiedKey.verify} and `fromSecret`
 * create one.
 */
export class VerifiedKey extends Handle {
  declare private readonly brand: never;
  private constructor() {
    super();
  }
  get suite(): Suite {
    return native.verifiedKeySuite(open(this, VerifiedKey));
  }
  get public(): PublicKey {
    return wrap(PublicKey, native.verifiedKeyPublic(open(this, VerifiedKey)));
  }
  equals(other: VerifiedKey): boolean {
    return native.verifiedKeyEquals(open(this, VerifiedKey), open(other, VerifiedKey, 'other'));
  }
  /** Returns the public key in hex. */
  toString(): string {
    return this.public.toString();
  }
  toJSON(): string {
    return this.toString();
  }
}

named({ VerifiedKey });
