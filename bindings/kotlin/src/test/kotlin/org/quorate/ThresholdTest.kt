package org.quorate

import java.io.ByteArrayOutputStream
import java.io.NotSerializableException
import java.io.ObjectOutputStream
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import kotlin.concurrent.thread
import org.junit.jupiter.api.Assertions.assertArrayEquals
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
import org.quorate.threshold.bls.Bls.beacon
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
import org.quorate.threshold.seal.SealingPublicKey
import org.quorate.threshold.tdh2.Ciphertext
import org.quorate.threshold.tdh2.Decryption
import org.quorate.threshold.tdh2.EncryptionKey
import org.quorate.threshold.tdh2.PublicKeys
import org.quorate.threshold.tdh2.ShareFault
import org.quorate.threshold.tdh2.ValidCiphertext
import org.quorate.threshold.coin.PublicKeys as CoinKeys
import org.quorate.threshold.ecdsa.ShareFault as EcdsaFault
import org.quorate.threshold.tdh2.KeyShare as Tdh2KeyShare

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
    fun `any verifier accepts the parties' signature`() {
        for (group in Group.entries) {
            val (parties, cache) = dealt(group) to Cache()
            val tag = parties[0].deal.plan.unagreed(3u, 0)
            val combiner = Combiner(parties[0].signing(tag, message), cache)
            for (party in parties) {
                val (record, share, _) = party.take(tag).sign(guard(), message)
                assertNotNull(record)
                val outcome = combiner.add(party.member, SignatureShare.decode(group, share.encode()))
                assertTrue(outcome.faults.isEmpty() && outcome.wanted.isEmpty())
                assertEquals(party.member >= 2, outcome.signature != null)
            }
            val (key, signature) = parties[0].key to combiner.signature!!
            assertEquals(1, combiner.counts.combinations)
            key.verify(tag, message, signature)
            assertThrows<QuorateException.BadSignature> { key.verify(tag, ByteArray(1), signature) }
            if (group == Group.SECP256K1) {
                key.verifyMessage(message, signature)
                assertEquals(key.toSpkiDer()[0], signature.toDer()[0])
            } else {
                assertThrows<QuorateException.WrongContext> { key.toSpkiDer() }
                assertThrows<QuorateException.WrongContext> { signature.toDer() }
            }
            assertEquals(group, Group.fromName(group.toString()))
        }
    }

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
    fun `after a crash the journal lists spent presignatures`() {
        val party = dealt()[0]
        val (file, tag) = party.toBytes() to party.deal.plan.unagreed(3u, 1)
        val first = party.take(tag).sign(guard(), message)
        val log = GuardRecord.decode(first.record!!.encode())
        val second = again(party, file).take(tag).sign(guard(log), message)
        assertEquals(first.record to first.share, second.record to second.share)
        assertThrows<QuorateException.Contradiction> { again(party, file).take(tag).sign(guard(log), ByteArray(1)) }
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

    @Test
    fun `plans and tags`() {
        val plan = Plan.forAgreement(4)
        assertEquals(4L + Plan.ROUNDS * 17, plan.count)
        assertEquals(plan, Plan.decode(plan.encode()))
        val tags = listOf(plan.prbc(5u, 3), plan.promotion(5u, 0, 0, 1), plan.completion(5u, 0))
        assertEquals(listOf(3L, 4L, 20L), tags.map { it.index })
        assertEquals(plan.prbc(5u, 3), tags[0])
        assertNull(plan.agreement(plan.count))
        assertThrows<QuorateException.Exhausted> { plan.completion(5u, 20) }
        assertThrows<QuorateException.UnknownSigner> { plan.prbc(5u, 4) }
        assertThrows<QuorateException.WrongContext> { plan.agreed(5u, 0) }
        assertThrows<QuorateException.Malformed> { Plan.decode(ByteArray(5)) }
    }

    @Test
    fun `shared BLS keys sign and identify wrong shares`() {
        for (suite in listOf(Suite.MIN_SIG, Suite.MIN_PK)) {
            val shares = org.quorate.threshold.bls.Bls.deal(suite, committee, tolerance, Agreement.AGREED)
            val key = shares[0].key
            assertEquals(Threshold(2, 4) to tolerance, key.threshold to key.tolerance)
            assertNull(key.party(4))
            val combiner = org.quorate.threshold.bls.Combiner(key, message, Cache(2))
            assertThrows<QuorateException.WrongContext> { combiner.add(1, shares[1].sign(ByteArray(1))) }
            // Another member's signature under its own name.
            val (own, theirs) = shares[1].sign(message).encode() to shares[2].sign(message).encode()
            val bytes = own.copyOf(3) + theirs.copyOfRange(3, theirs.size)
            val swapped = org.quorate.threshold.bls.SignatureShare.decode(suite, bytes).attest(message)
            assertNull(combiner.add(1, swapped).signature)
            val fault = combiner.add(0, shares[0].sign(message)).faults.single()
            assertEquals(1, fault.culprit)
            val evidence = org.quorate.threshold.bls.ShareFault.decode(suite, fault.evidence.encode())
            assertEquals(1, evidence.verify(key) { _, _, attestation -> attestation.contentEquals(message) })
            assertThrows<QuorateException.NotEvidence> { evidence.verify(key) { _, _, _ -> false } }
            val signature = combiner.add(3, shares[3].sign(message)).signature!!
            key.public.verify(message, signature)
            assertEquals(32, beacon(signature).size)
        }
        assertThrows<QuorateException.WrongContext> {
            org.quorate.threshold.bls.Bls.deal(Suite.ED25519, committee, tolerance, Agreement.AGREED)
        }
    }

    private fun encrypted(keys: PublicKeys): ValidCiphertext {
        val key = EncryptionKey.fromPublicKeys(keys)
        return Ciphertext.decode(key.encrypt(12u, 3, message).encode()).check(key, 12u, 3)
    }

    @Test
    fun `members decrypt ordered ciphertexts`() {
        val (keys, shares) = PublicKeys.deal(committee, Threshold(2, 4))
        shares.forEach { it.check(keys) }
        val ciphertext = encrypted(keys)
        assertEquals(message.size + EncryptionKey.OVERHEAD, ciphertext.ciphertext.payload.size)
        assertEquals(listOf(12uL, 3), ciphertext.label.run { listOf(epoch, proposer) })
        val decryption = Decryption(keys, ciphertext, Cache())
        assertNull(decryption.add(shares[3].decryptionShare(ciphertext)).output)
        val foreign = shares[0].decryptionShare(encrypted(keys))
        val got = decryption.add(foreign)
        assertTrue(got.output == null && got.error == null && got.faults.single() is ShareFault.Forged)
        assertArrayEquals(message, decryption.add(shares[0].decryptionShare(ciphertext)).output)
        assertTrue(decryption.isDone)
        val verified = listOf(1, 2).map { keys.verifyShare(ciphertext, shares[it].decryptionShare(ciphertext)) }
        assertArrayEquals(message, ciphertext.combine(keys, verified, Cache()))
        assertThrows<QuorateException.BelowQuorum> { ciphertext.combine(keys, verified.take(1)) }
        assertThrows<QuorateException.DuplicateSigner> { ciphertext.combine(keys, listOf(verified[0], verified[0])) }
        val refused = assertThrows<QuorateException.BadShare> { keys.verifyShare(ciphertext, foreign) }
        assertEquals(listOf(0), refused.culprits)
        val key = EncryptionKey.fromPublicKeys(keys).precomputed()
        assertThrows<QuorateException.WrongContext> { ciphertext.ciphertext.check(key, 11u, 3) }
        val bytes = ciphertext.ciphertext.encode().also { it[it.size - 1] = (it.last().toInt() xor 1).toByte() }
        assertThrows<QuorateException.BadCiphertext> { Ciphertext.decode(bytes).check(key, 12u, 3) }
        assertThrows<QuorateException.TooLarge> { key.encrypt(0u, 0, ByteArray(EncryptionKey.MAX_PLAINTEXT + 1)) }
    }

    @Test
    fun `members toss a coin together`() {
        val (keys, shares) = CoinKeys.deal(committee, Threshold(2, 4))
        val coin = Coin.fromName(keys, CoinName(1, 12u, 3u, 0u))
        val toss = CoinCombiner(keys, coin)
        assertNull(toss.add(shares[3].coinShare(coin)).output)
        val value = toss.add(shares[1].coinShare(coin)).output!!
        assertTrue(toss.isDone && value.below(1) == 0 && value.below(0) == null)
        val verified = listOf(0, 2).map { keys.verifyShare(coin, shares[it].coinShare(coin)) }
        assertEquals(value, coin.combine(keys, verified))
        val others = CoinKeys.deal(committee, Threshold(2, 4)).keys
        assertThrows<QuorateException.WrongContext> { CoinCombiner(others, coin) }
        assertThrows<QuorateException.WrongContext> { PublicKeys.decode(keys.encode()) }
    }

    @Test
    fun `only the recipient opens a sealed file`() {
        val (bob, eve) = SealingKey.generate() to SealingKey.generate()
        val content = ByteArray(1_000_003) { it.toByte() }
        val sealed = SealingPublicKey.decode(bob.public.encode()).seal(message, content)
        assertEquals(content.size + SealingPublicKey.OVERHEAD, sealed.size)
        assertArrayEquals(content, bob.open(message, sealed))
        assertArrayEquals(content, SealingKey.fromBytes(bob.toBytes()).open(message, sealed))
        assertThrows<QuorateException.WrongContext> { eve.open(message, sealed) }
        assertThrows<QuorateException.WrongContext> { bob.open(ByteArray(0), sealed) }
        assertThrows<QuorateException.Malformed> { bob.open(message, ByteArray(47)) }
        assertThrows<QuorateException.Infinity> { SealingPublicKey.decode(ByteArray(32)).seal(message, message) }
        assertEquals(0, bob.open(message, bob.public.seal(message, ByteArray(0))).size)
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
    fun `truncations and huge length fields are refused`() {
        val (keys, shares) = PublicKeys.deal(committee, Threshold(2, 4))
        val (ciphertext, party) = encrypted(keys) to dealt()[0]
        val file = dealt()[1].toBytes()
        val share = party.take(party.deal.plan.unagreed(3u, 0)).sign(guard(), message).share
        val decoders = mapOf<String, Pair<ByteArray, (ByteArray) -> Any>>(
            "keys" to (keys.encode() to { PublicKeys.decode(it) }),
            "key share" to (shares[0].toBytes() to { Tdh2KeyShare.fromBytes(it) }),
            "ciphertext" to (ciphertext.ciphertext.encode() to { Ciphertext.decode(it) }),
            "share" to (share.encode() to { SignatureShare.decode(Group.SECP256K1, it) }),
            "deal" to (party.deal.encode() to { Deal.decode(it) }),
            "file" to (file to { Presignatures.fromBytes(Group.SECP256K1, it) }),
            "sealing key" to (ByteArray(32) to { SealingKey.fromBytes(it) }),
        )
        for ((name, way) in decoders) {
            val (good, decode) = way
            decode(good)
            for (bad in listOf(ByteArray(0), good.copyOf(good.size - 1), good + 0, ByteArray(8) { -1 }, ByteArray(1 shl 20))) {
                assertThrows<QuorateException>("$name of ${bad.size} bytes") { decode(bad) }
            }
        }
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
