package org.quorate

import java.io.ByteArrayOutputStream
import java.io.NotSerializableException
import java.io.ObjectOutputStream
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import kotlin.concurrent.thread
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNotEquals
import org.junit.jupiter.api.Assertions.assertNotNull
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.quorate.threshold.Agreement
import org.quorate.threshold.Cache
import org.quorate.threshold.Group
import org.quorate.threshold.Threshold
import org.quorate.threshold.Tolerance
import org.quorate.threshold.coin.Coin
import org.quorate.threshold.coin.CoinCombiner
import org.quorate.threshold.coin.CoinName
import org.quorate.threshold.ecdsa.Combiner
import org.quorate.threshold.ecdsa.Deal
import org.quorate.threshold.ecdsa.Plan
import org.quorate.threshold.ecdsa.Presignatures
import org.quorate.threshold.ecdsa.SignatureShare
import org.quorate.threshold.ecdsa.TrustedDealer
import org.quorate.threshold.seal.SealingKey
import org.quorate.threshold.tdh2.Ciphertext
import org.quorate.threshold.tdh2.Decryption
import org.quorate.threshold.tdh2.EncryptionKey
import org.quorate.threshold.tdh2.PublicKeys
import org.quorate.threshold.tdh2.ValidCiphertext
import org.quorate.threshold.coin.PublicKeys as CoinKeys
import org.quorate.threshold.ecdsa.ShareFault as EcdsaFault

/** Single-use values sign once, senders of wrong shares are identified, and no call crashes. */
class ThresholdTest {
    private val committee = CommitteeId.fromBytes(ByteArray(32) { 7 })
    private val chain = ChainId.fromName("tests")
    private val tolerance = Tolerance(4, 1)
    private val message = "message".toByteArray()

    private fun guard(vararg records: GuardRecord): Guard =
        Guard.restore(SecretKey.fromBytes(Suite.ED25519, ByteArray(32) { 1 }), chain, records.toList())

    private fun dealt(group: Group = Group.SECP256K1, plan: Plan = Plan.forUnagreed(4)): List<Presignatures> =
        TrustedDealer(group, committee, tolerance).use { it.deal(3u, plan) }

    private fun again(party: Presignatures, file: ByteArray) = Presignatures.fromBytes(party.group, file)

    @Test
    fun `a presignature signs only once`() {
        val (party, guard) = dealt()[0] to guard()
        val tag = party.deal.plan.unagreed(3u, 1)
        val presignature = party.take(tag)
        assertEquals(Agreement.UNAGREED, presignature.agreement)
        presignature.sign(guard, message)
        val tries = listOf<() -> Any?>(
            { presignature.sign(guard, message) },
            { presignature.sign(guard, ByteArray(1)) },
            { party.take(tag) },
            { party.toBytes() },
        )
        tries.forEachIndexed { number, call -> assertThrows<QuorateException.Exhausted>("try $number") { call() } }
        val file = dealt()[1].toBytes()
        assertFalse(file.all { it == 0.toByte() })
    }

    @Test
    fun `a reserved block needs no records, a crash burns it`() {
        val (party, guard) = dealt()[0] to guard()
        val (file, plan, key) = Triple(party.toBytes(), party.deal.plan, party.key.id)
        val reservation = guard.reserve(key, 3u, 0)
        assertNotNull(party.take(plan.unagreed(3u, 0)).sign(guard, message).record, "not confirmed yet")
        guard.confirm(reservation)
        assertNull(party.take(plan.unagreed(3u, 1)).sign(guard, message).record)
        val afterwards = again(party, file).take(plan.unagreed(3u, 2))
        assertThrows<QuorateException.Exhausted> { afterwards.sign(guard(reservation), message) }
        assertThrows<QuorateException.WrongContext> { guard.confirm(guard.closeEpoch(key, 3u)) }
        assertThrows<QuorateException.Exhausted> { guard.reserve(key, 3u, 0) }
        assertThrows<QuorateException.Malformed> { guard.reserve(ByteArray(31), 3u, 0) }
        assertThrows<IllegalArgumentException> { guard.reserve(key, 3u, -1) }
    }

    @Test
    fun `a destroyed epoch never signs again`() {
        val (party, guard) = dealt()[0] to guard()
        val (file, tag) = party.toBytes() to party.deal.plan.unagreed(3u, 0)
        val record = party.destroy(guard)
        assertTrue(record in guard.records)
        for (call in listOf<() -> Any?>({ party.take(tag) }, { party.left }, { party.destroy(guard) })) {
            assertThrows<QuorateException.Exhausted> { call() }
        }
        assertThrows<QuorateException.Exhausted> { again(party, file).take(tag).sign(guard(record), message) }
    }

    @Test
    fun `of several threads only one signs with a presignature`() {
        val (party, guard) = dealt(plan = Plan.forAgreed(20))[0] to guard()
        for (number in 0L until 20) {
            val presignature = party.take(party.deal.plan.agreed(3u, number))
            val (start, outcomes) = CountDownLatch(1) to ConcurrentLinkedQueue<String>()
            val threads = List(4) { each ->
                thread {
                    start.await()
                    val outcome = runCatching { presignature.sign(guard, ByteArray(1) { each.toByte() }) }
                    outcomes += (outcome.exceptionOrNull() as QuorateException?)?.code ?: "signed"
                }
            }
            start.countDown()
            threads.forEach { it.join() }
            assertEquals(List(3) { "EXHAUSTED" } + "signed", outcomes.sorted())
        }
    }

    @Test
    fun `a wrong share yields transferable evidence`() {
        val parties = dealt(Group.RISTRETTO255)
        val (tag, deal, key) = Triple(parties[0].deal.plan.unagreed(3u, 0), parties[0].deal, parties[0].key)
        val signed = parties.map { it.take(tag).sign(guard(), message) }
        val bytes = signed[1].share.encode().also { it[it.size - 5] = (it[it.size - 5].toInt() xor 1).toByte() }
        val bad = SignatureShare.decode(Group.RISTRETTO255, bytes).attest(message)
        assertNotEquals(signed[1].share, bad)
        val combiner = Combiner(parties[0].signing(tag, message))
        assertThrows<QuorateException.WrongContext>("another party's share") { combiner.add(0, signed[2].share) }
        combiner.add(0, signed[0].share)
        combiner.add(1, bad)
        val outcome = combiner.add(2, signed[2].share)
        assertNull(outcome.signature)
        assertEquals(listOf(0, 1, 2), outcome.wanted.sorted())
        val fault = (0..2).flatMap { combiner.open(it, signed[it].opener.open()).faults }.single()
        assertEquals(1, fault.culprit)
        combiner.add(3, signed[3].share)
        assertNotNull(combiner.signature)
        val evidence = EcdsaFault.decode(Group.RISTRETTO255, fault.evidence.encode())
        assertEquals(bad, evidence.share)
        val asked = mutableListOf<Int>()
        val culprit = evidence.verify(key, Deal.decode(deal.encode())) { member, data, attestation ->
            asked += member
            data.contentEquals(bad.attestedBytes()) && attestation.contentEquals(message)
        }
        assertEquals(listOf(1) to 1, asked to culprit)
        assertThrows<QuorateException.NotEvidence> { evidence.verify(key, deal) { _, _, _ -> false } }
        assertThrows<IllegalStateException> { evidence.verify(key, deal) { _, _, _ -> error("mine") } }
        assertThrows<QuorateException.TooLarge> { bad.attest(ByteArray(8193)) }
    }

    private fun encrypted(keys: PublicKeys): ValidCiphertext {
        val key = EncryptionKey.fromPublicKeys(keys)
        return Ciphertext.decode(key.encrypt(12u, 3, message).encode()).check(key, 12u, 3)
    }

    @Test
    fun `closed secrets refuse every use and are never printed`() {
        val dealer = TrustedDealer(Group.SECP256K1, committee, tolerance)
        val party = dealer.deal(3u, Plan.forAgreed(3))[0]
        val tag = party.deal.plan.agreed(3u, 0)
        val opener = party.take(party.deal.plan.agreed(3u, 1)).sign(guard(), message).opener
        val presignature = party.take(party.deal.plan.agreed(3u, 2))
        val (keys, shares) = PublicKeys.deal(committee, Threshold(2, 4))
        val (coins, coinShares) = CoinKeys.deal(committee, Threshold(2, 4))
        val (ciphertext, coin) = encrypted(keys) to Coin.fromName(coins, CoinName(1, 1u, 1u, 1u))
        assertEquals(coin.name, CoinName.decode(coin.name.encode()))
        val bls = org.quorate.threshold.bls.Bls.deal(Suite.MIN_SIG, committee, tolerance, Agreement.AGREED)[0]
        val sealing = SealingKey.generate()
        val secrets = mapOf<NativeObject, List<() -> Any?>>(
            dealer to listOf({ dealer.toBytes() }, { dealer.deal(4u, Plan.forAgreed(1)) }, { dealer.key }),
            party to listOf({ party.toBytes() }, { party.left }, { party.take(tag) }, { party.member }),
            presignature to listOf({ presignature.sign(guard(), message) }),
            opener to listOf({ opener.open() }),
            shares[0] to listOf({ shares[0].toBytes() }, { shares[0].decryptionShare(ciphertext) }),
            coinShares[0] to listOf({ coinShares[0].toBytes() }, { coinShares[0].coinShare(coin) }),
            bls to listOf({ bls.toBytes() }, { bls.sign(message) }),
            sealing to listOf({ sealing.toBytes() }, { sealing.open(message, ByteArray(48)) }),
        )
        val hidden = listOf(dealer.toBytes(), sealing.toBytes()).map { it.asHex() } + shares[0].toBytes().asHex().takeLast(64)
        for ((secret, uses) in secrets) {
            assertTrue(hidden.none { it.take(16) in secret.toString() }, secret.toString())
            assertThrows<NotSerializableException> { ObjectOutputStream(ByteArrayOutputStream()).writeObject(secret) }
            secret.close()
            secret.close()
            assertEquals("${secret.javaClass.simpleName}(closed)", secret.toString())
            uses.forEachIndexed { number, use ->
                assertThrows<QuorateException.Closed>("${secret.javaClass.simpleName} $number") { use() }
            }
        }
        // As an argument.
        keys.close()
        assertThrows<QuorateException.Closed> { Decryption(keys, ciphertext) }
        val cache = Cache().also { it.close() }
        assertThrows<QuorateException.Closed> { CoinCombiner(coins, coin, cache) }
    }

    @Test
    fun `numbers out of range name the argument`() {
        val keys = PublicKeys.deal(committee, Threshold(2, 4)).keys
        val wrong = mapOf<String, () -> Any?>(
            "needed" to { Threshold(-1, 4) },
            "parties" to { Tolerance(65_536, 1) },
            "faulty" to { Tolerance(4, -1) },
            "capacity" to { Cache(-1) },
            "member" to { keys.verificationKey(-1) },
            "proposer" to { EncryptionKey.fromPublicKeys(keys).encrypt(0u, 65_536, message) },
            "count" to { Plan.forAgreed(1L shl 32) },
            "rounds" to { Plan.forAgreement(4, -1) },
            "protocol" to { CoinName(256, 0u, 0u, 0u) },
            "number" to { Group.fromNumber(-1) },
        )
        for ((argument, call) in wrong) {
            val error = assertThrows<IllegalArgumentException>(argument) { call() }
            assertEquals(argument, error.message!!.substringBefore(' '))
        }
        assertThrows<QuorateException.WrongContext> { Group.fromName("p256") }
        val committees = listOf<() -> Any>({ Threshold(0, 4) }, { Threshold(5, 4) }, { Tolerance(3, 1) }, { Threshold(1, 1025) })
        committees.forEach { assertThrows<QuorateException.BadCommittee> { it() } }
        assertEquals(1024, Threshold.MAX_PARTIES)
    }

    @Test
    fun `threads share collectors and a cache, closing is safe`() {
        val (keys, shares) = CoinKeys.deal(committee, Threshold(3, 7))
        val (cache, failures) = Cache(2) to ConcurrentLinkedQueue<Throwable>()
        val threads = List(8) { number ->
            thread {
                runCatching {
                    val coin = Coin.fromName(keys, CoinName(1, 1u, number.toULong(), 0u))
                    val toss = CoinCombiner(keys, coin, cache)
                    val outputs = shares.map { toss.add(it.coinShare(coin)).output }
                    assertEquals(1, outputs.count { it != null })
                    if (number == 0) cache.close()
                }.onFailure { if (it !is QuorateException.Closed) failures += it }
            }
        }
        threads.forEach { it.join() }
        failures.firstOrNull()?.let { throw it }
    }
}
