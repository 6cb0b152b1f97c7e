package org.quorate

import java.nio.file.Path
import kotlin.io.path.readText
import kotlin.io.path.writeText
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.api.io.TempDir

/** This language's part of the matrix: it accepts its own files and rejects modified ones. */
class MatrixTest {
    @Test
    fun `own matrix files are accepted and modified ones refused`(@TempDir folder: Path) {
        Suite.entries.forEach { Matrix.write(it, folder) }
        assertEquals(5, Matrix.readAll(folder))
        val file = folder.resolve("kotlin-ed25519.json")
        file.writeText(file.readText().replace("\"epoch\": \"3\"", "\"epoch\": \"4\""))
        assertThrows<AssertionError> { Matrix.readAll(folder) }
    }
}
