package org.quorate.threshold.coin

import org.quorate.Cell
import org.quorate.EncodedObject
import org.quorate.NativeObject
import org.quorate.QuorateException
import org.quorate.internal.CoinShare as NativeShare
import org.quorate.internal.CoinShareFault as NativeFault
import org.quorate.internal.CoinVerifiedShare as NativeVerifiedShare
import org.quorate.internal.CoinWrongShare as NativeWrongShare
import org.quorate.threshold.ShareFault
import org.quorate.translated

/** A member's share with its proof, as it came in. That it decoded says nothing about whether it is right. */
public class CoinShare private constructor(@get:JvmSynthetic internal val cell: Cell<NativeShare>) :
    EncodedObject(cell) {
    internal constructor(native: NativeShare) : this(Cell(native, "CoinShare"))

    /** Whose share it says it is. Nothing is proven before it is verified. */
    public val member: Int get() = cell.call { it.member().toInt() }

    /** The 130 bytes. */
    override fun encode(): ByteArray = cell.call { it.encode() }

    override fun toString(): String = shown { "CoinShare(member $member)" }

    public companion object {
        /** Reads 130 bytes. */
        @JvmStatic
        public fun decode(bytes: ByteArray): CoinShare = CoinShare(translated { NativeShare.decode(bytes) })
    }
}

/** A share that was verified, for one instance. Only a check makes one, and nothing else can be combined. */
public class VerifiedShare private constructor(@get:JvmSynthetic internal val cell: Cell<NativeVerifiedShare>) :
    NativeObject(cell) {
    internal constructor(native: NativeVerifiedShare) : this(Cell(native, "VerifiedShare"))

    /** Whose it is. */
    public val member: Int get() = cell.call { it.member().toInt() }

    override fun toString(): String = shown { "VerifiedShare(coin, member $member)" }
}

/** Proof that a member made a wrong share, for anybody who has the public keys. */
public class WrongShare private constructor(private val cell: Cell<NativeWrongShare>) : EncodedObject(cell) {
    internal constructor(native: NativeWrongShare) : this(Cell(native, "WrongShare"))

    override fun encode(): ByteArray = cell.call { it.encode() }

    /**
     * Checks it, with nothing known but the keys, and returns the culprit. Throws [QuorateException.NotEvidence] if the
     * share is right, or not the member's own.
     */
    public fun verify(keys: PublicKeys): Int =
        cell.call { evidence -> keys.cell.call { evidence.verify(it).toInt() } }

    override fun toString(): String = shown { "WrongShare(coin)" }

    public companion object {
        /** Reads evidence, which is still to be verified. */
        @JvmStatic
        public fun decode(bytes: ByteArray): WrongShare = WrongShare(translated { NativeWrongShare.decode(bytes) })
    }
}

internal fun fault(native: NativeFault): ShareFault<WrongShare, CoinShare> =
    when (native) {
        is NativeFault.Proven -> ShareFault.Proven(native.member.toInt(), WrongShare(native.evidence))
        is NativeFault.Forged -> ShareFault.Forged(native.member.toInt(), CoinShare(native.share))
    }
