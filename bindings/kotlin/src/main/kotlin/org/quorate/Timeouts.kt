package org.quorate

import java.math.BigInteger
import org.quorate.internal.TimeoutCertificate as NativeTimeoutCertificate
import org.quorate.internal.TimeoutCollector as NativeTimeoutCollector
import org.quorate.internal.TimeoutVote as NativeTimeoutVote
import org.quorate.internal.VerifiedTimeoutCertificate as NativeVerifiedTimeoutCertificate
import org.quorate.internal.VerifiedTimeoutVote as NativeVerifiedTimeoutVote
import org.quorate.internal.timeoutStatement

/**
 * A member's vote to give up a view; it names a value, usually the member's highest certified view. In Java:
 * `TimeoutVote.of(…)`.
 */
public class TimeoutVote private constructor(@get:JvmSynthetic internal val cell: Cell<NativeTimeoutVote>) :
    NativeValue(cell) {
    internal constructor(native: NativeTimeoutVote, hidden: Hidden = Hidden()) : this(Cell(native, "TimeoutVote"))

    override val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

    /** The phase of the protocol. */
    public val kind: Int get() = cell.call { it.kind().toInt() }

    /** The committee's epoch. */
    public val epoch: ULong
        @JvmName("getEpoch")
        get() = cell.call { it.epoch() }

    /** The abandoned view. */
    public val view: ULong
        @JvmName("getView")
        get() = cell.call { it.view() }

    /** The value that the member names. */
    public val value: ULong
        @JvmName("getValue")
        get() = cell.call { it.value() }

    /** The signer that the vote names. */
    public val signer: Int get() = cell.call { it.signer().toInt() }

    /** The signature. */
    public val signature: Signature get() = cell.call { Signature(it.signature()) }

    /** Returns the underlying vote. */
    public fun asVote(): Vote = cell.call { Vote(it.asVote()) }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /** Returns the form for direct links, with an uncompressed signature. */
    public fun encodeLink(): ByteArray = cell.call { it.encodeLink() }

    /** Verifies this vote alone. */
    public fun verify(committee: Committee): VerifiedTimeoutVote =
        cell.call { vote -> committee.cell.call { VerifiedTimeoutVote(vote.verify(it)) } }

    override fun toString(): String = shown { "TimeoutVote(member $signer, view $view, value $value)" }

    public companion object {
        /** Creates a timeout vote from its parts. Nothing is verified. */
        @JvmStatic
        @JvmName("of")
        public operator fun invoke(
            kind: Int,
            epoch: ULong,
            view: ULong,
            value: ULong,
            signer: Int,
            signature: Signature,
        ): TimeoutVote =
            signature.cell.call {
                TimeoutVote(NativeTimeoutVote(kind.u8("kind"), epoch, view, value, signer.u16("signer"), it))
            }

        /** Signs without recording it, for tests. Validators sign through a [Guard]. */
        @JvmStatic
        @JvmName("signUnguarded")
        public fun signUnguarded(
            secret: SecretKey,
            committee: Committee,
            kind: Int,
            view: ULong,
            value: ULong,
        ): TimeoutVote =
            secret.call { key ->
                committee.cell.call {
                    TimeoutVote(NativeTimeoutVote.signUnguarded(key, it, kind.u8("kind"), view, value))
                }
            }

        /** Returns the statement for giving up a view with a value. */
        @JvmStatic
        @JvmName("statementOf")
        public fun statementOf(kind: Int, epoch: ULong, view: ULong, value: ULong): Statement =
            Statement(timeoutStatement(kind.u8("kind"), epoch, view, value))

        /** Decodes a timeout vote. */
        @JvmStatic
        public fun decode(suite: Suite, bytes: ByteArray): TimeoutVote =
            TimeoutVote(translated { NativeTimeoutVote.decode(suite.native, bytes) })

        /** Decodes the form for direct links. */
        @JvmStatic
        public fun decodeLink(suite: Suite, bytes: ByteArray): TimeoutVote =
            TimeoutVote(translated { NativeTimeoutVote.decodeLink(suite.native, bytes) })
    }
}

/** A verified timeout vote. Only verification creates one. */
public class VerifiedTimeoutVote
private constructor(@get:JvmSynthetic internal val cell: Cell<NativeVerifiedTimeoutVote>) : NativeObject(cell) {
    internal constructor(native: NativeVerifiedTimeoutVote, hidden: Hidden = Hidden()) :
        this(Cell(native, "VerifiedTimeoutVote"))

    /** The vote. */
    public val value: TimeoutVote get() = cell.call { TimeoutVote(it.value()) }

    /** Committee against which it was verified. */
    public val committee: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.committee()) }

    override fun equals(other: Any?): Boolean =
        this === other ||
            other is VerifiedTimeoutVote && compared { committee == other.committee && value == other.value }

    override fun hashCode(): Int = hashed { value.hashCode() }

    override fun toString(): String = shown { "Verified($value)" }
}

/** Result of [TimeoutCollector.verifyHonest]. */
public data class HonestCheck(public val isHonest: Boolean, public val faults: List<VoteFault>)

/**
 * Collects timeout votes of one kind and view until a quorum, with whatever values, makes a certificate. In Java:
 * `TimeoutCollector.of(…)`.
 */
public class TimeoutCollector private constructor(private val cell: Cell<NativeTimeoutCollector>) :
    NativeObject(cell) {
    /** Phase of the protocol whose votes are collected. */
    public val kind: Int get() = cell.call { it.kind().toInt() }

    /** View whose votes are collected. */
    public val view: ULong
        @JvmName("getView")
        get() = cell.call { it.view() }

    /** Committee whose votes are collected. */
    public val committee: Committee get() = cell.call { Committee(it.committee()) }

    /** Weight of the collected timeout votes, verified or not. */
    public val weight: BigInteger get() = cell.call { it.weight() }

    /** True if the collected votes weigh more than a third, **verified or not**. */
    public val hasHonest: Boolean get() = cell.call { it.hasHonest() }

    /** True if the certificate was returned. */
    public val isDone: Boolean get() = cell.call { it.isDone() }

    /** Adds a timeout vote. */
    public fun add(vote: TimeoutVote, suspects: Suspects): Collected<VerifiedTimeoutCertificate> =
        cell.call { collector ->
            vote.cell.call { native -> suspects.cell.call { collected(collector.add(native, it)) } }
        }

    /** Adds a timeout vote that was verified already, for instance the member's own. */
    public fun add(vote: VerifiedTimeoutVote, suspects: Suspects): Collected<VerifiedTimeoutCertificate> =
        cell.call { collector ->
            vote.cell.call { native -> suspects.cell.call { collected(collector.addVerified(native, it)) } }
        }

    /**
     * Verifies the pending votes, if they may suffice, and returns true if **verified** votes weigh more than a third.
     */
    public fun verifyHonest(suspects: Suspects): HonestCheck =
        cell.call { collector ->
            val check = suspects.cell.call { collector.verifyHonest(it) }
            HonestCheck(check.honest, VoteFault.fromNative(check.faults))
        }

    override fun toString(): String = shown { "TimeoutCollector(kind $kind, view $view, done: $isDone)" }

    private fun collected(native: org.quorate.internal.CollectedTimeouts) =
        Collected(native.certificate?.let(::VerifiedTimeoutCertificate), VoteFault.fromNative(native.faults))

    public companion object {
        /** Creates an empty collector; the options are those of [VoteCollector]. */
        @JvmStatic
        @JvmOverloads
        @JvmName("of")
        public operator fun invoke(
            committee: Committee,
            kind: Int,
            view: ULong,
            batchThreshold: Int? = null,
            failureLimit: Int? = null,
        ): TimeoutCollector {
            val threshold = batchThreshold?.natural("batchThreshold")
            val limit = failureLimit?.u16("failureLimit")
            val native = committee.cell.call { NativeTimeoutCollector(it, kind.u8("kind"), view, threshold, limit) }
            return TimeoutCollector(Cell(native, "TimeoutCollector"))
        }
    }
}

/** The members of a timeout certificate that named the same value. */
public class TimeoutGroup internal constructor(value: ULong, public val signers: SignerSet) {
    /** The value that they named. */
    public val value: ULong = value
        @JvmName("getValue")
        get() = field

    override fun toString(): String = "TimeoutGroup($value, $signers)"
}

/** A quorum's certificate that it gave up a view. Decoding checks form and quorum; [verify] checks the signatures. */
public class TimeoutCertificate private constructor(private val cell: Cell<NativeTimeoutCertificate>) :
    NativeValue(cell) {
    internal constructor(native: NativeTimeoutCertificate, hidden: Hidden = Hidden()) :
        this(Cell(native, "TimeoutCertificate"))

    override val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

    /** The phase of the protocol. */
    public val kind: Int get() = cell.call { it.kind().toInt() }

    /** The committee's epoch. */
    public val epoch: ULong
        @JvmName("getEpoch")
        get() = cell.call { it.epoch() }

    /** The abandoned view. */
    public val view: ULong
        @JvmName("getView")
        get() = cell.call { it.view() }

    /** The highest value that a signer named. */
    public val highestValue: ULong
        @JvmName("getHighestValue")
        get() = cell.call { it.highestValue() }

    /** The values, ascending, each with the members that named it. */
    public val groups: List<TimeoutGroup>
        get() = cell.call { certificate ->
            certificate.groups().map { TimeoutGroup(it.value, SignerSet(it.signers)) }
        }

    /** The signers. */
    public val signers: SignerSet get() = cell.call { SignerSet(it.signers()) }

    /** Length of the encoding in bytes. */
    public val encodedLen: Int get() = cell.call { it.encodedLen().toInt() }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /** Verifies the signatures. */
    public fun verify(committee: Committee): VerifiedTimeoutCertificate =
        cell.call { certificate -> committee.cell.call { VerifiedTimeoutCertificate(certificate.verify(it)) } }

    override fun toString(): String = shown { "TimeoutCertificate(view $view, $groups)" }

    public companion object {
        /** Decodes a certificate of this committee. */
        @JvmStatic
        public fun decode(bytes: ByteArray, committee: Committee): TimeoutCertificate =
            committee.cell.call { TimeoutCertificate(NativeTimeoutCertificate.decode(bytes, it)) }
    }
}

/** A verified timeout certificate. Only verification creates one. */
public class VerifiedTimeoutCertificate
private constructor(private val cell: Cell<NativeVerifiedTimeoutCertificate>) : NativeObject(cell) {
    internal constructor(native: NativeVerifiedTimeoutCertificate, hidden: Hidden = Hidden()) :
        this(Cell(native, "VerifiedTimeoutCertificate"))

    /** The certificate. */
    public val value: TimeoutCertificate get() = cell.call { TimeoutCertificate(it.value()) }

    /** Committee against which it was verified. */
    public val committee: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.committee()) }

    override fun equals(other: Any?): Boolean =
        this === other ||
            other is VerifiedTimeoutCertificate && compared { committee == other.committee && value == other.value }

    override fun hashCode(): Int = hashed { value.hashCode() }

    override fun toString(): String = shown { "Verified($value)" }
}
