package org.quorate

import org.quorate.internal.suiteFromName
import org.quorate.internal.suiteName

/** A signature scheme, chosen at run time. Objects can be combined only within one suite. */
public enum class Suite(
    /** Byte that identifies the suite in encodings. */
    public val number: Int,
) {
    /** BLS12-381 with signatures of 48 bytes and keys of 96 bytes. */
    MIN_SIG(1),

    /** BLS12-381 with keys of 48 bytes and signatures of 96 bytes, as in Ethereum. */
    MIN_PK(2),

    /** Ed25519: keys of 32 bytes, signatures of 64 bytes; certificates list the signatures. */
    ED25519(3),

    /** As [MIN_SIG], with aggregates that can be summed in any order: see `org.quorate.gossip`. */
    MIN_SIG_COUNTED(4),

    /** As [MIN_PK], with aggregates that can be summed in any order. */
    MIN_PK_COUNTED(5);

    /** Human-readable name, as in configuration files, for instance `bls-min-sig`. */
    override fun toString(): String = translated { suiteName(native) }

    internal val native: UByte
        @JvmSynthetic get() = number.toUByte()

    public companion object {
        /** Throws [QuorateException.WrongContext] if no suite has this number. */
        @JvmStatic
        public fun fromNumber(number: Int): Suite {
            val suite = number.u8("number")
            translated { suiteName(suite) }
            return fromNative(suite)
        }

        /** Throws [QuorateException.WrongContext] if no suite has this name. */
        @JvmStatic
        public fun fromName(name: String): Suite = fromNative(translated { suiteFromName(name.text("name")) })

        @JvmSynthetic
        internal fun fromNative(number: UByte): Suite = entries.first { it.native == number }
    }
}
