package org.quorate.gossip

import org.quorate.Cell
import org.quorate.Committee
import org.quorate.CommitteeId
import org.quorate.Hidden
import org.quorate.NativeObject
import org.quorate.NativeValue
import org.quorate.QuorateException
import org.quorate.Signature
import org.quorate.SignerSet
import org.quorate.Statement
import org.quorate.Suite
import org.quorate.VerifiedCertificate
import org.quorate.VerifiedVote
import org.quorate.callAll
import org.quorate.internal.Aggregate as NativeAggregate
import org.quorate.internal.AggregateVerdict as NativeVerdict
import org.quorate.internal.VerifiedAggregate as NativeVerifiedAggregate
import org.quorate.internal.aggregateVerifyBatch
import org.quorate.internal.aggregateVerifyBatchDerived
import org.quorate.u16

/**
 * Signatures of some members on one statement, summed in any order: the signers, and how often each signature is in the
 * sum. A quorum is not required. Decoding checks the form; [verify] checks the sum. Suites: [Suite.MIN_SIG_COUNTED] and
 * [Suite.MIN_PK_COUNTED].
 */
public class Aggregate private constructor(@get:JvmSynthetic internal val cell: Cell<NativeAggregate>) :
    NativeValue(cell) {
    internal constructor(native: NativeAggregate, hidden: Hidden = Hidden()) : this(Cell(native, "Aggregate"))

    override val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

    /** The signed statement. */
    public val statement: Statement get() = cell.call { Statement(it.statement()) }

    /** The signers. */
    public val signers: SignerSet get() = cell.call { SignerSet(it.signers()) }

    /** Count of each signer's signature in the sum, in ascending order of the signers. */
    public val counts: List<Int> get() = cell.call { aggregate -> aggregate.counts().map { it.toInt() } }

    /** Count of a member's signature in the sum: 0 for a non-signer. */
    public fun count(member: Int): Int = cell.call { it.count(member.u16("member")).toInt() }

    /** The sum. */
    public val signature: Signature get() = cell.call { Signature(it.signature()) }

    /** Length of the encoding in bytes. */
    public val encodedLen: Int get() = cell.call { it.encodedLen().toInt() }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /**
     * Verifies the sum. Cost: two pairings, one hash to the curve, one subgroup check, and one addition for each
     * signer, or for each absent member if all counts are 1.
     */
    public fun verify(committee: Committee): VerifiedAggregate =
        cell.call { aggregate -> committee.cell.call { VerifiedAggregate(aggregate.verify(it)) } }

    override fun toString(): String =
        shown { signers.use { "Aggregate(${it.size} of ${it.committeeLen}, $statement)" } }

    public companion object {
        /** Returns the aggregate of one verified vote. */
        @JvmStatic
        public fun fromVote(vote: VerifiedVote, committee: Committee): VerifiedAggregate =
            vote.cell.call { native ->
                committee.cell.call { VerifiedAggregate(NativeVerifiedAggregate.fromVote(native, it)) }
            }

        /** Returns the aggregate of a certificate. */
        @JvmStatic
        public fun fromCertificate(certificate: VerifiedCertificate): VerifiedAggregate =
            certificate.cell.call { VerifiedAggregate(NativeVerifiedAggregate.fromCertificate(it)) }

        /** Decodes an aggregate of this committee. */
        @JvmStatic
        public fun decode(bytes: ByteArray, committee: Committee): Aggregate =
            committee.cell.call { Aggregate(NativeAggregate.decode(bytes, it)) }

        /**
         * Verifies several at once, which costs less. Each gets the verdict that it would get alone, in input order.
         */
        @JvmStatic
        public fun verifyBatch(committee: Committee, aggregates: List<Aggregate>): List<Verdict> =
            callAll(aggregates.map { it.cell }) { natives ->
                committee.cell.call { Verdict.fromNative(aggregateVerifyBatch(it, natives)) }
            }

        /** As [verifyBatch], with coefficients derived from the input instead of random ones. */
        @JvmStatic
        public fun verifyBatchDerived(committee: Committee, aggregates: List<Aggregate>): List<Verdict> =
            callAll(aggregates.map { it.cell }) { natives ->
                committee.cell.call { Verdict.fromNative(aggregateVerifyBatchDerived(it, natives)) }
            }
    }
}

/** An aggregate whose sum was verified; only such aggregates are merged. Only verification creates one. */
public class VerifiedAggregate
private constructor(@get:JvmSynthetic internal val cell: Cell<NativeVerifiedAggregate>) : NativeObject(cell) {
    internal constructor(native: NativeVerifiedAggregate, hidden: Hidden = Hidden()) :
        this(Cell(native, "VerifiedAggregate"))

    /** The aggregate. */
    public val value: Aggregate get() = cell.call { Aggregate(it.value()) }

    /** Committee against which it was verified. */
    public val committee: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.committee()) }

    /**
     * Adds two aggregates of one statement. Throws [QuorateException.TooLarge] if a count would exceed [limit], and
     * [QuorateException.WrongContext] for another committee or statement. Cost: one addition.
     */
    @JvmOverloads
    public fun merge(other: VerifiedAggregate, limit: Int = Parameters.DEFAULT_LIMIT): VerifiedAggregate =
        callAll(listOf(cell, other.cell)) { (one, two) -> VerifiedAggregate(one.merge(two, limit.u16("limit"))) }

    /**
     * Returns the same signers with lower counts: subtracts each of [parts], in order, as often as leaves every signer
     * in the sum at least once. Skips parts of another statement or committee, and parts with signers outside this
     * aggregate.
     */
    public fun normalised(parts: List<VerifiedAggregate>): VerifiedAggregate =
        cell.call { one -> callAll(parts.map { it.cell }) { VerifiedAggregate(one.normalised(it)) } }

    /** Returns the certificate, if the signers are a quorum; otherwise null. */
    public fun certificate(committee: Committee): VerifiedCertificate? =
        cell.call { one -> committee.cell.call { one.certificate(it)?.let(::VerifiedCertificate) } }

    override fun equals(other: Any?): Boolean =
        this === other ||
            other is VerifiedAggregate && compared { committee == other.committee && value == other.value }

    override fun hashCode(): Int = hashed { value.hashCode() }

    override fun toString(): String = shown { "Verified($value)" }
}

/** Verdict on one aggregate of a batch. */
public sealed class Verdict {
    /** Returns the aggregate, or throws its error. */
    public abstract fun getOrThrow(): VerifiedAggregate

    /** It verifies. */
    public class Valid internal constructor(public val aggregate: VerifiedAggregate) : Verdict() {
        override fun getOrThrow(): VerifiedAggregate = aggregate
    }

    /** It does not verify. */
    public class Invalid internal constructor(public val error: QuorateException) : Verdict() {
        override fun getOrThrow(): VerifiedAggregate = throw error
    }

    internal companion object {
        @JvmSynthetic
        internal fun fromNative(verdicts: List<NativeVerdict>): List<Verdict> = verdicts.map {
            when (it) {
                is NativeVerdict.Valid -> Valid(VerifiedAggregate(it.aggregate))
                is NativeVerdict.Invalid -> Invalid(QuorateException.fromNative(it.error))
            }
        }
    }
}
