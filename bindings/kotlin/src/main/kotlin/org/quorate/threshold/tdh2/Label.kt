package org.quorate.threshold.tdh2

import org.quorate.CommitteeId
import org.quorate.Hidden
import org.quorate.bytes
import org.quorate.internal.Label as NativeLabel

/** Context of a ciphertext. Moving a ciphertext to another context requires knowledge of its plaintext. */
public class Label internal constructor(private val native: NativeLabel, hidden: Hidden = Hidden()) {
    /** Committee whose keys decrypt it. */
    public val committee: CommitteeId get() = CommitteeId.fromBytes(native.committee)

    /** Epoch of the protocol in which it is proposed. */
    public val epoch: ULong
        @JvmName("getEpoch")
        get() = native.epoch

    /** Index of its proposer. */
    public val proposer: Int get() = native.proposer.toInt()

    /** The hash of the encrypted payload: 32 bytes. */
    public val payload: ByteArray get() = native.payload.clone()

    override fun equals(other: Any?): Boolean =
        other is Label &&
            committee == other.committee &&
            epoch == other.epoch &&
            proposer == other.proposer &&
            native.payload.contentEquals(other.native.payload)

    override fun hashCode(): Int = native.payload.contentHashCode()

    override fun toString(): String = "Label(epoch $epoch, proposer $proposer, $committee)"
}
