package org.quorate

import com.google.gson.JsonElement
import com.google.gson.JsonObject
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.quorate.threshold.Threshold
import org.quorate.threshold.coin.Coin
import org.quorate.threshold.coin.CoinCombiner
import org.quorate.threshold.coin.CoinName
import org.quorate.threshold.coin.CoinShare
import org.quorate.threshold.coin.CoinValue
import org.quorate.threshold.tdh2.Ciphertext
import org.quorate.threshold.tdh2.Decryption
import org.quorate.threshold.tdh2.DecryptionShare
import org.quorate.threshold.tdh2.EncryptionKey
import org.quorate.threshold.tdh2.ValidCiphertext
import org.quorate.threshold.coin.KeyShare as CoinKeyShare
import org.quorate.threshold.coin.PublicKeys as CoinKeys
import org.quorate.threshold.coin.ShareFault as CoinFault
import org.quorate.threshold.coin.WrongShare as CoinWrongShare
import org.quorate.threshold.tdh2.KeyShare as Tdh2KeyShare
import org.quorate.threshold.tdh2.PublicKeys as Tdh2Keys
import org.quorate.threshold.tdh2.ShareFault as Tdh2Fault
import org.quorate.threshold.tdh2.WrongShare as Tdh2WrongShare

/** Vector operations of threshold encryption and of the coin. */
internal object DleqOperations {
    fun run(operation: String, input: JsonObject): JsonElement =
        if (operation.startsWith("tdh2.")) tdh2(operation, input) else coin(operation, input)

    internal fun <T : EncodedObject> again(bytes: ByteArray, value: T): T {
        assertArrayEquals(bytes, value.encode(), "decoded, but encodes to something else")
        return value
    }

    private fun keyFields(committee: CommitteeId, key: ByteArray, threshold: Threshold) =
        json(
            "committee" to committee,
            "key" to key,
            "needed" to threshold.needed,
            "parties" to threshold.parties,
        )

    private fun fault(member: Int, evidence: EncodedObject?) = json("member" to member, "evidence" to evidence?.encode())

    private fun outcome(output: Any?, culprits: List<Int>) = json("output" to output, "faults" to culprits)

    // ---------------------------------------------------------------------------------------------------------- tdh2

    private fun tdh2Faults(faults: List<Tdh2Fault>) =
        faults.map { fault(it.member, (it as? Tdh2Fault.Proven)?.evidence) }

    private fun tdh2(operation: String, input: JsonObject): JsonElement {
        if (operation == "tdh2.encryption_key") {
            val bytes = input.bytes("encryption_key")
            val key = again(bytes, EncryptionKey.decode(bytes))
            return json("committee" to key.committee, "key" to key.key)
        }
        if (operation == "tdh2.key_share") {
            val share = Tdh2KeyShare.fromBytes(input.bytes("key_share"))
            assertArrayEquals(input.bytes("key_share"), share.toBytes())
            share.check(tdh2Keys(input))
            return json("member" to share.member, "verification_key" to share.verificationKey)
        }
        val keys = tdh2Keys(input)
        return when (operation) {
            "tdh2.keys" -> keyFields(keys.committee, keys.key, keys.threshold)
            "tdh2.wrong_share" -> {
                val bytes = input.bytes("evidence")
                json("culprit" to again(bytes, Tdh2WrongShare.decode(bytes)).verify(keys))
            }
            "tdh2.encrypt" -> encrypt(keys, input)
            "tdh2.check" -> json("id" to valid(keys, input).id)
            "tdh2.share" -> {
                // The randomness cannot be chosen: this verifies the model's ciphertext, and makes one of its own.
                val ciphertext = valid(keys, input)
                val own = Tdh2KeyShare.fromBytes(input.bytes("key_share")).decryptionShare(ciphertext)
                val theirs = decryptionShare(input["made"].asJsonObject.text("share"))
                val members = listOf(own, theirs).map { keys.verifyShare(ciphertext, it).member }
                assertEquals(members[0], members[1])
                input["made"]
            }
            "tdh2.verify_shares", "tdh2.decrypt" -> {
                val ciphertext = valid(keys, input)
                val shares = input.list("shares").map { decryptionShare(it.asString) }
                val checked = keys.verifyShares(ciphertext, shares)
                val tables = keys.precomputed().verifyShares(ciphertext, shares)
                assertEquals(tdh2Faults(checked.faults), tdh2Faults(tables.faults))
                val alone = shares.mapNotNull { runCatching { keys.verifyShare(ciphertext, it).member }.getOrNull() }
                assertEquals(alone, checked.verified.map { it.member })
                if (operation == "tdh2.decrypt") {
                    json("plaintext" to ciphertext.combine(keys, checked.verified))
                } else {
                    json("verified" to alone, "faults" to tdh2Faults(checked.faults))
                }
            }
            "tdh2.session" -> {
                val decryption = Decryption(keys, valid(keys, input))
                val shares = input.list("shares").map { decryptionShare(it.asString) }
                json("outcomes" to shares.map { share ->
                    try {
                        val got = decryption.add(share)
                        outcome(got.error?.code ?: got.output, got.faults.map { it.member })
                    } catch (refused: QuorateException) {
                        outcome(refused.code, emptyList())
                    }
                })
            }
            else -> error("no operation $operation")
        }
    }

    private fun tdh2Keys(input: JsonObject) = input.bytes("keys").let { again(it, Tdh2Keys.decode(it)) }

    private fun decryptionShare(text: String) = text.unhex().let { again(it, DecryptionShare.decode(it)) }

    private fun valid(keys: Tdh2Keys, input: JsonObject): ValidCiphertext {
        val bytes = input.bytes("ciphertext")
        val ciphertext = again(bytes, Ciphertext.decode(bytes))
        return ciphertext.check(EncryptionKey.fromPublicKeys(keys), input.text("epoch").toULong(), input["proposer"].asInt)
    }

    private fun encrypt(keys: Tdh2Keys, input: JsonObject): JsonElement {
        val key = EncryptionKey.fromPublicKeys(keys)
        val (epoch, proposer) = input.text("epoch").toULong() to input["proposer"].asInt
        val theirs = Ciphertext.decode(input["made"].asJsonObject.bytes("ciphertext"))
        theirs.check(key, epoch, proposer)
        for (each in listOf(key, key.precomputed())) {
            val own = each.encrypt(epoch, proposer, input.bytes("plaintext"))
            assertEquals(theirs.encode().size, own.encode().size)
            own.check(key, epoch, proposer)
        }
        return input["made"]
    }

    // ---------------------------------------------------------------------------------------------------------- coin

    private fun coinFaults(faults: List<CoinFault>) =
        faults.map { fault(it.member, (it as? CoinFault.Proven)?.evidence) }

    private fun coin(operation: String, input: JsonObject): JsonElement {
        if (operation == "coin.key_share") {
            val share = CoinKeyShare.fromBytes(input.bytes("key_share"))
            assertArrayEquals(input.bytes("key_share"), share.toBytes())
            share.check(coinKeys(input))
            return json("member" to share.member, "verification_key" to share.verificationKey)
        }
        val keys = coinKeys(input)
        return when (operation) {
            "coin.keys" -> keyFields(keys.committee, keys.key, keys.threshold)
            "coin.wrong_share" -> {
                val bytes = input.bytes("evidence")
                json("culprit" to again(bytes, CoinWrongShare.decode(bytes)).verify(keys))
            }
            "coin.toss" -> named(keys, input).let { json("base" to it.base, "id" to it.id) }
            "coin.share" -> {
                val coin = named(keys, input)
                val own = CoinKeyShare.fromBytes(input.bytes("key_share")).coinShare(coin)
                val theirs = coinShare(input["made"].asJsonObject.text("share"))
                val members = listOf(own, theirs).map { keys.verifyShare(coin, it).member }
                assertEquals(members[0], members[1])
                input["made"]
            }
            "coin.verify_shares", "coin.value" -> {
                val coin = named(keys, input)
                val shares = input.list("shares").map { coinShare(it.asString) }
                val checked = keys.verifyShares(coin, shares)
                val alone = shares.mapNotNull { runCatching { keys.verifyShare(coin, it).member }.getOrNull() }
                assertEquals(alone, checked.verified.map { it.member })
                if (operation == "coin.value") {
                    value(coin.combine(keys, checked.verified), input)
                } else {
                    json("verified" to alone, "faults" to coinFaults(checked.faults))
                }
            }
            "coin.session" -> {
                val toss = CoinCombiner(keys, named(keys, input))
                val shares = input.list("shares").map { coinShare(it.asString) }
                json("outcomes" to shares.map { share ->
                    try {
                        toss.add(share).let { got -> outcome(got.output, got.faults.map { it.member }) }
                    } catch (refused: QuorateException) {
                        outcome(refused.code, emptyList())
                    }
                })
            }
            else -> error("no operation $operation")
        }
    }

    private fun coinKeys(input: JsonObject) = input.bytes("keys").let { again(it, CoinKeys.decode(it)) }

    private fun coinShare(text: String) = text.unhex().let { again(it, CoinShare.decode(it)) }

    private fun named(keys: CoinKeys, input: JsonObject): Coin {
        val given = input["name"].asJsonObject
        val (epoch, instance, round) = listOf("epoch", "instance", "round").map { given.text(it).toULong() }
        val name = CoinName(given["protocol"].asInt, epoch, instance, round)
        assertEquals(name, CoinName.decode(name.encode()))
        return Coin.fromName(keys, name).also { assertEquals(name, it.name) }
    }

    private fun value(value: CoinValue, input: JsonObject): JsonElement {
        assertTrue(CoinValue.fromBytes(value.bytes) == value)
        val bit = if (value.bit()) 1 else 0
        return json("value" to value, "bit" to bit, "below" to input.list("below").map { value.below(it.asInt) })
    }
}
