package org.quorate

import com.google.gson.JsonParser
import java.nio.file.Path
import kotlin.concurrent.thread
import kotlin.io.path.readText
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNotNull
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.quorate.erasure.CheckedShard
import org.quorate.erasure.Coder
import org.quorate.erasure.Coding
import org.quorate.erasure.Commitment
import org.quorate.erasure.Packets
import org.quorate.erasure.Row
import org.quorate.erasure.Shape
import org.quorate.erasure.Table
import org.quorate.erasure.Suite as Code

/** Any k of n shards restore a message, invalid shards and wrong arguments give error codes, and no call crashes. */
class ErasureTest {
    private val cases =
        JsonParser.parseString(Path.of("../../spec/vectors/erasure.json").readText()).asJsonObject["cases"].asJsonArray

    private fun case(choose: (com.google.gson.JsonObject) -> Boolean) =
        cases.map { it.asJsonObject }.first(choose)["input"].asJsonObject

    private fun coder(suite: Code = Code.GF8) = Coder(Coding(Shape(3, 4), 1 shl 16, suite))

    @Test
    fun `any k of n shards restore the message`() {
        val message = ByteArray(2_900) { it.toByte() }
        for (suite in listOf(Code.LEOPARD, Code.GF8)) {
            val coder = coder(suite)
            val sent = coder.disperse(message)
            val received = sent.shards().map { CheckedShard.decode(it.encode(), coder.coding) }
            assertEquals(sent.shards(), received)
            for (first in 0..4) for (last in first + 2..6) {
                val chosen = listOf(received[last], received[first], received[first + 1])
                assertArrayEquals(message, coder.decode(chosen).message)
            }
            assertEquals(suite, sent.commitment.suite)
            assertEquals(sent.commitment, Commitment.decode(sent.commitment.encode(), coder.coding))
            assertTrue(received[0].encode().size <= CheckedShard.maxEncodedLen(coder.coding))
            assertEquals(coder.coding.shardLen(message.size), received[0].bytes.size)
            assertEquals(0, coder.disperse(ByteArray(0)).message.size)
        }
    }

    @Test
    fun `errors have codes`() {
        val coder = coder()
        val (one, two) = coder.disperse(ByteArray(9) { it.toByte() }).shards() to coder.disperse(ByteArray(10)).shards()
        val wrong = mapOf<() -> Any?, String>(
            { coder.decode(emptyList()) } to "BELOW_QUORUM",
            { coder.decode(one.take(2)) } to "BELOW_QUORUM",
            { coder.decode(listOf(one[0], one[1], one[0])) } to "DUPLICATE_SIGNER",
            { coder.decode(listOf(one[0], one[1], two[2])) } to "WRONG_CONTEXT",
            { coder(Code.LEOPARD).decode(one.take(3)) } to "WRONG_CONTEXT",
            { coder.disperse(ByteArray(1)).shard(7) } to "MALFORMED",
            { coder.disperse(ByteArray((1 shl 16) + 1)) } to "TOO_LARGE",
            { Coding(Shape(3, 4), Int.MAX_VALUE) } to "TOO_LARGE",
            { Shape(0, 4) } to "BAD_SHAPE",
            { Shape(65_535, 65_535) } to "BAD_SHAPE",
            { Shape.forCommittee(3, 1) } to "BAD_SHAPE",
            { Coding(Shape(200, 57), 10, Code.GF8) } to "BAD_SHAPE",
            { Packets(17, 0) } to "BAD_SHAPE",
            { Code.decode(byteArrayOf(1, 0, 1)) } to "NON_CANONICAL",
        )
        for ((call, code) in wrong) assertEquals(code, assertThrows<QuorateException> { call() }.code)
        val bytes = one[0].encode()
        // Another length gives another commitment that the same shard fits.
        for (at in bytes.indices - (7..10).toSet()) {
            val changed = bytes.clone().also { it[at] = (it[at].toInt() xor 1).toByte() }
            assertThrows<QuorateException>("byte $at") { CheckedShard.decode(changed, coder.coding) }
        }
        for (call in listOf<() -> Any>({ Shape(65_536, 0) }, { Coding(Shape(1, 1), -1) }, { coder.disperse(bytes).shard(-1) })) {
            assertThrows<IllegalArgumentException> { call() }
        }
    }

    @Test
    fun `shards that encode no message are detected`() {
        val given = case { it.text("operation") == "erasure.decode" && it.text("expect") == "BAD_ENCODING" }
        val shape = Shape(given["data"].asInt, given["parity"].asInt)
        val coding = Coding(shape, given["max_message"].asInt, Code.decode(given.bytes("suite")))
        val shards = given.list("shards").map { CheckedShard.decode(it.asString.unhex(), coding) }
        assertThrows<QuorateException.BadEncoding> { Coder(coding).decode(shards) }
    }

    @Test
    fun `suites, shapes and codings are values`() {
        val shape = Shape.forCommittee(100, 25)
        assertEquals(Triple(50, 50, 100), Triple(shape.data, shape.parity, shape.shards))
        assertEquals(Code.GF8 to Code.LEOPARD, Code.recommended(shape) to Code.recommended(Shape(200, 200)))
        assertEquals(Coding(shape, 5, Code.GF8), Coding(shape, 5))
        val jerasure = Code.jerasure(Packets(7, 3))
        assertEquals(listOf(3, "jerasure", 56), listOf(jerasure.number, jerasure.name, jerasure.unit))
        assertEquals(Packets(7, 3), jerasure.packets)
        assertEquals(8, jerasure.packets!!.packet)
        assertEquals(jerasure, Code.decode(jerasure.encode()))
        assertTrue(Code.LEOPARD.isAvailable && Code.GF8.packets == null)
        if (!jerasure.isAvailable) {
            assertThrows<QuorateException.BadShape> { Coder(Coding(Shape(3, 4), 100, jerasure)) }
        }
        assertEquals(1 shl 30, Coding.MAX_MESSAGE)
    }

    @Test
    fun `the tuner's table selects a suite`() {
        val table = Table.decode(case { it.text("name") == "lookup/exact" }.bytes("table"))
        val shape = Shape(50, 50)
        assertEquals(table, Table.decode(table.encode()))
        assertNotNull(table.best(shape, 25_000)?.takeIf { it.suite.isAvailable && it.shape == shape })
        val asked = mutableListOf<Code>()
        assertNull(table.best(shape, 25_000) { asked.add(it) && false })
        assertTrue(asked.size > 1 && asked.toSet().size == asked.size)
        assertNull(table.best(Shape(7, 7), 1))
        assertThrows<IllegalStateException> { table.best(shape, 1) { error("mine") } }
        val made = Table()
        val row = Row(Shape(7, 7), 1_000, Code.GF8, 9UL)
        made.insert(row)
        made.merge(made)
        assertEquals(listOf(row), made.rows)
        assertEquals(listOf(Code.GF8), made.suites(row.shape))
        made.merge(table)
        assertEquals(table.rows.size + 1, made.rows.size)
    }

    @Test
    fun `threads share a coder, and a closed one raises CLOSED`() {
        val coder = coder()
        val failures = java.util.concurrent.ConcurrentLinkedQueue<Throwable>()
        val threads = List(6) { number ->
            thread {
                runCatching {
                    repeat(20) {
                        val message = ByteArray(1_000 + it) { number.toByte() }
                        assertArrayEquals(message, coder.decode(coder.disperse(message).shards().takeLast(3)).message)
                    }
                }.onFailure(failures::add)
            }
        }
        threads.forEach { it.join() }
        failures.firstOrNull()?.let { throw it }
        val large = Coder(Coding(Shape.forCommittee(100, 25), 25_000_000))
        val message = ByteArray(25_000_000) { it.toByte() }
        val sent = large.disperse(message)
        assertArrayEquals(message, large.decode(List(50) { sent.shard(50 + it) }).message)
        val shard = sent.shard(0)
        listOf(coder, sent, shard).forEach { it.close() }
        for (use in listOf<() -> Any?>({ coder.disperse(message) }, { sent.message }, { large.decode(listOf(shard)) })) {
            assertThrows<QuorateException.Closed> { use() }
        }
    }
}
