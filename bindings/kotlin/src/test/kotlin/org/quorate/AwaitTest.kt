package org.quorate

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

/** Suspending checks can be cancelled. The behaviours also call them: see `both`. */
class AwaitTest {
    private val example = Example(Suite.MIN_SIG)
    private val committee = example.committee

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
}
