package org.quorate

import java.io.ByteArrayOutputStream
import java.io.NotSerializableException
import java.io.ObjectOutputStream
import org.junit.jupiter.api.Assertions.assertEquals
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
import org.quorate.threshold.bls.Bls
import org.quorate.threshold.ecdsa.Plan
import org.quorate.threshold.ecdsa.TrustedDealer
import org.quorate.threshold.seal.SealingKey
import org.quorate.threshold.tdh2.Ciphertext
import org.quorate.threshold.tdh2.Decryption
import org.quorate.threshold.tdh2.EncryptionKey
import org.quorate.threshold.tdh2.PublicKeys
import org.quorate.threshold.tdh2.ValidCiphertext
import org.quorate.threshold.coin.PublicKeys as CoinKeys

/** What only Kotlin has of the threshold blocks: closing. */
class ThresholdTest {
    private val committee = CommitteeId.fromBytes(ByteArray(32) { 7 })
    private val chain = ChainId.fromName("tests")
    private val tolerance = Tolerance(4, 1)
    private val message = "message".toByteArray()

    private fun guard(): Guard = Guard(SecretKey.fromBytes(Suite.ED25519, ByteArray(32) { 1 }), chain)

    private fun encrypted(keys: PublicKeys): ValidCiphertext {
        val key = EncryptionKey.fromPublicKeys(keys)
        return Ciphertext.decode(key.encrypt(12u, 3, message).encode()).check(key, 12u, 3)
    }

    @Test
    fun `secrets are never printed, and closed ones are no arguments`() {
        val dealer = TrustedDealer(Group.SECP256K1, committee, tolerance)
        val party = dealer.deal(3u, Plan.forAgreed(3))[0]
        val opener = party.take(party.deal.plan.agreed(3u, 1)).sign(guard(), message).opener
        val presignature = party.take(party.deal.plan.agreed(3u, 2))
        val (keys, shares) = PublicKeys.deal(committee, Threshold(2, 4))
        val (coins, coinShares) = CoinKeys.deal(committee, Threshold(2, 4))
        val (ciphertext, coin) = encrypted(keys) to Coin.fromName(coins, CoinName(1, 1u, 1u, 1u))
        assertEquals(coin.name, CoinName.decode(coin.name.encode()))
        val bls = Bls.deal(Suite.MIN_SIG, committee, tolerance, Agreement.AGREED)[0]
        val sealing = SealingKey.generate()
        val hidden = listOf(dealer.toBytes(), sealing.toBytes()).map { it.asHex() } + shares[0].toBytes().asHex().takeLast(64)
        for (secret in listOf<NativeObject>(dealer, party, presignature, opener, shares[0], coinShares[0], bls, sealing)) {
            assertTrue(hidden.none { it.take(16) in secret.toString() }, secret.toString())
            assertThrows<NotSerializableException> { ObjectOutputStream(ByteArrayOutputStream()).writeObject(secret) }
            refusesEveryUse(secret)
        }
        // As an argument.
        keys.close()
        assertThrows<QuorateException.Closed> { Decryption(keys, ciphertext) }
        val cache = Cache().also { it.close() }
        assertThrows<QuorateException.Closed> { CoinCombiner(coins, coin, cache) }
    }
}
