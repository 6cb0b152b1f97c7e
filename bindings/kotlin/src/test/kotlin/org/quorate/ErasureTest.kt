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
import org.quorate.erasure.Coder
import org.quorate.erasure.Coding
import org.quorate.erasure.Packets
import org.quorate.erasure.Row
import org.quorate.erasure.Shape
import org.quorate.erasure.Table
import org.quorate.erasure.Suite as Code

/** Values compare by content, the tuner calls the user's function, and threads share a coder. */
class ErasureTest {
    private val cases =
        JsonParser.parseString(Path.of("../../spec/vectors/erasure.json").readText()).asJsonObject["cases"].asJsonArray

    private fun case(choose: (com.google.gson.JsonObject) -> Boolean) =
        cases.map { it.asJsonObject }.first(choose)["input"].asJsonObject

    private fun coder(suite: Code = Code.GF8) = Coder(Coding(Shape(3, 4), 1 shl 16, suite))

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
