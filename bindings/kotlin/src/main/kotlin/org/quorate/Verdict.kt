package org.quorate

/** Verdict on one item of a batch: its value, or the error that it would cause alone. */
public sealed class Verdict<out T> {
    /** Returns the value, or throws the error. */
    public abstract fun getOrThrow(): T

    /** It verifies. */
    public class Valid<out T> internal constructor(public val value: T) : Verdict<T>() {
        override fun getOrThrow(): T = value

        override fun toString(): String = "Valid($value)"
    }

    /** It does not verify. */
    public class Invalid internal constructor(public val error: QuorateException) : Verdict<Nothing>() {
        override fun getOrThrow(): Nothing = throw error

        override fun toString(): String = "Invalid($error)"
    }
}
