package org.quorate

import java.io.File
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class MuslTest {
    @Test
    fun `musl is told by its loader`() {
        val own = "7f00-7f10 r-xp 00000000 fe:01 42   /opt/ld-musl-tools/libjvm.so"
        assertTrue(isMusl(sequenceOf(own, "7f20-7f30 r--p 00000000 fe:01 43   /lib/ld-musl-x86_64.so.1")))
        assertFalse(isMusl(sequenceOf(own, "7f20-7f30 r--p 00000000 fe:01 43   /lib/x86_64-linux-gnu/libc.so.6", "")))
    }

    @Test
    fun `a resource is extracted by its whole path`() {
        val resource = "/org/quorate/NativeObject.class"
        val inJar = checkNotNull(NativeObject::class.java.getResourceAsStream(resource)).use { it.readBytes() }
        assertEquals(inJar.toList(), File(checkNotNull(extracted(resource))).readBytes().toList())
        assertNull(extracted("/linux-none-musl/libquorate_kotlin.so"))
    }
}
