package org.quorate.erasure

import org.quorate.QuorateException
import org.quorate.internal.ErasureCoding as NativeCoding
import org.quorate.internal.ErasureShape as NativeShape
import org.quorate.internal.erasureCodingCheck
import org.quorate.internal.erasureConstants
import org.quorate.internal.erasurePacketsCheck
import org.quorate.internal.erasureShapeCheck
import org.quorate.internal.erasureShapeForCommittee
import org.quorate.internal.erasureShardLen
import org.quorate.internal.erasureSuiteDecode
import org.quorate.internal.erasureSuiteRecommended
import org.quorate.natural
import org.quorate.translated
import org.quorate.u16
import org.quorate.u8

/**
 * Number of shards: [data] shards that hold the message and [parity] shards that replace lost ones. Any [data] of them
 * restore the message. Throws [QuorateException.BadShape] without data shards, or above 32,768 in total.
 */
public data class Shape(public val data: Int, public val parity: Int) {
    @get:JvmSynthetic
    internal val native: NativeShape = NativeShape(data.u16("data"), parity.u16("parity"))

    init {
        translated { erasureShapeCheck(native) }
    }

    /** Number of all shards. */
    public val shards: Int get() = data + parity

    public companion object {
        /**
         * One shard per member, for a reliable broadcast that tolerates [faulty] of them: the parity shards number
         * twice that.
         */
        @JvmStatic
        public fun forCommittee(members: Int, faulty: Int): Shape =
            fromNative(translated { erasureShapeForCommittee(members.u16("members"), faulty.u16("faulty")) })

        @JvmSynthetic
        internal fun fromNative(native: NativeShape) = Shape(native.data.toInt(), native.parity.toInt())
    }
}

/** The tuner's parameters of suite 3: words of 2 to 16 bits, packets of 2^[log2Packet] bytes. */
public data class Packets(public val word: Int, public val log2Packet: Int) {
    init {
        translated { erasurePacketsCheck(word.u8("word"), log2Packet.u8("log2Packet")) }
    }

    /** Bytes per packet. */
    public val packet: Int get() = 1 shl log2Packet

    public companion object {
        /** The largest packet size, as a power of two. */
        @JvmField
        public val MAX_LOG2_PACKET: Int = erasureConstants().maxLog2Packet.toInt()
    }
}

/** Code of the parity shards. It determines the bytes on the wire, so all members must use the same. */
public class Suite private constructor(@get:JvmSynthetic internal val raw: ByteArray) {
    private val fields = translated { erasureSuiteDecode(raw) }

    /** Byte that identifies the suite in encodings. */
    public val number: Int get() = raw[0].toInt()

    /** Human-readable name, for instance `leopard`. */
    public val name: String get() = fields.name

    /** The parameters of suite 3; null for the other suites. */
    public val packets: Packets? get() = if (number == 3) Packets(raw[1].toInt(), raw[2].toInt()) else null

    /** Shard lengths are multiples of this number of bytes. */
    public val unit: Int get() = fields.unit.toInt()

    /** True if this build supports the code. */
    public val isAvailable: Boolean get() = fields.isAvailable

    /** Returns the 3 bytes. */
    public fun encode(): ByteArray = raw.clone()

    override fun equals(other: Any?): Boolean = other is Suite && raw.contentEquals(other.raw)

    override fun hashCode(): Int = raw.contentHashCode()

    override fun toString(): String = if (packets == null) name else "$name($packets)"

    public companion object {
        /** 1: Reed–Solomon over GF(2¹⁶) by additive Fourier transforms; up to 32,768 shards. */
        @JvmField
        public val LEOPARD: Suite = Suite(byteArrayOf(1, 0, 0))

        /** 2: Cauchy Reed–Solomon over GF(2⁸); up to 256 shards, and faster for few of them. */
        @JvmField
        public val GF8: Suite = Suite(byteArrayOf(2, 0, 0))

        /** 3: Jerasure's Cauchy Reed–Solomon code of exclusive-ors, for comparison; most builds do not support it. */
        @JvmStatic
        public fun jerasure(packets: Packets): Suite =
            Suite(byteArrayOf(3, packets.word.toByte(), packets.log2Packet.toByte()))

        /** Returns the recommended code: suite 2 up to its 256 shards, suite 1 above. */
        @JvmStatic
        public fun recommended(shape: Shape): Suite = Suite(translated { erasureSuiteRecommended(shape.native) })

        /** Decodes 3 bytes. */
        @JvmStatic
        public fun decode(bytes: ByteArray): Suite = Suite(bytes.clone())
    }
}

/**
 * A code, a shape that it supports, and the maximum message length. Throws [QuorateException.BadShape] if the suite
 * does not support the shape, and [QuorateException.TooLarge] above [MAX_MESSAGE], or if all shards together exceed
 * [MAX_SHARDS] bytes.
 */
public data class Coding @JvmOverloads constructor(
    /** Number of data and parity shards. */
    public val shape: Shape,
    /** Maximum message length in bytes. */
    public val maxMessage: Int,
    /** The erasure code. */
    public val suite: Suite = Suite.recommended(shape),
) {
    @get:JvmSynthetic
    internal val native: NativeCoding =
        NativeCoding(suite.raw, shape.native, maxMessage.natural("maxMessage").toULong())

    init {
        translated { erasureCodingCheck(native) }
    }

    /** Length of each shard of a message of this length. */
    public fun shardLen(message: Int): Int =
        translated { erasureShardLen(native, message.natural("message").toULong()) }.toInt()

    public companion object {
        private val constants = erasureConstants()

        /** Maximum message length of any coding. */
        @JvmField
        public val MAX_MESSAGE: Int = constants.maxMessage.toInt()

        /** Maximum total length of all shards of a message, in bytes. */
        @JvmField
        public val MAX_SHARDS: Int = constants.maxShards.toInt()
    }
}
