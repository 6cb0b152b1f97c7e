package org.quorate.gossip

import java.time.Duration
import org.quorate.Cell
import org.quorate.NativeObject
import org.quorate.internal.GossipParameters as NativeParameters
import org.quorate.internal.GossipPeers as NativePeers
import org.quorate.natural
import org.quorate.now
import org.quorate.translated
import org.quorate.u16

/**
 * Parameters of gossip. They affect the speed and cost of dissemination, never the validity of a certificate.
 *
 * @property limit maximum of every count.
 * @property preferred preferred maximum of the counts of a pool's sum; only sums that make a quorum exceed it.
 * @property batch maximum number of aggregates that are verified together.
 * @property fanOut maximum number of concurrent sends, and number of members to which a new aggregate is sent.
 * @property backOff how long a failed peer is suspended; each further failure in a row adds as much.
 * @property sendTimeout how long an unanswered send occupies its slot; then it has failed.
 */
public data class Parameters @JvmOverloads public constructor(
    public val limit: Int = DEFAULT_LIMIT,
    public val preferred: Int = 16,
    public val batch: Int = 4,
    public val fanOut: Int = 5,
    public val backOff: Duration = Duration.ofSeconds(2),
    public val sendTimeout: Duration = Duration.ofMillis(500),
) {
    @get:JvmSynthetic
    internal val native: NativeParameters =
        NativeParameters(
            limit.u16("limit"),
            preferred.u16("preferred"),
            batch.natural("batch"),
            fanOut.natural("fanOut"),
            backOff.notNegative("backOff"),
            sendTimeout.notNegative("sendTimeout"),
        )

    internal companion object {
        internal const val DEFAULT_LIMIT = 255

        private fun Duration.notNegative(name: String): Duration {
            require(!isNegative) { "$name must not be negative, but is $this" }
            return this
        }
    }
}

/**
 * One member's view of the other members: sends in progress, suspended peers, and peers heard from recently. Every
 * [Gossip] of a committee's epoch shares one, so that knowledge about a peer and the limit of concurrent sends apply to
 * all.
 *
 * In all functions `now` is in microseconds of any monotonic clock; it defaults to the system's.
 */
public class Peers private constructor(@get:JvmSynthetic internal val cell: Cell<NativePeers>) : NativeObject(cell) {
    /** The peers of member [me] in a committee of [committeeLen]. */
    @JvmOverloads
    public constructor(me: Int, committeeLen: Int, parameters: Parameters = Parameters()) : this(
        Cell(
            translated { NativePeers(me.u16("me"), committeeLen.u16("committeeLen"), parameters.native) },
            "Peers",
        ),
    )

    /**
     * Picks a peer that may be sent to now: neither this member, nor a peer with a send in progress, nor a suspended
     * one; at random by [draw], or by the operating system's randomness. Null if the maximum number of sends is in
     * progress, or no peer is available. The pick takes effect only with [begin].
     */
    @JvmOverloads
    @JvmName("pick")
    public fun pick(draw: ULong? = null, now: ULong = now()): Int? = cell.call { it.pick(draw, now)?.toInt() }

    /** Returns true if another send may begin. */
    @JvmOverloads
    @JvmName("hasRoom")
    public fun hasRoom(now: ULong = now()): Boolean = cell.call { it.hasRoom(now) }

    /** Returns true if this peer may be sent to, slots aside. */
    @JvmOverloads
    @JvmName("isAvailable")
    public fun isAvailable(peer: Int, now: ULong = now()): Boolean =
        cell.call { it.isAvailable(peer.u16("peer"), now) }

    /**
     * Registers the start of a send: it occupies a slot until it has [left], was [sent] or [failed], at most for the
     * send timeout. [Gossip.next] calls it itself.
     */
    @JvmOverloads
    @JvmName("begin")
    public fun begin(peer: Int, now: ULong = now()): Unit = cell.call { it.begin(peer.u16("peer"), now) }

    /** Registers that a message has left: its slot is free again, although its delivery is unknown. */
    public fun left(peer: Int): Unit = cell.call { it.left(peer.u16("peer")) }

    /** Registers that a send was answered. */
    public fun sent(peer: Int): Unit = cell.call { it.sent(peer.u16("peer")) }

    /** Registers that a send failed: the peer is suspended, and longer after each further failure in a row. */
    @JvmOverloads
    @JvmName("failed")
    public fun failed(peer: Int, now: ULong = now()): Unit = cell.call { it.failed(peer.u16("peer"), now) }

    /** Registers that a message came from a peer: it is reachable. */
    public fun heard(peer: Int): Unit = cell.call { it.heard(peer.u16("peer")) }

    /**
     * Registers that a peer sent an invalid message: nothing is sent to it or accepted from it for a while.
     * [Gossip.check] calls it itself.
     */
    @JvmOverloads
    @JvmName("accuse")
    public fun accuse(peer: Int, now: ULong = now()): Unit = cell.call { it.accuse(peer.u16("peer"), now) }

    /** Returns true if nothing is accepted from this peer now. */
    @JvmOverloads
    @JvmName("isRefused")
    public fun isRefused(peer: Int, now: ULong = now()): Boolean =
        cell.call { it.isRefused(peer.u16("peer"), now) }

    /** Time at which the next slot becomes free without an answer, in microseconds; null if no send is in progress. */
    @JvmName("nextFree")
    public fun nextFree(): ULong? = cell.call { it.nextFree() }

    override fun toString(): String = shown { "Peers(next free: ${nextFree()})" }
}
