package org.quorate

import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.quorate.erasure.Coder
import org.quorate.erasure.Coding
import org.quorate.erasure.Row
import org.quorate.erasure.Shape
import org.quorate.erasure.Table
import org.quorate.erasure.Suite as Code

/** The tuner calls the user's function, and threads share a coder. */
class ErasureTest {
    private fun coder(suite: Code = Code.GF8) = Coder(Coding(Shape(3, 4), 1 shl 16, suite))

    @Test
    fun `an exception of the tuner's function is thrown`() {
        val (table, shape) = Table() to Shape(50, 50)
        table.insert(Row(shape, 1_000, Code.GF8, 5uL))
        assertNull(table.best(shape, 900) { false })
        assertThrows<IllegalStateException> { table.best(shape, 1) { error("mine") } }
    }

    @Test
    fun `threads share a coder, and a closed one raises CLOSED`() {
        val coder = coder()
        together(6) { number ->
            repeat(20) {
                val message = ByteArray(1_000 + it) { number.toByte() }
                assertArrayEquals(message, coder.decode(coder.disperse(message).shards().takeLast(3)).message)
            }
        }
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
