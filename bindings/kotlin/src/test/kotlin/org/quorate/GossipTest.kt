package org.quorate

import java.time.Duration
import kotlin.random.Random
import kotlin.random.nextULong
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNotEquals
import org.junit.jupiter.api.Assertions.assertNotNull
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.EnumSource
import org.quorate.gossip.Aggregate
import org.quorate.gossip.Gossip
import org.quorate.gossip.Parameters
import org.quorate.gossip.Peers
import org.quorate.gossip.Pool
import org.quorate.gossip.Received
import org.quorate.gossip.Verdict as AggregateVerdict
import org.quorate.gossip.VerifiedAggregate
import org.quorate.sortition.Lottery
import org.quorate.sortition.Seed
import org.quorate.sortition.SeedProof
import org.quorate.sortition.Ticket

/** Aggregates, gossip and lotteries. */
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

    @ParameterizedTest
    @EnumSource(names = ["MIN_SIG_COUNTED", "MIN_PK_COUNTED"])
    fun `an aggregate does not depend on the order`(suite: Suite) {
        val world = World(suite)
        val (one, two) = world.sum(0, 2, 4) to world.sum(4, 5)
        val both = one.merge(two)
        assertEquals(both, two.merge(one))
        assertEquals(listOf(0, 2, 4, 5), both.value.signers.toList())
        assertEquals(listOf(1, 1, 2, 1), both.value.counts)
        assertEquals(listOf(0, 2), listOf(both.value.count(1), both.value.count(4)))
        assertEquals(suite, both.value.suite)
        assertEquals(listOf(1, 1, 1, 1), both.normalised(listOf(world.aggregate(4), world.aggregate(6))).value.counts)
        assertThrows<QuorateException.TooLarge> { both.merge(both, 3) }
        assertNull(both.certificate(world.committee))
        val quorum = both.merge(world.aggregate(1))
        val certificate = quorum.certificate(world.committee)!!
        assertEquals(certificate.value, Certificate.decode(certificate.value.encode(), world.committee))
        assertEquals(quorum, Aggregate.fromCertificate(certificate))
        runBlocking { assertEquals(both, both.value.awaitVerify(world.committee)) }
        val good = both.value
        val verdicts =
            Aggregate.verifyBatch(world.committee, listOf(good, world.forged(), good)) +
                runBlocking { Aggregate.awaitVerifyBatchDerived(world.committee, listOf(good, world.forged(), good)) }
        assertEquals(listOf(0, 2, 3, 5), verdicts.indices.filter { verdicts[it] is AggregateVerdict.Valid })
        assertThrows<QuorateException.BadSignature> { verdicts[1].getOrThrow() }
        val bytes = both.value.encode()
        for (length in bytes.indices) {
            assertThrows<QuorateException> { Aggregate.decode(bytes.copyOf(length), world.committee) }
        }
    }

    @Test
    fun `a pool sums aggregates that add signers`() {
        val world = World(Suite.MIN_SIG_COUNTED)
        val pool = Pool(world.committee, 0, world.statement)
        assertNull(pool.best)
        assertTrue(pool.insert(world.aggregate(0)) && pool.insert(world.sum(1, 2)) && !pool.insert(world.aggregate(1)))
        assertTrue(pool.wants(world.aggregate(4).value) && !pool.wants(world.aggregate(1).value))
        assertEquals(listOf(0, 1, 2), pool.signers.toList())
        assertEquals(listOf(1, 1, 1), pool.best!!.value.counts)
        assertTrue(pool.insert(world.sum(3, 4)) && pool.aggregates.isNotEmpty())
        assertEquals(world.statement, pool.certificate!!.value.statement)
        assertEquals(listOf(8, 64), listOf(Pool.MAX_POOL, Gossip.MAX_STACK))
        val elsewhere = world.vote(0, world.committee.statement(1, 10u, ByteArray(32)))
        assertThrows<QuorateException.WrongContext> { pool.insert(Aggregate.fromVote(elsewhere, world.committee)) }
    }

    @Test
    fun `votes spread until all members have a certificate`() {
        val world = World(Suite.MIN_SIG_COUNTED)
        val parameters = Parameters(fanOut = 2, sendTimeout = Duration.ofMillis(100))
        val members = List(world.n) { Gossip(world.committee, it, world.statement, parameters) }
        val peers = List(world.n) { Peers(it, world.n, parameters) }
        // Two members stay silent: a quorum is five of seven.
        val talking = 2 until world.n
        talking.forEach { assertTrue(members[it].vote(world.vote(it)) && !members[it].vote(world.vote(it))) }
        val dice = Random(4)
        var now = 1_000_000UL
        for (turn in 1..400) {
            now += 20_000UL
            for (me in talking) {
                while (true) {
                    val (to, aggregate) = members[me].next(peers[me], dice.nextULong(), now) ?: break
                    peers[me].left(to)
                    val arrived = Aggregate.decode(aggregate.encode(), world.committee)
                    assertNotEquals(Received.REFUSED, members[to].receive(me, arrived, peers[to], now))
                }
            }
            for (me in talking) assertEquals(0, members[me].check(peers[me], dice.nextBytes(32), now).faults.size)
            if (talking.all { members[it].certificate != null }) break
        }
        for (me in talking) {
            assertEquals(talking.toList(), members[me].certificate!!.value.signers.toList())
            assertEquals(talking.toList(), members[me].signers.toList())
        }
        assertEquals(Received.COMPLETE, members[2].receive(0, world.aggregate(0).value, peers[2], now))
        assertEquals(5, members[2].offer(0)!!.signers.size)
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

    @ParameterizedTest
    @EnumSource(names = ["MIN_SIG", "ED25519"])
    fun `only counted suites have aggregates`(suite: Suite) {
        val world = World(suite, 1)
        assertThrows<QuorateException.WrongContext> { world.aggregate(0) }
        assertThrows<QuorateException.WrongContext> { Pool(world.committee, 0, world.statement) }
        assertThrows<QuorateException.WrongContext> { Gossip(world.committee, 0, world.statement) }
    }

    @ParameterizedTest
    @EnumSource(names = ["ED25519"], mode = EnumSource.Mode.EXCLUDE)
    fun `winners of a lottery prove that they won`(suite: Suite) {
        val world = World(suite)
        val seed = Seed.genesis(world.committee.chain, "a public random value".toByteArray())
        val lottery = Lottery(world.committee, seed, 3u)
        assertEquals(7, lottery.expected)
        val tickets = world.secrets.map { lottery.draw(it)!! }
        assertEquals(world.n, tickets.map { it.score }.toSet().size)
        val sorted = tickets.map { it.score }.sorted()
        assertEquals(sorted.map { it.toString() }.sorted(), sorted.map { it.toString() })
        for (ticket in tickets) assertEquals(ticket, Ticket.decode(suite, ticket.value.encode()).verify(lottery))
        runBlocking { assertEquals(tickets[0].score, tickets[0].value.awaitVerify(lottery).score) }
        val rare = Lottery(world.committee, seed, 3u, 1)
        val losers = tickets.indices.filter { rare.draw(world.secrets[it]) == null }
        assertTrue(losers.isNotEmpty())
        for (loser in losers) assertThrows<QuorateException.NotDrawn> { tickets[loser].value.verify(rare) }
        val stolen = Ticket(3u, 1, tickets[0].value.signature)
        assertEquals(listOf(1), assertThrows<QuorateException.BadSignature> { stolen.verify(lottery) }.culprits)
        assertThrows<QuorateException.WrongContext> { SecretKey.generate(suite).use { lottery.draw(it) } }
        assertThrows<IllegalArgumentException> { Lottery(world.committee, seed, 3u, 0) }
        val proof = SeedProof.sign(world.secrets[2], world.committee, seed)
        val following = seed.next(proof, world.committee)
        assertEquals(1UL, following.height)
        assertEquals(following, Seed.decode(following.encode()))
        assertNotEquals(seed, following)
        assertThrows<QuorateException.BadSignature> { seed.next(SeedProof(3, proof.signature), world.committee) }
        assertNotNull(lottery.committee)
    }
}
