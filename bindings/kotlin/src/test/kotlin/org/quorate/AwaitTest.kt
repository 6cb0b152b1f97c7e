package org.quorate

import java.math.BigInteger
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.quorate.gossip.Aggregate
import org.quorate.sortition.Lottery
import org.quorate.sortition.Seed

/** Suspending checks return the results of the blocking ones, and can be cancelled. */
class AwaitTest {
    private val example = Example(Suite.MIN_SIG)
    private val committee = example.committee

    @Test
    fun `every check has a suspending variant`() = runBlocking<Unit> {
        val key = example.secrets[0].publicKey
        val message = "message".toByteArray()
        assertEquals(example.keys[0].verify(), example.keys[0].awaitVerify())
        key.awaitVerify(message, example.secrets[0].sign(message))
        key.awaitVerifyPossession(example.keys[0].possession)
        val basic = Ciphersuite.basic()
        key.awaitVerifyWith(basic, message, example.secrets[0].signWith(basic, message))
        assertEquals(example.votes[0], example.votes[0].awaitVerify(committee).value)
        assertEquals(example.timeouts[0], example.timeouts[0].awaitVerify(committee).value)
        assertEquals(committee.id, example.certificate.awaitVerify(committee).committee)
        assertEquals(example.timeout, example.timeout.awaitVerify(committee).value)
        assertEquals(listOf(1), example.equivocation.awaitVerify(committee).value.culprits)
        assertEquals(4, Conflict(example.certificate, rival()).awaitVerify(committee).value.culprits.committeeLen)
        val batch = listOf(example.certificate, example.certificate)
        Certificate.awaitVerifyBatch(committee, batch).forEach { it.getOrThrow() }
        Certificate.awaitVerifyBatchDerived(committee, batch).forEach { it.getOrThrow() }
        val signatures = example.secrets.map { it.sign(message) }
        val sum = Bls.aggregate(signatures)
        val keys = example.keys.map { it.verify() }
        assertEquals(BigInteger("4"), committee.awaitVerifyRaw(message, SignerSet.full(4), sum.encode()))
        Bls.awaitFastAggregateVerify(keys, message, sum)
        Bls.awaitAggregateVerify(keys.map { it to message }, sum)
    }

    @Test
    fun `checks of aggregates and tickets have suspending variants`() = runBlocking<Unit> {
        val counted = Example(Suite.MIN_SIG_COUNTED)
        val (one, two) = counted.votes.take(2).map { Aggregate.fromVote(it.verify(counted.committee), counted.committee) }
        val sum = one.merge(two)
        assertEquals(sum, sum.value.awaitVerify(counted.committee))
        val batch = listOf(sum.value, one.value)
        val verdicts =
            Aggregate.awaitVerifyBatch(counted.committee, batch) +
                Aggregate.awaitVerifyBatchDerived(counted.committee, batch)
        assertEquals(listOf(sum, one, sum, one), verdicts.map { it.getOrThrow() })
        val lottery = Lottery(counted.committee, Seed.genesis(counted.chain, ByteArray(1)), 1u)
        val tickets = counted.secrets.map { lottery.draw(it)!! }
        assertEquals(tickets[0].score, tickets[0].value.awaitVerify(lottery).score)
        val texts = tickets.map { it.score }.sorted().map { it.toString() }
        assertEquals(texts.sorted(), texts)
    }

    @Test
    fun `errors are thrown where the call is awaited`() = runBlocking<Unit> {
        val forged = Vote(example.statement, 2, example.votes[0].signature)
        val blamed = assertThrows<QuorateException.BadSignature> { runBlocking { forged.awaitVerify(committee) } }
        assertEquals(listOf(2), blamed.culprits)
        forged.close()
        assertThrows<QuorateException.Closed> { runBlocking { forged.awaitVerify(committee) } }
    }

    @Test
    fun `many concurrent checks all finish`() = runBlocking<Unit> {
        val checked = List(40) { async { example.votes[it % 4].awaitVerify(committee).value.signer } }.awaitAll()
        assertEquals(List(40) { it % 4 }, checked)
    }

    @Test
    fun `cancelling returns at once and queued work never runs`() = runBlocking<Unit> {
        // All threads of the pool are blocked, so the check cannot have started when it is cancelled.
        val release = CountDownLatch(1)
        val busy = List(64.coerceAtLeast(Runtime.getRuntime().availableProcessors())) {
            launch(Dispatchers.Default) { release.await() }
        }
        // Every check reads the keys.
        val reads = AtomicInteger()
        val keys =
            object : AbstractList<VerifiedKey>() {
                private val own = example.keys.map { it.verify() }
                override val size = own.size

                override fun get(index: Int) = own[index].also { reads.incrementAndGet() }
            }
        val signature = example.votes[0].signature
        val check =
            launch(start = CoroutineStart.UNDISPATCHED) { Bls.awaitFastAggregateVerify(keys, ByteArray(1), signature) }
        assertTrue(check.isActive)
        check.cancel()
        withTimeout(120_000) { check.join() }
        release.countDown()
        busy.forEach { it.join() }
        // The pool is FIFO: it reaches the cancelled check before these.
        List(64) { async { example.votes[1].awaitVerify(committee) } }.awaitAll()
        assertEquals(0, reads.get())
        assertThrows<QuorateException.BadSignature> { Bls.fastAggregateVerify(keys, ByteArray(1), signature) }
        assertEquals(keys.size, reads.get())
    }

    private fun rival(): Certificate {
        val collector = VoteCollector(committee, 1, 7u)
        val statement = committee.statement(1, 7u, ByteArray(32) { 9 })
        return example.secrets
            .firstNotNullOf { collector.add(Vote.signUnguarded(it, committee, statement), Suspects()).certificate }
            .value
    }
}
