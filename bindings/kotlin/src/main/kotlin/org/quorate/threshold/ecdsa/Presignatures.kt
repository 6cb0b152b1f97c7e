package org.quorate.threshold.ecdsa

import org.quorate.Cell
import org.quorate.Guard
import org.quorate.GuardRecord
import org.quorate.Hidden
import org.quorate.NativeObject
import org.quorate.QuorateException
import org.quorate.borrowed
import org.quorate.bytes
import org.quorate.internal.Opener as NativeOpener
import org.quorate.internal.Presignature as NativePresignature
import org.quorate.internal.Presignatures as NativePresignatures
import org.quorate.threshold.Agreement
import org.quorate.threshold.Group
import org.quorate.translated
import org.quorate.u32

/**
 * One party's presignatures of one epoch; each signs **one** message. Only the dealer writes their file. After a crash
 * it is read again, and the guard's journal lists the spent presignatures. Close it to wipe them.
 */
public class Presignatures private constructor(private val cell: Cell<NativePresignatures>) : NativeObject(cell) {
    internal constructor(native: NativePresignatures, hidden: Hidden = Hidden()) : this(Cell(native, "Presignatures"))

    /** Their group. */
    public val group: Group get() = cell.call { Group.fromNative(it.group()) }

    /** Index of their party. */
    public val member: Int get() = cell.call { it.member().toInt() }

    /** The committee's public key. */
    public val key: GroupKey get() = cell.call { GroupKey(it.key()) }

    /** Public part of the deal. */
    public val deal: Deal get() = cell.call { Deal(it.deal()) }

    /** Number of presignatures left. */
    public val left: Int get() = cell.call { it.left().toInt() }

    /**
     * Returns the file, for the dealer to seal; throws [QuorateException.Exhausted] after the first `take`. Fill the
     * array with zeros after use.
     */
    public fun toBytes(): ByteArray = cell.call { it.toBytes().bytes() }

    /** Takes the presignature of a tag; a second call throws [QuorateException.Exhausted]. */
    public fun take(tag: Tag): Presignature = cell.call { all -> tag.cell.call { Presignature(all.take(it)) } }

    /** The input for combining shares of a message under a tag, whether or not this party's presignature is spent. */
    public fun signing(tag: Tag, message: ByteArray): Signing =
        cell.call { all -> tag.cell.call { Signing(all.signing(it, message)) } }

    /** Checks the dealer's material for one index; throws [QuorateException.WrongContext] if it is wrong. */
    public fun audit(index: Long): Unit = cell.call { it.audit(index.u32("index")) }

    /**
     * Ends the epoch: wipes the remaining presignatures, and makes the guard refuse all of them from now on. **Make the
     * record durable.** Later calls raise [QuorateException.Exhausted].
     */
    public fun destroy(guard: Guard): GuardRecord =
        cell.call { all -> guard.cell.call { GuardRecord.decode(all.destroy(it)) } }

    override fun toString(): String = shown { "Presignatures($group, member $member, epoch ${deal.epoch})" }

    public companion object {
        /** Decodes a file for that group. The caller keeps the array and overwrites it with zeros. */
        @JvmStatic
        public fun fromBytes(group: Group, bytes: ByteArray): Presignatures =
            Presignatures(translated { bytes.borrowed { NativePresignatures.fromBytes(group.native, it) } })
    }
}

/** One presignature, which signs one message. */
public class Presignature private constructor(private val cell: Cell<NativePresignature>) : NativeObject(cell) {
    internal constructor(native: NativePresignature, hidden: Hidden = Hidden()) : this(Cell(native, "Presignature"))

    /** Its group. */
    public val group: Group get() = cell.call { Group.fromNative(it.group()) }

    /** Class of its tag. */
    public val agreement: Agreement get() = cell.call { Agreement.fromNative(it.isAgreed()) }

    /**
     * Signs a message, after the guard has recorded the use of the presignature. **Make the record durable before the
     * share leaves.** The presignature is consumed, even if this fails: a second call throws
     * [QuorateException.Exhausted]. Throws [QuorateException.Contradiction] if the guard's journal shows that it signed
     * another message, and [QuorateException.Exhausted] if it is burnt or its epoch is closed. Use an agreed tag only
     * for a message that no honest party contradicts.
     */
    public fun sign(guard: Guard, message: ByteArray): Signed =
        cell.call { presignature ->
            val signed = guard.cell.call { presignature.sign(it, message) }
            Signed(signed.record?.let(GuardRecord::decode), SignatureShare(signed.share), Opener(signed.opener))
        }

    override fun toString(): String = shown { "Presignature($group, $agreement)" }
}

/** Result of signing. Process it in this order: make the record durable, then send the share. */
public data class Signed(
    /** Make this durable first. Null if the presignature lies in a block whose reservation is durable. */
    public val record: GuardRecord?,
    /** Send this next. */
    public val share: SignatureShare,
    /** Keep this until the signature exists, in case a member requests an opening. */
    public val opener: Opener,
)

/** Opens a share that was sent, if another member requests it. */
public class Opener private constructor(private val cell: Cell<NativeOpener>) : NativeObject(cell) {
    internal constructor(native: NativeOpener, hidden: Hidden = Hidden()) : this(Cell(native, "Opener"))

    /**
     * Returns the opening, for the holders of the share. Throws [QuorateException.WrongContext] if the dealer made a
     * mistake.
     */
    public fun open(): Opening = cell.call { Opening(it.open()) }

    override fun toString(): String = shown { cell.call { "Opener()" } }
}
