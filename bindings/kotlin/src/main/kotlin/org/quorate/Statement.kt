package org.quorate

import org.quorate.internal.LengthOf
import org.quorate.internal.Statement as NativeStatement
import org.quorate.internal.statementContradicts
import org.quorate.internal.statementDecode
import org.quorate.internal.statementEncode
import org.quorate.internal.statementIdentity
import org.quorate.internal.statementSignedBytes

/** A statement that members sign: that [digest] is valid for this kind, epoch and view. In Java: `Statement.of(…)`. */
public class Statement internal constructor(
    @get:JvmSynthetic internal val native: NativeStatement,
    hidden: Hidden = Hidden(),
) {
    /** Phase of the protocol: each phase has a number of its own. */
    public val kind: Int get() = native.kind.toInt()

    /** The committee's epoch. */
    public val epoch: ULong
        @JvmName("getEpoch")
        get() = native.epoch

    /** The view within the epoch. */
    public val view: ULong
        @JvmName("getView")
        get() = native.view

    /** The value, usually the hash of a block: 32 bytes. */
    public val digest: ByteArray get() = native.digest.clone()

    /** Returns the 49 bytes. */
    public fun encode(): ByteArray = translated { statementEncode(native) }

    /** Returns the bytes that a member of the committee signs. */
    public fun signedBytes(committee: CommitteeId): ByteArray =
        translated { statementSignedBytes(native, committee.raw) }

    /** Identifier of the certified statement: 32 bytes. */
    public fun identity(committee: CommitteeId): ByteArray = translated { statementIdentity(native, committee.raw) }

    /** Returns true if a member must not sign both: same kind, epoch and view, different digest. */
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
        /** Creates a statement. */
        @JvmStatic
        @JvmName("of")
        public operator fun invoke(kind: Int, epoch: ULong, view: ULong, digest: ByteArray): Statement =
            Statement(NativeStatement(kind.u8("kind"), epoch, view, digest.copyOf32(LengthOf.DIGEST)))

        /** Decodes 49 bytes. */
        @JvmStatic
        public fun decode(bytes: ByteArray): Statement = Statement(translated { statementDecode(bytes) })
    }
}
