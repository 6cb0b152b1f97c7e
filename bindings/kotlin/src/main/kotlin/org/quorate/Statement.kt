package org.quorate

import org.quorate.internal.LengthOf
import org.quorate.internal.Statement as NativeStatement
import org.quorate.internal.statementContradicts
import org.quorate.internal.statementDecode
import org.quorate.internal.statementEncode
import org.quorate.internal.statementIdentity
import org.quorate.internal.statementSignedBytes

/** What members sign: that [digest] is right for this kind, epoch and view. In Java: `Statement.of(…)`. */
public class Statement internal constructor(@get:JvmSynthetic internal val native: NativeStatement) {
    /** What it is about: a protocol gives each of its phases a number of its own. */
    public val kind: Int get() = native.kind.toInt()

    /** The committee's term. */
    public val epoch: ULong
        @JvmName("getEpoch")
        get() = native.epoch

    /** The attempt to agree within the epoch. */
    public val view: ULong
        @JvmName("getView")
        get() = native.view

    /** The value, usually the hash of a block: 32 bytes. */
    public val digest: ByteArray get() = native.digest.clone()

    /** The 49 bytes. */
    public fun encode(): ByteArray = translated { statementEncode(native) }

    /** The bytes that a member of the committee signs. */
    public fun signedBytes(committee: CommitteeId): ByteArray =
        translated { statementSignedBytes(native, committee.raw) }

    /** The name of what was certified: 32 bytes. */
    public fun identity(committee: CommitteeId): ByteArray = translated { statementIdentity(native, committee.raw) }

    /** Whether one member must not sign both: the same kind, epoch and view, another digest. */
    public fun contradicts(other: Statement): Boolean = translated { statementContradicts(native, other.native) }

    override fun equals(other: Any?): Boolean =
        other is Statement &&
            kind == other.kind &&
            epoch == other.epoch &&
            view == other.view &&
            native.digest.contentEquals(other.native.digest)

    override fun hashCode(): Int = native.digest.contentHashCode() * 31 + view.hashCode()

    override fun toString(): String = "Statement(kind $kind, epoch $epoch, view $view, ${native.digest.hex()})"

    public companion object {
        /** A statement. */
        @JvmStatic
        @JvmName("of")
        public operator fun invoke(kind: Int, epoch: ULong, view: ULong, digest: ByteArray): Statement =
            Statement(NativeStatement(kind.u8("kind"), epoch, view, digest.copyOf32(LengthOf.DIGEST)))

        /** Reads 49 bytes. */
        @JvmStatic
        public fun decode(bytes: ByteArray): Statement = Statement(translated { statementDecode(bytes) })
    }
}
