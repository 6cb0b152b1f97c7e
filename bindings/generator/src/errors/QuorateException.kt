@file:JvmSynthetic

package org.quorate

import java.math.BigInteger
import org.quorate.internal.Detail
import org.quorate.internal.Failure
import org.quorate.internal.Hidden
import org.quorate.internal.InternalException
import org.quorate.internal.NativeFailure

/**
 * An error reported by quorate. Match on the subclass, or on [code], which is the same in all languages and never
 * changes its meaning; the message says what to do.
 *
 * Unchecked, because most of these errors come from bytes received from other parties, and the caller chooses where to
 * handle them.
 *
 * @property code one of [Quorate.CODES].
 * @property culprits the members at fault, in ascending order, if the error names any.
 * @property details the error's fields by name: a `String`, a [BigInteger] or a `List<Int>`. The subclasses expose the
 * same values as properties.
 */
public sealed class QuorateException private constructor(
    public val code: String,
    message: String,
    public val culprits: List<Int>,
    public val details: Map<String, Any>,
) : RuntimeException(message) {

    private constructor(code: String, failure: Failure) : this(
        code,
        failure.text,
        failure.culprits.map { it.toInt() },
        failure.details.associate(::named),
    )

    // CLASSES

    protected fun text(name: String): String = details.getValue(name) as String

    protected fun number(name: String): BigInteger = details.getValue(name) as BigInteger

    internal companion object {
        @JvmSynthetic
        internal fun fromNative(failure: Failure): QuorateException =
            when (failure.code) {
                // BRANCHES
                else -> error("no class for ${failure.code}: ${failure.text}")
            }

        private fun named(detail: Detail): Pair<String, Any> =
            when (detail) {
                is Detail.Text -> detail.name to detail.value
                is Detail.Number -> detail.name to detail.value
                is Detail.Members -> detail.name to detail.value.map { it.toInt() }
            }
    }
}

/** Runs native code and converts its errors. */
internal inline fun <T> translated(work: () -> T): T =
    try {
        work()
    } catch (refusal: NativeFailure.Failed) {
        throw QuorateException.fromNative(refusal.failure)
    } catch (panic: InternalException) {
        throw IllegalStateException("quorate has a bug; please report it: ${panic.message}", panic)
    }
