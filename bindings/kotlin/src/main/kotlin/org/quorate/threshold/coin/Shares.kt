package org.quorate.threshold.coin

import org.quorate.Cell
import org.quorate.EncodedObject
import org.quorate.Hidden
import org.quorate.NativeObject
import org.quorate.bytes
import org.quorate.internal.CoinShare as NativeShare
import org.quorate.internal.CoinVerifiedShare as NativeVerifiedShare
import org.quorate.translated

/** A member's share with its proof, as received. A decoded share is not verified yet. */
public class CoinShare private constructor(@get:JvmSynthetic internal val cell: Cell<NativeShare>) :
    EncodedObject(cell) {
    internal constructor(native: NativeShare, hidden: Hidden = Hidden()) : this(Cell(native, "CoinShare"))

    /** Member that the share names. Unproven until the share is verified. */
    public val member: Int get() = cell.call { it.member().toInt() }

    /** Returns the 130 bytes. */
    override fun encode(): ByteArray = cell.call { it.encode() }

    override fun toString(): String = shown { "CoinShare(member $member)" }

    public companion object {
        /** Decodes 130 bytes. */
        @JvmStatic
        public fun decode(bytes: ByteArray): CoinShare = CoinShare(translated { NativeShare.decode(bytes) })
    }
}

/**
 * A share that was verified for one instance. Only verification creates one, and only verified shares can be combined.
 */
public class VerifiedShare private constructor(@get:JvmSynthetic internal val cell: Cell<NativeVerifiedShare>) :
    NativeObject(cell) {
    internal constructor(native: NativeVerifiedShare, hidden: Hidden = Hidden()) : this(Cell(native, "VerifiedShare"))

    /** Index of its party. */
    public val member: Int get() = cell.call { it.member().toInt() }

    override fun toString(): String = shown { "VerifiedShare(coin, member $member)" }
}
