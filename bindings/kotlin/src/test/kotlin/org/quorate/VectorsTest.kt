package org.quorate

import com.google.gson.JsonNull
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.name
import kotlin.io.path.readText
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import org.quorate.erasure.Packets

/** Runs every case of `spec/vectors` through the public API. The schema is in `spec/vectors/README.md`. */
class VectorsTest {
    private val folder = Path.of("../../spec/vectors")

    private companion object {
        val RANDOM = listOf("dsig.sign", "tdh2.encrypt", "tdh2.share", "coin.share")
    }

    @ParameterizedTest
    @ValueSource(
        strings = [
            "wire", "bls", "ed25519", "merkle", "committee", "vote", "certificate", "timeout", "evidence", "guard", "dsig",
            "tdh2", "coin", "threshold", "erasure", "jerasure", "aggregate", "gossip", "sortition",
        ],
    )
    fun `every case of`(block: String) {
        val jerasure = org.quorate.erasure.Suite.jerasure(Packets(8, 0))
        if (block == "jerasure" && !jerasure.isAvailable) return
        val file = JsonParser.parseString(folder.resolve("$block.json").readText()).asJsonObject
        val committees = file["committees"]?.asJsonObject ?: JsonObject()
        val cases = file["cases"].asJsonArray.map { it.asJsonObject }.filter(ThresholdOperations::isBound)
        assertTrue(cases.size > 20, "$block.json has lost its cases")
        val failures = cases.mapNotNull { case ->
            val input = case["input"].asJsonObject.deepCopy()
            input["committee"]?.takeIf { it.isJsonPrimitive }?.let { input.add("committee", committees[it.asString]) }
            // Randomness cannot be chosen: the model's output is verified instead.
            if (case["operation"].asString in RANDOM && case.has("output")) input.add("made", case["output"])
            val (outcome, output) =
                try {
                    "ok" to Operations.run(case["operation"].asString, input)
                } catch (refused: QuorateException) {
                    refused.code to JsonNull.INSTANCE
                }
            val expected = case["output"] ?: JsonNull.INSTANCE
            if (outcome == case["expect"].asString && output == expected) return@mapNotNull null
            "${case["name"]}: expected ${case["expect"]} $expected, got $outcome $output"
        }
        println("$block.json: ${cases.size} cases")
        assertTrue(failures.isEmpty(), failures.joinToString("\n"))
    }

    @Test
    fun `every vector file is read`() {
        val known =
            ("wire bls ed25519 merkle committee vote certificate timeout evidence guard dsig tdh2 coin threshold erasure " +
                "jerasure aggregate gossip sortition").split(' ').map { "$it.json" }
        // Jolteon and Gosig are protocols of the examples, not blocks.
        val others = listOf("README.md", "public", "jolteon.json", "gosig.json")
        val there = Files.list(folder).use { files -> files.map { it.name }.toList() }
        assertEquals((known + others).toSet(), there.toSet())
    }
}
