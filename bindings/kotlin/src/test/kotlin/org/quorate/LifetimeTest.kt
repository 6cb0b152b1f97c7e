package org.quorate

import java.util.concurrent.atomic.AtomicInteger
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.quorate.erasure.Coder
import org.quorate.erasure.Coding
import org.quorate.erasure.Shape

/** Closing twice, using closed objects, and concurrent use throw exceptions and never crash the JVM. */
class LifetimeTest {
    private val example = Example(Suite.MIN_SIG)

    @Test
    fun `closed objects refuse every use, closing twice is harmless`() {
        val gone = Example(Suite.MIN_SIG)
        val coder = Coder(Coding(Shape(3, 4), 1 shl 16))
        val suspects = Suspects()
        val (verifier, signers) = Dsig.Verifier() to SignerSet(4)
        val signer = Dsig.Signer(SecretKey.generate(Suite.ED25519))
        val closed =
            listOf(VoteCollector(gone.committee, 1, 7u), Guard(SecretKey.generate(Suite.MIN_SIG), gone.chain), suspects) +
                listOf(signer, verifier, Dsig.Auditor(), Wire.Reader(ByteArray(4)), coder, coder.disperse(ByteArray(9))) +
                listOf(signers) + gone.secrets + gone.keys + gone.committee + gone.votes + gone.certificate
        closed.forEach { refusesEveryUse(it) }
        val uses =
            listOf<() -> Any?>(
                { verifier.admit(example.secrets[0].publicKey) },
                { coder.disperse(ByteArray(9)) },
                { signers.insert(1) },
                // As an argument.
                { example.votes[0].verify(gone.committee) },
                { Certificate.decode(example.certificate.encode(), gone.committee) },
                { Certificate.verifyBatch(example.committee, listOf(example.certificate, gone.certificate)) },
                { VoteCollector(example.committee, 1, 7u).add(example.votes[0], suspects) },
                { example.committee.weightOf(signers) },
                { example.committee.verifyRawBatch(listOf(RawClaim(ByteArray(1), signers, ByteArray(1)))) },
                { Vote.signUnguarded(gone.secrets[0], example.committee, example.statement) },
            )
        uses.forEachIndexed { number, use -> assertThrows<QuorateException.Closed>("use $number") { use() } }
        assertEquals("CLOSED", assertThrows<QuorateException.Closed> { gone.committee.size }.code)
    }

    /** The behaviours check this of each object that is decoded. */
    @Test
    fun `equality, hash and text of a closed object never throw`() {
        checkClosing { example.votes[0].verify(example.committee) }
        checkClosing { example.certificate.verify(example.committee) }
        checkClosing { example.timeout.verify(example.committee) }
        checkClosing { example.equivocation.verify(example.committee) }
        checkClosing { example.keys[0].verify() }
        checkClosing { example.committee.withCiphersuite(Ciphersuite.proofOfPossession()) }
        checkClosing { SignerSet(4, listOf(1)) }
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
