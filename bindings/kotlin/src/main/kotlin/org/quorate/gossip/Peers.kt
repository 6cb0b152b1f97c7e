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
 * What can be chosen. The values change how fast and how cheap spreading is, never what is accepted.
 *
 * @property limit no count grows past this.
 * @property preferred no count of a pool's sum grows past this, unless sums that are above it make a quorum.
 * @property batch how many aggregates are verified together at most.
 * @property fanOut how many sends are under way at once at most, and to how many members news are told.
 * @property backOff how long a peer that failed is left alone; each further failure in a row adds as much.
 * @property patience how long a send that is not answered holds its place; then it has failed.
 */
public data class Parameters @JvmOverloads public constructor(
    public val limit: Int = DEFAULT_LIMIT,
    public val preferred: Int = 16,
    public val batch: Int = 4,
    public val fanOut: Int = 5,
    public val backOff: Duration = Duration.ofSeconds(2),
    public val patience: Duration = Duration.ofMillis(500),
) {
    @get:JvmSynthetic
    internal val native: NativeParameters =
        NativeParameters(
            limit.u16("limit"),
            preferred.u16("preferred"),
            batch.natural("batch"),
            fanOut.natural("fanOut"),
            backOff.notNegative("backOff"),
            patience.notNegative("patience"),
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
 * The other members as one member sees them: who is being sent something, who did not answer and is left alone for a while,
 * who was heard lately. Every [Gossip] of a committee's term shares one, so that what is learnt of a peer holds in all, and
 * the limit of concurrent sends is one for all.
 *
 * In all functions `now` is in microseconds, of any clock that does not run backwards; without it, it is the system's.
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
     * A member to whom something may be sent now: not oneself, not in the middle of a send, not left alone; by the randomness
     * of [draw], or of the operating system. Null if as many sends as may be are under way, or there is nobody. Nothing is
     * noted until [begin].
     */
    @JvmOverloads
    @JvmName("pick")
    public fun pick(draw: ULong? = null, now: ULong = now()): Int? = cell.call { it.pick(draw, now)?.toInt() }

    /** Whether one more send may begin. */
    @JvmOverloads
    @JvmName("hasRoom")
    public fun hasRoom(now: ULong = now()): Boolean = cell.call { it.hasRoom(now) }

    /** Whether something may be sent to this peer, were there a place. */
    @JvmOverloads
    @JvmName("isAvailable")
    public fun isAvailable(peer: Int, now: ULong = now()): Boolean =
        cell.call { it.isAvailable(peer.u16("peer"), now) }

    /**
     * A send to a peer begins: it holds a place until it has [left], was [sent] or [failed], at most for the patience.
     * [Gossip.next] says it itself.
     */
    @JvmOverloads
    @JvmName("begin")
    public fun begin(peer: Int, now: ULong = now()): Unit = cell.call { it.begin(peer.u16("peer"), now) }

    /** A message has left: its place is free again, though nobody knows yet whether it arrives. */
    public fun left(peer: Int): Unit = cell.call { it.left(peer.u16("peer")) }

    /** A send was answered. */
    public fun sent(peer: Int): Unit = cell.call { it.sent(peer.u16("peer")) }

    /** A send failed: the peer is left alone for a while, after each further failure in a row for so much longer. */
    @JvmOverloads
    @JvmName("failed")
    public fun failed(peer: Int, now: ULong = now()): Unit = cell.call { it.failed(peer.u16("peer"), now) }

    /** Something came from a peer: it is there. */
    public fun heard(peer: Int): Unit = cell.call { it.heard(peer.u16("peer")) }

    /** A peer sent what does not verify: for a while nothing is sent to it, nor taken from it. [Gossip.check] says it itself. */
    @JvmOverloads
    @JvmName("accuse")
    public fun accuse(peer: Int, now: ULong = now()): Unit = cell.call { it.accuse(peer.u16("peer"), now) }

    /** Whether nothing is taken from this peer now. */
    @JvmOverloads
    @JvmName("isRefused")
    public fun isRefused(peer: Int, now: ULong = now()): Boolean =
        cell.call { it.isRefused(peer.u16("peer"), now) }

    /** When the next place gets free by itself, in microseconds, if no answer comes; null if no send is under way. */
    @JvmName("nextFree")
    public fun nextFree(): ULong? = cell.call { it.nextFree() }

    override fun toString(): String = shown { "Peers(next free: ${nextFree()})" }
}
