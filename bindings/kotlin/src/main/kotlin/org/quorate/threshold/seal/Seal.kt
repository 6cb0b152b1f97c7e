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
 * What opens files that were sealed to its public key. Close it: that wipes it. It cannot be compared, copied or serialized.
 */
public class SealingKey private constructor(private val cell: Cell<NativeSealingKey>) : NativeObject(cell) {
    private constructor(native: NativeSealingKey) : this(Cell(native, "SealingKey"))

    /** To whom to seal. */
    public val public: SealingPublicKey get() = cell.call { SealingPublicKey.decode(it.publicKey()) }

    /** The 32 bytes, for a key file. Fill the array with zeros after use. */
    public fun toBytes(): ByteArray = cell.call { it.toBytes().bytes() }

    /**
     * Opens a file. Throws [QuorateException.WrongContext] for what was not sealed to this key with this context. Fill the
     * array with zeros after use. **A seal hides and does not sign**: whoever knows the public key can seal to it.
     */
    public fun open(context: ByteArray, sealed: ByteArray): ByteArray = cell.call { it.open(context, sealed).bytes() }

    override fun toString(): String = shown { "SealingKey($public)" }

    public companion object {
        /** A new key from the operating system's random number generator. */
        @JvmStatic
        public fun generate(): SealingKey = SealingKey(translated { NativeSealingKey.generate() })

        /** Reads a key back, of exactly 32 bytes. The array stays yours to fill with zeros. */
        @JvmStatic
        public fun fromBytes(bytes: ByteArray): SealingKey =
            SealingKey(translated { bytes.borrowed { NativeSealingKey.fromBytes(it) } })
    }
}

/** To whom files are sealed: an X25519 public key. */
public class SealingPublicKey private constructor(private val raw: ByteArray) {
    /** The 32 bytes. */
    public fun encode(): ByteArray = raw.clone()

    /**
     * Seals content of at most [MAX_CONTENT] bytes to this key. [context] says what it is, to whoever opens it: the same
     * bytes are needed for that. Cost: two multiplications, and a nanosecond for each byte.
     */
    public fun seal(context: ByteArray, content: ByteArray): ByteArray =
        translated { content.borrowed { sealTo(raw, context, it) } }

    override fun equals(other: Any?): Boolean = other is SealingPublicKey && raw.contentEquals(other.raw)

    override fun hashCode(): Int = raw.contentHashCode()

    /** 64 hex digits. */
    override fun toString(): String = raw.hex()

    public companion object {
        private val constants = sealConstants()

        /** The longest content: 64 MiB. */
        @JvmField
        public val MAX_CONTENT: Int = constants.maxContent.toInt()

        /** Bytes that a sealed file is longer than its content. */
        @JvmField
        public val OVERHEAD: Int = constants.overhead.toInt()

        /** Reads 32 bytes. A key of small order is refused when it is used. */
        @JvmStatic
        public fun decode(bytes: ByteArray): SealingPublicKey {
            val raw = bytes.clone()
            translated { sealingPublicKeyCheck(raw) }
            return SealingPublicKey(raw)
        }
    }
}
