// Runs the cases of spec/vectors/jolteon.json, given as the argument, with this folder's parser.
package org.quorate.watch

import com.google.gson.JsonArray
import com.google.gson.JsonElement
import com.google.gson.JsonObject
import com.google.gson.JsonParser
import java.nio.file.Path
import kotlin.io.path.readText
import kotlin.system.exitProcess
import org.quorate.AttestedMember
import org.quorate.ChainId
import org.quorate.Committee
import org.quorate.PublicKey
import org.quorate.QuorateException
import org.quorate.Suite

// Cases that a watcher does not need: messages between validators, their records, and leader election.
private val SKIPPED = setOf("jolteon.message", "jolteon.record", "jolteon.sequences", "jolteon.leaders")

// Offsets of a block's view, of the certificate flag, and of the certificate's view.
private const val VIEW = 8
private const val JUSTIFY = 58
private const val PARENT_VIEW = JUSTIFY + 1 + 10

fun main(arguments: Array<String>) {
    val file = JsonParser.parseString(Path.of(arguments[0]).readText()).asJsonObject
    val cases = file["cases"].asJsonArray.map { it.asJsonObject }.filter { it.string("operation") !in SKIPPED }
    val wrong = cases.mapNotNull { case ->
        var output: JsonElement? = null
        val found = try {
            output = run(file, case.string("operation"), case["input"].asJsonObject)
            "ok"
        } catch (error: QuorateException) {
            error.code
        } catch (error: Refused) {
            error.code
        }
        val same = found == case.string("expect") && output == case["output"]
        if (same) null else "${case.string("name")}: $found $output, not ${case["expect"]} ${case["output"]}"
    }
    val wrapped = cases.filter { it.string("operation") == "jolteon.block" }.mapNotNull { wrapped(file, it) }
    val failed = wrong + wrapped.filter { it != "MALFORMED" }.map { "a view after the last one: $it" }
    failed.forEach(::println)
    val enough = cases.size >= 90 && wrapped.isNotEmpty()
    if (!enough) println("expected at least 90 cases, got ${cases.size}")
    println("${cases.size + wrapped.size - failed.size} passed, ${failed.size} failed")
    exitProcess(if (failed.isEmpty() && enough) 0 else 1)
}

/** The refusal of a block whose parent has the maximum view, so that its own view wraps to zero. */
private fun wrapped(file: JsonObject, case: JsonObject): String? {
    val input = case["input"].asJsonObject
    val encoded = input.bytes("block")
    val follows = case.string("expect") == "ok" && encoded[JUSTIFY].toInt() == 1
    if (!follows) return null
    encoded.fill(0, VIEW, VIEW + 8)
    encoded.fill(-1, PARENT_VIEW, PARENT_VIEW + 8)
    return try {
        run(file, "jolteon.block", input.deepCopy().apply { addProperty("block", hex(encoded)) })
        "ok"
    } catch (error: QuorateException) {
        error.code
    } catch (error: Refused) {
        error.code
    }
}

private fun run(file: JsonObject, operation: String, input: JsonObject): JsonElement? {
    if (operation == "jolteon.batch") {
        val batch = Batch.decode(input.bytes("batch"))
        return answer("header" to batch.header, "digest" to batch.digest).apply {
            add("transactions", list(batch.transactions))
        }
    }
    val committees = Committees(committee(file, input.string("voters")), committee(file, input.string("identities")))
    if (operation == "jolteon.genesis") return answer("digest" to committees.genesis(input.bytes("state_root")))
    val block = whole(input.bytes("block")) { Block.read(it, committees) }
    if (operation == "jolteon.finality") {
        whole(input.bytes("proof")) { Finality.read(it, committees) }.verify(block, committees)
        return null
    }
    check(operation == "jolteon.block") { "no operation $operation" }
    block.checkAuthor(committees)
    return answer("digest" to block.digest).apply {
        addProperty("view", block.view.toString())
        addProperty("height", block.height.toString())
        addProperty("author", block.author)
        addProperty("parent", hex(block.parent))
        add("batches", list(block.payload.map { it.digest }))
    }
}

private fun committee(file: JsonObject, name: String): Committee {
    val data = file["committees"].asJsonObject[name].asJsonObject
    val suite = Suite.fromNumber(data["suite"].asInt)
    val members = data["members"].asJsonArray.map { it.asJsonObject }.map {
        AttestedMember(PublicKey.decode(suite, it.bytes("public_key")), it.string("weight").toBigInteger())
    }
    return Committee.fromAttested(ChainId.fromBytes(data.bytes("chain")), data.string("epoch").toULong(), members)
}

private fun JsonObject.string(name: String): String = this[name].asString

private fun JsonObject.bytes(name: String): ByteArray = unhex(string(name))

private fun answer(vararg fields: Pair<String, ByteArray>): JsonObject = JsonObject().apply {
    for ((name, bytes) in fields) addProperty(name, hex(bytes))
}

private fun list(items: List<ByteArray>): JsonArray = JsonArray().apply { items.forEach { add(hex(it)) } }
