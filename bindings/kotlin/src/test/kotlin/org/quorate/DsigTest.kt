package org.quorate

import com.google.gson.JsonParser
import java.io.ByteArrayOutputStream
import java.io.NotSerializableException
import java.io.ObjectOutputStream
import java.nio.file.Path
import java.time.Duration
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.io.path.readText
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows

/** DSig in Kotlin. What is not about Kotlin is in `bindings/interface/operations/behaviour/dsig.rs`. */
class DsigTest {
    private val now = 1_000_000uL
    private val message = "message".toByteArray()
    private val hidden = ByteArray(32) { 9 }

    private fun signer(
        suite: Dsig.Suite = Dsig.Suite.WOTS_BLAKE3,
        groups: List<Set<Int>> = emptyList(),
        log2: Int = 2,
        low: Int = 1,
        lifetime: Duration = Duration.ofSeconds(10),
    ) = Dsig.Signer(SecretKey.fromBytes(Suite.ED25519, hidden), suite, groups, log2, low, lifetime)

    private fun verifier(signer: Dsig.Signer) = Dsig.Verifier(signer.suite).also { it.admit(signer.publicKey) }

    @Test
    fun `a signer takes the secret even if its creation fails`() {
        val attempts =
            listOf<Pair<Class<out Exception>, (SecretKey) -> Any>>(
                IllegalArgumentException::class.java to { Dsig.Signer(it, log2Batch = 256) },
                IllegalArgumentException::class.java to { Dsig.Signer(it, groups = listOf(setOf(-1))) },
            )
        for ((refused, attempt) in attempts) {
            val secret = SecretKey.generate(Suite.ED25519)
            assertEquals(refused, assertThrows<Exception> { attempt(secret) }.javaClass)
            assertEquals("SecretKey(closed)", secret.toString())
        }
    }

    @Test
    fun `closed objects refuse every use`() {
        val signer = signer()
        val (verifier, auditor, key) = Triple(verifier(signer), Dsig.Auditor(), signer.publicKey)
        val other = verifier(signer)
        val closed = listOf(signer, verifier, auditor)
        repeat(2) { closed.forEach { it.close() } }
        assertEquals(listOf("Signer(closed)", "Verifier(closed)", "Auditor(closed)"), closed.map { it.toString() })
        val gone = PublicKey.decode(Suite.ED25519, key.encode()).apply { close() }
        val uses =
            listOf<() -> Any?>(
                { runBlocking { signer.awaitPrepare() } },
                { verifier.admit(key) },
                { verifier.verify(key, message, message) },
                { auditor.check(key, message, message) },
                { other.admit(gone) },
                { Dsig.verify(gone, message, message) },
                { Dsig.verifyAll(Dsig.Suite.WOTS_BLAKE3, listOf(Triple(gone, message, message))) },
            )
        uses.forEachIndexed { number, use -> assertThrows<QuorateException.Closed>("use $number") { use() } }
    }

    @Test
    fun `signers are neither printed nor serialised nor copied`() {
        val signer = signer()
        assertEquals("Signer(wots-blake3, 0 keys ready)", signer.toString())
        assertFalse(hidden.asHex().take(12) in signer.toString())
        assertThrows<NotSerializableException> { ObjectOutputStream(ByteArrayOutputStream()).writeObject(signer) }
        assertFalse(Dsig.Signer::class.java.methods.any { it.name in listOf("copy", "clone", "component1") })
    }

    @Test
    fun `threads share a signer and no key signs twice`() {
        val signer = signer(log2 = 3, low = 32)
        val done = AtomicBoolean()
        val preparing = List(2) { background { while (!done.get()) signer.prepare(now) } }
        fun signed(text: ByteArray): ByteArray {
            while (true) {
                try {
                    return signer.sign(text, now = now)
                } catch (_: QuorateException.Exhausted) {
                    Thread.sleep(1)
                }
            }
        }
        val entries = together(4) { number ->
            val texts = List(50) { byteArrayOf(number.toByte(), it.toByte()) }
            texts.map { Triple(signer.publicKey, it, signed(it)) }
        }.flatten()
        done.set(true)
        preparing.forEach { it.result() }
        val keys = entries.map { (_, _, made) -> (made.copyOfRange(2, 4) + made.copyOfRange(8, 40)).asHex() }
        assertEquals(200, keys.toSet().size)
        assertEquals(List(200) { null }, Dsig.verifyAll(Dsig.Suite.WOTS_BLAKE3, entries))
    }

    @Test
    fun `signing does not wait for prepare`() {
        // A batch of this suite takes longest to generate.
        val signer = signer(Dsig.Suite.HORS_M_SHA256, log2 = 4, low = 32)
        signer.prepare(now)
        val preparing = background { signer.prepare(now) }
        var signed = 0
        while (!preparing.isDone && signed < 16) {
            signer.sign(message, now = now)
            signed++
        }
        preparing.result()
        assertEquals(16, signed, "all keys were used up while the next batch was made")
        assertEquals(16, signer.ready)
    }

    @Test
    fun `verifying does not wait for announcements`() {
        val signer = signer(log2 = 7, low = 2_000)
        val (key, verifier) = signer.publicKey to verifier(signer)
        val announcements = generateSequence { signer.prepare(now) }.map { it.announcement }.toList()
        assertEquals(16, announcements.size)
        verifier.announce(key, announcements[0], now)
        val signatures = List(128) { signer.sign(message, now = now) }
        val announcing = background { announcements.drop(1).forEach { verifier.announce(key, it, now) } }
        for (signature in signatures) {
            assertTrue(verifier.canVerifyFast(key, signature))
            verifier.verify(key, message, signature)
        }
        announcing.result()
        repeat(signer.ready) {
            assertTrue(verifier.canVerifyFast(key, signer.sign(message, now = now)))
        }
    }

    @Test
    fun `of two concurrent uses of a key one is refused`() {
        val file = JsonParser.parseString(Path.of("../../spec/vectors/dsig.json").readText()).asJsonObject
        val case = file["cases"].asJsonArray.map { it.asJsonObject }.first { it.text("name") == "reuse/two-messages" }
        val reader = Wire.Reader(case["input"].asJsonObject.bytes("evidence"))
        val key = PublicKey.decode(Suite.ED25519, reader.raw(32))
        val signed = List(2) { reader.bytes(100) to reader.raw(1_584) }
        repeat(20) {
            val verifier = Dsig.Verifier().also { it.admit(key) }
            val codes = together(2) { codeOf { verifier.verify(key, signed[it].first, signed[it].second) } }
            assertEquals(listOf("ONE_TIME_REUSE", "ok"), codes.sorted())
        }
    }

    @Test
    fun `long calls have suspending variants`() = runBlocking<Unit> {
        val signer = signer()
        assertEquals(68 + 4 * 32, signer.awaitPrepare(now)!!.announcement.size)
        assertNull(signer.awaitPrepare(now))
        val entry = Triple(signer.publicKey, message, signer.sign(message, now = now))
        assertEquals(listOf(null), Dsig.awaitVerifyAll(Dsig.Suite.WOTS_BLAKE3, listOf(entry)))
    }

    @Test
    fun `errors name the wrong argument`() {
        val signer = signer()
        val wrong =
            mapOf<String, () -> Any?>(
                "lifetime" to { signer(lifetime = Duration.ofNanos(-1)) },
                "interval" to { Dsig.Verifier(interval = Duration.ofDays(-1)) },
                "name" to { Dsig.Suite.fromName("\ud800") },
            )
        for ((argument, call) in wrong) {
            val error = assertThrows<IllegalArgumentException>(argument) { call() }
            assertEquals(argument, error.message!!.substringBefore(' '))
        }
        Dsig.Verifier(announced = Int.MAX_VALUE, interval = Duration.ofSeconds(Long.MAX_VALUE)).admit(signer.publicKey)
    }
}
