package org.quorate

import java.io.IOException
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlin.concurrent.thread
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNotEquals
import org.junit.jupiter.api.Assertions.assertNotNull
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows

/** Hooks' answers take effect, their exceptions reject the call, and they may use the calling object. */
class DsigHooksTest {
    private val now = 1_000_000uL
    private val message = "message".toByteArray()

    private fun signer() =
        Dsig.Signer(SecretKey.generate(Suite.ED25519), log2Batch = 2, lowWater = 1).also { it.prepare(now) }

    private fun verifier(vararg signers: Dsig.Signer) =
        Dsig.Verifier().also { verifier -> signers.forEach { verifier.admit(it.publicKey) } }

    private fun whatDiffers(call: () -> Unit) = assertThrows<QuorateException.WrongContext> { call() }.what

    @Test
    fun `a new answer of the hook wipes the keys`() {
        val signer = signer()
        var generation = 1L
        var asked = 0
        signer.detectCopies {
            asked++
            generation
        }
        assertEquals(1 to 4, asked to signer.ready, "asked at once, and the first answer is no change")
        signer.sign(message, now = now)
        for (other in listOf(2L, 0L, -1L, Long.MIN_VALUE)) {
            val before = signer.announcements().single()
            generation = other
            assertThrows<QuorateException.Exhausted> { signer.sign(message, now = now) }
            assertEquals(0 to emptyList<Dsig.Announced>(), signer.ready to signer.announcements())
            assertNotEquals(before, signer.prepare(now)!!)
            signer.sign(message, now = now)
        }
        // Every way to prepare detects the change, on any thread, and generates new keys although there were enough.
        val ways = listOf({ signer.prepare(now) }, { runBlocking { signer.awaitPrepare(now) } })
        for (prepare in ways) {
            assertNull(prepare())
            generation++
            assertNotNull(prepare())
            assertEquals(4, signer.ready)
        }
        signer.detectCopies { 77 }
        assertEquals(4, signer.ready, "another hook is no copy")
        signer.sign(message, now = now)
        var calls = 0L
        signer.detectCopies { ++calls }
        repeat(4) {
            signer.prepare(now)
            assertThrows<QuorateException.Exhausted>("answers otherwise each time") { signer.sign(message, now = now) }
        }
    }

    @Test
    fun `an exception in a signer's hook refuses to sign`() {
        val signer = signer()
        val broken = IOException("broken")
        assertSame(broken, assertThrows<IOException> { signer.detectCopies { throw broken } })
        signer.sign(message, now = now)
        var works = true
        signer.detectCopies { if (works) 1 else throw broken }
        works = false
        val calls =
            listOf<() -> Any?>({ signer.sign(message, now = now) }, { signer.prepare(now) })
        for (call in calls) assertSame(broken, assertThrows<IOException> { call() })
        val thrown = assertThrows<IOException> { runBlocking { signer.awaitPrepare(now) } }
        assertTrue(thrown === broken || thrown.cause === broken, "coroutines may copy it for its stack")
        assertEquals(3, signer.ready, "nothing was signed, and nothing was wiped")
        works = true
        signer.sign(message, now = now)
    }

    @Test
    fun `a signer's hook may use the signer`() {
        val signer = signer()
        var use: (() -> Unit)? = null
        signer.detectCopies {
            use?.let { todo ->
                use = null
                todo()
            }
            1
        }
        use = {
            assertEquals(4 to 1, signer.ready to signer.announcements().size)
            Dsig.verify(signer.publicKey, message, signer.sign(message, now = now))
            assertNull(signer.prepare(now))
        }
        Dsig.verify(signer.publicKey, message, signer.sign(message, now = now))
        assertEquals(2, signer.ready)
        use = { signer.invalidate() }
        assertThrows<QuorateException.Exhausted> { signer.sign(message, now = now) }
        signer.prepare(now)
        // Endless recursion in a hook is reported.
        signer.detectCopies { 1 }
        var deep = 0
        signer.detectCopies { if (deep++ == 0) 1 else signer.sign(message, now = now).size.toLong() }
        assertThrows<StackOverflowError> { signer.sign(message, now = now) }
        assertEquals(4, signer.ready)
        val closing =
            assertThrows<QuorateException.Closed> {
                signer.detectCopies {
                    signer.close()
                    1
                }
            }
        assertEquals("CLOSED", closing.code)
    }

    @Test
    fun `a revoked key is refused as soon as the hook says so`() {
        val (signer, other) = signer() to signer()
        val (key, verifier) = signer.publicKey to verifier(signer, other)
        val (announcement, signature) = signer.announcements().single().announcement to signer.sign(message, now = now)
        val asked = mutableListOf<PublicKey>()
        verifier.checkRevocation {
            asked += it
            false
        }
        verifier.verify(key, message, signature)
        verifier.announce(key, announcement, now)
        assertTrue(verifier.canVerifyFast(key, signature))
        assertTrue(asked.size == 3 && asked.all { it === key })
        val revoked = mutableSetOf(key)
        verifier.checkRevocation { it in revoked }
        assertEquals("revoked signer", whatDiffers { verifier.verify(key, message, signature) })
        assertEquals("revoked signer", whatDiffers { verifier.announce(key, announcement, now) })
        assertFalse(verifier.canVerifyFast(key, signature))
        verifier.verify(other.publicKey, message, other.sign(message, now = now))
        revoked.clear()
        verifier.verify(key, message, signature)
    }

    @Test
    fun `an exception in a verifier's hook refuses to verify`() {
        val signer = signer()
        val (key, verifier) = signer.publicKey to verifier(signer)
        val (announcement, signature) = signer.announcements().single().announcement to signer.sign(message, now = now)
        val broken = IOException("broken")
        verifier.checkRevocation { throw broken }
        val calls =
            listOf<() -> Any?>(
                { verifier.verify(key, message, signature) },
                { verifier.announce(key, announcement, now) },
                { verifier.canVerifyFast(key, signature) },
            )
        for (call in calls) assertSame(broken, assertThrows<IOException> { call() })
        verifier.checkRevocation { false }
        assertFalse(verifier.canVerifyFast(key, signature), "nothing was taken in meanwhile")
        verifier.verify(key, message, signature)
    }

    @Test
    fun `a verifier's hook may use the verifier`() {
        val signer = signer()
        val (key, verifier) = signer.publicKey to verifier(signer)
        val signature = signer.sign(message, now = now)
        verifier.checkRevocation {
            verifier.checkRevocation { false }
            verifier.verify(key, message, signature)
            verifier.checkRevocation { true }
            false
        }
        verifier.verify(key, message, signature)
        assertEquals("revoked signer", whatDiffers { verifier.verify(key, message, signature) })
        verifier.checkRevocation { !verifier.revoke(it) }
        assertEquals("signer", whatDiffers { verifier.verify(key, message, signature) })
        verifier.admit(key)
        verifier.checkRevocation { verifier.canVerifyFast(it, signature) }
        assertThrows<StackOverflowError> { verifier.verify(key, message, signature) }
        verifier.checkRevocation {
            it.close()
            false
        }
        assertThrows<QuorateException.Closed> { verifier.verify(key, message, signature) }
        verifier.checkRevocation {
            verifier.close()
            false
        }
        assertThrows<QuorateException.Closed> { verifier.verify(signer.publicKey, message, signature) }
    }

    @Test
    fun `a thread does not wait for another one's hook`() {
        val (slow, other) = signer() to signer()
        val (verifier, key) = verifier(slow, other) to slow.publicKey
        val (signature, fine) = slow.sign(message, now = now) to other.sign(message, now = now)
        val (inside, goOn) = CountDownLatch(1) to CountDownLatch(1)
        verifier.checkRevocation {
            if (it != key) return@checkRevocation false
            inside.countDown()
            assertTrue(goOn.await(60, TimeUnit.SECONDS))
            true
        }
        var code = "none"
        val thread = thread {
            code = runCatching { verifier.verify(key, message, signature) }.exceptionOrNull().let {
                (it as? QuorateException)?.code ?: it.toString()
            }
        }
        assertTrue(inside.await(60, TimeUnit.SECONDS))
        // Each call gets the answer for its own signer, in any order.
        verifier.verify(other.publicKey, message, fine)
        assertTrue(verifier.canVerifyFast(other.publicKey, fine))
        goOn.countDown()
        thread.join()
        assertEquals("WRONG_CONTEXT", code)
        verifier.verify(other.publicKey, message, fine)
    }
}
