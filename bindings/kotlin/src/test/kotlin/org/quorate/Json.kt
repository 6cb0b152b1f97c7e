package org.quorate

import com.google.gson.JsonArray
import com.google.gson.JsonElement
import com.google.gson.JsonNull
import com.google.gson.JsonObject
import com.google.gson.JsonPrimitive
import org.quorate.gossip.Received

internal fun JsonObject.text(name: String): String = get(name).asString

internal fun JsonObject.bytes(name: String): ByteArray = text(name).unhex()

internal fun JsonObject.list(name: String): JsonArray = get(name).asJsonArray

internal fun json(vararg fields: Pair<String, Any?>): JsonElement =
    JsonObject().apply { fields.forEach { (name, value) -> add(name, shown(value)) } }

internal fun shown(value: Any?): JsonElement =
    when (value) {
        null -> JsonNull.INSTANCE
        is JsonElement -> value
        is ByteArray -> JsonPrimitive(value.asHex())
        is Boolean -> JsonPrimitive(value)
        is Received -> JsonPrimitive(value.name.lowercase().replace('_', '-'))
        is Unit -> JsonNull.INSTANCE
        is Int -> JsonPrimitive(value)
        is Long -> JsonPrimitive(value)
        is Iterable<*> -> JsonArray().apply { value.forEach { add(shown(it)) } }
        else -> JsonPrimitive(value.toString())
    }
