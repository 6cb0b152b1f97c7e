package org.quorate

import org.quorate.internal.SignerSet as NativeSignerSet
import org.quorate.internal.Suspects as NativeSuspects

/** A set of members of a committee of a given size; iteration is in ascending order. */
public class SignerSet private constructor(@get:JvmSynthetic internal val cell: Cell<NativeSignerSet>) :
    NativeObject(cell), Iterable<Int> {
    internal constructor(native: NativeSignerSet, hidden: Hidden = Hidden()) : this(Cell(native, "SignerSet"))

    /** The empty set of a committee of [committeeLen] members. */
    public constructor(committeeLen: Int) : this(NativeSignerSet(committeeLen.u16("committeeLen")))

    /**
     * The set of [members], each listed once. Throws [QuorateException.UnknownSigner] or
     * [QuorateException.DuplicateSigner].
     */
    public constructor(committeeLen: Int, members: Iterable<Int>) : this(named(committeeLen, members))

    /** Number of members in the set. */
    public val size: Int get() = cell.call { it.size().toInt() }

    /** Size of the committee. */
    public val committeeLen: Int get() = cell.call { it.committeeLen().toInt() }

    /** Adds a member; returns false if it is in the set already, or not in the committee. */
    public fun insert(index: Int): Boolean = cell.call { it.insert(index.u16("index")) }

    /** Returns true if the member is in the set. */
    public operator fun contains(index: Int): Boolean = cell.call { it.contains(index.u16("index")) }

    /** Iterates over a snapshot of the members, ascending. */
    override fun iterator(): Iterator<Int> = members().iterator()

    /** Returns all members that are not in the set. */
    public fun complement(): SignerSet = cell.call { SignerSet(it.complement()) }

    /** Members of both sets; both must be of the same committee. */
    public fun intersection(other: SignerSet): SignerSet =
        cell.call { mine -> other.cell.call { SignerSet(mine.intersection(it)) } }

    /** Members of either set; both must be of the same committee. */
    public fun union(other: SignerSet): SignerSet =
        cell.call { mine -> other.cell.call { SignerSet(mine.union(it)) } }

    /** Returns true if the two sets have no member in common. */
    public fun isDisjoint(other: SignerSet): Boolean =
        cell.call { mine -> other.cell.call { mine.isDisjoint(it) } }

    override fun equals(other: Any?): Boolean =
        this === other || other is SignerSet && compared { cell.call { mine -> other.cell.call { mine.same(it) } } }

    override fun hashCode(): Int = hashed { members().hashCode() }

    override fun toString(): String = shown { "SignerSet(${members()} of $committeeLen)" }

    private fun members(): List<Int> = cell.call { set -> set.members().map { it.toInt() } }

    public companion object {
        /** Returns the set of all members. */
        @JvmStatic
        public fun full(committeeLen: Int): SignerSet =
            SignerSet(NativeSignerSet.full(committeeLen.u16("committeeLen")))

        private fun named(committeeLen: Int, members: Iterable<Int>): NativeSignerSet {
            val n = committeeLen.u16("committeeLen")
            // One index more than the committee's size suffices: the core reports the duplicate or unknown one.
            val listed = members.take(committeeLen + 1).map { it.u16("members") }
            return translated { NativeSignerSet.fromMembers(n, listed) }
        }
    }
}

/**
 * Members in whose name invalid signatures were received, shared by all collectors of one committee: their votes are
 * verified one by one. A suspicion ends after some new certificates; repeated offences prolong it.
 */
public class Suspects private constructor(@get:JvmSynthetic internal val cell: Cell<NativeSuspects>) :
    NativeObject(cell), Iterable<Int> {
    /** No suspects. */
    public constructor() : this(Cell(NativeSuspects(), "Suspects"))

    /** Number of suspects. */
    public val size: Int get() = cell.call { it.size().toInt() }

    /** Returns true if the member's votes are verified one by one. */
    public operator fun contains(member: Int): Boolean = cell.call { it.contains(member.u16("member")) }

    /** Iterates over a snapshot of the suspects, ascending. */
    override fun iterator(): Iterator<Int> = members().iterator()

    /** Records an offence. Collectors call it themselves. */
    public fun accuse(member: Int): Unit = cell.call { it.accuse(member.u16("member")) }

    /** Reduces the remaining suspicion of every member by one certificate. Collectors call it themselves. */
    public fun decay(): Unit = cell.call { it.decay() }

    override fun toString(): String = shown { "Suspects(${members()})" }

    private fun members(): List<Int> = cell.call { set -> set.members().map { it.toInt() } }
}
