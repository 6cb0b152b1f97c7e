package org.quorate

import com.google.gson.JsonElement
import com.google.gson.JsonNull
import com.google.gson.JsonObject
import java.nio.ByteBuffer
import java.nio.ByteOrder
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.quorate.DleqOperations.again
import org.quorate.threshold.Agreement
import org.quorate.threshold.Group
import org.quorate.threshold.bls.Bls.beacon
import org.quorate.threshold.ecdsa.Combiner
import org.quorate.threshold.ecdsa.Deal
import org.quorate.threshold.ecdsa.GroupKey
import org.quorate.threshold.ecdsa.Opening
import org.quorate.threshold.ecdsa.Plan
import org.quorate.threshold.ecdsa.Presignatures
import org.quorate.threshold.ecdsa.ShareFault
import org.quorate.threshold.ecdsa.SignatureShare
import org.quorate.threshold.ecdsa.Signing
import org.quorate.threshold.ecdsa.Tag
import org.quorate.threshold.seal.SealingKey
import org.quorate.threshold.bls.Combiner as BlsCombiner
import org.quorate.threshold.bls.GroupKey as BlsKey
import org.quorate.threshold.bls.KeyShare as BlsKeyShare
import org.quorate.threshold.bls.ShareFault as BlsFault
import org.quorate.threshold.bls.SignatureShare as BlsShare
import org.quorate.threshold.ecdsa.Signature as EcdsaSignature

/** Vector operations of threshold signatures, of the journal and of seals. */
internal object ThresholdOperations {
    /**
     * Returns true if the binding supports the operation of the case. A guard spends presignatures only when they sign.
     */
    fun isBound(case: JsonObject): Boolean {
        val operation = case.text("operation")
        if (operation != "spending.session") return operation !in listOf("sharing.decode", "ecdsa.check")
        return case["input"].asJsonObject.list("steps").none { it.asJsonObject.text("do") == "spend" }
    }

    fun run(operation: String, input: JsonObject): JsonElement =
        when (operation.substringBefore('.')) {
            "ecdsa" -> ecdsa(operation, input)
            "shared_bls" -> bls(operation, input)
            "spending" -> spending(input)
            else -> SealingKey.fromBytes(input.bytes("secret")).use {
                json("content" to it.open(input.bytes("context"), input.bytes("sealed")))
            }
        }

    private fun ecdsa(operation: String, input: JsonObject): JsonElement =
        when (operation) {
            "ecdsa.plan" -> {
                plan(input)
                val parties = input["parties"].asInt
                // A plan is decoded as part of a deal.
                val count = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(parties).array()
                val deal = ByteArray(40) + input.bytes("plan") + count + ByteArray(32 * minOf(parties, 1024))
                json("count" to Deal.decode(deal).plan.count)
            }
            "ecdsa.tag" -> {
                val (plan, number) = plan(input) to { input["number"].asLong }
                val (member, round) = { input["member"].asInt } to { input["round"].asInt }
                val tag = when (input.text("use")) {
                    "prbc" -> plan.prbc(0u, member())
                    "promotion" -> plan.promotion(0u, round(), member(), input["step"].asInt)
                    "completion" -> plan.completion(0u, round())
                    else -> if (plan.encode()[0] == 3.toByte()) plan.unagreed(0u, number()) else plan.agreed(0u, number())
                }
                json("index" to tag.index, "agreed" to com.google.gson.JsonPrimitive(tag.agreement == Agreement.AGREED))
            }
            "ecdsa.key" -> {
                val key = key(input)
                val needed = key.tolerance.let { tolerance ->
                    json(
                        "agreed" to tolerance.threshold(Agreement.AGREED).needed,
                        "unagreed" to tolerance.threshold(Agreement.UNAGREED).needed,
                    )
                }
                json(
                    "id" to key.id,
                    "parties" to key.tolerance.parties,
                    "faulty" to key.tolerance.faulty,
                    "needed" to needed,
                )
            }
            "ecdsa.deal" -> deal(input).let {
                json("id" to it.id, "key" to it.key, "epoch" to it.epoch, "count" to it.plan.count)
            }
            "ecdsa.file" -> file(input).let {
                json("member" to it.member, "key" to it.key.id, "deal" to it.deal.id, "count" to it.left)
            }
            "ecdsa.share" -> share(group(input), input.text("share")).let {
                json("member" to it.member, "epoch" to it.epoch, "index" to it.index, "digest" to it.digest)
            }
            "ecdsa.opening" -> {
                val bytes = input.bytes("opening")
                val opening = again(bytes, Opening.decode(group(input), bytes))
                json("member" to opening.member, "index" to opening.index)
            }
            "ecdsa.evidence" -> {
                val bytes = input.bytes("evidence")
                val evidence = again(bytes, ShareFault.decode(group(input), bytes))
                json("culprit" to evidence.verify(key(input), deal(input)) { _, _, _ -> true })
            }
            "ecdsa.sign" -> sign(input)
            "ecdsa.combine" -> combine(input)
            "ecdsa.verify" -> {
                val tag = tag(plan(input), input.text("epoch").toULong(), input["index"].asLong)
                val signature = EcdsaSignature.decode(group(input), input.bytes("signature"))
                assertArrayEquals(input.bytes("signature"), signature.encode())
                key(input).verify(tag, input.bytes("message"), signature)
                JsonNull.INSTANCE
            }
            else -> error("no operation $operation")
        }

    private fun group(input: JsonObject) = Group.fromNumber(input["suite"].asInt)

    private fun plan(input: JsonObject): Plan {
        val plan = Plan.decode(input.bytes("plan"))
        assertArrayEquals(input.bytes("plan"), plan.encode())
        return plan
    }

    private fun key(input: JsonObject) = input.bytes("key").let { again(it, GroupKey.decode(group(input), it)) }

    private fun deal(input: JsonObject) = input.bytes("deal").let { again(it, Deal.decode(it)) }

    private fun share(group: Group, text: String) = text.unhex().let { again(it, SignatureShare.decode(group, it)) }

    private fun file(input: JsonObject): Presignatures {
        val file = Presignatures.fromBytes(group(input), input.bytes("file"))
        assertArrayEquals(input.bytes("file"), file.toBytes())
        return file
    }

    /** The tag of an index in any plan. */
    private fun tag(plan: Plan, epoch: ULong, index: Long): Tag {
        if (plan.agreement(index) == null) refuse("EXHAUSTED")
        val bytes = ByteBuffer.wrap(plan.encode()).order(ByteOrder.LITTLE_ENDIAN)
        when (bytes.get(0).toInt()) {
            2 -> return plan.agreed(epoch, index)
            3 -> return plan.unagreed(epoch, index)
        }
        val parties = bytes.getShort(1).toInt()
        if (index < parties) return plan.prbc(epoch, index.toInt())
        val round = ((index - parties) / (4 * parties + 1)).toInt()
        val within = ((index - parties) % (4 * parties + 1)).toInt()
        if (within == 4 * parties) return plan.completion(epoch, round)
        return plan.promotion(epoch, round, within / 4, within % 4 + 1)
    }

    private fun sign(input: JsonObject): JsonElement {
        val file = file(input)
        val tag = tag(file.deal.plan, file.deal.epoch, input["index"].asLong)
        val secret = SecretKey.fromBytes(Suite.ED25519, ByteArray(32) { 1 })
        val guard = Guard(secret, ChainId.fromBytes(ByteArray(32)))
        val (record, share, opener) = file.take(tag).sign(guard, input.bytes("message"))
        assertEquals(listOf(record), guard.records)
        return json(
            "share" to share.encode(),
            "attested" to share.attestedBytes(),
            "opening" to opener.open().encode(),
        )
    }

    private fun combine(input: JsonObject): JsonElement {
        val (plan, message) = deal(input).plan to input.bytes("message")
        if (plan.agreement(input["index"].asLong) == null) refuse("EXHAUSTED")
        val (key, deal) = key(input) to deal(input)
        val tag = tag(plan, deal.epoch, input["index"].asLong)
        val signing = Signing(key, deal, input.bytes("nonce"), tag, message)
        assertEquals(tag, signing.tag)
        assertArrayEquals(input.bytes("nonce"), signing.nonce)
        val combiner = Combiner(signing)
        for (text in input.list("shares")) {
            val share = share(group(input), text.asString)
            combiner.add(share.member, share)
        }
        val signature = combiner.signature ?: refuse("BELOW_QUORUM")
        key.verify(tag, message, signature)
        return json("signature" to signature.encode())
    }

    private fun spending(input: JsonObject): JsonElement {
        val secret = SecretKey.fromBytes(Suite.fromNumber(input["suite"].asInt), input.bytes("secret"))
        val records = input.list("records").map { GuardRecord.decode(it.asString.unhex()) }
        val guard = Guard.restore(secret, ChainId.fromBytes(input.bytes("chain")), records)
        val outcomes = input.list("steps").map { it.asJsonObject }.map { step ->
            val (key, epoch) = step.bytes("key") to step.text("epoch").toULong()
            try {
                val what = step.text("do")
                val record =
                    if (what == "close") guard.closeEpoch(key, epoch) else guard.reserve(key, epoch, step["index"].asLong)
                if (what == "reserve-and-confirm") guard.confirm(record)
                record.encode().asHex()
            } catch (refused: QuorateException) {
                refused.code
            }
        }
        return json("outcomes" to outcomes, "records" to guard.records.map { it.encode() })
    }

    private fun bls(operation: String, input: JsonObject): JsonElement {
        val suite = Suite.fromNumber(input["suite"].asInt)
        val file = {
            val share = BlsKeyShare.fromBytes(suite, input.bytes("file"))
            assertArrayEquals(input.bytes("file"), share.toBytes())
            share
        }
        val key = { input.bytes("key").let { again(it, BlsKey.decode(suite, it)) } }
        return when (operation) {
            "shared_bls.file" -> file().let {
                json("id" to it.key.id, "member" to it.member, "needed" to it.key.threshold.needed)
            }
            "shared_bls.sign" -> json("share" to file().sign(input.bytes("message")).encode())
            "shared_bls.combine" -> {
                val combiner = BlsCombiner(key(), input.bytes("message"))
                for (text in input.list("shares")) {
                    val share = text.asString.unhex().let { again(it, BlsShare.decode(suite, it)) }
                    combiner.add(share.member, share)
                }
                val signature = combiner.signature ?: refuse("BELOW_QUORUM")
                key().public.verify(input.bytes("message"), signature)
                json("signature" to signature.encode(), "beacon" to beacon(signature))
            }
            else -> {
                val evidence = input.bytes("evidence").let { again(it, BlsFault.decode(suite, it)) }
                json("culprit" to evidence.verify(key()) { _, _, _ -> true })
            }
        }
    }

    /** The error that the core's own vector runner creates. */
    private fun refuse(code: String): Nothing =
        throw QuorateException.fromNative(org.quorate.internal.Failure(code, "nothing came of them", emptyList(), emptyList()))
}
