package org.quorate

import java.math.BigInteger
import org.quorate.internal.VoteCollector as NativeVoteCollector
import org.quorate.internal.VoteFault as NativeVoteFault

/** Result of adding a vote: the certificate, which is returned once, and the faults found. */
public data class Collected<out C>(public val certificate: C?, public val faults: List<VoteFault>)

/** A fault of a member, or of a sender that uses its name. */
public sealed class VoteFault {
    /** Member in whose name the vote was received. */
    public abstract val signer: Int

    /** The vote does not belong to this collector. */
    public class Stray internal constructor(override val signer: Int, public val error: QuorateException) :
        VoteFault() {
        override fun toString(): String = "Stray(member $signer, ${error.code})"
    }

    /** The signature does not verify. Over a link that authenticates its sender, the member is at fault. */
    public class BadSignature internal constructor(override val signer: Int) : VoteFault() {
        override fun toString(): String = "BadSignature(member $signer)"
    }

    /** The member signed two contradicting statements; the evidence is transferable. */
    public class Equivocation internal constructor(override val signer: Int, public val evidence: VerifiedEquivocation) :
        VoteFault() {
        override fun toString(): String = "Equivocation(member $signer)"
    }

    internal companion object {
        @JvmSynthetic
        internal fun fromNative(faults: List<NativeVoteFault>): List<VoteFault> = faults.map {
            when (it) {
                is NativeVoteFault.Stray -> Stray(it.signer.toInt(), QuorateException.fromNative(it.error))
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
 * Collects votes of one kind and view until a quorum makes a certificate. It verifies nothing before a quorum; then it
 * verifies all signatures as one, and identifies invalid ones only if that fails. In Java: `VoteCollector.of(…)`.
 */
public class VoteCollector private constructor(private val cell: Cell<NativeVoteCollector>) : NativeObject(cell) {
    /** Phase of the protocol whose votes are collected. */
    public val kind: Int get() = cell.call { it.kind().toInt() }

    /** View whose votes are collected. */
    public val view: ULong
        @JvmName("getView")
        get() = cell.call { it.view() }

    /** Committee whose votes are collected. */
    public val committee: Committee get() = cell.call { Committee(it.committee()) }

    /** True if the certificate was returned. */
    public val isDone: Boolean get() = cell.call { it.isDone() }

    /** Adds a vote. Throws [QuorateException.WrongContext] for a vote of another suite. */
    public fun add(vote: Vote, suspects: Suspects): Collected<VerifiedCertificate> =
        cell.call { collector ->
            vote.cell.call { native -> suspects.cell.call { collected(collector.add(native, it)) } }
        }

    /** Adds a vote that was verified already, for instance the member's own. */
    public fun add(vote: VerifiedVote, suspects: Suspects): Collected<VerifiedCertificate> =
        cell.call { collector ->
            vote.cell.call { native -> suspects.cell.call { collected(collector.addVerified(native, it)) } }
        }

    /** Returns the weight of the votes for a digest, verified or not. */
    public fun weightFor(digest: ByteArray): BigInteger = cell.call { it.weightFor(digest) }

    override fun toString(): String = shown { "VoteCollector(kind $kind, view $view, done: $isDone)" }

    private fun collected(native: org.quorate.internal.Collected) =
        Collected(native.certificate?.let(::VerifiedCertificate), VoteFault.fromNative(native.faults))

    public companion object {
        /**
         * Creates an empty collector. Fewer than [batchThreshold] pending votes are verified one by one; each member
         * may cause [failureLimit] failed verifications. Null selects the core's default.
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
