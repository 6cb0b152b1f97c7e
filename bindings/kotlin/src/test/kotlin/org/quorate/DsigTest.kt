package org.quorate

import java.io.IOException
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNotNull
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows

/** DSig in Kotlin. What is not about Kotlin is in `bindings/interface/operations/behaviour/dsig.rs` and `hooks.rs`. */
class DsigTest {
    private val now = 1_000_000uL
    private val message = "message".toByteArray()
    private val hidden = ByteArray(32) { 9 }

    private fun signer(secret: ByteArray = hidden) =
        Dsig.Signer(SecretKey.fromBytes(Suite.ED25519, secret), log2Batch = 2, lowWater = 1)

    @Test
    fun `a signer takes the secret even if its creation fails`() {
        val attempts =
            listOf<(SecretKey) -> Any>({ Dsig.Signer(it, log2Batch = 256) }, { Dsig.Signer(it, groups = listOf(setOf(-1))) })
        for (attempt in attempts) {
            val secret = SecretKey.generate(Suite.ED25519)
            assertThrows<IllegalArgumentException> { attempt(secret) }
            assertEquals("SecretKey(closed)", secret.toString())
        }
    }

    @Test
    fun `long calls have suspending variants, which ask the hook`() = runBlocking<Unit> {
        val signer = signer()
        var generation = -1L
        signer.detectCopies { if (generation == 0L) throw IOException("broken") else generation }
        assertEquals(68 + 4 * 32, signer.awaitPrepare(now)!!.announcement.size)
        assertNull(signer.awaitPrepare(now))
        val entry = Triple(signer.publicKey, message, signer.sign(message, now = now))
        assertEquals(listOf(null), Dsig.awaitVerifyAll(Dsig.Suite.WOTS_BLAKE3, listOf(entry)))
        generation = Long.MIN_VALUE
        assertNotNull(signer.awaitPrepare(now))
        generation = 0
        assertThrows<IOException> { runBlocking { signer.awaitPrepare(now) } }
        assertEquals(4, signer.ready)
        generation = 1
        signer.close()
        assertThrows<QuorateException.Closed> { runBlocking { signer.awaitPrepare(now) } }
    }

    @Test
    fun `a thread does not wait for another one's hook`() {
        val (slow, other) = signer() to signer(ByteArray(32) { 8 })
        val verifier = Dsig.Verifier()
        listOf(slow, other).forEach {
            it.prepare(now)
            verifier.admit(it.publicKey)
        }
        val (signature, fine) = slow.sign(message, now = now) to other.sign(message, now = now)
        val (inside, goOn) = CountDownLatch(1) to CountDownLatch(1)
        verifier.checkRevocation {
            if (it != slow.publicKey) return@checkRevocation false
            inside.countDown()
            assertTrue(goOn.await(60, TimeUnit.SECONDS))
            true
        }
        val verifying = background { codeOf { verifier.verify(slow.publicKey, message, signature) } }
        assertTrue(inside.await(60, TimeUnit.SECONDS))
        // Each call gets the answer for its own signer, in any order.
        verifier.verify(other.publicKey, message, fine)
        assertTrue(verifier.canVerifyFast(other.publicKey, fine))
        goOn.countDown()
        assertEquals("WRONG_CONTEXT", verifying.result())
        verifier.verify(other.publicKey, message, fine)
    }
}
