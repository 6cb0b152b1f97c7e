package org.quorate

import com.google.gson.JsonElement
import com.google.gson.JsonObject
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.quorate.erasure.CheckedShard
import org.quorate.erasure.Coder
import org.quorate.erasure.Coding
import org.quorate.erasure.Commitment
import org.quorate.erasure.Row
import org.quorate.erasure.Shape
import org.quorate.erasure.Table

/** Vector operations of erasure coding. */
internal object ErasureOperations {
    fun run(operation: String, input: JsonObject): JsonElement =
        when (operation) {
            "erasure.coding" -> {
                val coding = coding(input)
                json(
                    "shard_len" to coding.shardLen(coding.maxMessage),
                    "max_encoded_len" to CheckedShard.maxEncodedLen(coding),
                )
            }
            "erasure.disperse" -> disperse(input)
            "erasure.shard" -> {
                val shard = shard(input.bytes("shard"), coding(input))
                json("identity" to shard.commitment.identity(), "index" to shard.index, "bytes" to shard.bytes)
            }
            "erasure.decode" -> {
                val coding = coding(input)
                val shards = input.list("shards").map { shard(it.asString.unhex(), coding) }
                json("message" to Coder(coding).use { it.decode(shards).message })
            }
            "erasure.table" -> json("rows" to table(input).rows.map(::shown))
            "erasure.lookup" -> {
                val allowed = input.list("suites").map { it.asInt }
                val shape = Shape(input["data"].asInt, input["parity"].asInt)
                val row = table(input).best(shape, input.text("message").toLong()) { it.number in allowed }
                json("row" to row?.let(::shown))
            }
            else -> error("no operation $operation")
        }

    private fun coding(input: JsonObject): Coding {
        val suite = org.quorate.erasure.Suite.decode(input.bytes("suite"))
        assertArrayEquals(input.bytes("suite"), suite.encode())
        return Coding(Shape(input["data"].asInt, input["parity"].asInt), input["max_message"].asInt, suite)
    }

    private fun shard(bytes: ByteArray, coding: Coding): CheckedShard {
        val shard = CheckedShard.decode(bytes, coding)
        assertArrayEquals(bytes, shard.encode(), "decoded, but encodes to something else")
        return shard
    }

    private fun disperse(input: JsonObject): JsonElement {
        val coding = coding(input)
        val sent = Coder(coding).use { it.disperse(input.bytes("message")) }
        assertArrayEquals(input.bytes("message"), sent.message)
        val commitment = sent.commitment
        assertEquals(commitment, Commitment.decode(commitment.encode(), coding))
        assertEquals(coding.shape.shards, sent.shards().size)
        return json(
            "commitment" to commitment.encode(),
            "identity" to commitment.identity(),
            "shards" to input.list("indices").map { sent.shard(it.asInt).encode() },
        )
    }

    private fun table(input: JsonObject): Table {
        val bytes = input.bytes("table")
        val table = Table.decode(bytes)
        assertArrayEquals(bytes, table.encode(), "decoded, but encodes to something else")
        return table
    }

    private fun shown(row: Row): JsonElement =
        json(
            "data" to row.shape.data,
            "parity" to row.shape.parity,
            "message" to row.message.toString(),
            "suite" to row.suite.encode(),
            "cost" to row.cost.toString(),
        )
}
