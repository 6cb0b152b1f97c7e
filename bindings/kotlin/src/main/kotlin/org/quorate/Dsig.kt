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
 * One-time keys that sign in about a microsecond; Ed25519 signs these keys in batches, ahead of time.
 *
 * A [Signer] prepares and announces batches in the background. A [Verifier] that has received the announcement of a
 * batch verifies its signatures with hashes alone. Without the announcement, [verify] needs one more Ed25519
 * verification.
 */
public object Dsig {
    /**
     * A one-time signature scheme with its hash function. Use [WOTS_BLAKE3] unless there is a reason for another suite.
     */
    public enum class Suite(
        /** Byte that identifies the suite in encodings. */
        public val number: Int,
    ) {
        /** W-OTS⁺ over Haraka-512, as in the paper. */
        WOTS_HARAKA_512(1),

        /** W-OTS⁺ over Haraka-256, the fastest on processors with AES instructions. */
        WOTS_HARAKA_256(2),

        /** W-OTS⁺ over BLAKE3, the default. */
        WOTS_BLAKE3(3),

        /** W-OTS⁺ over BLAKE3 with longer values, the conservative choice. */
        WOTS_BLAKE3_WIDE(4),

        /** HORS with factorised keys over BLAKE3. */
        HORS_F_BLAKE3(5),

        /** HORS with merklified keys over BLAKE3; 256 kB per unused key. */
        HORS_M_BLAKE3(6),

        /** HORS with factorised keys over Haraka-256. */
        HORS_F_HARAKA_256(7),

        /** HORS with merklified keys over Haraka-256; 256 kB per unused key. */
        HORS_M_HARAKA_256(8),

        /** W-OTS⁺ over SHA-256, for comparison. */
        WOTS_SHA_256(9),

        /** HORS with factorised keys over SHA-256, for comparison. */
        HORS_F_SHA_256(10),

        /** HORS with merklified keys over SHA-256, for comparison. */
        HORS_M_SHA_256(11);

        /** Size of a signature in bytes. */
        public val signatureLen: Int get() = translated { dsigSignatureLen(native) }.toInt()

        /** Human-readable name, as in configuration files, for instance `wots-blake3`. */
        override fun toString(): String = translated { dsigSuiteName(native) }

        internal val native: UByte
            @JvmSynthetic get() = number.toUByte()

        public companion object {
            /** Throws [QuorateException.WrongContext] if no suite has this number. */
            @JvmStatic
            public fun fromNumber(number: Int): Suite {
                val suite = number.u8("number")
                translated { dsigSuiteName(suite) }
                return fromNative(suite)
            }

            /** Throws [QuorateException.WrongContext] if no suite has this name. */
            @JvmStatic
            public fun fromName(name: String): Suite = fromNative(translated { dsigSuiteFromName(name.text("name")) })

            @JvmSynthetic
            internal fun fromNative(number: UByte): Suite = entries.first { it.native == number }
        }
    }

    /** Announcement of a new batch of one-time keys. */
    public class Announced internal constructor(private val native: NativeAnnounced, hidden: Hidden = Hidden()) {
        /** Recipients: the members of the batch's group; null for all verifiers. */
        public val to: Set<Int>? = native.to?.map { it.toInt() }?.toSet()

        /** Bytes to send to the recipients, for [Verifier.announce]. */
        public val announcement: ByteArray get() = native.announcement.clone()

        override fun equals(other: Any?): Boolean =
            other is Announced && to == other.to && native.announcement.contentEquals(other.native.announcement)

        override fun hashCode(): Int = native.announcement.contentHashCode()

        override fun toString(): String = "Announced(to ${to ?: "all verifiers"}, ${native.announcement.size} bytes)"
    }

    /**
     * Generates one-time keys ahead of time and signs with each of them once. The keys are never copied or stored: they
     * are wiped when they expire, and when the signer is closed. A thread in `prepare` never blocks one in `sign`.
     *
     * In all functions `now` is in microseconds of a clock that continues while the machine sleeps; it defaults to the
     * system's time of day.
     */
    public class Signer private constructor(private val cell: Cell<NativeSigner>) : NativeObject(cell) {
        /**
         * A signer under an Ed25519 key. The [SecretKey] is closed afterwards, even if this fails.
         *
         * @param groups sets of likely verifiers; the group of all verifiers always exists.
         * @param log2Batch keys per batch as a power of two, at most 7.
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
                secret.cell.handOver { key ->
                    val members = groups.map { it.members("groups") }
                    val (log2, low) = log2Batch.u8("log2Batch") to lowWater.natural("lowWater")
                    NativeSigner(key, suite.native, members, log2, low, lifetime.notNegative("lifetime"))
                },
                "Signer",
            ),
        )

        @Volatile private var copies: LongSupplier? = null

        /** The suite. */
        public val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

        /** Key that verifies this signer's signatures. */
        public val publicKey: PublicKey get() = cell.call { PublicKey(it.publicKey()) }

        /** Number of keys ready in all groups. */
        public val ready: Long get() = cell.call { it.ready().toLong() }

        /** Announcements of all batches that still have keys, for a verifier that joins late or restarts. */
        public val announcements: List<Announced> get() = cell.call { it.announcements().map(::Announced) }

        /**
         * Sets a hook that distinguishes copies of this machine: it returns a virtual machine's generation identifier,
         * a counter of restored checkpoints, or any other 64-bit value. It is called now, and first by [sign] and
         * [prepare], on the calling thread. When its answer changes, all keys are wiped. Its exceptions propagate, and
         * then nothing is signed. It may use this signer. Undetected copies are limited by the keys' lifetime.
         */
        public fun detectCopies(hook: LongSupplier) {
            val copy = hook.asLong
            cell.call { it.detectCopies(copy.toULong()) }
            copies = hook
        }

        /**
         * Background work: generates one batch for the group with the fewest keys and returns the announcement to send;
         * null if no group needs a batch. Call it until it returns `null`, and again during the signer's lifetime.
         * Cost: 128 times the cost of making and verifying a signature, and more in the HORS suites.
         */
        @JvmOverloads
        @JvmName("prepare")
        public fun prepare(now: ULong = now()): Announced? {
            val copy = copy()
            return cell.call { it.prepare(now, copy)?.let(::Announced) }
        }

        /**
         * Signs with a fresh key of the smallest group that contains all of [hint] and has a key; an empty hint means
         * all verifiers. The hint determines which verifiers verify fast, never which can verify. Throws
         * [QuorateException.Exhausted] if no key is left.
         */
        @JvmOverloads
        @JvmName("sign")
        public fun sign(message: ByteArray, hint: Set<Int> = emptySet(), now: ULong = now()): ByteArray {
            val members = hint.members("hint")
            val copy = copy()
            return cell.call { it.sign(message, members, now, copy) }
        }

        /** Returns the hook's answer. The hook runs without a lock, so that it may use this signer. */
        private fun copy(): ULong? = copies?.asLong?.toULong()

        /** Wipes every key. Call it when the machine was copied, or is about to be. */
        public fun invalidate(): Unit = cell.call { it.invalidate() }

        override fun toString(): String = shown { "Signer($suite, ${publicKey.encode().hex()})" }
    }

    /**
     * Verifies signatures of admitted signers, fast if their batch was announced. Even a hostile announcement never
     * blocks another thread from verifying.
     */
    public class Verifier private constructor(private val cell: Cell<NativeVerifier>) : NativeObject(cell) {
        /**
         * A verifier without admitted signers.
         *
         * @param announced number of announced batches that it remembers for each signer, about 12 kB each. A signer
         * has lowWater / 128 + 1 of them for each of its groups; signatures of batches that do not fit verify slowly.
         * @param checked the same for verified batches without an announcement.
         * @param burst number of announcements of a signer that may arrive at once.
         * @param interval time after which one more may arrive.
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

        /** The suite. */
        public val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

        /** Admits a signer. Does nothing if the signer is known. */
        public fun admit(signer: PublicKey): Unit = cell.call { verifier -> signer.cell.call { verifier.admit(it) } }

        /** Forgets a signer: all of its signatures are rejected from now on. Returns true if it was known. */
        public fun revoke(signer: PublicKey): Boolean =
            cell.call { verifier -> signer.cell.call { verifier.revoke(it) } }

        /**
         * Sets a hook that returns true for a key that an external list revokes. [announce], [canVerifyFast]
         * and [verify] call it first, on the calling thread. Its exceptions propagate, and then nothing is accepted. It
         * may use this verifier, and should cost no more than a lookup.
         */
        public fun checkRevocation(hook: Predicate<PublicKey>) {
            revocation = hook
        }

        /**
         * Background work: processes an announcement received from its signer over an authenticated link. Throws
         * [QuorateException.WrongContext] for unknown signers and [QuorateException.RateLimited] above the allowance.
         * Cost: 127 hashes, one Ed25519 verification.
         */
        @JvmOverloads
        @JvmName("announce")
        public fun announce(signer: PublicKey, announcement: ByteArray, now: ULong = now()): Unit =
            asking(signer) { verifier, key, revoked -> verifier.announce(key, announcement, now, revoked) }

        /** Returns true if [verify] would not need an Ed25519 verification. Cost: one lookup. */
        public fun canVerifyFast(signer: PublicKey, signature: ByteArray): Boolean =
            asking(signer) { verifier, key, revoked -> verifier.canVerifyFast(key, signature, revoked) }

        /**
         * Verifies a signature, whether or not its batch was announced. Throws [QuorateException.WrongContext] for
         * unknown signers, [QuorateException.BadSignature], and [QuorateException.OneTimeReuse] if the signature is
         * valid but its key signed another message before: for evidence see [reuse], and store each verified message
         * with its signature.
         */
        public fun verify(signer: PublicKey, message: ByteArray, signature: ByteArray): Unit =
            asking(signer) { verifier, key, revoked -> verifier.verify(key, message, signature, revoked) }

        /** Calls the hook without a lock, so that it may use this verifier, and then `work`. */
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
     * Verifies a log, one signature after the other, without prior knowledge and with one Ed25519 verification per
     * batch of keys. It has no list of signers: the caller decides which to trust.
     */
    public class Auditor private constructor(private val cell: Cell<NativeAuditor>) : NativeObject(cell) {
        /**
         * An auditor that remembers a number of batches of keys, at least one, about 12 kB each; the oldest are
         * evicted.
         */
        @JvmOverloads
        public constructor(suite: Suite = Suite.WOTS_BLAKE3, roots: Int = 1024) : this(
            Cell(translated { NativeAuditor(suite.native, roots.natural("roots")) }, "Auditor"),
        )

        /** The suite. */
        public val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

        /**
         * Verifies the next signature of a log. Throws [QuorateException.BadSignature], or
         * [QuorateException.OneTimeReuse] if its key signed another message before, in a batch that is remembered.
         */
        public fun check(signer: PublicKey, message: ByteArray, signature: ByteArray): Unit =
            cell.call { auditor -> signer.cell.call { auditor.check(it, message, signature) } }

        override fun toString(): String = shown { "Auditor($suite)" }
    }

    /** An entry of a log: signer, message and signature. */
    public class Entry(public val signer: PublicKey, message: ByteArray, signature: ByteArray) {
        @get:JvmSynthetic
        internal val native: NativeSigned = NativeSigned(message.clone(), signature.clone())
    }

    /**
     * Verifies a signature of any suite without prior knowledge of its batch. Cost: one Ed25519 verification, plus
     * hashes.
     */
    @JvmStatic
    public fun verify(signer: PublicKey, message: ByteArray, signature: ByteArray): Unit =
        signer.cell.call { dsigVerify(it, message, signature) }

    /**
     * Verifies several signatures of one suite. Returns an outcome for each, in input order: null, or the error that an
     * [Auditor] of 1,024 roots would throw. Cost: one Ed25519 verification per batch of keys, plus hashes.
     */
    @JvmStatic
    public fun verifyAll(suite: Suite, entries: List<Entry>): List<QuorateException?> {
        // Reads the list once: a list that changes meanwhile must not separate signers from their messages.
        val listed = entries.toList()
        return callAll(listed.map { it.signer.cell }) { signers ->
            val natives = signers.zip(listed) { signer, entry -> NativeEntry(signer, entry.native) }
            dsigVerifyAll(suite.native, natives).map { it?.let(QuorateException::fromNative) }
        }
    }

    /**
     * Combines two signatures of one one-time key, each with its message, into evidence against the signer;
     * [verifyReuse] verifies it. Throws [QuorateException.NotEvidence] if they prove no fault.
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

    /** Verifies evidence of key reuse without prior knowledge, and returns the culprit. */
    @JvmStatic
    public fun verifyReuse(suite: Suite, evidence: ByteArray): PublicKey =
        PublicKey(translated { dsigVerifyReuse(suite.native, evidence) })

    private fun Set<Int>.members(name: String): List<UShort> = map { it.u16(name) }
}
