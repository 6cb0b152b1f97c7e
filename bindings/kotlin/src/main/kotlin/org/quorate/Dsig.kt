package org.quorate

import java.time.Duration
import java.util.function.LongSupplier
import java.util.function.Predicate
import org.quorate.internal.DsigAnnounced as NativeAnnounced
import org.quorate.internal.DsigAuditor as NativeAuditor
import org.quorate.internal.DsigEntry as NativeEntry
import org.quorate.internal.DsigSigned as NativeSigned
import org.quorate.internal.DsigSigner as NativeSigner
import org.quorate.internal.DsigVerifier as NativeVerifier
import org.quorate.internal.PublicKey as NativeKey
import org.quorate.internal.dsigReuse
import org.quorate.internal.dsigSignatureLen
import org.quorate.internal.dsigSuiteFromName
import org.quorate.internal.dsigSuiteName
import org.quorate.internal.dsigVerify
import org.quorate.internal.dsigVerifyAll
import org.quorate.internal.dsigVerifyReuse

/**
 * One-time keys sign in about a microsecond, and Ed25519 signs these keys in batches, ahead of time.
 *
 * A [Signer] prepares batches and announces them in the background; a [Verifier] that heard of a batch verifies its
 * signatures with hashes alone. Whoever did not verifies all the same, with one Ed25519 verification more: [verify].
 */
public object Dsig {
    /** A one-time scheme with its hash. Without a reason for another take [WOTS_BLAKE3]. */
    public enum class Suite(
        /** The byte that stands for it in encodings. */
        public val number: Int,
    ) {
        /** W-OTS⁺ over Haraka-512: the paper's. */
        WOTS_HARAKA_512(1),

        /** W-OTS⁺ over Haraka-256, the fastest where the processor has AES. */
        WOTS_HARAKA_256(2),

        /** W-OTS⁺ over BLAKE3, the default. */
        WOTS_BLAKE3(3),

        /** W-OTS⁺ over BLAKE3 with larger values, the conservative one. */
        WOTS_BLAKE3_WIDE(4),

        /** HORS with factorised keys over BLAKE3. */
        HORS_F_BLAKE3(5),

        /** HORS with merklified keys over BLAKE3; 256 kB per unused key. */
        HORS_M_BLAKE3(6),

        /** HORS with factorised keys over Haraka-256. */
        HORS_F_HARAKA_256(7),

        /** HORS with merklified keys over Haraka-256; 256 kB per unused key. */
        HORS_M_HARAKA_256(8),

        /** W-OTS⁺ over SHA-256, to compare with. */
        WOTS_SHA_256(9),

        /** HORS with factorised keys over SHA-256, to compare with. */
        HORS_F_SHA_256(10),

        /** HORS with merklified keys over SHA-256, to compare with. */
        HORS_M_SHA_256(11);

        /** Bytes of a signature. */
        public val signatureLen: Int get() = translated { dsigSignatureLen(native) }.toInt()

        /** The name for people and configuration files, for instance `wots-blake3`. */
        override fun toString(): String = translated { dsigSuiteName(native) }

        internal val native: UByte
            @JvmSynthetic get() = number.toUByte()

        public companion object {
            /** Throws [QuorateException.WrongContext] if there is no suite of this number. */
            @JvmStatic
            public fun fromNumber(number: Int): Suite {
                val suite = number.u8("number")
                translated { dsigSuiteName(suite) }
                return of(suite)
            }

            /** Throws [QuorateException.WrongContext] if there is no suite of this name. */
            @JvmStatic
            public fun fromName(name: String): Suite = of(translated { dsigSuiteFromName(name.text("name")) })

            @JvmSynthetic
            internal fun of(number: UByte): Suite = entries.first { it.native == number }
        }
    }

    /** A batch of one-time keys is ready. */
    public class Announced internal constructor(private val native: NativeAnnounced) {
        /** Whom to tell: the members of the batch's group; null for everybody. */
        public val to: Set<Int>? = native.to?.map { it.toInt() }?.toSet()

        /** What to tell them, for [Verifier.announce]. */
        public val announcement: ByteArray get() = native.announcement.clone()

        override fun equals(other: Any?): Boolean =
            other is Announced && to == other.to && native.announcement.contentEquals(other.native.announcement)

        override fun hashCode(): Int = native.announcement.contentHashCode()

        override fun toString(): String = "Announced(to ${to ?: "everybody"}, ${native.announcement.size} bytes)"
    }

    /**
     * Makes one-time keys ahead of time and signs with each of them once. Nothing copies or stores them: they are wiped
     * when they expire, and when the signer is closed. A thread that prepares never keeps another from signing.
     *
     * In all functions `now` is in microseconds, of a clock that goes on while the machine sleeps; without it, it is
     * the system's time of day.
     */
    public class Signer private constructor(private val cell: Cell<NativeSigner>) : NativeObject(cell) {
        /**
         * A signer under an Ed25519 key. The [SecretKey] is closed afterwards, also if making the signer failed.
         *
         * @param groups sets of likely verifiers; that of everybody is always there.
         * @param log2Batch keys of a batch as a power of two, at most 7.
         * @param lowWater a group with fewer keys than this gets another batch.
         * @param lifetime keys older than this are wiped.
         */
        @JvmOverloads
        public constructor(
            secret: SecretKey,
            suite: Suite = Suite.WOTS_BLAKE3,
            groups: List<Set<Int>> = emptyList(),
            log2Batch: Int = 7,
            lowWater: Int = 512,
            lifetime: Duration = Duration.ofSeconds(10),
        ) : this(
            Cell(
                secret.handOver { key ->
                    val members = groups.map { it.members("groups") }
                    val (log2, low) = log2Batch.u8("log2Batch") to lowWater.natural("lowWater")
                    NativeSigner(key, suite.native, members, log2, low, lifetime.notNegative("lifetime"))
                },
                "Signer",
            ),
        )

        @Volatile private var copies: LongSupplier? = null

        /** Which suite it is of. */
        public val suite: Suite get() = cell.call { Suite.of(it.suite()) }

        /** The key that verifies what this signer signs. */
        public val publicKey: PublicKey get() = cell.call { PublicKey(it.publicKey()) }

        /** How many keys are ready in all groups. */
        public val ready: Long get() = cell.call { it.ready().toLong() }

        /** What announces all batches that still have keys: for a verifier that comes late or starts again. */
        public val announcements: List<Announced> get() = cell.call { it.announcements().map(::Announced) }

        /**
         * Sets a hook that tells this machine's copies apart: it returns a virtual machine's generation identifier, a
         * counter of restored checkpoints, any 64 bits. It is asked now, and first by [sign] and [prepare], on whatever
         * thread they run; whenever its answer changes, all keys are wiped. What it throws they throw, and nothing is
         * signed. It may use this signer. What nobody notices expires.
         */
        public fun detectCopies(hook: LongSupplier) {
            val copy = hook.asLong
            cell.call { it.detectCopies(copy.toULong()) }
            copies = hook
        }

        /**
         * Background work: makes one batch for the group that is shortest of keys, and returns what to send to whom;
         * null if no group is short. Call it until then, and again while the signer lives. Cost: 128 times what a
         * signature takes to make and to verify, and more in the suites with HORS.
         */
        @JvmOverloads
        @JvmName("prepare")
        public fun prepare(now: ULong = now()): Announced? {
            val copy = copy()
            return cell.call { it.prepare(now, copy)?.let(::Announced) }
        }

        /**
         * Signs with a fresh key of the smallest group that contains all of [hint] and has one; an empty hint means
         * everybody. The hint decides who verifies fast, never who can verify. Throws [QuorateException.Exhausted] if
         * no key is left.
         */
        @JvmOverloads
        @JvmName("sign")
        public fun sign(message: ByteArray, hint: Set<Int> = emptySet(), now: ULong = now()): ByteArray {
            val members = hint.members("hint")
            val copy = copy()
            return cell.call { it.sign(message, members, now, copy) }
        }

        /** What the hook says. It is asked while nothing is locked, so that it may use this signer. */
        private fun copy(): ULong? = copies?.asLong?.toULong()

        /** Wipes every key: for whoever learns that the machine was copied, or is about to be. */
        public fun invalidate(): Unit = cell.call { it.invalidate() }

        override fun toString(): String = shown { "Signer($suite, ${publicKey.encode().hex()})" }
    }

    /**
     * Verifies signatures of the signers that were let in, fast where their batch was announced. An announcement,
     * however hostile, never keeps another thread from verifying.
     */
    public class Verifier private constructor(private val cell: Cell<NativeVerifier>) : NativeObject(cell) {
        /**
         * A verifier that knows nobody yet.
         *
         * @param announced how many batches it remembers for each signer that were announced, about 12 kB each. A
         *   signer has lowWater / 128 + 1 of them for each of its groups; those that do not fit verify slowly.
         * @param checked the same of batches that nobody announced, but whose signatures came.
         * @param burst how many announcements of a signer may come at once.
         * @param interval how often one more may come.
         */
        @JvmOverloads
        public constructor(
            suite: Suite = Suite.WOTS_BLAKE3,
            announced: Int = 32,
            checked: Int = 8,
            burst: Int = 32,
            interval: Duration = Duration.ofNanos(200_000),
        ) : this(Cell(made(suite, listOf(announced, checked, burst), interval), "Verifier"))

        @Volatile private var revocation: Predicate<PublicKey>? = null

        /** Which suite it is of. */
        public val suite: Suite get() = cell.call { Suite.of(it.suite()) }

        /** Lets a signer in. Does nothing if it is known. */
        public fun admit(signer: PublicKey): Unit = cell.call { verifier -> signer.cell.call { verifier.admit(it) } }

        /** Forgets a signer: all of its signatures are refused from now on. Returns whether it was known. */
        public fun revoke(signer: PublicKey): Boolean =
            cell.call { verifier -> signer.cell.call { verifier.revoke(it) } }

        /**
         * Sets a hook that says whether a key is revoked: a list that somebody else keeps. It is asked first by
         * [announce], [canVerifyFast] and [verify], on whatever thread they run. What it throws they throw, and nothing is
         * accepted. It may use this verifier, and should cost no more than a lookup.
         */
        public fun checkRevocation(hook: Predicate<PublicKey>) {
            revocation = hook
        }

        /**
         * Background work: takes in an announcement of the signer that it came from, over a link that says who it is.
         * Throws [QuorateException.WrongContext] for strangers, [QuorateException.RateLimited] for too many. Cost: 127
         * hashes, one Ed25519 verification.
         */
        @JvmOverloads
        @JvmName("announce")
        public fun announce(signer: PublicKey, announcement: ByteArray, now: ULong = now()): Unit =
            asking(signer) { verifier, key, revoked -> verifier.announce(key, announcement, now, revoked) }

        /** Whether [verify] would not need an Ed25519 verification. Cost: one lookup. */
        public fun canVerifyFast(signer: PublicKey, signature: ByteArray): Boolean =
            asking(signer) { verifier, key, revoked -> verifier.canVerifyFast(key, signature, revoked) }

        /**
         * Verifies a signature, whatever was announced. Throws [QuorateException.WrongContext] for strangers,
         * [QuorateException.BadSignature], and [QuorateException.OneTimeReuse] if the signature is valid but its key
         * signed something else before: for evidence see [reuse], and keep what you verified.
         */
        public fun verify(signer: PublicKey, message: ByteArray, signature: ByteArray): Unit =
            asking(signer) { verifier, key, revoked -> verifier.verify(key, message, signature, revoked) }

        /** Asks the hook while nothing is locked, so that it may use this verifier, and then calls. */
        private inline fun <T> asking(signer: PublicKey, work: (NativeVerifier, NativeKey, Boolean) -> T): T {
            val revoked = revocation?.test(signer) ?: false
            return cell.call { verifier -> signer.cell.call { work(verifier, it, revoked) } }
        }

        override fun toString(): String = shown { "Verifier($suite)" }

        private companion object {
            fun made(suite: Suite, numbers: List<Int>, interval: Duration): NativeVerifier {
                val (announced, checked, burst) = numbers.zip(listOf("announced", "checked", "burst"), Int::natural)
                val waiting = interval.notNegative("interval")
                return translated { NativeVerifier(suite.native, announced, checked, burst, waiting) }
            }
        }
    }

    /**
     * Verifies a log, one signature after the other, with nothing known beforehand and with one Ed25519 verification
     * per batch of keys. It knows no signers: whom to trust is the caller's business.
     */
    public class Auditor private constructor(private val cell: Cell<NativeAuditor>) : NativeObject(cell) {
        /** An auditor that remembers so many batches of keys, at least one, about 12 kB each; the oldest give way. */
        @JvmOverloads
        public constructor(suite: Suite = Suite.WOTS_BLAKE3, roots: Int = 1024) : this(
            Cell(translated { NativeAuditor(suite.native, roots.natural("roots")) }, "Auditor"),
        )

        /** Which suite it is of. */
        public val suite: Suite get() = cell.call { Suite.of(it.suite()) }

        /**
         * Verifies the next signature of a log. Throws [QuorateException.BadSignature], or
         * [QuorateException.OneTimeReuse] if its key signed something else before, in a batch that is remembered.
         */
        public fun check(signer: PublicKey, message: ByteArray, signature: ByteArray): Unit =
            cell.call { auditor -> signer.cell.call { auditor.check(it, message, signature) } }

        override fun toString(): String = shown { "Auditor($suite)" }
    }

    /** A line of a log: whose signature it is, and of which message. */
    public class Entry(public val signer: PublicKey, message: ByteArray, signature: ByteArray) {
        @get:JvmSynthetic
        internal val native: NativeSigned = NativeSigned(message.clone(), signature.clone())
    }

    /** Verifies a signature of any suite, with nothing known beforehand. Cost: one Ed25519 verification, and hashes. */
    @JvmStatic
    public fun verify(signer: PublicKey, message: ByteArray, signature: ByteArray): Unit =
        signer.cell.call { dsigVerify(it, message, signature) }

    /**
     * Verifies many signatures of one suite. There is an outcome for each, in their order: null, or what an [Auditor]
     * of 1,024 roots would have thrown. Cost: one Ed25519 verification per batch of keys, and hashes.
     */
    @JvmStatic
    public fun verifyAll(suite: Suite, entries: List<Entry>): List<QuorateException?> {
        // Read once: a list that changes meanwhile must not part signers from their messages.
        val listed = entries.toList()
        return callAll(listed.map { it.signer.cell }) { signers ->
            val natives = signers.zip(listed) { signer, entry -> NativeEntry(signer, entry.native) }
            dsigVerifyAll(suite.native, natives).map { it?.let(QuorateException::of) }
        }
    }

    /**
     * Puts two signatures of one one-time key side by side, each with its message: evidence against the signer, which
     * anybody checks with [verifyReuse]. Throws [QuorateException.NotEvidence] if it is none.
     *
     * @param first a message and its signature.
     * @param second another message, and its signature.
     */
    @JvmStatic
    public fun reuse(
        signer: PublicKey,
        first: Pair<ByteArray, ByteArray>,
        second: Pair<ByteArray, ByteArray>,
    ): ByteArray =
        signer.cell.call { key ->
            dsigReuse(key, NativeSigned(first.first, first.second), NativeSigned(second.first, second.second))
        }

    /** Checks evidence of reuse, with nothing known beforehand, and returns the culprit. */
    @JvmStatic
    public fun verifyReuse(suite: Suite, evidence: ByteArray): PublicKey =
        PublicKey(translated { dsigVerifyReuse(suite.native, evidence) })

    private fun Set<Int>.members(name: String): List<UShort> = map { it.u16(name) }

    private fun Duration.notNegative(name: String): Duration {
        require(!isNegative) { "$name must not be negative, but is $this" }
        return this
    }
}
