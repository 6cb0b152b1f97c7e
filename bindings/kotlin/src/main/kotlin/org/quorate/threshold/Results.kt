package org.quorate.threshold

import org.quorate.QuorateException
import org.quorate.internal.Counts as NativeCounts
import org.quorate.internal.EvidenceVerdict
import org.quorate.internal.refuseEvidence
import org.quorate.translated

/** Result of adding a share or an opening: possibly a signature, openings to request, or faults. */
public class Outcome<out S, out E> internal constructor(
    /** The signature, once it exists. */
    public val signature: S?,
    /** Members whose share openings are needed; request them. */
    public val wanted: List<Int>,
    /** Members that sent wrong shares. */
    public val faults: List<Fault<E>>,
) {
    override fun toString(): String = "Outcome(signature: ${signature != null}, wanted $wanted, faults $faults)"
}

/** A party sent a wrong share. */
public class Fault<out E> internal constructor(
    /** The member at fault. */
    public val culprit: Int,
    /** The evidence against it. */
    public val evidence: E,
) {
    override fun toString(): String = "Fault(member $culprit)"
}

/** Work done by a combiner so far. */
public data class Counts(
    /** Combinations, each with one verification: at most one more than failed. */
    public val combinations: Int,
    /** Checks of single shares: at most the threshold plus the number of faulty parties. */
    public val shareChecks: Int,
    /** Attempts to identify wrong shares by error correction. */
    public val decodings: Int,
) {
    internal companion object {
        @JvmSynthetic
        internal fun fromNative(native: NativeCounts) =
            native.run { Counts(combinations.toInt(), shareChecks.toInt(), decodings.toInt()) }
    }
}

/** Result of checking several shares. */
public class Checked<out V, out F> internal constructor(
    /** Valid shares, in input order. */
    public val verified: List<V>,
    /** Faults of the remaining shares, in input order. */
    public val faults: List<F>,
)

/** Result of adding a share. */
public class Collected<out T, out F> internal constructor(
    /** The result, returned once. */
    public val output: T?,
    /** Faults of the shares found to be wrong. */
    public val faults: List<F>,
)

/** A share that did not verify. */
public sealed class ShareFault<out W, out S> {
    /** Member that the share names. */
    public abstract val member: Int

    /** The member made it itself: evidence that every holder of the public keys can verify. */
    public class Proven<out W> internal constructor(override val member: Int, public val evidence: W) :
        ShareFault<W, Nothing>() {
        override fun toString(): String = "Proven(member $member)"
    }

    /**
     * Nothing in it proves that the member made it. It is evidence only together with the signature or the
     * authenticated link that delivered it.
     */
    public class Forged<out S> internal constructor(override val member: Int, public val share: S) :
        ShareFault<Nothing, S>() {
        override fun toString(): String = "Forged(member $member)"
    }
}

/** Verifies a member's attestation of some bytes, usually a signature of the member. */
public fun interface Attested {
    /** Returns true if the attestation is valid. */
    public fun isGood(member: Int, bytes: ByteArray, attestation: ByteArray): Boolean
}

/** Returns the culprit, if every attestation of the evidence is valid. */
@JvmSynthetic
internal fun EvidenceVerdict.culprit(attested: Attested): Int {
    val good = attestations.all { attested.isGood(it.member.toInt(), it.bytes, it.attestation) }
    if (!good) translated { refuseEvidence() }
    error?.let { throw QuorateException.fromNative(it) }
    return checkNotNull(culprit) { "evidence without a verdict" }.toInt()
}
