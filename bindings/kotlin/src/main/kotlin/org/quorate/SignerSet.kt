package org.quorate

import org.quorate.internal.SignerSet as NativeSignerSet
import org.quorate.internal.Suspects as NativeSuspects

/** A set of members of a committee of a given size, ascending when iterated. */
public class SignerSet private constructor(@get:JvmSynthetic internal val cell: Cell<NativeSignerSet>) :
    NativeObject(cell), Iterable<Int> {
    internal constructor(native: NativeSignerSet) : this(Cell(native, "SignerSet"))

    /** The empty set of a committee of [committeeLen] members. */
    public constructor(committeeLen: Int) : this(NativeSignerSet(committeeLen.u16("committeeLen")))

    /**
     * The set of [members], each named once. Throws [QuorateException.UnknownSigner] or
     * [QuorateException.DuplicateSigner].
     */
    public constructor(committeeLen: Int, members: Iterable<Int>) : this(named(committeeLen, members))

    /** How many members are in the set. */
    public val size: Int get() = cell.call { it.size().toInt() }

    /** How large the committee is. */
    public val committeeLen: Int get() = cell.call { it.committeeLen().toInt() }

    /** Adds a member; false if it was there, or if the committee has no such member. */
    public fun insert(index: Int): Boolean = cell.call { it.insert(index.u16("index")) }

    /** Whether a member is in the set. */
    public operator fun contains(index: Int): Boolean = cell.call { it.contains(index.u16("index")) }

    /** The members as they are now, ascending. */
    override fun iterator(): Iterator<Int> = members().iterator()

    /** Everybody who is not in the set. */
    public fun complement(): SignerSet = cell.call { SignerSet(it.complement()) }

    /** Members of both sets, which should be of the same committee. */
    public fun intersection(other: SignerSet): SignerSet =
        cell.call { mine -> other.cell.call { SignerSet(mine.intersection(it)) } }

    /** Members of either set, which should be of the same committee. */
    public fun union(other: SignerSet): SignerSet =
        cell.call { mine -> other.cell.call { SignerSet(mine.union(it)) } }

    /** Whether the two sets have no member in common. */
    public fun isDisjoint(other: SignerSet): Boolean =
        cell.call { mine -> other.cell.call { mine.isDisjoint(it) } }

    override fun equals(other: Any?): Boolean =
        this === other || other is SignerSet && cell.call { mine -> other.cell.call { mine.same(it) } }

    override fun hashCode(): Int = members().hashCode()

    override fun toString(): String = shown { "SignerSet(${members()} of $committeeLen)" }

    private fun members(): List<Int> = cell.call { set -> set.members().map { it.toInt() } }

    public companion object {
        /** The set of all members. */
        @JvmStatic
        public fun full(committeeLen: Int): SignerSet =
            SignerSet(NativeSignerSet.full(committeeLen.u16("committeeLen")))

        private fun named(committeeLen: Int, members: Iterable<Int>): NativeSignerSet {
            val n = committeeLen.u16("committeeLen")
            // More than the committee has cannot all be different members; the core says which one is not.
            val listed = members.take(committeeLen + 1).map { it.u16("members") }
            return translated { NativeSignerSet.fromMembers(n, listed) }
        }
    }
}

/**
 * Members in whose name bad signatures came in, shared by all collectors of one committee: their votes are checked one
 * by one. An offence is forgotten after some certificates, repeated ones later.
 */
public class Suspects private constructor(@get:JvmSynthetic internal val cell: Cell<NativeSuspects>) :
    NativeObject(cell), Iterable<Int> {
    /** Nobody is suspected. */
    public constructor() : this(Cell(NativeSuspects(), "Suspects"))

    /** How many suspects there are. */
    public val size: Int get() = cell.call { it.size().toInt() }

    /** Whether a member's votes are checked one by one. */
    public operator fun contains(member: Int): Boolean = cell.call { it.contains(member.u16("member")) }

    /** The suspects as they are now, ascending. */
    override fun iterator(): Iterator<Int> = members().iterator()

    /** Counts an offence. Collectors do that themselves. */
    public fun accuse(member: Int): Unit = cell.call { it.accuse(member.u16("member")) }

    /** Takes one certificate off every term. Collectors do that themselves. */
    public fun decay(): Unit = cell.call { it.decay() }

    override fun toString(): String = shown { "Suspects(${members()})" }

    private fun members(): List<Int> = cell.call { set -> set.members().map { it.toInt() } }
}
