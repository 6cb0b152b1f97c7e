@file:JvmSynthetic

package org.quorate

import java.nio.ByteBuffer
import org.quorate.internal.Secret

/**
 * Returns the bytes of a secret, without any other copy: Rust wipes its own, and the caller overwrites these with
 * zeros. Cost: one call per eight bytes.
 */
internal fun Secret.bytes(): ByteArray {
    try {
        val size = size().toInt()
        val words = (size + 7) / 8
        val padded = ByteBuffer.allocate(words * 8)
        for (index in 0 until words) padded.putLong(word(index.toUInt()).toLong())
        if (padded.capacity() == size) return padded.array()
        return padded.array().copyOf(size).also { padded.array().fill(0) }
    } finally {
        destroy()
    }
}

/** Gives [work] access to the bytes in native memory, which is wiped afterwards. */
internal inline fun <T> ByteArray.borrowed(work: (ByteBuffer) -> T): T {
    val buffer = ByteBuffer.allocateDirect(size).put(this).flip()
    try {
        return work(buffer)
    } finally {
        buffer.clear()
        while (buffer.remaining() >= 8) buffer.putLong(0)
        while (buffer.hasRemaining()) buffer.put(0)
    }
}
