package org.quorate

import com.google.gson.JsonElement
import com.google.gson.JsonObject
import java.time.Duration
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue

/** Vector operations of DSig. */
internal object DsigOperations {
    fun run(operation: String, input: JsonObject): JsonElement {
        val suite = Dsig.Suite.fromNumber(input["suite"].asInt)
        return when (operation) {
            "dsig.decode" -> {
                val signature = input.bytes("signature")
                val unknown = SecretKey.generate(Suite.ED25519).use { it.publicKey }
                assertFalse(Dsig.Verifier(suite).canVerifyFast(unknown, signature))
                fields(signature)
            }
            "dsig.verify" -> verify(suite, input)
            "dsig.announcement" -> announcement(suite, input)
            "dsig.sign" -> sign(suite, input)
            "dsig.reuse" -> reuse(suite, input.bytes("evidence"))
            "dsig.session" -> session(suite, input)
            else -> error("no operation $operation")
        }
    }

    private fun key(bytes: ByteArray) = PublicKey.decode(Suite.ED25519, bytes)

    private fun verifier(suite: Dsig.Suite, key: PublicKey) = Dsig.Verifier(suite).also { it.admit(key) }

    /** The fields at fixed positions of a decoded signature. */
    private fun fields(signature: ByteArray) = json("index" to index(signature), "root" to signature.copyOfRange(8, 40))

    private fun index(signature: ByteArray) = Wire.Reader(signature.copyOfRange(2, 4)).u16()

    private fun outcome(work: () -> Unit): String =
        try {
            work()
            "ok"
        } catch (refused: QuorateException) {
            refused.code
        }

    private fun verify(suite: Dsig.Suite, input: JsonObject): JsonElement {
        val key = key(input.bytes("public_key"))
        val (message, signature) = input.bytes("message") to input.bytes("signature")
        val verifier = verifier(suite, key)
        val verdict = outcome { verifier.verify(key, message, signature) }
        assertEquals(verdict, outcome { verifier.verify(key, message, signature) }, "when its root may be known")
        val together = Dsig.verifyAll(suite, listOf(Dsig.Entry(key, message, signature))).single()
        assertEquals(verdict, together?.code ?: "ok")
        assertEquals(verdict, outcome { Dsig.Auditor(suite).check(key, message, signature) })
        // Without a verifier the bytes select the suite.
        if (signature.firstOrNull()?.toInt() == suite.number) {
            assertEquals(verdict, outcome { Dsig.verify(key, message, signature) })
        }
        verifier.verify(key, message, signature)
        assertTrue(verifier.canVerifyFast(key, signature))
        return fields(signature)
    }

    private fun announcement(suite: Dsig.Suite, input: JsonObject): JsonElement {
        val key = key(input.bytes("public_key"))
        val data = input.bytes("announcement")
        verifier(suite, key).announce(key, data, 0u)
        val leaves = data.drop(68).chunked(32) { it.toByteArray() }
        var level = leaves
        while (level.size > 1) {
            level = level.chunked(2) { Wire.hash("quorate-v1-dsig-node", it[0] + it[1]) }
        }
        return json("root" to level.single(), "keys" to leaves.size)
    }

    /** A signer's randomness cannot be chosen. So this verifies the model's signature, and signs the same message. */
    private fun sign(suite: Dsig.Suite, input: JsonObject): JsonElement {
        val made = input["made"].asJsonObject
        val now = input.text("time").toULong()
        val secret = SecretKey.fromBytes(Suite.ED25519, input.bytes("secret"))
        val signer = Dsig.Signer(secret, suite, log2Batch = input["log2"].asInt, lowWater = 1)
        val (own, announced) = signer.prepare(now)!!.announcement to made.bytes("announcement")
        assertEquals(announced.size, own.size)
        val key = signer.publicKey
        val (theirs, ours) = verifier(suite, key) to verifier(suite, key)
        theirs.announce(key, announced, now)
        ours.announce(key, own, now)
        input.list("messages").zip(made.list("signatures")).forEach { (text, hex) ->
            val (message, signature) = text.asString.unhex() to hex.asString.unhex()
            val again = signer.sign(message, now = now)
            assertEquals(listOf(suite.signatureLen, suite.signatureLen), listOf(again.size, signature.size))
            assertTrue(theirs.canVerifyFast(key, signature) && ours.canVerifyFast(key, again))
            theirs.verify(key, message, signature)
            ours.verify(key, message, again)
            assertEquals(index(signature), index(again))
        }
        return made
    }

    private fun reuse(suite: Dsig.Suite, evidence: ByteArray): JsonElement {
        val culprit = Dsig.verifyReuse(suite, evidence)
        val reader = Wire.Reader(evidence)
        assertEquals(culprit, key(reader.raw(32)))
        val (first, second) = List(2) { reader.bytes(1 shl 24) to reader.raw(suite.signatureLen) }
        reader.finish()
        assertArrayEquals(evidence, Dsig.reuse(culprit, first, second))
        return json("culprit" to culprit.encode())
    }

    private fun session(suite: Dsig.Suite, input: JsonObject): JsonElement {
        val signers = input.list("signers").map { key(it.asString.unhex()) }
        val (announced, checked, burst) = listOf("announced", "checked", "burst").map { input[it].asInt }
        val interval = Duration.ofNanos(input["interval"].asLong * 1000)
        val verifier = Dsig.Verifier(suite, announced, checked, burst, interval)
        signers.take(input["admitted"].asInt).forEach(verifier::admit)
        val outcomes = input.list("steps").map { it.asJsonObject }.map { step ->
            val signer = signers[step["signer"].asInt]
            val data = input.list("bytes")[step["bytes"].asInt].asString.unhex()
            when (step.text("do")) {
                "announce" -> outcome { verifier.announce(signer, data, step.text("time").toULong()) }
                "fast" -> if (verifier.canVerifyFast(signer, data)) "yes" else "no"
                else -> {
                    val message = input.list("messages")[step["message"].asInt].asString.unhex()
                    outcome { verifier.verify(signer, message, data) }
                }
            }
        }
        return json("outcomes" to outcomes)
    }
}
