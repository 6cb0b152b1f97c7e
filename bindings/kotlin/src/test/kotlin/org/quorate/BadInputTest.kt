package org.quorate

import java.io.ByteArrayOutputStream
import java.io.NotSerializableException
import java.io.ObjectOutputStream
import java.math.BigInteger
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows

/** Invalid input throws an exception of quorate or of the language; it never crashes and is never accepted. */
class BadInputTest {
    private val example = Example(Suite.MIN_SIG)
    private val committee = example.committee
    private val huge = ByteArray(5_000_000)

    @Test
    fun `numbers out of range name the argument`() {
        val wrong =
            mapOf<String, () -> Any?>(
                "signer" to { Vote(example.statement, 65_536, example.votes[0].signature) },
                "kind" to { Statement(256, 0u, 0u, ByteArray(32)) },
                "index" to { committee.weight(-1) },
                "members" to { Committee(example.chain, 0u, listOf(Member(example.keys[0].verify(), -1))) },
                "committeeLen" to { SignerSet(1_000_000) },
                "batchThreshold" to { VoteCollector(committee, 1, 7u, batchThreshold = -1) },
                "failureLimit" to { TimeoutCollector(committee, 1, 7u, failureLimit = -1) },
                "n" to { Wire.Reader(ByteArray(4)).raw(-1) },
                "cap" to { Wire.Reader(ByteArray(4)).bytes(-1) },
                "value" to { Wire.Writer().u128(BigInteger.ONE.shiftLeft(128)) },
                "number" to { Suite.fromNumber(-1) },
            )
        for ((argument, call) in wrong) {
            val error = assertThrows<IllegalArgumentException>(argument) { call() }
            assertEquals(argument, error.message!!.substringBefore(' '))
        }
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
    fun `huge sizes cost nothing or are refused`() {
        assertThrows<QuorateException.Malformed> { Wire.Reader(ByteArray(8)).raw(Int.MAX_VALUE) }
        val claims = Wire.Writer().apply { varint(0xffff_ffff) }.intoBytes()
        assertThrows<QuorateException> { Wire.Reader(claims).bytes(Int.MAX_VALUE) }
        assertThrows<QuorateException> { Wire.Reader(claims).count(Int.MAX_VALUE) }
        assertThrows<QuorateException> { Merkle("leaf", "node").path(listOf(ByteArray(32)), Int.MAX_VALUE) }
        assertThrows<QuorateException> { Merkle("leaf", "node").root(List(3) { ByteArray(31) }) }
        val member = AttestedMember(example.secrets[0].publicKey, 1)
        val many = List(Committee.MAX_MEMBERS + 1) { member }
        assertThrows<QuorateException.BadCommittee> { Committee.fromAttested(example.chain, 0u, many, true) }
        assertThrows<QuorateException.BadCommittee> { Committee(example.chain, 0u, emptyList()) }
        // Messages have no maximum length.
        assertThrows<QuorateException.BadSignature> {
            example.secrets[0].publicKey.verify(huge, example.votes[0].signature)
        }
        assertEquals(32, Wire.hash("quorate test", huge).size)
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
    fun `secrets are neither printed nor serialised nor compared`() {
        val secret = example.secrets[0]
        val hidden = secret.toBytes().asHex()
        val guard = Guard(SecretKey.fromBytes(Suite.MIN_SIG, secret.toBytes()), example.chain)
        val (vote, record) = guard.sign(committee, example.statement)
        for (shown in listOf(secret, guard, vote, record, UnverifiedKey.prove(secret))) {
            assertFalse(hidden.take(16) in shown.toString().lowercase(), shown.javaClass.simpleName)
        }
        assertEquals("SecretKey(bls-min-sig)", secret.toString())
        for (thing in listOf(secret, guard, example.committee, example.certificate)) {
            assertThrows<NotSerializableException> { ObjectOutputStream(ByteArrayOutputStream()).writeObject(thing) }
        }
        val twin = SecretKey.fromBytes(Suite.MIN_SIG, secret.toBytes())
        assertFalse(secret == twin, "comparing would take time that depends on the key")
        assertFalse(SecretKey::class.java.methods.any { it.name in listOf("copy", "clone", "component1") })
    }
}
