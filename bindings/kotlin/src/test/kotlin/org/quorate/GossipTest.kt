package org.quorate

import java.time.Duration
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.quorate.gossip.Aggregate
import org.quorate.gossip.Gossip
import org.quorate.gossip.Parameters
import org.quorate.gossip.Peers
import org.quorate.gossip.Received
import org.quorate.gossip.VerifiedAggregate

/** Gossip, whose callers pass the time. */
class GossipTest {
    private class World(val suite: Suite, val n: Int = 7) {
        val secrets = List(n) { at -> SecretKey.fromBytes(suite, ByteArray(32) { if (it == 31) (at + 1).toByte() else 1 }) }
        val committee =
            Committee(ChainId.fromName("tests"), 5u, secrets.map { Member(VerifiedKey.fromSecret(it), 1) })
        val statement = committee.statement(1, 9u, ByteArray(32) { 7 })

        fun vote(member: Int, on: Statement = statement) =
            Vote.signUnguarded(secrets[member], committee, on).verify(committee)

        fun aggregate(member: Int) = Aggregate.fromVote(vote(member), committee)

        fun sum(vararg members: Int): VerifiedAggregate = members.map(::aggregate).reduce { one, two -> one.merge(two) }

        /** The aggregate of one member with another's signature. */
        fun forged(): Aggregate {
            val (bytes, other) = aggregate(1).value.encode() to aggregate(2).value.signature.encode()
            return Aggregate.decode(bytes.copyOf(bytes.size - other.size) + other, committee)
        }
    }

    @Test
    fun `senders of invalid aggregates are blamed and suspended`() {
        val world = World(Suite.MIN_PK_COUNTED)
        val (gossip, peers) = Gossip(world.committee, 0, world.statement) to Peers(0, world.n)
        assertEquals(Received.WAITING, gossip.receive(3, world.forged(), peers, 1u))
        assertEquals(1, gossip.waiting)
        val checked = gossip.check(peers, null, 1u)
        assertEquals(listOf(3), checked.faults.map { it.culprit })
        assertEquals("BAD_SIGNATURE", checked.faults.single().evidence.code)
        assertFalse(checked.grew)
        assertTrue(peers.isRefused(3, 2u) && !peers.isAvailable(3, 2u))
        val good = world.aggregate(1).value
        assertEquals(Received.REFUSED, gossip.receive(3, good, peers, 2u))
        assertEquals(Received.WAITING, gossip.receive(4, good, peers, 2u))
        assertTrue(gossip.check(peers, null, 2u).grew)
        assertEquals(Received.NOTHING_NEW, gossip.receive(5, good, peers, 2u))
        assertTrue(gossip.adopt(world.sum(5, 6)))
        val elsewhere = world.vote(1, world.committee.statement(2, 9u, ByteArray(32)))
        assertThrows<QuorateException.WrongContext> {
            gossip.receive(4, Aggregate.fromVote(elsewhere, world.committee).value, peers, 2u)
        }
        assertThrows<QuorateException.UnknownSigner> { gossip.receive(7, good, peers, 2u) }
        assertThrows<QuorateException.Malformed> { gossip.check(peers, ByteArray(31), 2u) }
        assertThrows<IllegalArgumentException> { gossip.offer(-1) }
    }

    @Test
    fun `failed peers are suspended`() {
        val second = Duration.ofSeconds(1)
        val peers = Peers(0, 2, Parameters(fanOut = 1, backOff = second, sendTimeout = second))
        assertEquals(listOf(1, 1), listOf(peers.pick(null, 0u), peers.pick(7u, 0u)))
        peers.begin(1, 0u)
        assertFalse(peers.hasRoom(0u))
        assertNull(peers.pick(7u, 0u))
        assertEquals(1_000_000UL, peers.nextFree())
        peers.left(1)
        assertTrue(peers.hasRoom(0u) && peers.isAvailable(1, 0u))
        peers.failed(1, 0u)
        assertTrue(!peers.isAvailable(1, 999_999u) && peers.isAvailable(1, 1_000_000u))
        peers.heard(1)
        peers.begin(1, 0u)
        peers.sent(1)
        assertTrue(peers.isAvailable(1, 0u))
        peers.accuse(1, 0u)
        assertTrue(peers.isRefused(1, 0u))
        assertNull(Peers(0, 1).pick(), "there is no other member")
        assertThrows<IllegalArgumentException> { Parameters(backOff = Duration.ofSeconds(-1)) }
        assertThrows<IllegalArgumentException> { Parameters(limit = 65_536) }
    }
}
