package org.quorate

import com.google.gson.JsonElement
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.file.Path
import java.time.Duration
import java.time.temporal.ChronoUnit
import kotlin.io.path.createTempDirectory
import kotlin.io.path.readBytes
import kotlin.io.path.writeBytes
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.assertThrows
import org.quorate.gossip.Parameters
import org.quorate.threshold.Group

// The functions that the generated operations and behaviours call: see `bindings/generator/src/operations.rs`.

/** An error of the core's that no function of the package throws here. */
internal class Refused(val code: String) : Exception(code)

internal fun fail(code: String): Nothing = throw Refused(code)

internal fun unknown(what: String): Nothing = throw AssertionError("an unknown $what")

internal fun JsonElement.at(name: String): JsonElement = asJsonObject[name]

/** Decodes; the value must encode to the same bytes. */
internal fun <T> again(data: ByteArray, decode: (ByteArray) -> T, encode: (T) -> ByteArray): T {
    val value = decode(data)
    assertTrue(data.contentEquals(encode(value)), "decoded, but encodes to something else")
    return value
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

internal fun <T> allRefused(items: List<T>, step: (T) -> Any?) {
    for (item in items) refuses("any") { step(item) }
}

internal inline fun outOfRange(name: String, crossinline step: () -> Any?) {
    val error = assertThrows<IllegalArgumentException>(name) { step() }
    assertEquals(name, error.message!!.substringBefore(' '))
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

internal fun yes(holds: Boolean): String = if (holds) "yes" else "no"

internal fun suite(number: Int): Suite = Suite.fromNumber(number)

internal fun suites(): List<Suite> = Suite.entries

internal fun isSuite(number: Int): Boolean = Suite.entries.any { it.number == number }

internal fun suiteNamed(name: String): Suite = Suite.fromName(name)

internal fun suiteNumber(suite: Suite): Int = suite.number

internal fun group(number: Int): Group = Group.fromNumber(number)

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

internal fun microseconds(count: Int): Duration = Duration.of(count.toLong(), ChronoUnit.MICROS)

internal fun joined(parts: List<ByteArray>): ByteArray = parts.reduce(ByteArray::plus)

internal fun zeros(count: Number): ByteArray = ByteArray(count.toInt())

internal fun filled(value: Int, count: Int): ByteArray = ByteArray(count) { value.toByte() }

/** The bytes with one bit changed. */
internal fun flipped(data: ByteArray, at: Int): ByteArray =
    data.copyOf().also { it[at] = (it[at].toInt() xor 1).toByte() }

internal fun unhex(text: String): ByteArray = text.unhex()

internal fun textBytes(text: String): ByteArray = text.toByteArray()

internal fun encodedU32(value: Long): ByteArray =
    ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(value.toInt()).array()

internal fun decodedU16(data: ByteArray, at: Int): Int =
    ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN).getShort(at).toInt() and 0xffff

internal fun withU16(data: ByteArray, at: Int, value: Int): ByteArray =
    data.copyOf().also { ByteBuffer.wrap(it).order(ByteOrder.LITTLE_ENDIAN).putShort(at, value.toShort()) }

internal fun first(data: ByteArray, count: Int): ByteArray = data.copyOf(count)

internal fun slice(data: ByteArray, start: Int, end: Int): ByteArray = data.copyOfRange(start, end)

internal fun <T> slice(items: List<T>, start: Int, end: Int): List<T> = items.subList(start, end)

internal fun <T> last(items: List<T>, count: Int): List<T> = items.takeLast(count)

internal fun <T : Any> present(items: List<T?>): List<T> = items.filterNotNull()

internal fun range(count: Int): List<Int> = (0 until count).toList()

internal fun least(one: Long, other: Long): Long = minOf(one, other)

internal fun utf8(text: String): ByteArray = text.toByteArray()

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
