package org.quorate

import org.quorate.internal.Conflict as NativeConflict
import org.quorate.internal.Equivocation as NativeEquivocation
import org.quorate.internal.VerifiedConflict as NativeVerifiedConflict
import org.quorate.internal.VerifiedEquivocation as NativeVerifiedEquivocation

/** Two contradicting votes of one member. */
public class Equivocation private constructor(private val cell: Cell<NativeEquivocation>) : NativeValue(cell) {
    internal constructor(native: NativeEquivocation, hidden: Hidden = Hidden()) : this(Cell(native, "Equivocation"))

    /** Throws [QuorateException.NotEvidence] unless the votes contradict each other. */
    public constructor(first: Vote, second: Vote) : this(
        first.cell.call { a -> second.cell.call { NativeEquivocation(a, it) } },
    )

    override val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

    /** The two votes. */
    public val votes: Pair<Vote, Vote>
        get() = cell.call { evidence -> evidence.votes().map(::Vote).let { Pair(it[0], it[1]) } }

    /** The member that signed both. */
    public val signer: Int get() = cell.call { it.signer().toInt() }

    /** The same as a list. */
    public val culprits: List<Int> get() = cell.call { evidence -> evidence.culprits().map { it.toInt() } }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /** Verifies both signatures. */
    public fun verify(committee: Committee): VerifiedEquivocation =
        cell.call { evidence -> committee.cell.call { VerifiedEquivocation(evidence.verify(it)) } }

    override fun toString(): String = shown { "Equivocation(member $signer)" }

    public companion object {
        /** Decodes evidence. */
        @JvmStatic
        public fun decode(suite: Suite, bytes: ByteArray): Equivocation =
            Equivocation(translated { NativeEquivocation.decode(suite.native, bytes) })
    }
}

/** A verified equivocation. Only verification creates one. */
public class VerifiedEquivocation private constructor(private val cell: Cell<NativeVerifiedEquivocation>) :
    NativeObject(cell) {
    internal constructor(native: NativeVerifiedEquivocation, hidden: Hidden = Hidden()) :
        this(Cell(native, "VerifiedEquivocation"))

    /** The evidence. */
    public val value: Equivocation get() = cell.call { Equivocation(it.value()) }

    /** Committee against which it was verified. */
    public val committee: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.committee()) }

    override fun equals(other: Any?): Boolean =
        this === other ||
            other is VerifiedEquivocation && compared { committee == other.committee && value == other.value }

    override fun hashCode(): Int = hashed { value.hashCode() }

    override fun toString(): String = shown { "Verified($value)" }
}

/** Two contradicting certificates: more than a third of the weight signed both. */
public class Conflict private constructor(private val cell: Cell<NativeConflict>) : NativeValue(cell) {
    internal constructor(native: NativeConflict, hidden: Hidden = Hidden()) : this(Cell(native, "Conflict"))

    /** Throws [QuorateException.NotEvidence] unless the certificates contradict each other. */
    public constructor(first: Certificate, second: Certificate) : this(
        first.cell.call { a -> second.cell.call { NativeConflict(a, it) } },
    )

    override val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

    /** The two certificates. */
    public val certificates: Pair<Certificate, Certificate>
        get() = cell.call { evidence -> evidence.certificates().map(::Certificate).let { Pair(it[0], it[1]) } }

    /** The member that signed both. */
    public val culprits: SignerSet get() = cell.call { SignerSet(it.culprits()) }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /** Verifies both certificates. */
    public fun verify(committee: Committee): VerifiedConflict =
        cell.call { evidence -> committee.cell.call { VerifiedConflict(evidence.verify(it)) } }

    override fun toString(): String = shown { "Conflict(${culprits})" }

    public companion object {
        /** Decodes evidence against members of this committee. */
        @JvmStatic
        public fun decode(bytes: ByteArray, committee: Committee): Conflict =
            committee.cell.call { Conflict(NativeConflict.decode(bytes, it)) }
    }
}

/** A verified conflict. Only verification creates one. */
public class VerifiedConflict private constructor(private val cell: Cell<NativeVerifiedConflict>) :
    NativeObject(cell) {
    internal constructor(native: NativeVerifiedConflict, hidden: Hidden = Hidden()) :
        this(Cell(native, "VerifiedConflict"))

    /** The evidence. */
    public val value: Conflict get() = cell.call { Conflict(it.value()) }

    /** Committee against which it was verified. */
    public val committee: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.committee()) }

    override fun equals(other: Any?): Boolean =
        this === other ||
            other is VerifiedConflict && compared { committee == other.committee && value == other.value }

    override fun hashCode(): Int = hashed { value.hashCode() }

    override fun toString(): String = shown { "Verified($value)" }
}
