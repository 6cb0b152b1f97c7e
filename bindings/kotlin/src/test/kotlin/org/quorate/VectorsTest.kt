package org.quorate

import com.google.gson.JsonArray
import com.google.gson.JsonElement
import com.google.gson.JsonNull
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.name
import kotlin.io.path.readText
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DynamicTest
import org.junit.jupiter.api.TestFactory
import org.quorate.erasure.Packets

/**
 * Runs every case of `spec/vectors` through the public API, and the behaviours of `bindings/interface/operations/behaviour`.
 * The schema of the cases is in `spec/vectors/README.md`.
 */
class VectorsTest {
    private val folder = Path.of("../../spec/vectors")

    /** Returns true if the binding offers the operation: a guard spends presignatures only when they sign. */
    private fun isBound(case: JsonObject): Boolean =
        when (case.text("operation")) {
            "sharing.decode" -> false
            "spending.session" ->
                case["input"].asJsonObject.list("steps").none { it.asJsonObject.text("do") == "spend" }
            else -> true
        }

    /** Writes members of a committee as often as they stand in it. */
    private fun repeat(committee: JsonElement) {
        val members = committee.asJsonObject["members"].asJsonArray
        if (members.none { it.asJsonObject.has("times") }) return
        val all = JsonArray()
        for (member in members) repeat(member.asJsonObject.remove("times")?.asInt ?: 1) { all.add(member) }
        committee.asJsonObject.add("members", all)
    }

    /** The vectors of Jolteon, Gosig and ABFT belong to protocols of the examples, not to blocks. */
    @TestFactory
    fun `every case of each file, and every behaviour`(): List<DynamicTest> {
        val files = Files.list(folder).use { files -> files.map { it.name.removeSuffix(".json") }.sorted().toList() }
        val blocks = files - listOf("README.md", "public", "abft", "jolteon", "gosig")
        val cases = blocks.map { block -> DynamicTest.dynamicTest(block) { runAll(block) } }
        val behaviours = VectorOperations.behaviours.map { (name, run) -> DynamicTest.dynamicTest(name) { run() } }
        return cases + behaviours + DynamicTest.dynamicTest("every suspending function was called") { checkAwaited() }
    }

    private fun checkAwaited() {
        val all = Class.forName("org.quorate.Await").methods.filter { it.name.startsWith("await") && !it.isSynthetic }
        val names = all.map { "${it.parameterTypes[0].canonicalName.removeSuffix(".Companion")}.${it.name.substringBefore('-')}" }
        // With a hook, two calls may differ: see `DsigTest`.
        val hooked = listOf("Signer.awaitPrepare", "Verifier.awaitAnnounce").map { "org.quorate.Dsig.$it" }
        assertEquals(names.toSet(), awaited.keys + hooked)
    }

    private fun runAll(block: String) {
        val jerasure = org.quorate.erasure.Suite.jerasure(Packets(8, 0))
        if (block == "jerasure" && !jerasure.isAvailable) return
        val file = JsonParser.parseString(folder.resolve("$block.json").readText()).asJsonObject
        val committees = file["committees"]?.asJsonObject ?: JsonObject()
        val cases = file["cases"].asJsonArray.map { it.asJsonObject }.filter(::isBound)
        assertTrue(cases.size > 20, "$block.json has lost its cases")
        val failures = cases.mapNotNull { case ->
            val input = case["input"].asJsonObject.deepCopy()
            for (field in listOf("committee", "voters", "identities")) {
                input[field]?.takeIf { it.isJsonPrimitive }?.let { input.add(field, committees[it.asString]) }
            }
            input["committee"]?.let(::repeat)
            // Randomness cannot be chosen: the model's output is verified instead.
            input.add("made", case["output"])
            val (outcome, output) =
                try {
                    "ok" to VectorOperations.run(case["operation"].asString, input)
                } catch (refused: QuorateException) {
                    refused.code to JsonNull.INSTANCE
                } catch (refused: Refused) {
                    refused.code to JsonNull.INSTANCE
                }
            val expected = case["output"] ?: JsonNull.INSTANCE
            if (outcome == case["expect"].asString && output == expected) return@mapNotNull null
            "${case["name"]}: expected ${case["expect"]} $expected, got $outcome $output"
        }
        println("$block.json: ${cases.size} cases")
        assertTrue(failures.isEmpty(), failures.joinToString("\n"))
    }
}
