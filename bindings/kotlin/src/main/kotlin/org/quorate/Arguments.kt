@file:JvmSynthetic

package org.quorate

import java.math.BigInteger
import java.time.Duration
import java.time.Instant
import java.util.HexFormat

// Integers in the range of a wire format field. Any other value is an error of the caller, so the language's own
// exception names the argument.

internal fun Int.u8(name: String): UByte {
    require(this in 0..0xff) { "$name must be from 0 to 255, not $this" }
    return toUByte()
}

internal fun Int.u16(name: String): UShort {
    require(this in 0..0xffff) { "$name must be from 0 to 65535, not $this" }
    return toUShort()
}

internal fun Int.nonZero(name: String): UShort {
    require(this in 1..0xffff) { "$name must be from 1 to 65535, not $this" }
    return toUShort()
}

internal fun Int.natural(name: String): UInt {
    require(this >= 0) { "$name must not be negative, but is $this" }
    return toUInt()
}

internal fun Long.natural(name: String): ULong {
    require(this >= 0) { "$name must not be negative, but is $this" }
    return toULong()
}

internal fun Long.u32(name: String): UInt {
    require(this in 0..0xffff_ffffL) { "$name must be from 0 to 4294967295, not $this" }
    return toUInt()
}

internal fun BigInteger.u128(name: String): BigInteger {
    require(signum() >= 0 && bitLength() <= 128) { "$name must be from 0 to 2^128 - 1, not $this" }
    return this
}

/** Text that is valid UTF-8, which an unpaired surrogate is not. */
internal fun String.text(name: String): String {
    require(Charsets.UTF_8.newEncoder().canEncode(this)) { "$name must be text, but contains an unpaired surrogate" }
    return this
}

/** Time that is not negative. */
internal fun Duration.notNegative(name: String): Duration {
    require(!isNegative) { "$name must not be negative, but is $this" }
    return this
}

internal fun ByteArray.hex(): String = HexFormat.of().formatHex(this)

/** Returns the current time in microseconds since 1970. */
internal fun now(): ULong = Instant.now().run { epochSecond * 1_000_000 + nano / 1000 }.toULong()
