package org.quorate

import java.math.BigInteger
import org.quorate.internal.Reader as NativeReader
import org.quorate.internal.Writer as NativeWriter
import org.quorate.internal.wireHash

/** The canonical encoding of all data that is signed, hashed, stored or sent: little-endian and bounded. */
public object Wire {
    /** Every domain string that quorate uses. Choose different ones for your own hashes. */
    @JvmField
    public val DOMAINS: List<String> = Quorate.domains

    /** Returns the BLAKE3 hash of bytes under a domain string: 32 bytes. */
    @JvmStatic
    public fun hash(domain: String, bytes: ByteArray): ByteArray = translated { wireHash(domain.text("domain"), bytes) }

    /** Reads values one after the other. An error does not move the position. */
    public class Reader private constructor(private val cell: Cell<NativeReader>) : NativeObject(cell) {
        /** Starts at the first byte of a copy of these bytes. */
        public constructor(bytes: ByteArray) : this(Cell(NativeReader(bytes), "Reader"))

        /** Number of bytes left. */
        public val remaining: Int get() = cell.call { it.remaining().toInt() }

        /** Reads the next [n] bytes. */
        public fun raw(n: Int): ByteArray = cell.call { it.raw(n.natural("n")) }

        public fun u8(): Int = cell.call { it.readU8().toInt() }

        public fun u16(): Int = cell.call { it.readU16().toInt() }

        public fun u32(): Long = cell.call { it.readU32().toLong() }

        @JvmName("u64")
        public fun u64(): ULong = cell.call { it.readU64() }

        public fun u128(): BigInteger = cell.call { it.readU128() }

        /** Reads a number of up to 32 bits in one to five bytes. */
        public fun varint(): Long = cell.call { it.varint().toLong() }

        /** Reads a byte string of at most [cap] bytes. */
        public fun bytes(cap: Int): ByteArray = cell.call { it.bytes(cap.natural("cap")) }

        /** Reads the count of a list of at most [cap] items, which follow. */
        public fun count(cap: Int): Int = cell.call { it.count(cap.natural("cap")).toInt() }

        /** Reads whether an option has a value, which then follows. */
        public fun option(): Boolean = cell.call { it.option() }

        /** Throws [QuorateException.Malformed] if bytes are left. */
        public fun finish(): Unit = cell.call { it.finish() }

        override fun toString(): String = shown { "Reader($remaining bytes left)" }
    }

    /** Writes values one after the other. */
    public class Writer private constructor(private val cell: Cell<NativeWriter>) : NativeObject(cell) {
        public constructor() : this(Cell(NativeWriter(), "Writer"))

        /** Number of bytes written. */
        public val size: Long get() = cell.call { it.size().toLong() }

        /** Writes the bytes without a length. */
        public fun raw(bytes: ByteArray): Unit = cell.call { it.raw(bytes) }

        public fun u8(value: Int): Unit = cell.call { it.writeU8(value.u8("value")) }

        public fun u16(value: Int): Unit = cell.call { it.writeU16(value.u16("value")) }

        public fun u32(value: Long): Unit = cell.call { it.writeU32(value.u32("value")) }

        @JvmName("u64")
        public fun u64(value: ULong): Unit = cell.call { it.writeU64(value) }

        public fun u128(value: BigInteger): Unit = cell.call { it.writeU128(value.u128("value")) }

        /** Reads a number of up to 32 bits in one to five bytes. */
        public fun varint(value: Long): Unit = cell.call { it.varint(value.u32("value")) }

        /** Writes a byte string with its length. */
        public fun bytes(bytes: ByteArray): Unit = cell.call { it.bytes(bytes) }

        /** Writes the count of a list, whose items follow. */
        public fun count(n: Int): Unit = cell.call { it.count(n.natural("n")) }

        /** Reads whether an option has a value, which then follows. */
        public fun option(some: Boolean): Unit = cell.call { it.option(some) }

        /** Returns the written bytes. Closes the writer. */
        public fun intoBytes(): ByteArray = use { cell.call { it.written() } }

        override fun toString(): String = shown { "Writer($size bytes)" }
    }
}
