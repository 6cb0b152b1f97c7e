package org.quorate.threshold.seal

import org.quorate.Cell
import org.quorate.NativeObject
import org.quorate.QuorateException
import org.quorate.borrowed
import org.quorate.bytes
import org.quorate.hex
import org.quorate.internal.SealingKey as NativeSealingKey
import org.quorate.internal.sealConstants
import org.quorate.internal.sealTo
import org.quorate.internal.sealingPublicKeyCheck
import org.quorate.translated

/**
 * A private key that opens files sealed to its public key. Close it to wipe it. It cannot be compared, copied or
 * serialized.
 */
public class SealingKey private constructor(private val cell: Cell<NativeSealingKey>) : NativeObject(cell) {
    private constructor(native: NativeSealingKey) : this(Cell(native, "SealingKey"))

    /** The public key. */
    public val public: SealingPublicKey get() = cell.call { SealingPublicKey.decode(it.publicKey()) }

    /** Returns the 32 bytes, for a key file. Fill the array with zeros after use. */
    public fun toBytes(): ByteArray = cell.call { it.toBytes().bytes() }

    /**
     * Opens a file. Throws [QuorateException.WrongContext] unless it was sealed to this key with this context. Fill the
     * array with zeros after use. **A seal does not authenticate the sender**: every holder of the public key can seal
     * to it.
     */
    public fun open(context: ByteArray, sealed: ByteArray): ByteArray = cell.call { it.open(context, sealed).bytes() }

    override fun toString(): String = shown { "SealingKey($public)" }

    public companion object {
        /** Generates a key with the operating system's random number generator. */
        @JvmStatic
        public fun generate(): SealingKey = SealingKey(translated { NativeSealingKey.generate() })

        /** Decodes a key of exactly 32 bytes. The caller keeps the array and overwrites it with zeros. */
        @JvmStatic
        public fun fromBytes(bytes: ByteArray): SealingKey =
            SealingKey(translated { bytes.borrowed { NativeSealingKey.fromBytes(it) } })
    }
}

/** An X25519 public key to which files are sealed. */
public class SealingPublicKey private constructor(private val raw: ByteArray) {
    /** Returns the 32 bytes. */
    public fun encode(): ByteArray = raw.clone()

    /**
     * Seals content of at most [MAX_CONTENT] bytes to this key. [context] identifies the content; opening it requires
     * the same bytes. Cost: two multiplications, and a nanosecond per byte.
     */
    public fun seal(context: ByteArray, content: ByteArray): ByteArray =
        translated { content.borrowed { sealTo(raw, context, it) } }

    override fun equals(other: Any?): Boolean = other is SealingPublicKey && raw.contentEquals(other.raw)

    override fun hashCode(): Int = raw.contentHashCode()

    /** 64 hex digits. */
    override fun toString(): String = raw.hex()

    public companion object {
        private val constants = sealConstants()

        /** Maximum length of the content: 64 MiB. */
        @JvmField
        public val MAX_CONTENT: Int = constants.maxContent.toInt()

        /** Bytes by which a sealed file is longer than its content. */
        @JvmField
        public val OVERHEAD: Int = constants.overhead.toInt()

        /** Decodes 32 bytes. A key of small order is rejected when it is used. */
        @JvmStatic
        public fun decode(bytes: ByteArray): SealingPublicKey {
            val raw = bytes.clone()
            translated { sealingPublicKeyCheck(raw) }
            return SealingPublicKey(raw)
        }
    }
}
