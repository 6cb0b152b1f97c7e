package org.quorate.threshold.tdh2

import org.quorate.Cell
import org.quorate.EncodedObject
import org.quorate.NativeObject
import org.quorate.QuorateException
import org.quorate.internal.DecryptionShare as NativeShare
import org.quorate.internal.Tdh2ShareFault as NativeFault
import org.quorate.internal.Tdh2VerifiedShare as NativeVerifiedShare
import org.quorate.internal.Tdh2WrongShare as NativeWrongShare
import org.quorate.threshold.ShareFault
import org.quorate.translated

/** A member's share with its proof, as it came in. That it decoded says nothing about whether it is right. */
public class DecryptionShare private constructor(@get:JvmSynthetic internal val cell: Cell<NativeShare>) :
    EncodedObject(cell) {
    internal constructor(native: NativeShare) : this(Cell(native, "DecryptionShare"))

    /** Whose share it says it is. Nothing is proven before it is verified. */
    public val member: Int get() = cell.call { it.member().toInt() }

    /** The 130 bytes. */
    override fun encode(): ByteArray = cell.call { it.encode() }

    override fun toString(): String = shown { "DecryptionShare(member $member)" }

    public companion object {
        /** Reads 130 bytes. */
        @JvmStatic
        public fun decode(bytes: ByteArray): DecryptionShare = DecryptionShare(translated { NativeShare.decode(bytes) })
    }
}

/** A share that was verified, for one instance. Only a check makes one, and nothing else can be combined. */
public class VerifiedShare private constructor(@get:JvmSynthetic internal val cell: Cell<NativeVerifiedShare>) :
    NativeObject(cell) {
    internal constructor(native: NativeVerifiedShare) : this(Cell(native, "VerifiedShare"))

    /** Whose it is. */
    public val member: Int get() = cell.call { it.member().toInt() }

    override fun toString(): String = shown { "VerifiedShare(tdh2, member $member)" }
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

    override fun toString(): String = shown { "WrongShare(tdh2)" }

    public companion object {
        /** Reads evidence, which is still to be verified. */
        @JvmStatic
        public fun decode(bytes: ByteArray): WrongShare = WrongShare(translated { NativeWrongShare.decode(bytes) })
    }
}

internal fun fault(native: NativeFault): ShareFault<WrongShare, DecryptionShare> =
    when (native) {
        is NativeFault.Proven -> ShareFault.Proven(native.member.toInt(), WrongShare(native.evidence))
        is NativeFault.Forged -> ShareFault.Forged(native.member.toInt(), DecryptionShare(native.share))
    }
