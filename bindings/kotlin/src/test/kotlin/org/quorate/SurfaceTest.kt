package org.quorate

import java.lang.module.ModuleFinder
import java.lang.reflect.Executable
import java.lang.reflect.Modifier
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.extension
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** What Java, and the editors that complete it, see: no native type, and no way to make a verified object. */
class SurfaceTest {
    /** The classes of the packages that the module exports: without those of uniffi, and those that handle its objects. */
    private val classes: List<Class<*>> = run {
        val root = Path.of(Quorate::class.java.protectionDomain.codeSource.location.toURI())
        val folder = root.resolve("org/quorate")
        val files = Files.walk(folder).use { all -> all.filter { it.extension == "class" }.toList() }
        val names = files.map { root.relativize(it).toString().removeSuffix(".class").replace('/', '.') }
        names.filter { !it.startsWith("org.quorate.internal.") }.map { Class.forName(it, false, javaClass.classLoader) }
    }

    private val visible = classes.filter { !it.isSynthetic && Modifier.isPublic(it.modifiers) }

    private fun offered(member: Executable) =
        Modifier.isPublic(member.modifiers) && !member.isSynthetic

    private fun isNative(type: Class<*>) = type.name.startsWith("org.quorate.internal.")

    @Test
    fun `no public constructor or method takes or returns an internal object`() {
        assertTrue(classes.size > 100)
        val leaks = visible.flatMap { type ->
            val constructors = type.declaredConstructors.filter { offered(it) && it.parameterTypes.any(::isNative) }
            val methods = type.declaredMethods.filter { method ->
                offered(method) && (method.parameterTypes.any(::isNative) || isNative(method.returnType))
            }
            constructors.map { "$it" } + methods.map { "$it" }
        }
        assertEquals(listOf<String>(), leaks)
    }

    @Test
    fun `the module exports every package but that of uniffi`() {
        val root = Path.of(Quorate::class.java.protectionDomain.codeSource.location.toURI())
        val module = ModuleFinder.of(root).find("org.quorate").orElseThrow().descriptor()
        assertEquals(module.packages() - "org.quorate.internal", module.exports().map { it.source() }.toSet())
    }

    @Test
    fun `no constructor makes a verified object`() {
        val verified = classes.filter { it.simpleName.startsWith("Verified") }
        assertTrue(verified.size > 8)
        for (type in verified) assertEquals(listOf<Any>(), type.constructors.filter(::offered), type.name)
    }

    /** A name with a hyphen or a dollar sign cannot be written in Java, which does not call suspending functions. */
    @Test
    fun `no public name is mangled`() {
        val methods = (visible - Class.forName("org.quorate.Await")).flatMap { it.declaredMethods.filter(::offered) }
        assertEquals(listOf<String>(), methods.filter { !it.name.matches(Regex("[A-Za-z0-9]+")) }.map { "$it" })
    }
}
