package org.quorate.threshold.ecdsa

import org.quorate.Cell
import org.quorate.CommitteeId
import org.quorate.EncodedObject
import org.quorate.Hidden
import org.quorate.QuorateException
import org.quorate.hex
import org.quorate.internal.Deal as NativeDeal
import org.quorate.internal.EcdsaGroupKey as NativeGroupKey
import org.quorate.internal.ecdsaSignatureCheck
import org.quorate.internal.ecdsaSignatureToDer
import org.quorate.threshold.Group
import org.quorate.threshold.Tolerance
import org.quorate.translated

/** The public key of a committee. */
public class GroupKey private constructor(@get:JvmSynthetic internal val cell: Cell<NativeGroupKey>) :
    EncodedObject(cell) {
    internal constructor(native: NativeGroupKey, hidden: Hidden = Hidden()) : this(Cell(native, "GroupKey"))

    /** Group of the key. */
    public val group: Group get() = cell.call { Group.fromNative(it.group()) }

    /** Identifier of 32 bytes, which every share and every record contains. */
    public val id: ByteArray get() = cell.call { it.id() }

    /** Committee of the key. */
    public val committee: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.committee()) }

    /** Number of parties, and the maximum number of faulty ones. */
    public val tolerance: Tolerance get() = cell.call { Tolerance.fromNative(it.tolerance()) }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /** Verifies a signature made under a tag, or throws [QuorateException.BadSignature]. */
    public fun verify(tag: Tag, message: ByteArray, signature: Signature): Unit =
        cell.call { key -> tag.cell.call { key.verify(it, message, signature.group.native, signature.raw) } }

    /** Verifies a signature over secp256k1 as standard ECDSA with SHA-256, and also rejects high s. */
    public fun verifyMessage(message: ByteArray, signature: Signature): Unit =
        cell.call { it.verifyMessage(message, signature.group.native, signature.raw) }

    /** Returns the key over secp256k1 as a SubjectPublicKeyInfo in DER, which OpenSSL reads. */
    public fun toSpkiDer(): ByteArray = cell.call { it.toSpkiDer() }

    override fun toString(): String = shown { "GroupKey($group, ${id.hex()})" }

    public companion object {
        /** Decodes a key over [group]. */
        @JvmStatic
        public fun decode(group: Group, bytes: ByteArray): GroupKey =
            GroupKey(translated { NativeGroupKey.decode(group.native, bytes) })
    }
}

/**
 * A decoded signature: 64 bytes in the one accepted form. Over ristretto255 it is not standard ECDSA, and only quorate
 * verifies it.
 */
public class Signature internal constructor(
    /** Group of the signature. */
    public val group: Group,
    @get:JvmSynthetic internal val raw: ByteArray,
) {
    /** Returns the 64 bytes of the encoding. */
    public fun toBytes(): ByteArray = raw.clone()

    /** Returns the form of a signature over secp256k1 that X.509 and OpenSSL expect. */
    public fun toDer(): ByteArray = translated { ecdsaSignatureToDer(group.native, raw) }

    override fun equals(other: Any?): Boolean =
        other is Signature && group == other.group && raw.contentEquals(other.raw)

    override fun hashCode(): Int = raw.contentHashCode()

    override fun toString(): String = "Signature($group, ${raw.hex()})"

    public companion object {
        /** Decodes a signature over [group]. */
        @JvmStatic
        public fun decode(group: Group, bytes: ByteArray): Signature {
            val raw = bytes.clone()
            translated { ecdsaSignatureCheck(group.native, raw) }
            return Signature(group, raw)
        }
    }
}

/**
 * Public part of the deal for one epoch; its holder can verify evidence. Compare the ids: parties that hold different
 * deals cannot sign together.
 */
public class Deal private constructor(@get:JvmSynthetic internal val cell: Cell<NativeDeal>) : EncodedObject(cell) {
    internal constructor(native: NativeDeal, hidden: Hidden = Hidden()) : this(Cell(native, "Deal"))

    /** Identifier: 32 bytes. */
    public val id: ByteArray get() = cell.call { it.id() }

    /** Identifier of the key: 32 bytes. */
    public val key: ByteArray get() = cell.call { it.key() }

    /** The epoch. */
    public val epoch: ULong
        @JvmName("getEpoch")
        get() = cell.call { it.epoch() }

    /** Plan of the presignatures. */
    public val plan: Plan get() = cell.call { Plan.decode(it.plan()) }

    /** The roots of the parties' trees of openings. */
    public val roots: List<ByteArray> get() = cell.call { it.roots() }

    override fun encode(): ByteArray = cell.call { it.encode() }

    override fun toString(): String = shown { "Deal(epoch $epoch, ${id.hex()})" }

    public companion object {
        /** Decodes a deal. */
        @JvmStatic
        public fun decode(bytes: ByteArray): Deal = Deal(translated { NativeDeal.decode(bytes) })
    }
}
