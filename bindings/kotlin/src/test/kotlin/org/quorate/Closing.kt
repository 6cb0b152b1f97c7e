package org.quorate

import java.io.ByteArrayOutputStream
import java.io.NotSerializableException
import java.io.ObjectOutputStream
import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Method
import java.lang.reflect.Modifier
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNotEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.assertThrows

/** Closes an object twice; each function that has no parameters must then throw that it is closed. */
internal fun refusesEveryUse(closed: NativeObject) {
    repeat(2) { closed.close() }
    assertEquals("${closed.javaClass.simpleName}(closed)", closed.toString())
    val own = closed.javaClass.methods.filter { it.parameterCount == 0 && !Modifier.isStatic(it.modifiers) && !it.isSynthetic }
    val isOurs = { use: Method -> use.declaringClass.name.startsWith("org.quorate.") }
    for (use in own.filter { isOurs(it) && it.name !in listOf("close", "toString", "hashCode") }) {
        val thrown = assertThrows<InvocationTargetException>(use.toString()) { use.invoke(closed) }
        assertEquals(QuorateException.Closed::class.java, thrown.cause?.javaClass, use.toString())
    }
}

/** The secret is neither shown, serialised nor copied; once it is closed, it refuses every use. */
internal fun closes(secret: NativeObject, hidden: ByteArray) {
    val (text, data) = secret.toString().lowercase() to hidden.asHex()
    assertTrue(listOf(data.take(12), data.takeLast(24)).none { it in text }, text)
    assertThrows<NotSerializableException> { ObjectOutputStream(ByteArrayOutputStream()).writeObject(secret) }
    assertTrue(secret.javaClass.methods.none { it.name in listOf("copy", "clone", "component1") })
    refusesEveryUse(secret)
}

/** Comparing, hashing and printing objects that are equal and closed never throw; every other use does. */
internal fun checkClosing(make: () -> NativeObject) {
    val (open, closed, never) = List(3) { make() }
    assertEquals(open, closed)
    val table = hashSetOf(closed)
    refusesEveryUse(closed)
    refusesEveryUse(never)
    for ((one, other) in listOf(open to closed, closed to open, closed to never)) assertNotEquals(one, other)
    assertEquals(closed, closed)
    // A table still finds what was put into it, and an object that was never hashed has a hash too.
    assertTrue(closed in table)
    assertEquals(never.hashCode(), never.hashCode())
}
