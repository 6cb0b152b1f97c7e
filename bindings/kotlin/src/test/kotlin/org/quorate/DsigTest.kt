package org.quorate

import com.google.gson.JsonParser
import java.io.ByteArrayOutputStream
import java.io.NotSerializableException
import java.io.ObjectOutputStream
import java.nio.file.Path
import java.time.Duration
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.concurrent.thread
import kotlin.io.path.readText
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNotNull
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows

/** One-time keys sign once, whatever happens to the objects, and no call crashes. */
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
    fun `every suite signs and verifies fast and slowly`() {
        for (suite in Dsig.Suite.entries) {
            assertEquals(suite, Dsig.Suite.fromName(suite.toString()))
            assertEquals(suite, Dsig.SUITES[suite.number - 1])
            val signer = signer(suite, log2 = 1)
            val (key, told, untold) = Triple(signer.publicKey, verifier(signer), verifier(signer))
            val announced = signer.prepare(now)!!
            assertNull(announced.to)
            assertEquals(listOf(announced), signer.announcements())
            told.announce(key, announced.announcement, now)
            val signature = signer.sign(message, now = now)
            assertEquals(listOf(Dsig.signatureLen(suite), 1), listOf(signature.size, signer.ready))
            assertTrue(told.canVerifyFast(key, signature) && !untold.canVerifyFast(key, signature))
            val ways = listOf(told::verify, untold::verify, Dsig::verify, Dsig.Auditor(suite)::check)
            for (verify in ways) {
                verify(key, message, signature)
                assertThrows<QuorateException.BadSignature> { verify(key, hidden, signature) }
            }
            signer.sign(message, now = now)
            assertThrows<QuorateException.Exhausted> { signer.sign(message, now = now) }
            signer.close()
        }
        assertThrows<QuorateException.WrongContext> { Dsig.Suite.fromName("rsa") }
        assertThrows<QuorateException.WrongContext> { Dsig.Suite.fromNumber(200) }
    }

    @Test
    fun `the system's clock is the default`() {
        val signer = signer()
        val verifier = verifier(signer)
        while (true) verifier.announce(signer.publicKey, (signer.prepare() ?: break).announcement)
        assertTrue(verifier.canVerifyFast(signer.publicKey, signer.sign(message)))
        assertThrows<QuorateException.Exhausted>("a clock that went back") { signer.sign(message, now = now) }
    }

    @Test
    fun `the hint picks the smallest group`() {
        val signer = signer(groups = listOf(setOf(0, 1, 2), setOf(0, 1), setOf(7)))
        val announced = generateSequence { signer.prepare(now) }.toList()
        assertEquals(setOf(listOf(0, 1, 2), listOf(0, 1), listOf(7), null), announced.map { it.to }.toSet())
        val told = announced.associate {
            it.to to verifier(signer).apply { announce(signer.publicKey, it.announcement, now) }
        }
        val expected =
            mapOf(setOf(1) to listOf(0, 1), setOf(2, 0) to listOf(0, 1, 2), setOf(0, 7) to null, emptySet<Int>() to null)
        for ((hint, group) in expected) {
            val signature = signer.sign(message, hint, now)
            val fast = told.filterValues { it.canVerifyFast(signer.publicKey, signature) }
            assertEquals(listOf(group), fast.keys.toList())
        }
    }

    @Test
    fun `keys expire and are wiped on demand`() {
        val signer = signer(lifetime = Duration.ofSeconds(2))
        assertNotNull(signer.prepare(now))
        assertNull(signer.prepare(now))
        signer.sign(message, now = now + 1_999_999u)
        assertThrows<QuorateException.Exhausted> { signer.sign(message, now = now + 2_000_000u) }
        signer.prepare(now)
        signer.invalidate()
        assertEquals(0, signer.ready)
        assertThrows<QuorateException.Exhausted> { signer.sign(message, now = now) }
    }

    @Test
    fun `a signer takes the secret even if its creation fails`() {
        val attempts =
            listOf<Pair<Class<out Exception>, (SecretKey) -> Any>>(
                IllegalArgumentException::class.java to { Dsig.Signer(it, log2Batch = 256) },
                IllegalArgumentException::class.java to { Dsig.Signer(it, groups = listOf(setOf(-1))) },
                QuorateException.TooLarge::class.java to { Dsig.Signer(it, log2Batch = 8) },
            )
        for ((refused, attempt) in attempts) {
            val secret = SecretKey.generate(Suite.ED25519)
            assertEquals(refused, assertThrows<Exception> { attempt(secret) }.javaClass)
            assertEquals("SecretKey(closed)", secret.toString())
        }
        assertThrows<QuorateException.WrongContext> { Dsig.Signer(SecretKey.generate(Suite.MIN_PK)) }
        val secret = SecretKey.generate(Suite.ED25519)
        val key = secret.publicKey
        assertEquals(key, Dsig.Signer(secret).use { it.publicKey })
        assertThrows<QuorateException.Closed> { Dsig.Signer(secret) }
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
                { signer.prepare() },
                { signer.sign(message) },
                { signer.ready },
                { signer.announcements() },
                { signer.invalidate() },
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
        val signed = ConcurrentLinkedQueue<Triple<PublicKey, ByteArray, ByteArray>>()
        val (signatures, done) = ConcurrentLinkedQueue<ByteArray>() to AtomicBoolean()
        val background = List(2) { thread { while (!done.get()) signer.prepare(now) } }
        val workers = List(4) { number ->
            thread {
                repeat(50) { round ->
                    val text = byteArrayOf(number.toByte(), round.toByte())
                    while (true) {
                        val signature =
                            try {
                                signer.sign(text, now = now)
                            } catch (_: QuorateException.Exhausted) {
                                Thread.sleep(1)
                                continue
                            }
                        signatures += signature
                        signed += Triple(signer.publicKey, text, signature)
                        break
                    }
                }
            }
        }
        workers.forEach { it.join() }
        done.set(true)
        background.forEach { it.join() }
        val keys = signatures.map { (it.copyOfRange(2, 4) + it.copyOfRange(8, 40)).asHex() }
        assertEquals(200, keys.toSet().size)
        assertEquals(List(200) { null }, Dsig.verifyAll(Dsig.Suite.WOTS_BLAKE3, signed.toList()))
    }

    @Test
    fun `signing does not wait for prepare`() {
        // A batch of this suite takes longest to generate.
        val signer = signer(Dsig.Suite.HORS_M_SHA256, log2 = 4, low = 32)
        signer.prepare(now)
        val background = thread { signer.prepare(now) }
        var signed = 0
        while (background.isAlive && signed < 16) {
            signer.sign(message, now = now)
            signed++
        }
        background.join()
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
        val failures = ConcurrentLinkedQueue<Throwable>()
        val background = thread {
            try {
                announcements.drop(1).forEach { verifier.announce(key, it, now) }
            } catch (error: QuorateException) {
                failures += error
            }
        }
        for (signature in signatures) {
            assertTrue(verifier.canVerifyFast(key, signature))
            verifier.verify(key, message, signature)
        }
        background.join()
        assertTrue(failures.isEmpty())
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
            val outcomes = ConcurrentLinkedQueue<String>()
            val threads = signed.map { (text, signature) ->
                thread {
                    try {
                        verifier.verify(key, text, signature)
                        outcomes += "ok"
                    } catch (error: QuorateException) {
                        outcomes += error.code
                    }
                }
            }
            threads.forEach { it.join() }
            assertEquals(listOf("ONE_TIME_REUSE", "ok"), outcomes.sorted())
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
    fun `a second use is refused and is evidence`() {
        // The evidence is from the vectors: no signer produces it.
        val file = JsonParser.parseString(Path.of("../../spec/vectors/dsig.json").readText()).asJsonObject
        val case = file["cases"].asJsonArray.map { it.asJsonObject }.first { it.text("name") == "reuse/two-messages" }
        val evidence = case["input"].asJsonObject.bytes("evidence")
        val reader = Wire.Reader(evidence)
        val key = PublicKey.decode(Suite.ED25519, reader.raw(32))
        val (first, second) = List(2) { reader.bytes(100) to reader.raw(1_584) }
        val verifier = Dsig.Verifier().also { it.admit(key) }
        for (check in listOf(verifier::verify, Dsig.Auditor()::check)) {
            check(key, first.first, first.second)
            assertThrows<QuorateException.OneTimeReuse> { check(key, second.first, second.second) }
            check(key, first.first, first.second)
        }
        val signed = listOf(first, second, first.first to second.second.copyOf(9))
        val entries = signed.map { (text, signature) -> Triple(key, text, signature) }
        val outcomes = Dsig.verifyAll(Dsig.Suite.WOTS_BLAKE3, entries)
        assertEquals(listOf(null, "ONE_TIME_REUSE", "MALFORMED"), outcomes.map { it?.code })
        assertArrayEquals(evidence, Dsig.reuse(key, first, second))
        assertThrows<QuorateException.NotEvidence> { Dsig.reuse(key, first, first) }
        assertEquals(key, Dsig.verifyReuse(Dsig.Suite.WOTS_BLAKE3, evidence))
    }

    @Test
    fun `unknown, flooding and revoked signers are refused`() {
        val signer = signer()
        val key = signer.publicKey
        val stranger = SecretKey.generate(Suite.ED25519).publicKey
        val verifier = Dsig.Verifier(burst = 2, interval = Duration.ofNanos(100_000)).also { it.admit(key) }
        val announcement = signer.prepare(now)!!.announcement
        val signature = signer.sign(message, now = now)
        assertThrows<QuorateException.WrongContext> { verifier.announce(stranger, announcement, now) }
        verifier.announce(key, announcement, now)
        assertThrows<QuorateException.Malformed> { verifier.announce(key, announcement.copyOf(99), now) }
        assertThrows<QuorateException.RateLimited> { verifier.announce(key, announcement, now) }
        verifier.announce(key, announcement, now + 100u)
        assertTrue(verifier.revoke(key) && !verifier.revoke(key))
        assertFalse(verifier.canVerifyFast(key, signature))
        assertThrows<QuorateException.WrongContext> { verifier.verify(key, message, signature) }
    }

    @Test
    fun `truncations and changed bytes are refused`() {
        val signer = signer()
        val (key, verifier) = signer.publicKey to verifier(signer)
        val announcement = signer.prepare(now)!!.announcement
        verifier.announce(key, announcement, now)
        val signature = signer.sign(message, now = now)
        for (check in listOf(verifier::verify, Dsig::verify)) {
            for (end in signature.indices step 13) {
                assertThrows<QuorateException.Malformed> { check(key, message, signature.copyOf(end)) }
            }
            // Every byte of the fields; the core's tests also change every byte of the hashes.
            for (at in (0..<136) + (136..<signature.size step 29)) {
                val changed = signature.clone().also { it[at] = (it[at].toInt() xor 1).toByte() }
                assertThrows<QuorateException>("byte $at") { check(key, message, changed) }
            }
        }
        for (end in announcement.indices step 7) {
            assertThrows<QuorateException.Malformed> { verifier(signer).announce(key, announcement.copyOf(end), now) }
        }
        val huge = ByteArray(5_000_000)
        for (data in listOf(ByteArray(0), huge, signature + 0)) {
            val calls =
                listOf<() -> Any?>(
                    { verifier.canVerifyFast(key, data) },
                    { Dsig.verify(key, message, data) },
                    { Dsig.verifyReuse(Dsig.Suite.WOTS_BLAKE3, data) },
                    { Dsig.reuse(key, message to data, message to data) },
                    { verifier(signer).announce(key, data, now) },
                )
            calls.forEachIndexed { number, call -> assertThrows<QuorateException>("call $number") { call() } }
        }
        Dsig.verify(key, huge, signer.sign(huge, now = now))
    }

    @Test
    fun `errors name the wrong argument`() {
        val signer = signer()
        val wrong =
            mapOf<String, () -> Any?>(
                "log2Batch" to { signer(log2 = -1) },
                "lowWater" to { signer(low = -1) },
                "lifetime" to { signer(lifetime = Duration.ofNanos(-1)) },
                "groups" to { signer(groups = listOf(setOf(65_536))) },
                "hint" to { signer.sign(message, setOf(-1)) },
                "announced" to { Dsig.Verifier(announced = -1) },
                "checked" to { Dsig.Verifier(checked = -1) },
                "burst" to { Dsig.Verifier(burst = -1) },
                "interval" to { Dsig.Verifier(interval = Duration.ofDays(-1)) },
                "roots" to { Dsig.Auditor(roots = -1) },
                "name" to { Dsig.Suite.fromName("\ud800") },
            )
        for ((argument, call) in wrong) {
            val error = assertThrows<IllegalArgumentException>(argument) { call() }
            assertEquals(argument, error.message!!.substringBefore(' '))
        }
        val foreign = SecretKey.generate(Suite.MIN_SIG).publicKey
        assertThrows<QuorateException.WrongContext> { verifier(signer).admit(foreign) }
        assertThrows<QuorateException.WrongContext> { Dsig.verify(foreign, message, message) }
        Dsig.Verifier(announced = Int.MAX_VALUE, interval = Duration.ofSeconds(Long.MAX_VALUE)).admit(signer.publicKey)
    }
}
