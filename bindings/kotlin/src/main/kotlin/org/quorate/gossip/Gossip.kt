package org.quorate.gossip

import org.quorate.Cell
import org.quorate.Committee
import org.quorate.Hidden
import org.quorate.NativeObject
import org.quorate.QuorateException
import org.quorate.SignerSet
import org.quorate.Statement
import org.quorate.VerifiedCertificate
import org.quorate.VerifiedVote
import org.quorate.internal.AggregatePool as NativePool
import org.quorate.internal.Gossip as NativeGossip
import org.quorate.internal.GossipReceived as NativeReceived
import org.quorate.internal.gossipLimits
import org.quorate.now
import org.quorate.translated
import org.quorate.u16

/**
 * Some verified aggregates of one statement from any source: the sum of those that can be added with low counts.
 * [Gossip] uses one beside its own sums; a protocol with another dissemination method needs only this.
 */
public class Pool private constructor(private val cell: Cell<NativePool>) : NativeObject(cell) {
    internal constructor(native: NativePool, hidden: Hidden = Hidden()) : this(Cell(native, "Pool"))

    /** An empty pool of member [me]. */
    @JvmOverloads
    public constructor(
        committee: Committee,
        me: Int,
        statement: Statement,
        parameters: Parameters = Parameters(),
    ) : this(committee.cell.call { NativePool(it, me.u16("me"), statement.native, parameters.native) })

    /** The signed statement. */
    public val statement: Statement get() = cell.call { Statement(it.statement()) }

    /**
     * Returns true if [insert] would accept this: it adds a new signer, and there is no certificate yet. It uses no
     * cryptography, so call it before verifying. Throws as [insert] does.
     */
    public fun wants(aggregate: Aggregate): Boolean = cell.call { pool -> aggregate.cell.call { pool.wants(it) } }

    /**
     * Inserts a verified aggregate. Returns false if it changes nothing. Throws [QuorateException.WrongContext] for
     * another committee or statement, and [QuorateException.TooLarge] for a count above the limit.
     */
    public fun insert(aggregate: VerifiedAggregate): Boolean =
        cell.call { pool -> aggregate.cell.call { pool.insert(it) } }

    /** All members whose signature is in some aggregate of the pool. */
    public val signers: SignerSet get() = cell.call { SignerSet(it.signers()) }

    /** The sum of all aggregates that can be added, or that of the certificate; null if the pool is empty. */
    public val best: VerifiedAggregate? get() = cell.call { it.best()?.let(::VerifiedAggregate) }

    /** All aggregates in the pool. */
    public val aggregates: List<VerifiedAggregate>
        get() = cell.call { pool -> pool.aggregates().map(::VerifiedAggregate) }

    /** The certificate, once the signers are a quorum. */
    public val certificate: VerifiedCertificate? get() = cell.call { it.certificate()?.let(::VerifiedCertificate) }

    override fun toString(): String = shown { signers.use { "Pool(${it.size} of ${it.committeeLen} signed)" } }

    public companion object {
        /** Maximum number of aggregates in a pool. */
        @JvmField
        public val MAX_POOL: Int = translated { gossipLimits() }.first().toInt()
    }
}

/** Result of receiving an aggregate. */
public enum class Received {
    /** It is queued for verification. */
    WAITING,

    /** It adds no new signer. */
    NOTHING_NEW,

    /** A certificate exists already. */
    COMPLETE,

    /** Its sender is suspended for now. */
    REFUSED,
}

/**
 * A member sent an aggregate that does not verify. The link authenticates the sender.
 *
 * @property culprit the member that sent it.
 * @property evidence the verification error.
 */
public class Fault internal constructor(public val culprit: Int, public val evidence: QuorateException) {
    override fun toString(): String = "Fault(member $culprit, ${evidence.code})"
}

/**
 * Result of verifying queued aggregates.
 *
 * @property faults members that sent aggregates that do not verify.
 * @property aggregates number of aggregates that were verified together.
 * @property signers total number of signers in these aggregates: the additions that the verification cost.
 * @property grew true if new signers became known.
 */
public class Checked internal constructor(
    public val faults: List<Fault>,
    public val aggregates: Int,
    public val signers: Int,
    public val grew: Boolean,
) {
    override fun toString(): String = "Checked($faults, aggregates $aggregates, signers $signers, grew: $grew)"
}

/** A message to send, and its recipient. */
public data class Send(public val to: Int, public val aggregate: Aggregate)

/**
 * One member's part in spreading the signatures on one statement. It does no I/O: the caller transports the bytes and
 * passes the time. [vote] adds the member's own vote, [receive] queues a received aggregate, [check] verifies the queue
 * together and merges the valid ones, [next] returns the next message and its recipient, and [certificate] is set once
 * a quorum has signed.
 *
 * In all functions `now` is in microseconds of the clock that the [Peers] use; it defaults to the system's.
 */
public class Gossip private constructor(private val cell: Cell<NativeGossip>) : NativeObject(cell) {
    /** A gossip of member [me] that knows no signature on the statement yet. */
    @JvmOverloads
    public constructor(
        committee: Committee,
        me: Int,
        statement: Statement,
        parameters: Parameters = Parameters(),
    ) : this(
        Cell(
            committee.cell.call { NativeGossip(it, me.u16("me"), statement.native, parameters.native) },
            "Gossip",
        ),
    )

    /** The statement being signed. */
    public val statement: Statement get() = cell.call { Statement(it.statement()) }

    /** Adds a verified vote, usually the member's own. Returns false if it was known. */
    public fun vote(vote: VerifiedVote): Boolean = cell.call { gossip -> vote.cell.call { gossip.vote(it) } }

    /**
     * Adds an aggregate that was verified elsewhere, for example a certificate in a proposal. Returns false if it adds
     * nothing new.
     */
    public fun adopt(aggregate: VerifiedAggregate): Boolean =
        cell.call { gossip -> aggregate.cell.call { gossip.adopt(it) } }

    /**
     * Queues an aggregate that [peer] sent over an authenticated link. It is not verified yet. Throws if the aggregate
     * has another statement or committee, or a count above the limit.
     */
    @JvmOverloads
    @JvmName("receive")
    public fun receive(peer: Int, aggregate: Aggregate, peers: Peers, now: ULong = now()): Received =
        cell.call { gossip ->
            aggregate.cell.call { sum ->
                peers.cell.call {
                    when (gossip.receive(peer.u16("peer"), sum, it, now)) {
                        NativeReceived.WAITING -> Received.WAITING
                        NativeReceived.NOTHING_NEW -> Received.NOTHING_NEW
                        NativeReceived.COMPLETE -> Received.COMPLETE
                        NativeReceived.REFUSED -> Received.REFUSED
                    }
                }
            }
        }

    /** Number of aggregates queued for verification. */
    public val waiting: Int get() = cell.call { it.waiting().toInt() }

    /**
     * Verifies the newest queued aggregates together and merges the valid ones; the senders of invalid ones are
     * suspended. The coefficients come from [entropy], 32 unpredictable bytes; by default they are derived from all
     * aggregates of the batch. Cost: as [Aggregate.verifyBatch] of at most [Parameters.batch] aggregates.
     */
    @JvmOverloads
    @JvmName("check")
    public fun check(peers: Peers, entropy: ByteArray? = null, now: ULong = now()): Checked {
        val found = cell.call { gossip -> peers.cell.call { gossip.check(it, entropy, now) } }
        val faults = found.faults.map { Fault(it.culprit.toInt(), QuorateException.fromNative(it.evidence)) }
        return Checked(faults, found.aggregates.toInt(), found.signers.toInt(), found.grew)
    }

    /**
     * Returns the next message and its recipient. Report to [peers] that it has [left][Peers.left], was
     * [sent][Peers.sent] or [failed][Peers.failed]; until then it occupies a slot. Null if there is nothing to send now
     * or no slot is free: call again when a slot is free, after an aggregate was added, or after 50 ms. [draw] is
     * random; it defaults to the operating system's randomness.
     */
    @JvmOverloads
    @JvmName("next")
    public fun next(peers: Peers, draw: ULong? = null, now: ULong = now()): Send? =
        cell.call { gossip ->
            peers.cell.call { gossip.next(it, draw, now)?.run { Send(to.toInt(), Aggregate(aggregate)) } }
        }

    /** The aggregate to send to this peer, for a caller that picks peers itself; null if the peer lacks nothing. */
    public fun offer(peer: Int): Aggregate? = cell.call { it.offer(peer.u16("peer"))?.let(::Aggregate) }

    /** All members whose signature is known and verified. */
    public val signers: SignerSet get() = cell.call { SignerSet(it.signers()) }

    /** Snapshot of the added aggregates that do not lie within one half of the committee. */
    public val pool: Pool get() = cell.call { Pool(it.pool()) }

    /** The certificate, once a quorum has signed. */
    public val certificate: VerifiedCertificate? get() = cell.call { it.certificate()?.let(::VerifiedCertificate) }

    override fun toString(): String =
        shown { signers.use { "Gossip(${it.size} of ${it.committeeLen} signed, $waiting waiting)" } }

    public companion object {
        /** Maximum number of aggregates queued for verification. */
        @JvmField
        public val MAX_STACK: Int = translated { gossipLimits() }.last().toInt()
    }
}
