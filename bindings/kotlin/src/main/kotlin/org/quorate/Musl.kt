// Linux with musl instead of glibc, as in Alpine: JNA does not distinguish them, and one library cannot serve both.
@file:JvmSynthetic

package org.quorate

import com.sun.jna.Native
import com.sun.jna.Platform
import java.io.File
import java.io.IOException

/**
 * Returns the path of the native library where this process runs on musl, extracted from the jar; `null` elsewhere, where
 * the jar has no such library, and where the user names a folder with `jna.library.path`.
 */
internal fun libraryForMusl(): String? {
    if (!Platform.isLinux() || System.getProperty("jna.library.path") != null) return null
    val isMusl = runCatching { File("/proc/self/maps").useLines { isMusl(it) } }.getOrDefault(false)
    return if (isMusl) extracted("/${Platform.RESOURCE_PREFIX}-musl/libquorate_kotlin.so") else null
}

/** Tells musl by its loader among the files that a process has in its memory. */
internal fun isMusl(maps: Sequence<String>): Boolean =
    maps.map { it.substringAfterLast('/') }.any { it.startsWith("ld-musl-") || it.startsWith("libc.musl-") }

/** The path of a resource's copy, which JNA deletes when the process ends. */
internal fun extracted(resource: String): String? =
    try {
        Native.extractFromResourcePath(resource, NativeObject::class.java.classLoader).path
    } catch (_: IOException) {
        null
    }
