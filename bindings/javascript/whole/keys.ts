/** Keys, signatures, and proofs of possession. */

import * as check from '../common/check.js';
import { hex } from '../common/hex.js';
import { native } from './backend.js';
import { Ciphersuite } from './ciphersuite.js';
import { Handle, TOKEN, isOpen, methods, named, open, statics, wrap } from './handle.js';
import { PublicKey } from './public-key.js';
import { Suite } from './suites.js';
import { VerifiedKey } from './verified-key.js';

/**
 * A secret key. It never reveals itself: not when printed, inspected, cloned, posted or converted to JSON.
 *
 * Its memory is overwritten by {@link SecretKey.close}, at the end of a `using` block, or when it is garbage-collected. A
 * {@link Guard} takes ownership of it, and overwrites it when the guard is closed. After that every use throws
 * {@link ClosedError}. Other copies remain: the bytes that it was created from, the result of {@link SecretKey.toBytes},
 * and data that signing left in registers and on the stack.
 */
export class SecretKey extends Handle {
  declare private readonly brand: never;
  private constructor() {
    super();
  }
  /** Generates a key with the operating system's random number generator. @throws {@link RngError} */
  static generate(suite: Suite): SecretKey {
    return wrap(SecretKey, native.secretKeyGenerate(check.suite(suite)));
  }
  /**
   * Decodes a key from its 32 bytes. The caller wipes `bytes`, which should have an `ArrayBuffer` of its own: V8 stores
   * the contents of a small `new Uint8Array(32)` in its own heap, and leaves a copy there when native code reads it.
   *
   * @throws {@link MalformedError}
   */
  static fromBytes(suite: Suite, bytes: Uint8Array): SecretKey {
    return wrap(SecretKey, native.secretKeyFromBytes(check.suite(suite), check.bytes(bytes, 'bytes')));
  }
  /** Returns the key as 32 bytes, for a key file. They are secret: `fill(0)` them after use. */
  toBytes(): Uint8Array {
    return native.secretKeyToBytes(open(this, SecretKey));
  }
  get suite(): Suite {
    return native.secretKeySuite(open(this, SecretKey));
  }
  /** Returns the public key. Cost: one multiplication. */
  publicKey(): PublicKey {
    return wrap(PublicKey, native.secretKeyPublicKey(open(this, SecretKey)));
  }
  /** Signs exactly the bytes of the message. Validators sign statements through a {@link Guard} instead. */
  sign(message: Uint8Array): Signature {
    return wrap(Signature, native.secretKeySign(open(this, SecretKey), check.bytes(message, 'message')));
  }
  /**
   * Signs exactly the bytes of the message for another chain. Never sign with a key that signs statements: a
   * {@link Guard} does not record it.
   *
   * @throws {@link WrongContextError} for another ciphersuite than the default, unless the suite is `MinSig` or `MinPk`
   */
  signWith(ciphersuite: Ciphersuite, message: Uint8Array): Signature {
    const parts = [open(ciphersuite, Ciphersuite, 'ciphersuite'), check.bytes(message, 'message')];
    return wrap(Signature, native.secretKeySignWith(open(this, SecretKey), ...parts));
  }
  /** Creates a proof of possession of this key. */
  provePossession(): Signature {
    return wrap(Signature, native.secretKeyProvePossession(open(this, SecretKey)));
  }
  /** Overwrites the key. Closing twice does nothing. */
  close(): void {
    if (isOpen(this, SecretKey)) this.free();
  }
  /** True if the key was closed or its ownership was transferred. */
  get closed(): boolean {
    return !isOpen(this, SecretKey);
  }
  /** `SecretKey(suite)` and nothing else. */
  toString(): string {
    return `SecretKey(${this.closed ? 'closed' : this.suite})`;
  }
  /** As {@link SecretKey.toString}: a secret in a log or a response must not leak. */
  toJSON(): string {
    return this.toString();
  }
}

/** A decoded signature. It is not verified yet. */
export class Signature extends Handle {
  declare private readonly brand: never;
  private constructor() {
    super();
  }
  /** @throws {@link MalformedError} and other decoding errors */
  static decode(suite: Suite, bytes: Uint8Array): Signature {
    return wrap(Signature, native.signatureDecode(check.suite(suite), check.bytes(bytes, 'bytes')));
  }
  encode(): Uint8Array {
    return native.signatureEncode(open(this, Signature));
  }
  /** Decodes the form for direct links: BLS points uncompressed, which skips a square root. */
  static decodeLink(suite: Suite, bytes: Uint8Array): Signature {
    return wrap(Signature, native.signatureDecodeLink(check.suite(suite), check.bytes(bytes, 'bytes')));
  }
  encodeLink(): Uint8Array {
    return native.signatureEncodeLink(open(this, Signature));
  }
  get suite(): Suite {
    return native.signatureSuite(open(this, Signature));
  }
  equals(other: Signature): boolean {
    return native.signatureEquals(open(this, Signature), open(other, Signature, 'other'));
  }
  /** Returns the encoding in hex. */
  toString(): string {
    return hex(this.encode());
  }
  toJSON(): string {
    return this.toString();
  }
}

/** A public key with an unverified proof of possession, as a member submits it. */
export class UnverifiedKey extends Handle {
  declare private readonly brand: never;
  /** @throws {@link WrongContextError} for two suites */
  constructor(publicKey: PublicKey, possession: Signature) {
    const parts = [open(publicKey, PublicKey, 'publicKey'), open(possession, Signature, 'possession')];
    super(TOKEN, native.unverifiedKeyNew(...parts));
  }
  /** Creates the key of `secret` with its proof. */
  static prove(secret: SecretKey): UnverifiedKey {
    return wrap(UnverifiedKey, native.unverifiedKeyProve(open(secret, SecretKey, 'secret')));
  }
  /** Public key, then proof. @throws {@link MalformedError} and other decoding errors */
  static decode(suite: Suite, bytes: Uint8Array): UnverifiedKey {
    return wrap(UnverifiedKey, native.unverifiedKeyDecode(check.suite(suite), check.bytes(bytes, 'bytes')));
  }
  encode(): Uint8Array {
    return native.unverifiedKeyEncode(open(this, UnverifiedKey));
  }
  get suite(): Suite {
    return native.unverifiedKeySuite(open(this, UnverifiedKey));
  }
  get public(): PublicKey {
    return wrap(PublicKey, native.unverifiedKeyPublic(open(this, UnverifiedKey)));
  }
  get possession(): Signature {
    return wrap(Signature, native.unverifiedKeyPossession(open(this, UnverifiedKey)));
  }
  /** Verifies the proof. Cost: one signature verification. @throws {@link BadPossessionError} */
  verify(): VerifiedKey {
    return wrap(VerifiedKey, native.unverifiedKeyVerify(open(this, UnverifiedKey)));
  }
  equals(other: UnverifiedKey): boolean {
    return native.unverifiedKeyEquals(open(this, UnverifiedKey), open(other, UnverifiedKey, 'other'));
  }
  /** Returns the encoding in hex. */
  toString(): string {
    return hex(this.encode());
  }
  toJSON(): string {
    return this.toString();
  }
}

declare module './public-key.js' {
  interface PublicKey {
    /** Verifies a signature on exactly the bytes of the message. @throws {@link BadSignatureError} */
    verify(message: Uint8Array, signature: Signature): void;
    /**
     * Verifies a signature of another chain on exactly the bytes of the message. Cost: two pairings, a hash to the curve, a
     * subgroup check.
     *
     * @throws {@link BadSignatureError}; {@link WrongContextError} for a signature of another suite, or for another
     * ciphersuite than the default, unless the suite is `MinSig` or `MinPk`
     */
    verifyWith(ciphersuite: Ciphersuite, message: Uint8Array, signature: Signature): void;
    /** Verifies a proof of possession. @throws {@link BadPossessionError} */
    verifyPossession(possession: Signature): void;
  }
}

methods(PublicKey, {
  verify(message, signature) {
    const key = open(this, PublicKey);
    native.publicKeyVerify(key, check.bytes(message, 'message'), open(signature, Signature, 'signature'));
  },
  verifyWith(ciphersuite, message, signature) {
    native.publicKeyVerifyWith(open(this, PublicKey), ...signedWith(ciphersuite, message, signature));
  },
  verifyPossession(possession) {
    const key = open(this, PublicKey);
    native.publicKeyVerifyPossession(key, open(possession, Signature, 'possession'));
  },
});

declare module './verified-key.js' {
  namespace VerifiedKey {
    /** Returns the key of a secret key, which needs no proof. */
    function fromSecret(secret: SecretKey): VerifiedKey;
  }
}

statics(VerifiedKey, {
  fromSecret(secret) {
    return wrap(VerifiedKey, native.verifiedKeyFromSecret(open(secret, SecretKey, 'secret')));
  },
});

export const signedWith = (ciphersuite: Ciphersuite, message: Uint8Array, signature: Signature) => [
  open(ciphersuite, Ciphersuite, 'ciphersuite'),
  check.bytes(message, 'message'),
  open(signature, Signature, 'signature'),
];

named({ SecretKey, Signature, UnverifiedKey });
