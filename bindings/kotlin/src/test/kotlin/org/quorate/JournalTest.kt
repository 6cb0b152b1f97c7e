package org.quorate

import java.nio.file.Files
import java.nio.file.Path
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.api.io.TempDir

/** A guard with a journal, and Ethereum's slashing protection, on the disk. */
class JournalTest {
    private val chain = ChainId.fromName("journal")
    private val root = ByteArray(32) { 4 }

    private fun secret(
        suite: Suite = Suite.ED25519,
        byte: Byte = 7,
    ) = SecretKey.fromBytes(suite, ByteArray(32) { byte })

    private val committee = Committee(chain, 0u, listOf(Member(VerifiedKey.fromSecret(secret()), 1)))

    private fun statement(
        view: ULong,
        value: Byte,
    ) = committee.statement(1, view, ByteArray(32) { value })

    @Test
    fun `a journal survives restarts`(
        @TempDir folder: Path,
    ) {
        val path = folder.resolve("key").toString()
        assertThrows<QuorateException.JournalMissing> { JournaledGuard.open(path, secret(), chain) }
        val vote =
            JournaledGuard.create(path, secret(), chain).use { guard ->
                val vote = guard.sign(committee, statement(5u, 1))
                assertEquals(4uL, guard.signTimeout(committee, 2, 5u, 4u).value)
                assertEquals(5uL, guard.last(1)?.view)
                assertThrows<QuorateException.JournalInUse> { JournaledGuard.open(path, secret(), chain) }
                vote
            }
        assertThrows<QuorateException.JournalExists> { JournaledGuard.create(path, secret(), chain) }
        assertThrows<QuorateException.WrongContext> { JournaledGuard.open(path, secret(byte = 8), chain) }
        JournaledGuard.open(path, secret(), chain).use { guard ->
            assertThrows<QuorateException.Contradiction> { guard.sign(committee, statement(5u, 2)) }
            assertTrue(guard.sign(committee, statement(5u, 1)).encode().contentEquals(vote.encode()))
        }
    }

    @Test
    fun `a damaged journal is recovered`(
        @TempDir folder: Path,
    ) {
        val path = folder.toString()
        JournaledGuard.create(path, secret(), chain).use { it.sign(committee, statement(5u, 1)) }
        val journal = folder.resolve("guard.journal")
        val content = Files.readAllBytes(journal)
        content[100] = (content[100].toInt() xor 1).toByte()
        Files.write(journal, content)
        assertThrows<QuorateException.JournalDamaged> { JournaledGuard.open(path, secret(), chain) }
        JournaledGuard.recover(path, secret(), chain, 10u).use { guard ->
            assertTrue(guard.isStale())
            assertThrows<QuorateException.Contradiction> { guard.sign(committee, statement(10u, 1)) }
            guard.sign(committee, statement(11u, 1))
        }
    }

    @Test
    fun `a validator moves to another client`(
        @TempDir folder: Path,
    ) {
        val key = secret(Suite.MIN_PK)
        val public = key.publicKey
        val exported =
            SlashingProtection.create(folder.resolve("old").toString(), root).use { old ->
                assertThrows<QuorateException.WrongContext> { old.signBlock(key, 1u, root) }
                old.addKey(public)
                val signature = old.signAttestation(key, 3u, 4u, root)
                public.verifyWith(Ciphersuite.proofOfPossession(), root, signature)
                old.signBlock(key, 9u, root)
                assertThrows<QuorateException.Contradiction> { old.recordAttestation(public, 2u, 5u, root) }
                old.exportInterchange()
            }
        SlashingProtection.create(folder.resolve("new").toString(), root).use { new ->
            new.importInterchange(exported.encodeToByteArray())
            assertEquals(exported, new.exportInterchange())
            assertThrows<QuorateException.Contradiction> { new.recordBlock(public, 9u, ByteArray(32)) }
            new.recordBlock(public, 9u, root)
        }
        SlashingProtection.recover(folder.resolve("lost").toString(), root, listOf(public), 320u, 10u).use { lost ->
            assertThrows<QuorateException.Contradiction> { lost.recordBlock(public, 320u, root) }
            lost.recordAttestation(public, 10u, 11u, root)
        }
    }
}
