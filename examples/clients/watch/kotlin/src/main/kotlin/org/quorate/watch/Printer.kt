// Output: streams, lines and colours.
package org.quorate.watch

import com.google.gson.JsonElement
import com.google.gson.JsonNull
import com.google.gson.JsonObject
import com.google.gson.JsonPrimitive
import com.sun.jna.NativeLibrary
import java.io.FileDescriptor
import java.io.FileOutputStream
import java.io.PrintStream

private val COLOURS = mapOf("alarm" to "1;31", "late" to "33", "lost" to "33", "proof" to "32", "summary" to "1")
private val FOR_PROGRAMS = setOf("block", "epoch", "proof", "summary")

/** Prints a line for each event, as text or as JSON. Calls [onClosed] once the reader has closed the pipe. */
class Printer(private val json: Boolean, private val onClosed: () -> Unit) {
    private val output = Stream(FileDescriptor.out, 1)
    private val errors = Stream(FileDescriptor.err, 2)

    fun say(event: String, line: String, fields: List<Pair<String, Any?>>) {
        if (json) return print(output, encoded(event, fields))
        val stream = if (event in FOR_PROGRAMS) output else errors
        val word = event.padEnd(7)
        val colour = COLOURS[event]?.takeIf { stream.coloured }
        print(stream, "${if (colour == null) word else "\u001b[${colour}m$word\u001b[m"}  $line")
    }

    fun print(text: String) = output.stream.run {
        print(text)
        flush()
    }

    fun printError(line: String) = errors.stream.println(line)

    private fun print(to: Stream, line: String) {
        to.stream.println(line)
        if (to.stream.checkError()) onClosed()
    }

    private fun encoded(event: String, fields: List<Pair<String, Any?>>): String {
        val found = JsonObject()
        found.addProperty("event", event)
        for ((name, value) in fields) {
            when (value) {
                is JsonElement -> found.add(name, value)
                null -> found.add(name, JsonNull.INSTANCE)
                is Number -> found.add(name, JsonPrimitive(value))
                else -> found.addProperty(name, value.toString())
            }
        }
        return found.toString()
    }

    private class Stream(descriptor: FileDescriptor, number: Int) {
        val stream = PrintStream(FileOutputStream(descriptor).buffered(), true, Charsets.UTF_8)
        val coloured by lazy { System.getenv("NO_COLOR").isNullOrEmpty() && isTerminal(number) }
    }
}

/** Java reports only whether both input and output are a terminal. */
private fun isTerminal(descriptor: Int): Boolean =
    try {
        NativeLibrary.getInstance("c").getFunction("isatty").invokeInt(arrayOf(descriptor)) == 1
    } catch (_: UnsatisfiedLinkError) {
        System.console() != null
    }
