package org.quorate

import java.math.BigInteger
import org.quorate.internal.VerifiedVote as NativeVerifiedVote
import org.quorate.internal.Vote as NativeVote
import org.quorate.internal.VoteCollector as NativeVoteCollector
import org.quorate.internal.VoteFault as NativeVoteFault

/** A member's signature on a statement, which nobody checked yet. */
public class Vote private constructor(@get:JvmSynthetic internal val cell: Cell<NativeVote>) : NativeValue(cell) {
    internal constructor(native: NativeVote) : this(Cell(native, "Vote"))

    /** Puts together what came in. */
    public constructor(statement: Statement, signer: Int, signature: Signature) : this(
        signature.cell.call { NativeVote(statement.native, signer.u16("signer"), it) },
    )

    override val suite: Suite get() = cell.call { Suite.of(it.suite()) }

    /** What is signed. */
    public val statement: Statement get() = cell.call { Statement(it.statement()) }

    /** Who claims to have signed. */
    public val signer: Int get() = cell.call { it.signer().toInt() }

    /** The signature. */
    public val signature: Signature get() = cell.call { Signature(it.signature()) }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /** The form for direct links, with an uncompressed signature. */
    public fun encodeLink(): ByteArray = cell.call { it.encodeLink() }

    /** Checks the vote by itself. A [VoteCollector] does that for many at the price of one. */
    public fun verify(committee: Committee): VerifiedVote =
        cell.call { vote -> committee.cell.call { VerifiedVote(vote.verify(it)) } }

    override fun toString(): String = shown { "Vote(member $signer, $statement)" }

    public companion object {
        /** Signs without a memory of what was signed before: for tests. Validators sign through a [Guard]. */
        @JvmStatic
        public fun signUnguarded(secret: SecretKey, committee: Committee, statement: Statement): Vote =
            secret.call { key ->
                committee.cell.call { Vote(NativeVote.signUnguarded(key, it, statement.native)) }
            }

        /** Reads a vote. */
        @JvmStatic
        public fun decode(suite: Suite, bytes: ByteArray): Vote =
            Vote(translated { NativeVote.decode(suite.native, bytes) })

        /** Reads the form for direct links. */
        @JvmStatic
        public fun decodeLink(suite: Suite, bytes: ByteArray): Vote =
            Vote(translated { NativeVote.decodeLink(suite.native, bytes) })
    }
}

/** A vote that was checked. Only a check makes one. */
public class VerifiedVote private constructor(@get:JvmSynthetic internal val cell: Cell<NativeVerifiedVote>) :
    NativeObject(cell) {
    internal constructor(native: NativeVerifiedVote) : this(Cell(native, "VerifiedVote"))

    /** The vote. */
    public val value: Vote get() = cell.call { Vote(it.value()) }

    /** Against which committee it was checked. */
    public val committee: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.committee()) }

    override fun equals(other: Any?): Boolean =
        this === other || other is VerifiedVote && committee == other.committee && value == other.value

    override fun hashCode(): Int = value.hashCode()

    override fun toString(): String = shown { "Verified($value)" }
}

/** What came of taking in one vote: perhaps the certificate, which is handed out once, and whose fault what was. */
public data class Collected<out C>(public val certificate: C?, public val faults: List<VoteFault>)

/** Something that a member, or somebody in its name, did wrong. */
public sealed class VoteFault {
    /** In whose name it came. */
    public abstract val signer: Int

    /** The vote does not belong here. */
    public class Stray internal constructor(override val signer: Int, public val error: QuorateException) :
        VoteFault() {
        override fun toString(): String = "Stray(member $signer, ${error.code})"
    }

    /** The signature does not verify. Over a link that authenticates its sender, the member is at fault. */
    public class BadSignature internal constructor(override val signer: Int) : VoteFault() {
        override fun toString(): String = "BadSignature(member $signer)"
    }

    /** The member signed two contradicting statements; the evidence convinces everybody. */
    public class Equivocation internal constructor(override val signer: Int, public val evidence: VerifiedEquivocation) :
        VoteFault() {
        override fun toString(): String = "Equivocation(member $signer)"
    }

    internal companion object {
        @JvmSynthetic
        internal fun of(faults: List<NativeVoteFault>): List<VoteFault> = faults.map {
            when (it) {
                is NativeVoteFault.Stray -> Stray(it.signer.toInt(), QuorateException.of(it.error))
                is NativeVoteFault.BadSignature -> BadSignature(it.signer.toInt())
                is NativeVoteFault.Equivocation -> {
                    val evidence = VerifiedEquivocation(it.evidence)
                    Equivocation(evidence.value.use { value -> value.signer }, evidence)
                }
            }
        }
    }
}

/**
 * Gathers votes of one kind and view until a quorum makes a certificate. Nothing is computed before; then all
 * signatures are checked as one, and only if that fails are the bad ones looked for. In Java: `VoteCollector.of(…)`.
 */
public class VoteCollector private constructor(private val cell: Cell<NativeVoteCollector>) : NativeObject(cell) {
    /** The phase of the protocol whose votes are collected. */
    public val kind: Int get() = cell.call { it.kind().toInt() }

    /** The view whose votes are collected. */
    public val view: ULong
        @JvmName("getView")
        get() = cell.call { it.view() }

    /** Whose votes are collected. */
    public val committee: Committee get() = cell.call { Committee(it.committee()) }

    /** Whether the certificate was handed out. */
    public val isDone: Boolean get() = cell.call { it.isDone() }

    /** Takes a vote in. Throws [QuorateException.WrongContext] for a vote of another suite. */
    public fun add(vote: Vote, suspects: Suspects): Collected<VerifiedCertificate> =
        cell.call { collector ->
            vote.cell.call { native -> suspects.cell.call { collected(collector.add(native, it)) } }
        }

    /** Takes in a vote that was checked already, for instance one's own. */
    public fun add(vote: VerifiedVote, suspects: Suspects): Collected<VerifiedCertificate> =
        cell.call { collector ->
            vote.cell.call { native -> suspects.cell.call { collected(collector.addVerified(native, it)) } }
        }

    /** The weight of the votes held for a digest, verified or not. */
    public fun weightFor(digest: ByteArray): BigInteger = cell.call { it.weightFor(digest) }

    override fun toString(): String = shown { "VoteCollector(kind $kind, view $view, done: $isDone)" }

    private fun collected(native: org.quorate.internal.Collected) =
        Collected(native.certificate?.let(::VerifiedCertificate), VoteFault.of(native.faults))

    public companion object {
        /**
         * An empty collector. With fewer pending votes than [batchThreshold] they are checked one by one; each member
         * may cause [failureLimit] failed checks. Null stands for the core's own choice.
         */
        @JvmStatic
        @JvmOverloads
        @JvmName("of")
        public operator fun invoke(
            committee: Committee,
            kind: Int,
            view: ULong,
            batchThreshold: Int? = null,
            failureLimit: Int? = null,
        ): VoteCollector {
            val threshold = batchThreshold?.natural("batchThreshold")
            val limit = failureLimit?.u16("failureLimit")
            val native = committee.cell.call { NativeVoteCollector(it, kind.u8("kind"), view, threshold, limit) }
            return VoteCollector(Cell(native, "VoteCollector"))
        }
    }
}
