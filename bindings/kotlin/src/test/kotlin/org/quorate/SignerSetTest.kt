package org.quorate

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows

/** A list of members has the same meaning in all languages: each member of the committee at most once. */
class SignerSetTest {
    @Test
    fun `each member is listed once`() {
        assertEquals(listOf(1, 3), SignerSet(4, listOf(3, 1)).toList())
        assertEquals(1L, assertThrows<QuorateException.DuplicateSigner> { SignerSet(4, listOf(1, 1)) }.index)
        assertThrows<IllegalArgumentException> { SignerSet(-1, listOf()) }
    }

    @Test
    fun `an endless list is refused`() {
        assertThrows<QuorateException.DuplicateSigner> { SignerSet(4, Iterable { generateSequence { 2 }.iterator() }) }
        assertEquals(4L, assertThrows<QuorateException.UnknownSigner> { SignerSet(4, 0..Int.MAX_VALUE) }.index)
        SecretKey.generate(Suite.ED25519).use { secret ->
            val committee = Committee(ChainId.fromName("sets"), 0u, listOf(Member(VerifiedKey.fromSecret(secret), 1)))
            val endless = Iterable { generateSequence { 0L }.iterator() }
            assertThrows<QuorateException.DuplicateSigner> { committee.signerSet(endless) }
        }
    }
}
