package org.quorate

import java.io.ByteArrayOutputStream
import java.io.NotSerializableException
import java.io.ObjectOutputStream
import java.math.BigInteger
import java.time.Duration
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.quorate.gossip.Parameters
import org.quorate.threshold.Group

/** Invalid input throws an exception of quorate or of the language; it never crashes and is never accepted. */
class BadInputTest {
    private val example = Example(Suite.MIN_SIG)
    private val committee = example.committee

    @Test
    fun `numbers out of range name the argument`() {
        val wrong =
            mapOf<String, () -> Any?>(
                "members" to { Committee(example.chain, 0u, listOf(Member(example.keys[0].verify(), -1))) },
                "committeeLen" to { SignerSet(1_000_000) },
                "value" to { Wire.Writer().u128(BigInteger.ONE.shiftLeft(128)) },
                "number" to { Suite.fromNumber(-1) },
                "backOff" to { Parameters(backOff = Duration.ofSeconds(-1)) },
                "limit" to { Parameters(limit = 65_536) },
                "lifetime" to { Dsig.Signer(SecretKey.generate(Suite.ED25519), lifetime = Duration.ofNanos(-1)) },
                "interval" to { Dsig.Verifier(interval = Duration.ofDays(-1)) },
                "name" to { Dsig.Suite.fromName("\ud800") },
            )
        for ((argument, call) in wrong) {
            val error = assertThrows<IllegalArgumentException>(argument) { call() }
            assertEquals(argument, error.message!!.substringBefore(' '))
        }
        Dsig.Verifier(announced = Int.MAX_VALUE, interval = Duration.ofSeconds(Long.MAX_VALUE)).close()
        assertThrows<IllegalArgumentException> { Group.fromNumber(-1) }
        assertThrows<QuorateException.WrongContext> { Group.fromName("p256") }
        assertThrows<QuorateException.WrongContext> { Suite.fromNumber(200) }
        assertThrows<QuorateException.WrongContext> { Suite.fromName("rsa") }
    }

    @Test
    fun `invalid UTF-16 text is refused`() {
        val half = "\ud800"
        assertThrows<IllegalArgumentException> { ChainId.fromName(half) }
        assertThrows<IllegalArgumentException> { Suite.fromName(half) }
        assertThrows<IllegalArgumentException> { Wire.hash(half, ByteArray(1)) }
        assertThrows<IllegalArgumentException> { Merkle(half, "node") }
        assertEquals(64, ChainId.fromName("").toString().length)
    }

    @Test
    fun `a list is read no further than the maximum size of a committee`() {
        val member = AttestedMember(example.secrets[0].publicKey, 1)
        val many = List(Committee.MAX_MEMBERS + 1) { member }
        assertThrows<QuorateException.BadCommittee> { Committee.fromAttested(example.chain, 0u, many, true) }
        fun <T : Any> endless(item: T) = Iterable { generateSequence { item }.iterator() }
        assertThrows<QuorateException.DuplicateSigner> { SignerSet(4, endless(2)) }
        assertThrows<QuorateException.DuplicateSigner> { committee.signerSet(endless(0L)) }
        assertThrows<QuorateException.DuplicateSigner> { committee.verifyRawEach(endless(1 to ByteArray(1)), ByteArray(1)) }
        assertEquals(4L, assertThrows<QuorateException.UnknownSigner> { SignerSet(4, 0..Int.MAX_VALUE) }.index)
    }

    @Test
    fun `a list is read once`() {
        // A list that shrinks after it was read must not shorten the checked list.
        val (keys, message) = example.keys.map { it.verify() } to ByteArray(7)
        val shrinking =
            object : AbstractList<Pair<VerifiedKey, ByteArray>>() {
                private var reads = 0
                override val size = 2

                override fun get(index: Int) = keys[index] to message

                override fun iterator() = listOf(get(0), get(1)).drop(reads++).iterator()
            }
        val alone = example.secrets[0].sign(message)
        assertThrows<QuorateException.BadSignature> { Bls.aggregateVerify(shrinking, alone) }
    }

    @Test
    fun `no object is serialised, and secrets are not compared`() {
        val guard = Guard(SecretKey.fromBytes(Suite.MIN_SIG, example.secrets[0].toBytes()), example.chain)
        for (thing in listOf(guard.sign(committee, example.statement).vote, committee, example.certificate)) {
            assertThrows<NotSerializableException> { ObjectOutputStream(ByteArrayOutputStream()).writeObject(thing) }
        }
        val twin = SecretKey.fromBytes(Suite.MIN_SIG, example.secrets[0].toBytes())
        assertFalse(example.secrets[0] == twin, "comparing would take time that depends on the key")
        assertEquals("SecretKey(bls-min-sig)", twin.toString())
    }
}
