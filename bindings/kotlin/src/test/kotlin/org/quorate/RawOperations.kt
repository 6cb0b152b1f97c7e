package org.quorate

import com.google.gson.JsonElement
import com.google.gson.JsonObject
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue

/** The vector operations on signatures of other chains, and on headers. */
internal object RawOperations {
    fun ciphersuite(input: JsonObject): Ciphersuite = Ciphersuite.decode(input.bytes("ciphersuite"))

    fun decoded(operation: String, input: JsonObject): JsonElement {
        val bytes = input.bytes("bytes")
        if (operation == "ciphersuite.decode") return json("encoded" to Ciphersuite.decode(bytes).encode())
        val header =
            try {
                UntrustedHeader.peek(bytes)
            } catch (_: QuorateException.WrongContext) {
                // The core leaves the suite's number to its caller; here a number without a suite is an error.
                assertTrue(Suite.entries.none { it.number == bytes[0].toUByte().toInt() })
                return Wire.Reader(bytes).run { json("suite" to u8(), "kind" to u8(), "epoch" to u64(), "view" to u64()) }
            }
        assertArrayEquals(bytes.copyOf(18), header.encode())
        return json(
            "suite" to header.suite.number,
            "kind" to header.kind,
            "epoch" to header.epoch,
            "view" to header.view,
        )
    }

    /** The signers of the input, in any of three forms. */
    fun signers(committee: Committee, input: JsonObject): SignerSet =
        when {
            input.has("indices") -> committee.signerSet(input.list("indices").map { it.asLong })
            input.has("lsb_first") -> committee.signerSetLsbFirst(input.bytes("lsb_first"))
            else -> committee.signerSetMsbFirst(input.bytes("msb_first"))
        }

    /** One message: alone and in a batch. */
    fun same(attested: Committee, input: JsonObject): JsonElement {
        val committee = raw(attested, input)
        val signers = signers(committee, input)
        val (message, proof) = input.bytes("message") to input.bytes("proof")
        val alone = runCatching { committee.verifyRaw(message, signers, proof) }
        val batched = committee.verifyRawBatch(listOf(RawClaim(message, signers, proof))).single()
        val code = (alone.exceptionOrNull() as QuorateException?)?.code
        assertEquals(code, (batched as? Verdict.Invalid)?.error?.code)
        assertEquals(alone.getOrThrow(), batched.getOrThrow())
        return json("weight" to alone.getOrThrow())
    }

    /** A message per member. */
    fun each(attested: Committee, input: JsonObject): JsonElement {
        val signed = input.list("signed").map { it.asJsonObject }.map { it["member"].asInt to it.bytes("message") }
        return json("weight" to raw(attested, input).verifyRawEach(signed, input.bytes("proof")))
    }

    private fun raw(committee: Committee, input: JsonObject) =
        if (input.has("ciphersuite")) committee.withCiphersuite(ciphersuite(input)) else committee
}
