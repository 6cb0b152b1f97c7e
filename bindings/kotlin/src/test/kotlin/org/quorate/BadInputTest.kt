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

    /** Every entry point for bytes, with bytes that it accepts. */
    private val decoders: Map<String, Pair<ByteArray, (ByteArray) -> Any>> =
        mapOf(
            "SecretKey" to (example.secrets[0].toBytes() to { SecretKey.fromBytes(Suite.MIN_SIG, it) }),
            "PublicKey" to (example.secrets[0].publicKey.encode() to { PublicKey.decode(Suite.MIN_SIG, it) }),
            "Signature" to (example.votes[0].signature.encode() to { Signature.decode(Suite.MIN_SIG, it) }),
            "link Signature" to
                (example.votes[0].signature.encodeLink() to { Signature.decodeLink(Suite.MIN_SIG, it) }),
            "UnverifiedKey" to (example.keys[0].encode() to { UnverifiedKey.decode(Suite.MIN_SIG, it) }),
            "ChainId" to (ByteArray(32) to { ChainId.fromBytes(it) }),
            "CommitteeId" to (ByteArray(32) to { CommitteeId.fromBytes(it) }),
            "Statement" to (example.statement.encode() to { Statement.decode(it) }),
            "digest" to (ByteArray(32) to { Statement(1, 2u, 3u, it) }),
            "Vote" to (example.votes[0].encode() to { Vote.decode(Suite.MIN_SIG, it) }),
            "link Vote" to (example.votes[0].encodeLink() to { Vote.decodeLink(Suite.MIN_SIG, it) }),
            "Certificate" to (example.certificate.encode() to { Certificate.decode(it, committee) }),
            "detached Certificate" to
                (example.certificate.encodeDetached() to {
                    Certificate.decodeDetached(it, example.statement, committee)
                }),
            "TimeoutVote" to (example.timeouts[0].encode() to { TimeoutVote.decode(Suite.MIN_SIG, it) }),
            "link TimeoutVote" to (example.timeouts[0].encodeLink() to { TimeoutVote.decodeLink(Suite.MIN_SIG, it) }),
            "TimeoutCertificate" to (example.timeout.encode() to { TimeoutCertificate.decode(it, committee) }),
            "Equivocation" to (example.equivocation.encode() to { Equivocation.decode(Suite.MIN_SIG, it) }),
            "GuardRecord" to (record().encode() to { GuardRecord.decode(it) }),
            "Path" to (path().encode() to { Merkle.Path.decode(it) }),
            "bitmap" to (byteArrayOf(7) to { committee.signerSetLsbFirst(it) }),
        )

    @Test
    fun `wrong lengths are refused with a code`() {
        for ((name, way) in decoders) {
            val (good, decode) = way
            decode(good)
            for (bad in listOf(ByteArray(0), good.copyOf(good.size - 1), good.copyOf(good.size + 1), huge)) {
                val error = assertThrows<QuorateException>("$name of ${bad.size} bytes") { decode(bad) }
                assertFalse(error.message.isNullOrEmpty())
            }
        }
    }

    @Test
    fun `numbers out of range name the argument`() {
        val wrong =
            mapOf<String, () -> Any?>(
                "signer" to { Vote(example.statement, 65_536, example.votes[0].signature) },
                "kind" to { Statement(256, 0u, 0u, ByteArray(32)) },
                "index" to { committee.weight(-1) },
                "weight" to { Committee(example.chain, 0u, listOf(Member(example.keys[0].verify(), -1))) },
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
        val many = List(Quorate.MAX_MEMBERS + 1) { member }
        assertThrows<QuorateException.BadCommittee> { Committee.fromAttested(example.chain, 0u, many, true) }
        assertThrows<QuorateException.BadCommittee> { Committee(example.chain, 0u, emptyList()) }
        // Messages have no maximum length.
        assertThrows<QuorateException.BadSignature> {
            example.secrets[0].publicKey.verify(huge, example.votes[0].signature)
        }
        assertEquals(32, Wire.hash("quorate test", huge).size)
    }

    @Test
    fun `objects of different suites do not mix`() {
        val other = Example(Suite.ED25519)
        val calls =
            listOf<() -> Any?>(
                { other.votes[0].verify(committee) },
                { other.certificate.verify(committee) },
                { VoteCollector(committee, 1, 7u).add(other.votes[0], Suspects()) },
                { example.secrets[0].publicKey.verify(ByteArray(0), other.votes[0].signature) },
                { UnverifiedKey(example.secrets[0].publicKey, other.keys[0].possession) },
                { Bls.aggregate(listOf(example.votes[0].signature, other.votes[0].signature)) },
                { Bls.aggregate(listOf(other.votes[0].signature)) },
                { Equivocation(example.votes[0], other.votes[0]) },
                { Vote.decode(Suite.ED25519, example.votes[0].encode()) },
                { Committee(example.chain, 0u, listOf(example, other).map { Member(it.keys[0].verify(), 1) }) },
            )
        calls.forEachIndexed { number, call -> assertThrows<QuorateException.WrongContext>("call $number") { call() } }
        other.close()
    }

    @Test
    fun `unverified objects are not accepted`() {
        val forged = Vote(example.statement, 2, example.votes[0].signature)
        assertThrows<QuorateException.BadSignature> { forged.verify(committee) }
        val stolen = UnverifiedKey(example.secrets[0].publicKey, example.keys[1].possession)
        assertThrows<QuorateException.BadPossession> { stolen.verify() }
        assertThrows<QuorateException.NotEvidence> { Equivocation(example.votes[0], example.votes[0]) }
        assertThrows<QuorateException.NotEvidence> { Conflict(example.certificate, example.certificate) }
        assertThrows<QuorateException.UnknownSigner> { committee.signerSet(listOf(0L, 4L)) }
        assertThrows<QuorateException.DuplicateSigner> { committee.signerSet(listOf(1L, 1L)) }
        val elsewhere = Committee(ChainId.fromName("elsewhere"), 0u, example.keys.map { Member(it.verify(), 1) })
        assertThrows<QuorateException> { example.votes[0].verify(elsewhere) }
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
        val twins = List(2) { Member(example.keys[0].verify(), 1) }
        assertThrows<QuorateException.RelatedKeys> { Committee(example.chain, 0u, twins) }
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

    private fun record() =
        Guard(SecretKey.fromBytes(Suite.MIN_SIG, example.secrets[0].toBytes()), example.chain)
            .use { it.sign(committee, example.statement).record }

    private fun path() = Merkle("leaf", "node").let { it.path(it.leaves(List(3) { i -> byteArrayOf(i.toByte()) }), 1) }
}
