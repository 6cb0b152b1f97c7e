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

/** Group in which threshold ECDSA computes. */
public enum class Group(
    /** Byte that identifies the suite in encodings. */
    public val number: Int,
) {
    /** The faster group. Signatures over it are not standard ECDSA. */
    RISTRETTO255(1),

    /** Signatures over it are standard ECDSA. */
    SECP256K1(2);

    /** Human-readable name, as in configuration files, for instance `secp256k1`. */
    override fun toString(): String = translated { groupName(native) }

    internal val native: UByte
        @JvmSynthetic get() = number.toUByte()

    public companion object {
        /** Throws [QuorateException.WrongContext] if no group has this number. */
        @JvmStatic
        public fun fromNumber(number: Int): Group {
            val group = number.u8("number")
            translated { groupName(group) }
            return fromNative(group)
        }

        /** Throws [QuorateException.WrongContext] if no group has this name. */
        @JvmStatic
        public fun fromName(name: String): Group = fromNative(translated { groupFromName(name.text("name")) })

        @JvmSynthetic
        internal fun fromNative(number: UByte): Group = entries.first { it.native == number }
    }
}

/** Class of a message: whether the parties agree on it before they sign. */
public enum class Agreement {
    /**
     * No two honest parties ever sign different messages: the threshold is one share more than the number of faulty
     * parties.
     */
    AGREED,

    /**
     * An outside party chooses the message and may give different ones to different parties. Any two signing sets must
     * share an honest party, so more shares are needed.
     */
    UNAGREED;

    internal companion object {
        @JvmSynthetic
        internal fun fromNative(agreed: Boolean): Agreement = if (agreed) AGREED else UNAGREED
    }
}

/** Number of parties, and the maximum number of Byzantine ones: fewer than a third. */
public data class Tolerance(
    /** Number of parties. */
    public val parties: Int,
    /** Maximum number of faulty parties. */
    public val faulty: Int,
) {
    @get:JvmSynthetic
    internal val native: NativeTolerance = NativeTolerance(parties.u16("parties"), faulty.u16("faulty"))

    init {
        translated { toleranceCheck(native) }
    }

    /** Number of shares that a signature of this class needs. */
    public fun threshold(agreement: Agreement): Threshold =
        Threshold.fromNative(translated { toleranceThreshold(native, agreement == Agreement.AGREED) })

    internal companion object {
        @JvmSynthetic
        internal fun fromNative(native: NativeTolerance) = Tolerance(native.parties.toInt(), native.faulty.toInt())
    }
}

/** Number of shares needed, and number of parties. */
public data class Threshold(
    /** Number of shares needed. */
    public val needed: Int,
    /** Number of parties. */
    public val parties: Int,
) {
    @get:JvmSynthetic
    internal val native: NativeThreshold = NativeThreshold(needed.u16("needed"), parties.u16("parties"))

    init {
        translated { thresholdCheck(native) }
    }

    public companion object {
        /** Maximum number of parties that share a key. */
        @JvmField
        public val MAX_PARTIES: Int = maxParties().toInt()

        @JvmSynthetic
        internal fun fromNative(native: NativeThreshold) = Threshold(native.needed.toInt(), native.parties.toInt())
    }
}

/**
 * A cache of the Lagrange coefficients of recently used sets of members. In a stable network the same members usually
 * respond first, so share one cache among all combiners.
 */
public class Cache private constructor(@get:JvmSynthetic internal val cell: Cell<NativeCache>) : NativeObject(cell) {
    /** A cache of at most `capacity` sets for each group, at least one. Memory: 34 bytes for each member of a set. */
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
