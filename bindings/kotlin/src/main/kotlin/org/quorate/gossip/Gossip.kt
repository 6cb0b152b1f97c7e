package org.quorate.gossip

import org.quorate.Cell
import org.quorate.Committee
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
 * A few verified aggregates of one statement, from whatever source: the sum of what can be added with low counts. It is what
 * [Gossip] keeps beside its own sums, and all that a protocol needs that spreads in another way.
 */
public class Pool private constructor(private val cell: Cell<NativePool>) : NativeObject(cell) {
    internal constructor(native: NativePool) : this(Cell(native, "Pool"))

    /** An empty pool of member [me]. */
    @JvmOverloads
    public constructor(
        committee: Committee,
        me: Int,
        statement: Statement,
        parameters: Parameters = Parameters(),
    ) : this(committee.cell.call { NativePool(it, me.u16("me"), statement.native, parameters.native) })

    /** What is signed. */
    public val statement: Statement get() = cell.call { Statement(it.statement()) }

    /**
     * Whether [insert] would take this in: it brings something new, and there is no certificate yet. It costs no
     * cryptography, so it comes before verifying. Throws as [insert].
     */
    public fun wants(aggregate: Aggregate): Boolean = cell.call { pool -> aggregate.cell.call { pool.wants(it) } }

    /**
     * Takes in an aggregate that was verified. False if nothing changes by it. Throws [QuorateException.WrongContext] for
     * another committee's or statement's, and [QuorateException.TooLarge] for a count above the limit.
     */
    public fun insert(aggregate: VerifiedAggregate): Boolean =
        cell.call { pool -> aggregate.cell.call { pool.insert(it) } }

    /** Everybody whose signature is in some aggregate of the pool. */
    public val signers: SignerSet get() = cell.call { SignerSet(it.signers()) }

    /** The sum of everything that can be added, or the certificate's; null of an empty pool. */
    public val best: VerifiedAggregate? get() = cell.call { it.best()?.let(::VerifiedAggregate) }

    /** All aggregates that are kept. */
    public val aggregates: List<VerifiedAggregate>
        get() = cell.call { pool -> pool.aggregates().map(::VerifiedAggregate) }

    /** The certificate, once the signers are a quorum. */
    public val certificate: VerifiedCertificate? get() = cell.call { it.certificate()?.let(::VerifiedCertificate) }

    override fun toString(): String = shown { signers.use { "Pool(${it.size} of ${it.committeeLen} signed)" } }

    public companion object {
        /** At most so many aggregates are kept. */
        @JvmField
        public val POOL: Int = translated { gossipLimits() }.first().toInt()
    }
}

/** What became of an aggregate that came in. */
public enum class Received {
    /** It waits for its check. */
    WAITING,

    /** It brings nothing that is not known. */
    NOTHING_NEW,

    /** There is a certificate already. */
    COMPLETE,

    /** Its sender is not listened to for a while. */
    REFUSED,
}

/**
 * A member sent an aggregate that does not verify. That its sender is known is the link's doing.
 *
 * @property culprit who sent it.
 * @property evidence what is wrong with it.
 */
public class Fault internal constructor(public val culprit: Int, public val evidence: QuorateException) {
    override fun toString(): String = "Fault(member $culprit, ${evidence.code})"
}

/**
 * What a check found.
 *
 * @property faults who sent aggregates that do not verify.
 * @property aggregates how many aggregates were verified, together.
 * @property signers how many signers these had in all: the additions of the check.
 * @property grew whether new signers are known now.
 */
public class Checked internal constructor(
    public val faults: List<Fault>,
    public val aggregates: Int,
    public val signers: Int,
    public val grew: Boolean,
) {
    override fun toString(): String = "Checked($faults, aggregates $aggregates, signers $signers, grew: $grew)"
}

/** What to send, and to whom. */
public data class Send(public val to: Int, public val aggregate: Aggregate)

/**
 * One member's part in spreading the signatures on one statement. It does no input or output: who drives it carries bytes
 * and tells the time. [vote] takes in one's own vote, [receive] what comes, [check] verifies it together and merges what is
 * good, [next] says what to send to whom, and [certificate] is there once a quorum has signed.
 *
 * In all functions `now` is in microseconds, of the clock that the [Peers] are used with; without it, it is the system's.
 */
public class Gossip private constructor(private val cell: Cell<NativeGossip>) : NativeObject(cell) {
    /** Member [me] knows of no signature on the statement yet. */
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

    /** What is being signed. */
    public val statement: Statement get() = cell.call { Statement(it.statement()) }

    /** Takes in a vote that was checked by itself, above all one's own. False if it was known. */
    public fun vote(vote: VerifiedVote): Boolean = cell.call { gossip -> vote.cell.call { gossip.vote(it) } }

    /**
     * Takes in an aggregate that was verified elsewhere, for example a certificate in a proposal. False if it brings nothing
     * new.
     */
    public fun adopt(aggregate: VerifiedAggregate): Boolean =
        cell.call { gossip -> aggregate.cell.call { gossip.adopt(it) } }

    /**
     * Takes in what [peer] sent, over a link that says who it is. Nothing is verified yet. Throws what is wrong with an
     * aggregate that is not of this statement and committee, or has a count above the limit.
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

    /** How many aggregates wait for their check. */
    public val waiting: Int get() = cell.call { it.waiting().toInt() }

    /**
     * Verifies the newest of what waits, together, and merges what is good; who sent what is bad is left alone for a while.
     * The coefficients come from [entropy], 32 bytes that nobody could foresee; without them they are derived from all that is
     * verified. Cost: as [Aggregate.verifyBatch] of at most [Parameters.batch] aggregates.
     */
    @JvmOverloads
    @JvmName("check")
    public fun check(peers: Peers, entropy: ByteArray? = null, now: ULong = now()): Checked {
        val found = cell.call { gossip -> peers.cell.call { gossip.check(it, entropy, now) } }
        val faults = found.faults.map { Fault(it.culprit.toInt(), QuorateException.of(it.evidence)) }
        return Checked(faults, found.aggregates.toInt(), found.signers.toInt(), found.grew)
    }

    /**
     * What to send, and to whom. Tell [peers] when it has [left][Peers.left], was [sent][Peers.sent] or
     * [failed][Peers.failed]: it holds a place until then. Null if there is nothing to say now or no place is free: ask again
     * when one is, when something was taken in, or after 50 ms. [draw] is random; without it the operating system's randomness
     * is.
     */
    @JvmOverloads
    @JvmName("next")
    public fun next(peers: Peers, draw: ULong? = null, now: ULong = now()): Send? =
        cell.call { gossip ->
            peers.cell.call { gossip.next(it, draw, now)?.run { Send(to.toInt(), Aggregate(aggregate)) } }
        }

    /** What to send to this peer, which somebody else picked; null if there is nothing that it may lack. */
    public fun offer(peer: Int): Aggregate? = cell.call { it.offer(peer.u16("peer"))?.let(::Aggregate) }

    /** Everybody whose signature is known and verified. */
    public val signers: SignerSet get() = cell.call { SignerSet(it.signers()) }

    /** What was taken in that is not of one half of the committee, as it is now. */
    public val pool: Pool get() = cell.call { Pool(it.pool()) }

    /** The certificate, once a quorum has signed. */
    public val certificate: VerifiedCertificate? get() = cell.call { it.certificate()?.let(::VerifiedCertificate) }

    override fun toString(): String =
        shown { signers.use { "Gossip(${it.size} of ${it.committeeLen} signed, $waiting waiting)" } }

    public companion object {
        /** At most so many aggregates wait for their check. */
        @JvmField
        public val STACK: Int = translated { gossipLimits() }.last().toInt()
    }
}
