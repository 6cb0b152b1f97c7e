package org.quorate

import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.EnumSource

/** Signatures of other chains, with a message per member and in batches. Headers of encodings. */
class OtherChainsTest {
    private val message = "block 17".toByteArray()

    private fun proof(signatures: List<Signature>): ByteArray =
        if (signatures[0].suite == Suite.ED25519) signatures.map { it.encode() }.reduce(ByteArray::plus)
        else Bls.aggregate(signatures).encode()

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
        assertEquals("signed", named.message!!.substringBefore(' '))
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
                RawClaim(good.first, SignerSet.full(3), good.third),
                RawClaim(good.first, good.second, message),
                claim(listOf(1, 3), "b", "b"),
            )
        val expected = listOf<Any>(3, "BAD_SIGNATURE", "WRONG_CONTEXT", "MALFORMED", 2)
        val committee = example.committee
        for (verdicts in listOf(committee.verifyRawBatch(claims), committee.awaitVerifyRawBatch(claims))) {
            val found = verdicts.map {
                when (it) {
                    is Verdict.Valid -> it.value.toInt()
                    is Verdict.Invalid -> it.error.code
                }
            }
            assertEquals(expected, found)
            val bad = assertThrows<QuorateException.BadSignature> { verdicts[1].getOrThrow() }
            assertEquals(if (suite == Suite.ED25519) three else listOf(), bad.culprits)
        }
        assertEquals(listOf<Verdict<java.math.BigInteger>>(), committee.verifyRawBatch(listOf()))
        good.second.close()
        assertThrows<QuorateException.Closed> { committee.verifyRawBatch(claims) }
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
