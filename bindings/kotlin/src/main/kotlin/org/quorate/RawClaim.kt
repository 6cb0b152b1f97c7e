package org.quorate

import java.math.BigInteger
import org.quorate.internal.RawClaim as NativeRawClaim
import org.quorate.internal.RawVerdict as NativeRawVerdict
import org.quorate.internal.SignerSet as NativeSignerSet

/** The claim that [signers] signed a message of another chain, with their proof: see [Committee.verifyRawBatch]. */
public class RawClaim(message: ByteArray, public val signers: SignerSet, proof: ByteArray) {
    private val messageBytes = message.clone()
    private val proofBytes = proof.clone()

    /** The signed bytes. */
    public val message: ByteArray get() = messageBytes.clone()

    /** The aggregate, or the signatures in ascending order of signers. */
    public val proof: ByteArray get() = proofBytes.clone()

    @JvmSynthetic
    internal fun native(signers: NativeSignerSet): NativeRawClaim = NativeRawClaim(messageBytes, signers, proofBytes)

    override fun toString(): String = "RawClaim(${messageBytes.size} bytes, $signers)"
}

/** Verdict on one claim of a batch. */
public sealed class RawVerdict {
    /** Returns the signers' weight, or throws the error. */
    public abstract fun getOrThrow(): BigInteger

    /** It verifies: **compare the weight with your threshold**. */
    public class Valid internal constructor(public val weight: BigInteger) : RawVerdict() {
        override fun getOrThrow(): BigInteger = weight
    }

    /** It does not verify. */
    public class Invalid internal constructor(public val error: QuorateException) : RawVerdict() {
        override fun getOrThrow(): BigInteger = throw error
    }

    internal companion object {
        @JvmSynthetic
        internal fun fromNative(verdicts: List<NativeRawVerdict>): List<RawVerdict> = verdicts.map {
            when (it) {
                is NativeRawVerdict.Valid -> Valid(it.weight)
                is NativeRawVerdict.Invalid -> Invalid(QuorateException.fromNative(it.error))
            }
        }
    }
}
