package org.quorate

import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows

/** What only Kotlin has of other chains' signatures: suspending calls, iterables, verdicts. */
class OtherChainsTest {
    private val message = "block 17".toByteArray()

    @Test
    fun `messages of members are any iterable and can be awaited`() = runBlocking<Unit> {
        val example = Example(Suite.ED25519)
        val committee = example.committee
        val votes = listOf(0, 2, 3).map { it to "vote $it".toByteArray() }
        val proof = votes.map { (member, text) -> example.secrets[member].sign(text).encode() }.reduce(ByteArray::plus)
        assertEquals(3, committee.awaitVerifyRawEach(votes, proof).toInt())
        val endless = Iterable { generateSequence { 1 to message }.iterator() }
        assertThrows<QuorateException.DuplicateSigner> { committee.verifyRawEach(endless, proof) }
    }

    @Test
    fun `verdicts are values`() = runBlocking<Unit> {
        val example = Example(Suite.ED25519)
        val good = RawClaim(message, SignerSet(4, listOf(0)), example.secrets[0].sign(message).encode())
        val claims = listOf(good, RawClaim(ByteArray(1), good.second, good.third))
        val committee = example.committee
        for (verdicts in listOf(committee.verifyRawBatch(claims), committee.awaitVerifyRawBatch(claims))) {
            val found = verdicts.map {
                when (it) {
                    is Verdict.Valid -> it.value.toInt()
                    is Verdict.Invalid -> it.error.code
                }
            }
            assertEquals(listOf<Any>(1, "BAD_SIGNATURE"), found)
        }
        good.second.close()
        assertThrows<QuorateException.Closed> { committee.verifyRawBatch(claims) }
    }
}
