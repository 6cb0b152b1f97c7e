// Readers for untrusted JSON.
package org.quorate.watch

import com.google.gson.JsonElement
import com.google.gson.JsonPrimitive

private const val DIGITS = "0123456789abcdef"
private const val MAX_NUMBER = (1L shl 53) - 1 // the largest integer that JSON parsers of all languages read exactly

fun hex(bytes: ByteArray): String = buildString(2 * bytes.size) {
    for (byte in bytes) append(DIGITS[byte.toInt() shr 4 and 15]).append(DIGITS[byte.toInt() and 15])
}

fun unhexOrNull(digits: String): ByteArray? {
    if (digits.length % 2 != 0 || digits.any { it !in '0'..'9' && it !in 'a'..'f' }) return null
    return ByteArray(digits.length / 2) { digits.substring(2 * it, 2 * it + 2).toInt(16).toByte() }
}

fun unhex(digits: String): ByteArray = unhexOrNull(digits) ?: throw Refused("MALFORMED", "not hexadecimal")

fun textOrNull(answer: JsonElement, name: String): String? =
    primitive(answer, name)?.takeIf { it.isString }?.asString

fun text(answer: JsonElement, name: String): String =
    textOrNull(answer, name) ?: throw Refused("MALFORMED", "missing text $name in the response")

fun digest(answer: JsonElement, name: String): String =
    textOrNull(answer, name)?.takeIf { it.length == 64 && unhexOrNull(it) != null }
        ?: throw Refused("MALFORMED", "missing digest $name in the response")

fun number(answer: JsonElement, name: String): Long =
    numberOrNull(primitive(answer, name)) ?: throw Refused("MALFORMED", "missing number $name in the response")

/** A list of numbers; null for any other value. */
fun numbers(answer: JsonElement, name: String): List<Long>? {
    val list = answer.asJsonObject[name]?.takeIf { it.isJsonArray }?.asJsonArray ?: return null
    return list.map { numberOrNull(it as? JsonPrimitive) ?: return null }
}

private fun primitive(answer: JsonElement, name: String): JsonPrimitive? =
    if (answer.isJsonObject) answer.asJsonObject[name] as? JsonPrimitive else null

private fun numberOrNull(found: JsonPrimitive?): Long? =
    found?.takeIf { it.isNumber }?.asString?.toLongOrNull()?.takeIf { it in 0..MAX_NUMBER }
