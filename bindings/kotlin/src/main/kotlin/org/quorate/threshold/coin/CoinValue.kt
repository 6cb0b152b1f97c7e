package org.quorate.threshold.coin

import org.quorate.QuorateException
import org.quorate.bytes
import org.quorate.copyOf32
import org.quorate.hex
import org.quorate.internal.LengthOf
import org.quorate.internal.coinValueBelow
import org.quorate.internal.coinValueBit
import org.quorate.translated
import org.quorate.u16

/** 32 random bytes, the same for all members. */
public class CoinValue private constructor(private val raw: ByteArray) {
    /** The 32 bytes. */
    public val bytes: ByteArray get() = raw.clone()

    /** Returns one bit. */
    public fun bit(): Boolean = translated { coinValueBit(raw) }

    /** Returns a number from 0 to n − 1, for leader election; null if n is 0. The bias is below 2⁻²⁴⁰. */
    public fun below(n: Int): Int? = translated { coinValueBelow(raw, n.u16("n")) }?.toInt()

    override fun equals(other: Any?): Boolean = other is CoinValue && raw.contentEquals(other.raw)

    override fun hashCode(): Int = raw.contentHashCode()

    /** 64 hex digits. */
    override fun toString(): String = raw.hex()

    public companion object {
        /** Creates a known value. Throws [QuorateException.Malformed] unless there are exactly 32 bytes. */
        @JvmStatic
        public fun fromBytes(bytes: ByteArray): CoinValue = CoinValue(bytes.copyOf32(LengthOf.HASH))
    }
}
