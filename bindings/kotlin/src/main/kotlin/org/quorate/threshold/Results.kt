package org.quorate.threshold

import org.quorate.QuorateException
import org.quorate.internal.Counts as NativeCounts
import org.quorate.internal.Judgement
import org.quorate.internal.refuseEvidence
import org.quorate.translated

/** What follows from a share or an opening: perhaps a signature, perhaps openings to ask for, perhaps faults. */
public class Outcome<out S, out E> internal constructor(
    /** The signature, once there is one. */
    public val signature: S?,
    /** Ask these members for the openings of their shares. */
    public val wanted: List<Int>,
    /** Who sent wrong shares. */
    public val faults: List<Fault<E>>,
) {
    override fun toString(): String = "Outcome(signature: ${signature != null}, wanted $wanted, faults $faults)"
}

/** A party sent a wrong share. */
public class Fault<out E> internal constructor(
    /** Who. */
    public val culprit: Int,
    /** What shows it. */
    public val evidence: E,
) {
    override fun toString(): String = "Fault(member $culprit)"
}

/** What a combiner did so far. */
public data class Counts(
    /** Combinations, each with a verification: at most one more than failed. */
    public val combinations: Int,
    /** Checks of single shares: at most as many as are needed and as may be faulty together. */
    public val shareChecks: Int,
    /** Attempts to find the wrong ones by what the others agree on. */
    public val decodings: Int,
) {
    internal companion object {
        @JvmSynthetic
        internal fun of(native: NativeCounts) =
            native.run { Counts(combinations.toInt(), shareChecks.toInt(), decodings.toInt()) }
    }
}

/** What came of checking many shares. */
public class Checked<out V, out F> internal constructor(
    /** The good ones, in their order. */
    public val verified: List<V>,
    /** The others, in their order. */
    public val faults: List<F>,
)

/** What came of one share more. */
public class Collected<out T, out F> internal constructor(
    /** The result, once. */
    public val output: T?,
    /** Shares that turned out to be wrong. */
    public val faults: List<F>,
)

/** A share that did not verify. */
public sealed class ShareFault<out W, out S> {
    /** In whose name the share came. */
    public abstract val member: Int

    /** The member made it itself: evidence that convinces anybody who has the public keys. */
    public class Proven<out W> internal constructor(override val member: Int, public val evidence: W) :
        ShareFault<W, Nothing>() {
        override fun toString(): String = "Proven(member $member)"
    }

    /**
     * Nothing in it says that the member made it. It is evidence only together with the signature or the link under which
     * it came.
     */
    public class Forged<out S> internal constructor(override val member: Int, public val share: S) :
        ShareFault<Nothing, S>() {
        override fun toString(): String = "Forged(member $member)"
    }
}

/** Says whether a member's attestation of some bytes is good: usually a signature of the member's. */
public fun interface Attested {
    /** Whether it is. */
    public fun isGood(member: Int, bytes: ByteArray, attestation: ByteArray): Boolean
}

/** The culprit, if every attestation of the evidence is good. */
internal fun Judgement.culprit(attested: Attested): Int {
    val good = questions.all { attested.isGood(it.member.toInt(), it.bytes, it.attestation) }
    if (!good) translated { refuseEvidence() }
    error?.let { throw QuorateException.of(it) }
    return checkNotNull(culprit) { "evidence without a verdict" }.toInt()
}
