package org.quorate

import org.quorate.internal.VerifiedVote as NativeVerifiedVote
import org.quorate.internal.Vote as NativeVote

/** A member's unverified signature on a statement. */
public class Vote private constructor(@get:JvmSynthetic internal val cell: Cell<NativeVote>) : NativeValue(cell) {
    internal constructor(native: NativeVote, hidden: Hidden = Hidden()) : this(Cell(native, "Vote"))

    /** Creates a vote from its parts. Nothing is verified. */
    public constructor(statement: Statement, signer: Int, signature: Signature) : this(
        signature.cell.call { NativeVote(statement.native, signer.u16("signer"), it) },
    )

    override val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

    /** The signed statement. */
    public val statement: Statement get() = cell.call { Statement(it.statement()) }

    /** The signer that the vote names. */
    public val signer: Int get() = cell.call { it.signer().toInt() }

    /** The signature. */
    public val signature: Signature get() = cell.call { Signature(it.signature()) }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /** Returns the form for direct links, with an uncompressed signature. */
    public fun encodeLink(): ByteArray = cell.call { it.encodeLink() }

    /** Verifies this vote alone. A [VoteCollector] does that for many votes at the cost of one. */
    public fun verify(committee: Committee): VerifiedVote =
        cell.call { vote -> committee.cell.call { VerifiedVote(vote.verify(it)) } }

    override fun toString(): String = shown { "Vote(member $signer, $statement)" }

    public companion object {
        /** Signs without recording it, for tests. Validators sign through a [Guard]. */
        @JvmStatic
        public fun signUnguarded(secret: SecretKey, committee: Committee, statement: Statement): Vote =
            secret.call { key ->
                committee.cell.call { Vote(NativeVote.signUnguarded(key, it, statement.native)) }
            }

        /** Decodes a vote. */
        @JvmStatic
        public fun decode(suite: Suite, bytes: ByteArray): Vote =
            Vote(translated { NativeVote.decode(suite.native, bytes) })

        /** Decodes the form for direct links. */
        @JvmStatic
        public fun decodeLink(suite: Suite, bytes: ByteArray): Vote =
            Vote(translated { NativeVote.decodeLink(suite.native, bytes) })
    }
}

/** A verified vote. Only verification creates one. */
public class VerifiedVote private constructor(@get:JvmSynthetic internal val cell: Cell<NativeVerifiedVote>) :
    NativeObject(cell) {
    internal constructor(native: NativeVerifiedVote, hidden: Hidden = Hidden()) : this(Cell(native, "VerifiedVote"))

    /** The vote. */
    public val value: Vote get() = cell.call { Vote(it.value()) }

    /** Committee against which it was verified. */
    public val committee: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.committee()) }

    override fun equals(other: Any?): Boolean =
        this === other ||
            other is VerifiedVote && compared { committee == other.committee && value == other.value }

    override fun hashCode(): Int = hashed { value.hashCode() }

    override fun toString(): String = shown { "Verified($value)" }
}
