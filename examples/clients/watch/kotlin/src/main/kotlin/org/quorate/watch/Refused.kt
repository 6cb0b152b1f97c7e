package org.quorate.watch

/** A report that does not match what is verified, with a code of `spec/wire.md`. */
class Refused(val code: String, message: String) : RuntimeException(message)
