package org.quorate.internal

/**
 * A parameter of a value class gives a constructor a form that Java cannot call, so that editors do not offer it:
 * `internal` alone is public in Java.
 */
@JvmInline
internal value class Hidden(private val unused: Byte = 0)
