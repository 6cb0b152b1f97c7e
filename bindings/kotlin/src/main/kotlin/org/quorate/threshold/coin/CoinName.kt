package org.quorate.threshold.coin

import org.quorate.Hidden
import org.quorate.bytes
import org.quorate.internal.CoinName as NativeName
import org.quorate.internal.coinNameDecode
import org.quorate.internal.coinNameEncode
import org.quorate.translated
import org.quorate.u8

/** Name of a coin. Use each name for one decision only. In Java: `CoinName.of(…)`. */
public class CoinName internal constructor(
    @get:JvmSynthetic internal val native: NativeName,
    hidden: Hidden = Hidden(),
) {
    /** Number of the protocol. The caller chooses it so that no two protocols share a coin. */
    public val protocol: Int get() = native.protocol.toInt()

    /** Epoch of the protocol. */
    public val epoch: ULong
        @JvmName("getEpoch")
        get() = native.epoch

    /** Instance within the epoch. */
    public val instance: ULong
        @JvmName("getInstance")
        get() = native.instance

    /** Round of the instance. */
    public val round: ULong
        @JvmName("getRound")
        get() = native.round

    /** Returns the encoding, 25 bytes. */
    public fun encode(): ByteArray = translated { coinNameEncode(native) }

    override fun equals(other: Any?): Boolean = other is CoinName && encode().contentEquals(other.encode())

    override fun hashCode(): Int = encode().contentHashCode()

    override fun toString(): String = "CoinName(protocol $protocol, epoch $epoch, instance $instance, round $round)"

    public companion object {
        /** Creates a name. */
        @JvmStatic
        @JvmName("of")
        public operator fun invoke(protocol: Int, epoch: ULong, instance: ULong, round: ULong): CoinName =
            CoinName(NativeName(protocol.u8("protocol"), epoch, instance, round))

        /** Decodes a name from 25 bytes. */
        @JvmStatic
        public fun decode(bytes: ByteArray): CoinName = CoinName(translated { coinNameDecode(bytes) })
    }
}
