package org.quorate

import java.nio.file.Path
import kotlin.io.path.readText
import kotlin.io.path.writeText
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.api.io.TempDir

/** Our corner of the matrix by itself: what it writes it reads, and what somebody changed it refuses. */
class MatrixTest {
    @Test
    fun `own files are read and changed ones refused`(@TempDir folder: Path) {
        Suite.entries.forEach { Matrix.write(it, folder) }
        assertEquals(5, Matrix.readAll(folder))
        val file = folder.resolve("kotlin-ed25519.json")
        file.writeText(file.readText().replace("\"epoch\": \"3\"", "\"epoch\": \"4\""))
        assertThrows<IllegalStateException> { Matrix.readAll(folder) }
    }
}
