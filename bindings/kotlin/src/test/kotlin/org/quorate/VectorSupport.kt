package org.quorate

import com.google.gson.JsonElement
import java.nio.file.Path
import java.time.Duration
import java.time.temporal.ChronoUnit
import java.util.concurrent.ConcurrentHashMap
import kotlin.io.path.createTempDirectory
import kotlin.io.path.readBytes
import kotlin.io.path.writeBytes
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.assertThrows
import org.quorate.gossip.Parameters

// The functions that the generated operations and behaviours call: see `bindings/generator/src/operations.rs`.

/** An error of the core's that no function of the package throws here. */
internal class Refused(val code: String) : Exception(code)

internal fun fail(code: String): Nothing = throw Refused(code)

internal fun unknown(what: String): Nothing = throw AssertionError("an unknown $what")

internal fun JsonElement.at(name: String): JsonElement = asJsonObject[name]

/** How many encodings of each class are also decoded truncated, extended and changed. */
private const val DAMAGED = 2
private val damaged = mutableMapOf<Class<*>, Int>()

/** Decodes; the value must encode to the same bytes. Other bytes are refused, or encode to themselves. */
internal fun <T : Any> again(data: ByteArray, decode: (ByteArray) -> T, encode: (T) -> ByteArray): T {
    fun same(value: T, bytes: ByteArray) =
        assertTrue(bytes.contentEquals(encode(value)), "decoded, but encodes to something else")
    val value = decode(data).also { same(it, data) }
    if (damaged.merge(value.javaClass, 1, Int::plus)!! > DAMAGED) return value
    if (value is EncodedObject) checkClosing { decode(data) as EncodedObject }
    val shorter = listOf(data.copyOf(data.size / 2), data.copyOf(data.size - 1))
    for (bad in shorter + listOf(data + 0, ByteArray(1_000) { -1 }, ByteArray(1 shl 20))) refuses("any") { decode(bad) }
    val flipped = data.indices.step(1 + data.size / 20).map { flipped(data, it) }
    for (other in flipped + listOf(ByteArray(0), ByteArray(data.size) { -1 })) {
        attempt { decode(other) }.onSuccess { same(it, other) }
    }
    return value
}

/** The suspending functions that were called, with the number of calls. */
internal val awaited = ConcurrentHashMap<String, Int>()

/** Calls a function and, the first times, its suspending variant, which must have the same outcome. */
internal fun <T> both(name: String, call: () -> T, later: suspend () -> T): T {
    val outcome = runCatching(call)
    if (awaited.merge(name, 1, Int::plus)!! <= DAMAGED) {
        val second = runCatching { runBlocking { later() } }
        assertEquals(outcome.exceptionOrNull()?.javaClass, second.exceptionOrNull()?.javaClass, name)
        // Two calls may have different random results.
        if (".awaitVerif" in name) outcome.onSuccess { assertEquals("$it", "${second.getOrNull()}", name) }
    }
    return outcome.getOrThrow()
}

internal fun equal(one: Any?, other: Any?): Boolean =
    when (one) {
        is ByteArray -> other is ByteArray && one.contentEquals(other)
        is List<*> -> other is List<*> && one.size == other.size && one.indices.all { equal(one[it], other[it]) }
        else -> one == other
    }

// A verdict is a value or an error.

internal inline fun <T> attempt(step: () -> T): Result<T> =
    try {
        Result.success(step())
    } catch (refused: QuorateException) {
        Result.failure(refused)
    }

internal fun refused(verdict: Result<*>): String? = (verdict.exceptionOrNull() as QuorateException?)?.code

/** The step must fail with this error of the core, or with any. */
internal inline fun refuses(code: String, culprits: List<Int>? = null, crossinline step: () -> Any?) {
    val error = assertThrows<QuorateException>(code) { step() }
    if (code != "any") assertEquals(code, error.code)
    if (culprits != null) assertEquals(culprits, error.culprits.toList())
}

internal inline fun outOfRange(name: String, crossinline step: () -> Any?) {
    val error = assertThrows<IllegalArgumentException>(name) { step() }
    assertEquals(name, error.message!!.substringBefore(' '))
}

/** The exception of hooks in the tests. */
internal class OwnError : Exception()

internal fun ownError(): Nothing = throw OwnError()

internal inline fun throws(what: String, crossinline step: () -> Any?) {
    if (what == "own") assertThrows<OwnError> { step() } else assertThrows<StackOverflowError> { step() }
}

internal fun check(holds: Boolean, what: String): Unit = assertTrue(holds, what)

internal fun culprits(verdict: Result<*>): List<Int> = (verdict.exceptionOrNull() as QuorateException).culprits.toList()

internal fun <T> agree(verdicts: List<Result<T>>, single: Result<T>) {
    assertTrue(verdicts.isNotEmpty())
    for (verdict in verdicts) {
        assertEquals(refused(single), refused(verdict), "a batch decides otherwise")
        assertTrue(equal(verdict.getOrNull(), single.getOrNull()), "a batch has another result")
    }
}

internal inline fun outcome(step: () -> Any?): JsonElement =
    attempt(step).let { shown(refused(it) ?: it.getOrThrow()) }

internal fun parameters(input: JsonElement): Parameters {
    val (given, usual) = input.at("parameters").asJsonObject to Parameters()
    return Parameters(
        limit = given["limit"]?.asInt ?: usual.limit,
        preferred = given["preferred"]?.asInt ?: usual.preferred,
        batch = given["batch"]?.asInt ?: usual.batch,
        fanOut = given["fan_out"]?.asInt ?: usual.fanOut,
        backOff = given["back_off"]?.micros() ?: usual.backOff,
        sendTimeout = given["send_timeout"]?.micros() ?: usual.sendTimeout,
    )
}

private fun JsonElement.micros() = Duration.of(asLong, ChronoUnit.MICROS)

/** A closed secret, or a spent one. */
internal fun isClosed(secret: NativeObject): Boolean =
    listOf("(closed)", ", spent)", ", destroyed)").any { secret.toString().endsWith(it) }

internal fun isWhole(): Boolean = true

/** The bytes with one bit changed. */
internal fun flipped(data: ByteArray, at: Int): ByteArray =
    data.copyOf().also { it[at] = (it[at].toInt() xor 1).toByte() }

internal fun unhex(text: String): ByteArray = text.unhex()

/** The path of a folder that can be created; it is removed at the end. */
internal fun missingFolder(): String {
    val folder = createTempDirectory("quorate-")
    Runtime.getRuntime().addShutdownHook(Thread { folder.toFile().deleteRecursively() })
    return folder.resolve("journal").toString()
}

/** Changes a bit of the journal's second record. */
internal fun damageJournal(path: String) {
    val file = Path.of(path, "guard.journal")
    file.writeBytes(flipped(file.readBytes(), 100))
}
