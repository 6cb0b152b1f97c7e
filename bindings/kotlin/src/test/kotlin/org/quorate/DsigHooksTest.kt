package org.quorate

import java.io.IOException
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNotNull
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows

/** What only Kotlin has of hooks: exceptions, recursion, closing, threads and coroutines. */
class DsigHooksTest {
    private val now = 1_000_000uL
    private val message = "message".toByteArray()

    private fun signer() =
        Dsig.Signer(SecretKey.generate(Suite.ED25519), log2Batch = 2, lowWater = 1).also { it.prepare(now) }

    private fun verifier(vararg signers: Dsig.Signer) =
        Dsig.Verifier().also { verifier -> signers.forEach { verifier.admit(it.publicKey) } }

    private fun whatDiffers(call: () -> Unit) = assertThrows<QuorateException.WrongContext> { call() }.what

    @Test
    fun `an answer is a long of 64 bits, and coroutines ask too`() {
        val signer = signer()
        var generation = -1L
        signer.detectCopies { generation }
        assertNull(runBlocking { signer.awaitPrepare(now) })
        generation = Long.MIN_VALUE
        assertNotNull(runBlocking { signer.awaitPrepare(now) })
        signer.sign(message, now = now)
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
    fun `endless recursion in a hook is reported`() {
        val signer = signer()
        val (key, verifier) = signer.publicKey to verifier(signer)
        val signature = signer.sign(message, now = now)
        var deep = 0
        signer.detectCopies { if (deep++ == 0) 1 else signer.sign(message, now = now).size.toLong() }
        assertThrows<StackOverflowError> { signer.sign(message, now = now) }
        assertEquals(3, signer.ready)
        verifier.checkRevocation { verifier.canVerifyFast(it, signature) }
        assertThrows<StackOverflowError> { verifier.verify(key, message, signature) }
    }

    @Test
    fun `a hook may close the objects of its call`() {
        val signer = signer()
        val (key, verifier) = signer.publicKey to verifier(signer)
        val signature = signer.sign(message, now = now)
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
        assertThrows<QuorateException.Closed> {
            signer.detectCopies {
                signer.close()
                1
            }
        }
    }

    @Test
    fun `a hook is asked about the same key, and its refusal says so`() {
        val signer = signer()
        val (key, verifier) = signer.publicKey to verifier(signer)
        val signature = signer.sign(message, now = now)
        val asked = mutableListOf<PublicKey>()
        verifier.checkRevocation { asked.add(it) }
        assertEquals("revoked signer", whatDiffers { verifier.verify(key, message, signature) })
        assertTrue(asked.size == 1 && asked[0] === key)
        verifier.checkRevocation { !verifier.revoke(it) }
        assertEquals("signer", whatDiffers { verifier.verify(key, message, signature) })
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
        val verifying = background { codeOf { verifier.verify(key, message, signature) } }
        assertTrue(inside.await(60, TimeUnit.SECONDS))
        // Each call gets the answer for its own signer, in any order.
        verifier.verify(other.publicKey, message, fine)
        assertTrue(verifier.canVerifyFast(other.publicKey, fine))
        goOn.countDown()
        assertEquals("WRONG_CONTEXT", verifying.result())
        verifier.verify(other.publicKey, message, fine)
    }
}
