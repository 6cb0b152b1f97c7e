package org.quorate.threshold.ecdsa

import org.quorate.Cell
import org.quorate.Hidden
import org.quorate.NativeObject
import org.quorate.QuorateException
import org.quorate.hex
import org.quorate.internal.PlanKind
import org.quorate.internal.PlanUse
import org.quorate.internal.Tag as NativeTag
import org.quorate.internal.planConstants
import org.quorate.internal.planCount
import org.quorate.internal.planIsAgreed
import org.quorate.internal.planOf
import org.quorate.internal.planTag
import org.quorate.threshold.Agreement
import org.quorate.translated
import org.quorate.u16
import org.quorate.u32
import org.quorate.u8

/**
 * Plan of an epoch's presignatures: the use of each, and the number of shares that it needs. All tags throw
 * [QuorateException.WrongContext] in a plan of another kind, and [QuorateException.Exhausted] past its end.
 */
public class Plan private constructor(@get:JvmSynthetic internal val raw: ByteArray) {
    /** Number of presignatures in the plan. */
    public val count: Long = translated { planCount(raw) }.toLong()

    /** Returns the encoding, 5 bytes. */
    public fun encode(): ByteArray = raw.clone()

    /** Returns the class of a presignature; null past the end. */
    public fun agreement(index: Long): Agreement? =
        translated { planIsAgreed(raw, index.u32("index")) }?.let(Agreement::fromNative)

    /** Returns the tag for the delivery of a member's broadcast. */
    @JvmName("prbc")
    public fun prbc(epoch: ULong, member: Int): Tag = tag(epoch, PlanUse.Prbc(member.u16("member")))

    /**
     * Returns the tag for step [step] (1 to 4) of the member's promotion of its proposal in a round, counted from 0.
     * The member chooses the proposal.
     */
    @JvmName("promotion")
    public fun promotion(epoch: ULong, round: Int, member: Int, step: Int): Tag =
        tag(epoch, PlanUse.Promotion(round.u16("round"), member.u16("member"), step.u8("step")))

    /** Returns the tag for the completion of a round, counted from 0, after enough promotions. */
    @JvmName("completion")
    public fun completion(epoch: ULong, round: Int): Tag = tag(epoch, PlanUse.Completion(round.u16("round")))

    /** Returns the tag of presignature [number] in a plan made by [forAgreed]. */
    @JvmName("agreed")
    public fun agreed(epoch: ULong, number: Long): Tag = tag(epoch, PlanUse.Agreed(number.u32("number")))

    /** Returns the tag of presignature [number] in a plan made by [forUnagreed]. */
    @JvmName("unagreed")
    public fun unagreed(epoch: ULong, number: Long): Tag = tag(epoch, PlanUse.Unagreed(number.u32("number")))

    private fun tag(epoch: ULong, use: PlanUse) = Tag(translated { planTag(raw, epoch, use) })

    override fun equals(other: Any?): Boolean = other is Plan && raw.contentEquals(other.raw)

    override fun hashCode(): Int = raw.contentHashCode()

    override fun toString(): String = "Plan(${raw.hex()})"

    public companion object {
        private val constants = planConstants()

        /** Number of agreement rounds that suffices in all but one epoch in a million. */
        @JvmField
        public val ROUNDS: Int = constants.rounds.toInt()

        /** Maximum number of presignatures of an epoch. */
        @JvmField
        public val MAX_COUNT: Int = constants.maxCount.toInt()

        /** Creates a plan for one asynchronous agreement; [prbc], [promotion] and [completion] return its tags. */
        @JvmStatic
        @JvmOverloads
        public fun forAgreement(parties: Int, rounds: Int = ROUNDS): Plan =
            Plan(planOf(PlanKind.Agreement(parties.u16("parties"), rounds.u16("rounds"))))

        /** Creates a plan of `count` presignatures for messages that the parties agree on, numbered by the application. */
        @JvmStatic
        public fun forAgreed(count: Long): Plan = Plan(planOf(PlanKind.Agreed(count.u32("count"))))

        /** Creates a plan of `count` presignatures for messages that an outside party chooses. */
        @JvmStatic
        public fun forUnagreed(count: Long): Plan = Plan(planOf(PlanKind.Unagreed(count.u32("count"))))

        /** Decodes a plan from 5 bytes. */
        @JvmStatic
        public fun decode(bytes: ByteArray): Plan = Plan(bytes.clone())
    }
}

/** One presignature of one epoch, and the class of messages that it may sign. Only a plan creates tags. */
public class Tag private constructor(@get:JvmSynthetic internal val cell: Cell<NativeTag>) : NativeObject(cell) {
    internal constructor(native: NativeTag, hidden: Hidden = Hidden()) : this(Cell(native, "Tag"))

    /** The epoch. */
    public val epoch: ULong
        @JvmName("getEpoch")
        get() = cell.call { it.epoch() }

    /** Index within the epoch. */
    public val index: Long get() = cell.call { it.index().toLong() }

    /** Class of its messages. */
    public val agreement: Agreement get() = cell.call { Agreement.fromNative(it.isAgreed()) }

    override fun equals(other: Any?): Boolean =
        this === other ||
            other is Tag && epoch == other.epoch && index == other.index && agreement == other.agreement

    override fun hashCode(): Int = epoch.hashCode() * 31 + index.hashCode()

    override fun toString(): String = shown { "Tag(epoch $epoch, index $index, $agreement)" }
}
