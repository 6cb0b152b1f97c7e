/** One-time signatures. */

import type { PublicKey, SecretKey } from '../index.js';
import type { QuorateError } from './errors.js';

/**
 * DSig: signatures that cost hashes only. One-time keys sign, and Ed25519 signs those keys in batches, ahead of time.
 *
 * A {@link dsig.Signer} makes batches in the background and announces them; a {@link dsig.Verifier} that heard an announcement
 * needs no Ed25519 for its signatures. Anybody else verifies them too, with the signer's public key alone. All in and out is
 * bytes; times and durations are `bigint`s of microseconds, by default those of the system's clock. Public keys are of
 * {@link Suite} `Ed25519`, others throw {@link WrongContextError}.
 */
export namespace dsig {
  /** The name of every suite, by its number: the first is suite 1. */
  const SUITES: readonly Suite[];

  /** What the one-time keys are made of. `wots-blake3` is the default; `spec/dsig.md` compares them. */
  type Suite =
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

  /** The bytes of a signature, by the name of its suite. */
  const SIGNATURE_LEN: Readonly<Record<Suite, number>>;

  /** An announcement, and whom to send it to. */
  interface Announced {
    /** The members of the batch's group, ascending; `undefined` for everybody. */
    readonly to: readonly number[] | undefined;
    /** What to send. */
    readonly announcement: Uint8Array;
  }

  /** Options of a {@link dsig.Signer}. */
  interface SignerOptions {
    readonly suite?: Suite | undefined;
    /** Sets of members that are likely to verify the same messages. The group of everybody is always there, as the last. */
    readonly groups?: Iterable<Iterable<number>> | undefined;
    /** Keys per batch as a power of two, at most 7. Default: 7. */
    readonly log2Batch?: number | undefined;
    /** A group with fewer keys than this gets another batch. Default: 512. */
    readonly lowWater?: number | undefined;
    /** Keys older than this are wiped, so that a machine that was copied or asleep does not go on with them. Default: 10 s. */
    readonly lifetime?: bigint | undefined;
  }

  /** Options of {@link dsig.Signer.sign}. */
  interface SignOptions {
    /** The members that will verify: the smallest group that has them all signs. Default: everybody. */
    readonly hint?: Iterable<number> | undefined;
    readonly now?: bigint | undefined;
  }

  /** Options of a {@link dsig.Verifier}: what it remembers of each signer. */
  interface VerifierOptions {
    readonly suite?: Suite | undefined;
    /**
     * Announced batches; the oldest goes first. A signer has `lowWater` / 128 + 1 of them for each of its groups; those
     * that do not fit verify slowly. Default: 32, of about 12 kB each.
     */
    readonly announced?: number | undefined;
    /** Batches that were not announced, but verified; the oldest goes first. Default: 8, of about 12 kB each. */
    readonly checked?: number | undefined;
    /** Announcements that may come at once. Default: 32. */
    readonly burst?: number | undefined;
    /** How often one more may come. Default: 200 µs. */
    readonly interval?: bigint | undefined;
  }

  /**
   * Makes one-time keys ahead of time and signs with them. No key signs twice: keys live in memory only, and expire. Where the
   * machine may be copied while it runs, see {@link dsig.Signer.detectCopies}.
   *
   * It is overwritten by {@link dsig.Signer.close}, at the end of a `using` block, or when it is collected as garbage.
   */
  class Signer {
    #private;
    /**
     * Takes the secret key, of suite `Ed25519`: that object is closed afterwards. What must be kept of the key is to be kept
     * elsewhere. Nothing is made yet.
     *
     * @throws {@link WrongContextError} for a key or a name of another suite
     * @throws {@link TooLargeError} for batches of more than 2⁷ keys
     */
    constructor(secret: SecretKey, options?: SignerOptions);
    /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
    free(): void;
    /**
     * Sets a hook that tells this machine's copies apart: it returns a virtual machine's generation identifier, a counter of
     * restored checkpoints, any integer of 64 bits. It is asked now, and first by `prepare` and `sign`; whenever its answer
     * changes, all keys are wiped. What it throws they throw, and nothing is signed. It may use this signer. What nobody
     * notices expires.
     */
    detectCopies(hook: () => bigint): void;
    /**
     * Background work, all of it: makes a batch for the group that is shortest of keys, if any is short. Call it until it
     * returns `undefined`, and send what it returns.
     *
     * @throws {@link RngError}
     */
    prepare(now?: bigint): Announced | undefined;
    /** The announcements of all batches that still have keys: for a verifier that comes late or starts again. */
    announcements(): Announced[];
    /**
     * Signs with a fresh key: one hash of the message and one copy.
     *
     * @throws {@link ExhaustedError} if no fresh key is left; {@link dsig.Signer.prepare} and sign again
     */
    sign(message: Uint8Array, options?: SignOptions): Uint8Array;
    readonly suite: Suite;
    /** The key that verifies what this signer signs. */
    readonly publicKey: PublicKey;
    /** How many fresh keys there are in all groups. */
    readonly ready: number;
    /** Wipes every one-time key: for whoever learns that the machine was copied, or is about to be. */
    invalidate(): void;
    /** Wipes the secret key and all one-time keys. Closing twice does nothing. */
    close(): void;
    [Symbol.dispose](): void;
    readonly closed: boolean;
    /** `Signer(suite, keys ready)`, nothing else. */
    toString(): string;
    toJSON(): string;
  }

  /** Verifies signatures of known signers, fast where their batch was announced. */
  class Verifier {
    #private;
    /** A verifier that knows nobody yet. @throws {@link WrongContextError} for a name of no suite */
    constructor(options?: VerifierOptions);
    /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
    free(): void;
    [Symbol.dispose](): void;
    readonly suite: Suite;
    /** Lets a signer in. Does nothing if it is known. */
    admit(signer: PublicKey): void;
    /** Forgets a signer: its signatures are refused from now on. Returns whether it was known. */
    revoke(signer: PublicKey): boolean;
    /**
     * Sets a hook that says whether a key is revoked: a list that somebody else keeps. It is asked first by `announce`,
     * `canVerifyFast` and `verify`. What it throws they throw, and nothing is accepted; the same if it returns no boolean,
     * such as a promise. It may use this verifier, and should cost no more than a lookup.
     */
    checkRevocation(hook: (signer: PublicKey) => boolean): void;
    /**
     * Background work, all of it: takes in an announcement of the peer that it came from over an authenticated link. Cost:
     * one Ed25519 verification, and as many hashes as there are keys: some hundred microseconds of this thread, for there
     * are no others. What comes from strangers or too often costs a lookup.
     *
     * @throws {@link WrongContextError} for strangers, and for another suite
     * @throws {@link RateLimitedError} if more come than may
     * @throws {@link BadSignatureError}
     */
    announce(signer: PublicKey, announcement: Uint8Array, now?: bigint): void;
    /** Whether {@link dsig.Verifier.verify} would need no Ed25519. What is no signature throws, as there. */
    canVerifyFast(signer: PublicKey, signature: Uint8Array): boolean;
    /**
     * Checks a signature. It accepts exactly what {@link dsig.verify} accepts, whatever was announced, but for keys that
     * signed something else before.
     *
     * @throws {@link WrongContextError} for strangers, and for another suite
     * @throws {@link BadSignatureError}
     * @throws {@link OneTimeReuseError} if it is valid, but its key signed something else: {@link dsig.reuse} makes
     * evidence of both, for those who keep what they verified
     */
    verify(signer: PublicKey, message: Uint8Array, signature: Uint8Array): void;
    toString(): string;
  }

  /** A line of a log: whose signature it is, and of which message. */
  type Entry = readonly [signer: PublicKey, message: Uint8Array, signature: Uint8Array];

  /** Options of an {@link dsig.Auditor}. */
  interface AuditorOptions {
    readonly suite?: Suite | undefined;
    /** Batches of keys to remember, at least one; the oldest goes first. Default: 1,024, of about 12 kB each. */
    readonly roots?: number | undefined;
  }

  /**
   * Checks a log, one signature after the other, with nothing known beforehand and with one Ed25519 verification per batch of
   * keys. It knows no signers: whom to trust is the caller's business.
   */
  class Auditor {
    #private;
    /** @throws {@link WrongContextError} for a name of no suite */
    constructor(options?: AuditorOptions);
    readonly suite: Suite;
    /**
     * Checks the next signature of a log.
     *
     * @throws {@link BadSignatureError}
     * @throws {@link OneTimeReuseError} if its key signed something else before, in a batch that is remembered
     */
    check(signer: PublicKey, message: Uint8Array, signature: Uint8Array): void;
    /** Gives the memory back now; after that every use throws {@link ClosedError}. Twice does nothing. */
    free(): void;
    [Symbol.dispose](): void;
    toString(): string;
  }

  /**
   * Checks many signatures of one suite, as of a log. There is an outcome for each, in their order: `undefined`, or the error
   * that an {@link dsig.Auditor} of 1,024 batches would have thrown. Cost: one Ed25519 verification per batch of keys, and
   * hashes.
   *
   * @throws {@link WrongContextError} for a key of another scheme, and for a name of no suite
   * @throws {@link TooLargeError} for more than 256 MiB in all, which are copied; an {@link dsig.Auditor} takes any number
   */
  function verifyAll(suite: Suite, entries: Iterable<Entry>): (QuorateError | undefined)[];
  /**
   * Checks a signature of any suite, with nothing known beforehand. Its first byte chooses the suite: whoever accepts one
   * only uses a {@link dsig.Verifier}, or looks at that byte.
   *
   * @throws {@link BadSignatureError}
   */
  function verify(signer: PublicKey, message: Uint8Array, signature: Uint8Array): void;
  /**
   * Evidence that `signer` used one key twice, from two messages with their signatures.
   *
   * @throws {@link NotEvidenceError} if the keys differ, or what they signed does not
   * @throws {@link BadSignatureError}
   */
  function reuse(
    signer: PublicKey,
    first: readonly [message: Uint8Array, signature: Uint8Array],
    second: readonly [message: Uint8Array, signature: Uint8Array],
  ): Uint8Array;
  /**
   * Checks evidence, with nothing known beforehand, and returns the key of the signer that it proves guilty.
   *
   * @throws {@link NotEvidenceError}
   * @throws {@link BadSignatureError}
   */
  function verifyReuse(suite: Suite, evidence: Uint8Array): PublicKey;
}
