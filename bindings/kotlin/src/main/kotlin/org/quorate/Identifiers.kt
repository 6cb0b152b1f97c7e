package org.quorate

import org.quorate.internal.LengthOf
import org.quorate.internal.chainIdFromName

/** Identifier of a chain: 32 bytes that no other chain uses, for instance the hash of the genesis. */
public class ChainId private constructor(@get:JvmSynthetic internal val raw: ByteArray) {
    /** The 32 bytes. */
    public val bytes: ByteArray get() = raw.clone()

    override fun equals(other: Any?): Boolean = other is ChainId && raw.contentEquals(other.raw)

    override fun hashCode(): Int = raw.contentHashCode()

    /** 64 hex digits. */
    override fun toString(): String = raw.hex()

    public companion object {
        /**
         * Derives an identifier from a name. Names are for tests and demonstrations: any party that knows the name can
         * derive the identifier, so a live chain hashes its genesis instead.
         */
        @JvmStatic
        public fun fromName(name: String): ChainId = ChainId(chainIdFromName(name.text("name")))

        /** Throws [QuorateException.Malformed] unless there are exactly 32 bytes. */
        @JvmStatic
        public fun fromBytes(bytes: ByteArray): ChainId = ChainId(bytes.copyOf32(LengthOf.CHAIN))
    }
}

/** Identifier of a committee of one chain in one epoch: a hash of all its parameters, which every signature covers. */
public class CommitteeId private constructor(@get:JvmSynthetic internal val raw: ByteArray) {
    /** The 32 bytes. */
    public val bytes: ByteArray get() = raw.clone()

    override fun equals(other: Any?): Boolean = other is CommitteeId && raw.contentEquals(other.raw)

    override fun hashCode(): Int = raw.contentHashCode()

    /** 64 hex digits. */
    override fun toString(): String = raw.hex()

    public companion object {
        /** Throws [QuorateException.Malformed] unless there are exactly 32 bytes. */
        @JvmStatic
        public fun fromBytes(bytes: ByteArray): CommitteeId = CommitteeId(bytes.copyOf32(LengthOf.COMMITTEE))
    }
}
