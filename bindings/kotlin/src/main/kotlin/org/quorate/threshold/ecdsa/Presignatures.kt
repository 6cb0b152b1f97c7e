package org.quorate.threshold.ecdsa

import org.quorate.Cell
import org.quorate.Guard
import org.quorate.GuardRecord
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
 * One party's presignatures of one epoch, each to sign **one** message. Their file is written by the dealer alone; after a
 * crash it is read again, and the guard's journal says which of them are spent. Close it: that wipes them.
 */
public class Presignatures private constructor(private val cell: Cell<NativePresignatures>) : NativeObject(cell) {
    internal constructor(native: NativePresignatures) : this(Cell(native, "Presignatures"))

    /** Over which group they are. */
    public val group: Group get() = cell.call { Group.of(it.group()) }

    /** Whose they are. */
    public val member: Int get() = cell.call { it.member().toInt() }

    /** The committee's public key. */
    public val key: GroupKey get() = cell.call { GroupKey(it.key()) }

    /** What was dealt, as far as everybody may know it. */
    public val deal: Deal get() = cell.call { Deal(it.deal()) }

    /** How many are left. */
    public val left: Int get() = cell.call { it.left().toInt() }

    /**
     * The file, for the dealer to seal; [QuorateException.Exhausted] once any was taken. Fill the array with zeros after
     * use.
     */
    public fun toBytes(): ByteArray = cell.call { it.toBytes().bytes() }

    /** Takes the presignature of a tag, once: then it is [QuorateException.Exhausted]. */
    public fun take(tag: Tag): Presignature = cell.call { all -> tag.cell.call { Presignature(all.take(it)) } }

    /** What combines shares of a message under a tag, be the own presignature spent or not. */
    public fun signing(tag: Tag, message: ByteArray): Signing =
        cell.call { all -> tag.cell.call { Signing(all.signing(it, message)) } }

    /** Checks what the dealer gave for one index; [QuorateException.WrongContext] if it made a mistake. */
    public fun audit(index: Long): Unit = cell.call { it.audit(index.u32("index")) }

    /**
     * Ends the epoch: wipes what is left, and has the guard refuse these presignatures from now on. **Make the record
     * durable.** What is called later throws [QuorateException.Exhausted].
     */
    public fun destroy(guard: Guard): GuardRecord =
        cell.call { all -> guard.cell.call { GuardRecord.decode(all.destroy(it)) } }

    override fun toString(): String = shown { "Presignatures($group, member $member, epoch ${deal.epoch})" }

    public companion object {
        /** Reads a file for that group. The array stays yours to fill with zeros. */
        @JvmStatic
        public fun fromBytes(group: Group, bytes: ByteArray): Presignatures =
            Presignatures(translated { bytes.borrowed { NativePresignatures.fromBytes(group.native, it) } })
    }
}

/** One presignature, which signs one message. */
public class Presignature private constructor(private val cell: Cell<NativePresignature>) : NativeObject(cell) {
    internal constructor(native: NativePresignature) : this(Cell(native, "Presignature"))

    /** Over which group it is. */
    public val group: Group get() = cell.call { Group.of(it.group()) }

    /** Of which class its tag is. */
    public val agreement: Agreement get() = cell.call { Agreement.of(it.isAgreed()) }

    /**
     * Signs a message with it, after the guard has noted what it is spent on. **Make the record durable before the share
     * leaves.** The presignature is gone then, also if this fails: a second time is [QuorateException.Exhausted]. Throws
     * [QuorateException.Contradiction] if the guard's journal says that another message was signed with it, and
     * [QuorateException.Exhausted] if it is burnt or its epoch is over. Under an agreed tag you know that no honest party
     * signs another message.
     */
    public fun sign(guard: Guard, message: ByteArray): Signed =
        cell.call { presignature ->
            val signed = guard.cell.call { presignature.sign(it, message) }
            Signed(signed.record?.let(GuardRecord::decode), SignatureShare(signed.share), Opener(signed.opener))
        }

    override fun toString(): String = shown { "Presignature($group, $agreement)" }
}

/** What signing gives. Carry it out in this order: make the record durable, then send the share. */
public data class Signed(
    /** Make it durable first. Null if the presignature lies in a block whose reservation is durable. */
    public val record: GuardRecord?,
    /** Then send it. */
    public val share: SignatureShare,
    /** Keep it until the signature is made, in case somebody asks for an opening. */
    public val opener: Opener,
)

/** Opens a share that was sent, if others ask for it. */
public class Opener private constructor(private val cell: Cell<NativeOpener>) : NativeObject(cell) {
    internal constructor(native: NativeOpener) : this(Cell(native, "Opener"))

    /** The opening, for whoever has the share. Throws [QuorateException.WrongContext] if the dealer made a mistake. */
    public fun open(): Opening = cell.call { Opening(it.open()) }

    override fun toString(): String = shown { cell.call { "Opener()" } }
}
