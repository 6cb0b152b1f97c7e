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

/** The tuner calls the user's function, and closed objects refuse every use. */
class ErasureTest {
    @Test
    fun `an exception of the tuner's function is thrown`() {
        val (table, shape) = Table() to Shape(50, 50)
        table.insert(Row(shape, 1_000, Code.GF8, 5uL))
        assertNull(table.best(shape, 900) { false })
        assertThrows<IllegalStateException> { table.best(shape, 1) { error("mine") } }
    }

    @Test
    fun `closed objects raise CLOSED`() {
        val coder = Coder(Coding(Shape(3, 4), 1 shl 16))
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
