@file:JvmSynthetic

package org.quorate

import org.quorate.internal.Cell
import org.quorate.internal.Hidden

/**
 * An object in native memory.
 *
 * [close] frees it at once and may be called again; any other use then throws [QuorateException.Closed], except
 * `equals`, `hashCode` and `toString`: a closed object equals only itself. The garbage collector frees unreachable
 * objects that were not closed. Therefore close objects that hold a secret ([SecretKey] and
 * [Guard], which are wiped) or much memory ([Committee]), preferably with `use` or `try (…)`; closing any other object
 * is optional. Several threads may use an object; if it is closed while other threads use it, it is freed when the last
 * of these calls returns.
 */
public abstract class NativeObject
internal constructor(private val cell: Cell<*>, hidden: Hidden = Hidden()) : AutoCloseable {
    final override fun close(): Unit = cell.close()

    /** Returns the text of an object that may be closed, because printing must not throw. */
    @JvmSynthetic
    internal inline fun shown(text: () -> String): String =
        try {
            text()
        } catch (_: QuorateException.Closed) {
            "${javaClass.simpleName}(closed)"
        }

    /** Compares objects that may be closed, because comparing must not throw: a closed object equals only itself. */
    @JvmSynthetic
    internal inline fun compared(equal: () -> Boolean): Boolean =
        try {
            equal()
        } catch (_: QuorateException.Closed) {
            false
        }

    /**
     * Returns the hash of an immutable object that may be closed, because hashing must not throw. An object in a hash
     * table keeps its hash when it is closed.
     */
    @JvmSynthetic
    internal inline fun hashed(hash: () -> Int): Int =
        try {
            hash().also { knownHash = it }
        } catch (_: QuorateException.Closed) {
            knownHash ?: System.identityHashCode(this)
        }

    /** The last result of [hashed] before the object was closed. */
    @get:JvmSynthetic
    @set:JvmSynthetic
    internal var knownHash: Int? = null
}

/** An immutable [NativeObject]. Two objects are equal if they have the same class, suite and encoding. */
public abstract class EncodedObject
internal constructor(cell: Cell<*>, hidden: Hidden = Hidden()) : NativeObject(cell) {
    /** Returns the canonical encoding. */
    public abstract fun encode(): ByteArray

    /** The suite, for classes whose encoding does not contain it. */
    @JvmSynthetic
    internal open fun scheme(): Suite? = null

    final override fun equals(other: Any?): Boolean =
        this === other ||
            other is EncodedObject &&
                javaClass == other.javaClass &&
                compared { scheme() == other.scheme() && encode().contentEquals(other.encode()) }

    final override fun hashCode(): Int = hashed { encode().contentHashCode() }
}

/** An [EncodedObject] of a suite. */
public abstract class NativeValue internal constructor(cell: Cell<*>, hidden: Hidden = Hidden()) : EncodedObject(cell) {
    /** The signature scheme. */
    public abstract val suite: Suite

    @JvmSynthetic
    final override fun scheme(): Suite? = suite
}
