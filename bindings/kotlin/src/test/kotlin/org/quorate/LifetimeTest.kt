package org.quorate

import java.util.concurrent.atomic.AtomicInteger
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNotEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows

/** Closing twice, using closed objects, and concurrent use throw exceptions and never crash the JVM. */
class LifetimeTest {
    @Test
    fun `closed objects refuse every use, closing twice is harmless`() {
        val example = Example(Suite.MIN_SIG)
        val gone = Example(Suite.MIN_SIG)
        val collector = VoteCollector(gone.committee, 1, 7u)
        val guard = Guard(SecretKey.generate(Suite.MIN_SIG), gone.chain)
        val reader = Wire.Reader(ByteArray(4))
        val signers = SignerSet(4)
        val suspects = Suspects()
        val closed =
            gone.secrets + gone.keys + gone.votes + gone.timeouts +
                listOf(gone.committee, gone.certificate, gone.timeout, gone.equivocation) +
                listOf(collector, guard, reader, signers, suspects)
        closed.forEach { it.close() }
        closed.forEach { it.close() }
        closed.forEach { assertEquals("${it.javaClass.simpleName}(closed)", it.toString()) }
        val uses =
            listOf<() -> Any?>(
                { gone.secrets[0].sign(ByteArray(1)) },
                { gone.secrets[0].toBytes() },
                { gone.keys[0].verify() },
                { gone.votes[0].verify(example.committee) },
                { gone.certificate.verify(example.committee) },
                { gone.timeout.encode() },
                { gone.equivocation.signer },
                { gone.committee.id },
                { collector.isDone },
                { guard.sign(example.committee, example.statement) },
                { reader.remaining },
                { signers.insert(1) },
                { signers.toList() },
                { suspects.size },
                // As an argument.
                { example.votes[0].verify(gone.committee) },
                { example.certificate.verify(gone.committee) },
                { Certificate.decode(example.certificate.encode(), gone.committee) },
                { Certificate.verifyBatch(example.committee, listOf(example.certificate, gone.certificate)) },
                { VoteCollector(example.committee, 1, 7u).add(gone.votes[0], Suspects()) },
                { VoteCollector(example.committee, 1, 7u).add(example.votes[0], suspects) },
                { example.committee.weightOf(signers) },
                { Bls.aggregate(listOf(example.votes[0].signature, gone.votes[0].signature)) },
                { Vote.signUnguarded(gone.secrets[0], example.committee, example.statement) },
            )
        uses.forEachIndexed { number, use -> assertThrows<QuorateException.Closed>("use $number") { use() } }
        assertEquals("CLOSED", assertThrows<QuorateException.Closed> { gone.committee.size }.code)
    }

    @Test
    fun `equality, hash and text of a closed object never throw`() {
        val example = Example(Suite.MIN_SIG)
        val vote = example.votes[0]
        val pairs =
            listOf<() -> NativeObject>(
                { Vote.decode(vote.suite, vote.encode()) },
                { vote.verify(example.committee) },
                { Certificate.decode(example.certificate.encode(), example.committee) },
                { example.certificate.verify(example.committee) },
                { TimeoutCertificate.decode(example.timeout.encode(), example.committee) },
                { example.timeout.verify(example.committee) },
                { example.equivocation.verify(example.committee) },
                { UnverifiedKey.decode(Suite.MIN_SIG, example.keys[0].encode()) },
                { example.keys[0].verify() },
                { example.committee.withCiphersuite(Ciphersuite.proofOfPossession()) },
                { SignerSet(4, listOf(1)) },
            )
        for (make in pairs) {
            val (open, closed, never) = List(3) { make() }
            assertEquals(open, closed)
            val table = hashSetOf(closed)
            closed.close()
            never.close()
            assertNotEquals(open, closed)
            assertNotEquals(closed, open)
            assertNotEquals(closed, never)
            assertEquals(closed, closed)
            // A table still finds what was put into it, and an object that was never hashed has a hash too.
            assertTrue(closed in table)
            assertEquals(never.hashCode(), never.hashCode())
            assertTrue(closed.toString().endsWith("(closed)"))
        }
    }

    @Test
    fun `a guard takes the secret even if its creation fails`() {
        val example = Example(Suite.ED25519)
        val own = SecretKey.fromBytes(Suite.ED25519, example.secrets[0].toBytes())
        val record = Guard(own, example.chain).use { it.sign(example.committee, example.statement).record }
        val other = SecretKey.generate(Suite.ED25519)
        assertThrows<QuorateException.WrongContext> { Guard.restore(other, example.chain, listOf(record)) }
        assertEquals("SecretKey(closed)", other.toString())
        val angry =
            object : AbstractList<GuardRecord>() {
                override val size = 1

                override fun get(index: Int): GuardRecord = throw IllegalStateException("mine")
            }
        val mine = example.secrets[0]
        assertThrows<IllegalStateException> { Guard.restore(mine, example.chain, angry) }
        assertEquals("SecretKey(closed)", mine.toString())
    }

    @Test
    fun `closing during use is safe`() {
        repeat(20) {
            val example = Example(Suite.ED25519)
            val certificate = Certificate.decode(example.certificate.encode(), example.committee)
            val secret = example.secrets[0]
            val suspects = Suspects()
            val refused = AtomicInteger()
            together(6) { number ->
                repeat(30) { round ->
                    if (number == 0 && round == 10) {
                        listOf(certificate, secret, suspects, example.committee, example.votes[1]).forEach { it.close() }
                    }
                    try {
                        when (number % 3) {
                            0 -> certificate.verify(example.committee)
                            1 -> secret.sign(ByteArray(100))
                            else -> VoteCollector(example.committee, 1, 7u).add(example.votes[1], suspects)
                        }
                    } catch (_: QuorateException.Closed) {
                        refused.incrementAndGet()
                    }
                }
            }
            assertTrue(refused.get() > 0)
        }
    }
}
