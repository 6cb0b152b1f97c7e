/**
 * DSig: signatures that cost only hashes. One-time keys sign, and Ed25519 signs those keys in batches, ahead of time.
 *
 * A {@link dsig.Signer} generates batches in the background and announces them; a {@link dsig.Verifier} that received
 * the announcement verifies their signatures without Ed25519. Any other verifier needs only the signer's public key.
 * Inputs and outputs are bytes; times and durations are `bigint`s of microseconds, by default of the system's clock.
 * Public keys have suite `Ed25519`; others raise {@link WrongContextError}.
 */

import * as check from '../common/check.js';
import { MAX_MEMBERS } from '../common/constants.js';
import { QuorateError } from '../common/errors.js';
import { native, whenLoaded } from './backend.js';
import { type Announced, announced, asked, copies, copyNow, copyOf, log, members, outcomes, revocations } from './dsig-parts.js';
import { Handle, TOKEN, isOpen, named, open, take, wrap, wrapAll } from './handle.js';
import { SecretKey } from './keys.js';
import { PublicKey } from './keys.js';
import { time } from './time.js';

export type { Announced } from './dsig-parts.js';

/** The name of every suite, by its number: the first is suite 1. */
export let SUITES: readonly Suite[] = [];

/** Type of the one-time keys. `wots-blake3` is the default; `spec/dsig.md` compares them. */
export type Suite =
  | 'wots-haraka-512'
  | 'wots-haraka-256'
  | 'wots-blake3'
  | 'wots-blake3-256'
  | 'hors-f-blake3'
  | 'hors-m-blake3'
  | 'hors-f-haraka-256'
  | 'hors-m-haraka-256'
  | 'wots-sha-256'
  | 'hors-f-sha-256'
  | 'hors-m-sha-256';

/** Size of a signature in bytes, by the name of its suite. */
export let SIGNATURE_LEN: Readonly<Record<Suite, number>> = {} as Record<Suite, number>;
whenLoaded(() => {
  SUITES = Object.freeze(native.dsigSuites());
  SIGNATURE_LEN = Object.freeze(Object.fromEntries(SUITES.map((suite) => [suite, native.dsigSignatureLen(suite)])) as any);
});

/** Options of a {@link dsig.Signer}. */
export interface SignerOptions {
  readonly suite?: Suite | undefined;
  /**
   * Sets of members that are likely to verify the same messages. The group of all verifiers always exists, as the
   * last one.
   */
  readonly groups?: Iterable<Iterable<number>> | undefined;
  /** Keys per batch as a power of two, at most 7. Default: 7. */
  readonly log2Batch?: number | undefined;
  /** A group with fewer keys than this gets another batch. Default: 512. */
  readonly lowWater?: number | undefined;
  /**
   * Keys older than this are wiped, so that a copied or suspended machine does not continue to use them. Default: 10
   * s.
   */
  readonly lifetime?: bigint | undefined;
}

/** Options of {@link dsig.Signer.sign}. */
export interface SignOptions {
  /** The members that will verify: the smallest group that contains all of them signs. Default: all verifiers. */
  readonly hint?: Iterable<number> | undefined;
  readonly now?: bigint | undefined;
}

/** Options of a {@link dsig.Verifier}: how much it remembers about each signer. */
export interface VerifierOptions {
  readonly suite?: Suite | undefined;
  /**
   * Number of announced batches; the oldest is evicted first. A signer has `lowWater` / 128 + 1 of them for each of
   * its groups; signatures of batches that do not fit verify slowly. Default: 32, of about 12 kB each.
   */
  readonly announced?: number | undefined;
  /**
   * Number of verified batches without an announcement; the oldest is evicted first. Default: 8, of about 12 kB each.
   */
  readonly checked?: number | undefined;
  /** Number of announcements that may arrive at once. Default: 32. */
  readonly burst?: number | undefined;
  /** Time after which one more may arrive. Default: 200 µs. */
  readonly interval?: bigint | undefined;
}

/**
 * Generates one-time keys ahead of time and signs with them. No key signs twice: keys exist only in memory, and
 * expire. If the machine may be copied while it runs, see {@link dsig.Signer.detectCopies}.
 *
 * It is wiped by {@link dsig.Signer.close}, at the end of a `using` block, or when it is garbage-collected.
 */
export class Signer extends Handle {
  declare private readonly brand: never;
  /**
   * Takes ownership of the secret key, of suite `Ed25519`: that object is closed afterwards. Store the key elsewhere
   * if it is needed again. No batch is generated yet.
   *
   * @throws {@link WrongContextError} for a key of another suite, or an unknown suite name
   * @throws {@link TooLargeError} for batches of more than 2⁷ keys
   */
  constructor(secret: SecretKey, options?: SignerOptions) {
    open(secret, SecretKey, 'secret');
    const { suite: name, groups = [], log2Batch, lowWater, lifetime } = check.options(options);
    const parts = [
      check.optional(check.suite)(name, 'suite'),
      check.list(groups, 'options.groups', members, MAX_MEMBERS),
      check.optional(check.u8)(log2Batch, 'options.log2Batch'),
      check.optional(check.u32)(lowWater, 'options.lowWater'),
      check.optional(check.u64)(lifetime, 'options.lifetime'),
    ];
    super(TOKEN, native.dsigSignerNew(take(secret, SecretKey, 'secret'), ...parts));
  }
  /**
   * Sets a hook that distinguishes copies of this machine: it returns a virtual machine's generation identifier, a
   * counter of restored checkpoints, or any other 64-bit integer. It is called now, and first by `prepare`,
   * `prepareAsync` and `sign`. When its answer changes, all keys are wiped. Its exceptions propagate, and then
   * nothing is signed. It may use this signer. Undetected copies are limited by the keys' lifetime.
   */
  detectCopies(hook: () => bigint): void {
    open(this, Signer);
    const copy = copyOf(check.callable(hook, 'hook'));
    native.dsigSignerDetectCopies(open(this, Signer), copy);
    copies.set(this, hook);
  }
  /**
   * All background work: generates a batch for the group with the fewest keys, if any group needs one. Call it until
   * it returns `undefined`, and send each announcement that it returns.
   *
   * @throws {@link RngError}
   */
  prepare(now?: bigint): Announced | undefined {
    const copy = copyNow(this, Signer);
    return announced(native.dsigSignerPrepare(open(this, Signer), time(now), copy));
  }
  /** Announcements of all batches that still have keys, for a verifier that joins late or restarts. */
  announcements(): Announced[] {
    return native.dsigSignerAnnouncements(open(this, Signer)).map(announced);
  }
  /**
   * Signs with a new key: one hash of the message and one copy.
   *
   * @throws {@link ExhaustedError} if no fresh key is left: call {@link dsig.Signer.prepare} and sign again
   */
  sign(message: Uint8Array, options?: SignOptions): Uint8Array {
    open(this, Signer);
    const { hint = [], now } = check.options(options);
    const likely = members(hint, 'options.hint');
    const copy = copyNow(this, Signer);
    const at = time(now, 'options.now');
    return native.dsigSignerSign(open(this, Signer), check.bytes(message, 'message'), likely, at, copy);
  }
  get suite(): Suite {
    return native.dsigSignerSuite(open(this, Signer));
  }
  /** Key that verifies this signer's signatures. */
  get publicKey(): PublicKey {
    return wrap(PublicKey, native.dsigSignerPublicKey(open(this, Signer)));
  }
  /** Number of fresh keys in all groups. */
  get ready(): number {
    return native.dsigSignerReady(open(this, Signer));
  }
  /** Wipes every one-time key. Call it when the machine was copied, or is about to be. */
  invalidate(): void {
    native.dsigSignerInvalidate(open(this, Signer));
  }
  /** Wipes the secret key and all one-time keys. Closing twice does nothing. */
  close(): void {
    if (!isOpen(this, Signer)) return;
    native.dsigSignerClose(open(this, Signer));
    copies.delete(this);
    super.free();
  }
  /** As {@link dsig.Signer.close}. */
  override free(): void {
    this.close();
  }
  get closed(): boolean {
    return !isOpen(this, Signer);
  }
  /** `Signer(suite, keys ready)` and nothing else. */
  toString(): string {
    return this.closed ? 'Signer(closed)' : `Signer(${this.suite}, ${this.ready} keys ready)`;
  }
  toJSON(): string {
    return this.toString();
  }

}

/** Verifies signatures of known signers, fast if their batch was announced. */
export class Verifier extends Handle {
  declare private readonly brand: never;
  /** A verifier without admitted signers. @throws {@link WrongContextError} for an unknown suite name */
  constructor(options?: VerifierOptions) {
    const { suite: name, announced: batches, checked, burst, interval } = check.options(options);
    const parts = [
      check.optional(check.suite)(name, 'suite'),
      check.optional(check.u32)(batches, 'options.announced'),
      check.optional(check.u32)(checked, 'options.checked'),
      check.optional(check.u32)(burst, 'options.burst'),
      check.optional(check.u64)(interval, 'options.interval'),
    ];
    super(TOKEN, native.dsigVerifierNew(...parts));
  }
  get suite(): Suite {
    return native.dsigVerifierSuite(open(this, Verifier));
  }
  /** Admits a signer. Does nothing if the signer is known. */
  admit(signer: PublicKey): void {
    native.dsigVerifierAdmit(open(this, Verifier), open(signer, PublicKey, 'signer'));
  }
  /** Forgets a signer: its signatures are rejected from now on. Returns true if it was known. */
  revoke(signer: PublicKey): boolean {
    return native.dsigVerifierRevoke(open(this, Verifier), open(signer, PublicKey, 'signer'));
  }
  /**
   * Sets a hook that returns true for a key that an external list revokes. `announce`, `announceAsync`,
   * `canVerifyFast` and `verify` call it first. Its exceptions propagate, and then nothing is accepted; the same
   * applies if it returns anything but a boolean, such as a promise. It may use this verifier, and should cost no
   * more than a lookup.
   */
  checkRevocation(hook: (signer: PublicKey) => boolean): void {
    open(this, Verifier);
    revocations.set(this, check.callable(hook, 'hook'));
  }
  /**
   * All background work: processes an announcement received from the peer over an authenticated link. Cost: one
   * Ed25519 verification, and one hash per key.
   *
   * @throws {@link WrongContextError} for unknown signers, and for another suite
   * @throws {@link RateLimitedError} above the allowance
   * @throws {@link BadSignatureError}
   */
  announce(signer: PublicKey, announcement: Uint8Array, now?: bigint): void {
    const [handle, opened, revoked] = asked(this, Verifier, signer);
    native.dsigVerifierAnnounce(handle, opened, check.bytes(announcement, 'announcement'), time(now), revoked);
  }
  /**
   * Returns true if {@link dsig.Verifier.verify} would not need Ed25519. Malformed signatures raise, as they do
   * there.
   */
  canVerifyFast(signer: PublicKey, signature: Uint8Array): boolean {
    const [handle, opened, revoked] = asked(this, Verifier, signer);
    return native.dsigVerifierCanVerifyFast(handle, opened, check.bytes(signature, 'signature'), revoked);
  }
  /**
   * Verifies a signature. It accepts the same signatures as {@link dsig.verify}, announced or not, except those of
   * keys that signed another message before.
   *
   * @throws {@link WrongContextError} for unknown signers, and for another suite
   * @throws {@link BadSignatureError}
   * @throws {@link OneTimeReuseError} if it is valid, but its key signed another message: {@link dsig.reuse} makes
   * evidence of both, for verifiers that store the messages and signatures they verified
   */
  verify(signer: PublicKey, message: Uint8Array, signature: Uint8Array): void {
    const [handle, opened, revoked] = asked(this, Verifier, signer);
    native.dsigVerifierVerify(handle, opened, check.bytes(message, 'message'), check.bytes(signature, 'signature'), revoked);
  }
  toString(): string {
    return `Verifier(${this.suite})`;
  }

}

/** An entry of a log: signer, message and signature. */
export type Entry = readonly [signer: PublicKey, message: Uint8Array, signature: Uint8Array];

/** Options of a {@link dsig.Auditor}. */
export interface AuditorOptions {
  readonly suite?: Suite | undefined;
  /**
   * Number of batches of keys to remember, at least one; the oldest is evicted first. Default: 1,024, of about 12 kB
   * each.
   */
  readonly roots?: number | undefined;
}

/**
 * Verifies a log, one signature after the other, without prior knowledge and with one Ed25519 verification per batch
 * of keys. It has no list of signers: the caller decides which to trust.
 */
export class Auditor extends Handle {
  declare private readonly brand: never;
  /** @throws {@link WrongContextError} for an unknown suite name */
  constructor(options?: AuditorOptions) {
    const { suite: name, roots } = check.options(options);
    super(TOKEN, native.dsigAuditorNew(check.optional(check.suite)(name, 'suite'), check.optional(check.u32)(roots, 'options.roots')));
  }
  get suite(): Suite {
    return native.dsigAuditorSuite(open(this, Auditor));
  }
  /**
   * Verifies the next signature of a log.
   *
   * @throws {@link BadSignatureError}
   * @throws {@link OneTimeReuseError} if its key signed another message before, in a batch that is remembered
   */
  check(signer: PublicKey, message: Uint8Array, signature: Uint8Array): void {
    const parts = [open(signer, PublicKey, 'signer'), check.bytes(message, 'message'), check.bytes(signature, 'signature')];
    native.dsigAuditorCheck(open(this, Auditor), ...parts);
  }
  toString(): string {
    return `Auditor(${this.suite})`;
  }
}

/**
 * Verifies several signatures of one suite, such as those of a log. Returns an outcome for each, in input order:
 * `undefined`, or the error that a {@link dsig.Auditor} of 1,024 batches would throw. Cost: one Ed25519 verification
 * per batch of keys, plus hashes.
 *
 * @throws {@link WrongContextError} for a key of another scheme, and for an unknown suite name
 */
export function verifyAll(suite: Suite, entries: Iterable<Entry>): (QuorateError | undefined)[] {
  return outcomes(native.dsigVerifyAll(...log(suite, entries)));
}

/**
 * Verifies a signature of any suite without prior knowledge of its batch. Its first byte selects the suite: to accept
 * only one suite, use a {@link dsig.Verifier} or check that byte.
 *
 * @throws {@link BadSignatureError}
 */
export function verify(signer: PublicKey, message: Uint8Array, signature: Uint8Array): void {
  const parts = [check.bytes(message, 'message'), check.bytes(signature, 'signature')];
  native.dsigVerify(open(signer, PublicKey, 'signer'), ...parts);
}

/**
 * Creates evidence that `signer` used one key twice, from two messages with their signatures.
 *
 * @throws {@link NotEvidenceError} if the keys differ, or the messages do not
 * @throws {@link BadSignatureError}
 */
export function reuse(
  signer: PublicKey,
  first: readonly [message: Uint8Array, signature: Uint8Array],
  second: readonly [message: Uint8Array, signature: Uint8Array],
): Uint8Array {
  const own = check.pair(first, 'first', check.bytes, check.bytes);
  const other = check.pair(second, 'second', check.bytes, check.bytes);
  return native.dsigReuse(open(signer, PublicKey, 'signer'), ...own, ...other);
}

/**
 * Verifies evidence without prior knowledge and returns the public key of the guilty signer.
 *
 * @throws {@link NotEvidenceError}
 * @throws {@link BadSignatureError}
 */
export function verifyReuse(suite: Suite, evidence: Uint8Array): PublicKey {
  return wrap(PublicKey, native.dsigVerifyReuse(check.suite(suite), check.bytes(evidence, 'evidence')));
}

named({ Signer, Verifier, Auditor });
