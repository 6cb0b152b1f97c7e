package org.quorate

import com.google.gson.GsonBuilder
import com.google.gson.JsonParser
import java.nio.file.Path
import kotlin.io.path.extension
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.readText
import kotlin.io.path.writeText
import kotlin.system.exitProcess

/**
 * One language of the cross-language matrix: writes a file of new objects per suite, and checks the files of all
 * languages. What it writes and checks is in `bindings/interface/operations/matrix.rs`.
 *
 *     java -cp … org.quorate.Matrix write DIR
 *     java -cp … org.quorate.Matrix read DIR
 */
internal object Matrix {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val (mode, folder) = if (arguments.size == 2) arguments else arrayOf("", "")
        when (mode) {
            "write" -> Suite.entries.forEach { write(it, Path.of(folder)) }
            "read" -> println("${readAll(Path.of(folder))} files read")
            else -> {
                System.err.println("usage: Matrix write|read DIR")
                exitProcess(2)
            }
        }
    }

    private fun write(suite: Suite, folder: Path) {
        val file = VectorOperations.run("matrix.write", json("suite" to suite.toString()))
        folder.resolve("kotlin-$suite.json").writeText(GsonBuilder().setPrettyPrinting().create().toJson(file))
    }

    /** Checks every file in the folder and returns their number. */
    private fun readAll(folder: Path): Int {
        val files = folder.listDirectoryEntries().filter { it.extension == "json" }.sorted()
        for (file in files) {
            println(file)
            VectorOperations.run("matrix.read", JsonParser.parseString(file.readText()))
        }
        return files.size
    }
}
