package org.quorate.threshold

import org.quorate.internal.Threshold as NativeThreshold
import org.quorate.internal.ThresholdCache as NativeCache
import org.quorate.internal.Tolerance as NativeTolerance
import org.quorate.internal.groupFromName
import org.quorate.internal.groupName
import org.quorate.internal.maxParties
import org.quorate.internal.thresholdCheck
import org.quorate.internal.toleranceCheck
import org.quorate.internal.toleranceThreshold
import org.quorate.Cell
import org.quorate.NativeObject
import org.quorate.QuorateException
import org.quorate.natural
import org.quorate.text
import org.quorate.translated
import org.quorate.u16
import org.quorate.u8

/** What threshold ECDSA computes in. */
public enum class Group(
    /** The byte that stands for it in encodings. */
    public val number: Int,
) {
    /** The faster one. What signs over it is not standard ECDSA. */
    RISTRETTO255(1),

    /** Its signatures verify anywhere. */
    SECP256K1(2);

    /** The name for people and configuration files, for instance `secp256k1`. */
    override fun toString(): String = translated { groupName(native) }

    internal val native: UByte
        @JvmSynthetic get() = number.toUByte()

    public companion object {
        /** Throws [QuorateException.WrongContext] if there is no group of this number. */
        @JvmStatic
        public fun fromNumber(number: Int): Group {
            val group = number.u8("number")
            translated { groupName(group) }
            return of(group)
        }

        /** Throws [QuorateException.WrongContext] if there is no group of this name. */
        @JvmStatic
        public fun fromName(name: String): Group = of(translated { groupFromName(name.text("name")) })

        @JvmSynthetic
        internal fun of(number: UByte): Group = entries.first { it.native == number }
    }
}

/** Whether the parties agree beforehand on what is signed. */
public enum class Agreement {
    /** No two honest parties ever sign different messages: one share more than may be faulty is enough. */
    AGREED,

    /**
     * Somebody else chooses the message and may tell each party another: any two sets that sign must share an honest
     * party, so that more shares are needed.
     */
    UNAGREED;

    internal companion object {
        @JvmSynthetic
        internal fun of(agreed: Boolean): Agreement = if (agreed) AGREED else UNAGREED
    }
}

/** How many of how many parties may do whatever they like: fewer than a third. */
public data class Tolerance(
    /** How many parties there are. */
    public val parties: Int,
    /** How many of them may be faulty. */
    public val faulty: Int,
) {
    @get:JvmSynthetic
    internal val native: NativeTolerance = NativeTolerance(parties.u16("parties"), faulty.u16("faulty"))

    init {
        translated { toleranceCheck(native) }
    }

    /** How many shares a signature of this class needs. */
    public fun threshold(agreement: Agreement): Threshold =
        Threshold.of(translated { toleranceThreshold(native, agreement == Agreement.AGREED) })

    internal companion object {
        @JvmSynthetic
        internal fun of(native: NativeTolerance) = Tolerance(native.parties.toInt(), native.faulty.toInt())
    }
}

/** How many shares of how many are needed. */
public data class Threshold(
    /** How many are needed. */
    public val needed: Int,
    /** How many there are. */
    public val parties: Int,
) {
    @get:JvmSynthetic
    internal val native: NativeThreshold = NativeThreshold(needed.u16("needed"), parties.u16("parties"))

    init {
        translated { thresholdCheck(native) }
    }

    public companion object {
        /** The most parties that a key can be shared by. */
        @JvmField
        public val MAX_PARTIES: Int = maxParties().toInt()

        @JvmSynthetic
        internal fun of(native: NativeThreshold) = Threshold(native.needed.toInt(), native.parties.toInt())
    }
}

/**
 * Lagrange coefficients of the sets of members that were used last. In a quiet network the same members answer first again
 * and again: let everything that combines share one.
 */
public class Cache private constructor(@get:JvmSynthetic internal val cell: Cell<NativeCache>) : NativeObject(cell) {
    /** A cache of at most so many sets for each group, at least one. Memory: 34 bytes for each member of a set. */
    @JvmOverloads
    public constructor(capacity: Int = 16) : this(
        Cell(translated { NativeCache(capacity.natural("capacity")) }, "Cache"),
    )

    internal companion object {
        /** Runs [work] with the native cache, if there is one. */
        @JvmSynthetic
        internal inline fun <T> with(cache: Cache?, work: (NativeCache?) -> T): T =
            if (cache == null) translated { work(null) } else cache.cell.call { work(it) }
    }
}
