package org.quorate

import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNotEquals
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.EnumSource

/** Signatures of other chains: under any ciphersuite, with a message per member, in batches. Headers of encodings. */
class OtherChainsTest {
    private val default = Ciphersuite.proofOfPossession()
    private val ciphersuites =
        listOf(
            Ciphersuite.basic(),
            Ciphersuite.messageAugmentation(),
            default,
            Ciphersuite.custom("CHAIN_V1".toByteArray()),
        )
    private val message = "block 17".toByteArray()

    private fun proof(signatures: List<Signature>): ByteArray =
        if (signatures[0].suite == Suite.ED25519) signatures.map { it.encode() }.reduce(ByteArray::plus)
        else Bls.aggregate(signatures).encode()

    @ParameterizedTest
    @EnumSource(names = ["MIN_SIG", "MIN_PK"])
    fun `a signature verifies under its own ciphersuite only`(suite: Suite) = runBlocking<Unit> {
        val example = Example(suite)
        val signers = SignerSet(4, listOf(0, 2))
        for (signed in ciphersuites) {
            val signatures = listOf(0, 2).map { example.secrets[it].signWith(signed, message) }
            assertEquals(signed == default, signatures[0] == example.secrets[0].sign(message))
            for (other in ciphersuites) {
                val verify = {
                    example.secrets[0].publicKey.verifyWith(other, message, signatures[0])
                    example.committee.withCiphersuite(other).verifyRaw(message, signers, proof(signatures)).toInt()
                }
                if (other == signed) assertEquals(2, verify())
                else assertThrows<QuorateException.BadSignature> { verify() }
            }
            example.secrets[0].publicKey.awaitVerifyWith(signed, message, signatures[0])
        }
    }

    @ParameterizedTest
    @EnumSource
    fun `only BLS has ciphersuites`(suite: Suite) {
        val example = Example(suite)
        val basic = Ciphersuite.basic()
        val (secret, key) = example.secrets[0] to example.secrets[0].publicKey
        val signature = secret.signWith(default, message)
        key.verifyWith(default, message, signature)
        example.committee.withCiphersuite(default)
        if (suite == Suite.MIN_SIG || suite == Suite.MIN_PK) return
        assertThrows<QuorateException.WrongContext> { secret.signWith(basic, message) }
        assertThrows<QuorateException.WrongContext> { key.verifyWith(basic, message, signature) }
        assertThrows<QuorateException.WrongContext> { example.committee.withCiphersuite(basic) }
    }

    @Test
    fun `the committee stays usable and statements are not affected`() {
        val example = Example(Suite.MIN_SIG)
        val basic = example.committee.withCiphersuite(Ciphersuite.basic())
        assertEquals(example.committee, basic)
        example.votes[0].verify(basic)
        Certificate.decode(example.certificate.encode(), basic).verify(example.committee)
        val sum = proof(example.secrets.map { it.sign(message) })
        assertEquals(4, example.committee.verifyRaw(message, SignerSet.full(4), sum).toInt())
        basic.close()
        assertEquals(4, example.committee.verifyRaw(message, SignerSet.full(4), sum).toInt())
        // A signature of another chain is never a vote.
        val bytes = example.statement.signedBytes(example.committee.id)
        val forged = Vote(example.statement, 0, example.secrets[0].signWith(Ciphersuite.basic(), bytes))
        assertThrows<QuorateException.BadSignature> { forged.verify(example.committee) }
    }

    @ParameterizedTest
    @EnumSource(names = ["MIN_SIG", "MIN_PK", "ED25519"])
    fun `each member signs its own message`(suite: Suite) = runBlocking<Unit> {
        val example = Example(suite)
        val committee = example.committee
        val votes = listOf(0, 2, 3).map { it to "vote $it".toByteArray() }
        val proof = proof(votes.map { (member, text) -> example.secrets[member].sign(text) })
        assertEquals(3, committee.verifyRawEach(votes, proof).toInt())
        assertEquals(3, committee.awaitVerifyRawEach(votes, proof).toInt())
        val swapped = listOf(votes[0], 2 to votes[2].second, 3 to votes[1].second)
        val bad = assertThrows<QuorateException.BadSignature> { committee.verifyRawEach(swapped, proof) }
        assertEquals(if (suite == Suite.ED25519) listOf(2, 3) else listOf(), bad.culprits)
        val of = { members: List<Int> -> members.map { it to message } }
        assertThrows<QuorateException.DuplicateSigner> { committee.verifyRawEach(of(listOf(0, 3, 2)), proof) }
        assertThrows<QuorateException.DuplicateSigner> { committee.verifyRawEach(of(listOf(0, 2, 2)), proof) }
        assertThrows<QuorateException.UnknownSigner> { committee.verifyRawEach(of(listOf(0, 2, 4)), proof) }
        val none = if (suite == Suite.ED25519) ByteArray(0) else proof
        assertThrows<QuorateException.BelowQuorum> { committee.verifyRawEach(listOf(), none) }
        val endless = Iterable { generateSequence { 1 to message }.iterator() }
        assertThrows<QuorateException.DuplicateSigner> { committee.verifyRawEach(endless, proof) }
        val named = assertThrows<IllegalArgumentException> { committee.verifyRawEach(of(listOf(-1)), proof) }
        assertEquals("member", named.message!!.substringBefore(' '))
    }

    @ParameterizedTest
    @EnumSource(names = ["MIN_SIG", "MIN_PK", "ED25519"])
    fun `a batch gives each claim its own verdict`(suite: Suite) = runBlocking<Unit> {
        val example = Example(suite)
        val claim = { members: List<Int>, text: String, signed: String ->
            val signatures = members.map { example.secrets[it].sign(signed.toByteArray()) }
            RawClaim(text.toByteArray(), SignerSet(4, members), proof(signatures))
        }
        val three = listOf(0, 1, 2)
        val good = claim(three, "a", "a")
        val claims =
            listOf(
                good,
                claim(three, "x", "c"),
                RawClaim(good.message, SignerSet.full(3), good.proof),
                RawClaim(good.message, good.signers, message),
                claim(listOf(1, 3), "b", "b"),
            )
        val expected = listOf<Any>(3, "BAD_SIGNATURE", "WRONG_CONTEXT", "MALFORMED", 2)
        val committee = example.committee
        for (verdicts in listOf(committee.verifyRawBatch(claims), committee.awaitVerifyRawBatch(claims))) {
            val found = verdicts.map {
                when (it) {
                    is RawVerdict.Valid -> it.weight.toInt()
                    is RawVerdict.Invalid -> it.error.code
                }
            }
            assertEquals(expected, found)
            val bad = assertThrows<QuorateException.BadSignature> { verdicts[1].getOrThrow() }
            assertEquals(if (suite == Suite.ED25519) three else listOf(), bad.culprits)
        }
        assertEquals(listOf<RawVerdict>(), committee.verifyRawBatch(listOf()))
        good.signers.close()
        assertThrows<QuorateException.Closed> { committee.verifyRawBatch(claims) }
        assertEquals("RawClaim(1 bytes, SignerSet(closed))", good.toString())
    }

    @Test
    fun `ciphersuites are values`() {
        for (ciphersuite in ciphersuites) assertEquals(ciphersuite, Ciphersuite.decode(ciphersuite.encode()))
        assertEquals(4, ciphersuites.toSet().size)
        assertNotEquals(Ciphersuite.custom(byteArrayOf(1)), Ciphersuite.custom(byteArrayOf(2)))
        assertEquals("Ciphersuite(custom \"CHAIN_V1\")", ciphersuites[3].toString())
        assertThrows<QuorateException.Malformed> { Ciphersuite.custom(ByteArray(0)) }
        assertThrows<QuorateException.TooLarge> { Ciphersuite.custom(ByteArray(256)) }
        // The default, as a custom tag.
        val own = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_".toByteArray()
        assertThrows<QuorateException.NonCanonical> { Ciphersuite.custom(own) }
        assertThrows<QuorateException.Malformed> { Ciphersuite.decode(byteArrayOf(4)) }
    }

    @ParameterizedTest
    @EnumSource
    fun `the header says which committee an encoding names`(suite: Suite) {
        val example = Example(suite)
        for (bytes in listOf(example.votes[0].encode(), example.certificate.encode(), example.timeouts[0].encode())) {
            val header = UntrustedHeader.peek(bytes)
            assertEquals(listOf(suite, 1, 0uL, 7uL), listOf(header.suite, header.kind, header.epoch, header.view))
            assertEquals(header, UntrustedHeader.decode(header.encode()))
            assertThrows<QuorateException.Malformed> { UntrustedHeader.peek(bytes.copyOf(17)) }
            assertThrows<QuorateException.WrongContext> { UntrustedHeader.peek(byteArrayOf(-1) + bytes.drop(1)) }
        }
    }
}
