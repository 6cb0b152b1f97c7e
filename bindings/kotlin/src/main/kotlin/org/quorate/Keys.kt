package org.quorate

import java.nio.ByteBuffer
import org.quorate.internal.PublicKey as NativePublicKey
import org.quorate.internal.SecretKey as NativeSecretKey
import org.quorate.internal.Signature as NativeSignature
import org.quorate.internal.UnverifiedKey as NativeUnverifiedKey
import org.quorate.internal.VerifiedKey as NativeVerifiedKey

/** A secret key. Close it to wipe it. It prints only its suite, and cannot be compared, copied or serialized. */
public class SecretKey private constructor(private val cell: Cell<NativeSecretKey>) : NativeObject(cell) {
    private constructor(native: NativeSecretKey) : this(Cell(native, "SecretKey"))

    /** Signature scheme of the object. */
    public val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

    /** The public key. Cost: one multiplication. */
    public val publicKey: PublicKey get() = cell.call { PublicKey(it.publicKey()) }

    /** Signs exactly the bytes of a message. Validators sign through a [Guard] instead. */
    public fun sign(message: ByteArray): Signature = cell.call { Signature(it.sign(message)) }

    /**
     * Signs exactly the bytes of a message for another chain, under its ciphersuite. Never sign with a key that signs
     * quorate's statements: a [Guard] does not record it. Throws [QuorateException.WrongContext] for another
     * ciphersuite than the default if the suite is neither [Suite.MIN_SIG] nor [Suite.MIN_PK].
     */
    public fun signWith(ciphersuite: Ciphersuite, message: ByteArray): Signature =
        cell.call { Signature(it.signWith(ciphersuite.raw, message)) }

    /** Creates a proof of possession of the secret key of [publicKey]. */
    public fun provePossession(): Signature = cell.call { Signature(it.provePossession()) }

    /** Returns the 32 bytes of the key, for a key file. Fill the array with zeros after use. */
    public fun toBytes(): ByteArray {
        val bytes = ByteBuffer.allocate(32)
        cell.call { key -> for (word in 0..3) bytes.putLong(key.word(word.toUByte()).toLong()) }
        return bytes.array()
    }

    override fun toString(): String = shown { "SecretKey($suite)" }

    /** Calls [work] with the key. */
    @JvmSynthetic
    internal fun <T> call(work: (NativeSecretKey) -> T): T = cell.call(work)

    /** Lets [work] take the key out, and closes this object in any case. */
    @JvmSynthetic
    internal fun <T> handOver(work: (NativeSecretKey) -> T): T = use { cell.call(work) }

    public companion object {
        /** Generates a key with the operating system's random number generator. */
        @JvmStatic
        public fun generate(suite: Suite): SecretKey = SecretKey(translated { NativeSecretKey.generate(suite.native) })

        /** Decodes a key. Throws [QuorateException.Malformed] unless it has exactly 32 bytes and is valid. */
        @JvmStatic
        public fun fromBytes(suite: Suite, bytes: ByteArray): SecretKey {
            // One byte too many suffices to be rejected.
            val length = bytes.size.coerceAtMost(33)
            val borrowed = ByteBuffer.allocateDirect(length).put(bytes, 0, length).flip()
            try {
                return SecretKey(translated { NativeSecretKey.fromBytes(suite.native, borrowed) })
            } finally {
                borrowed.clear()
                while (borrowed.hasRemaining()) borrowed.put(0)
            }
        }
    }
}

/** A decoded public key. It does not prove possession of the secret key: committees require a [VerifiedKey]. */
public class PublicKey private constructor(@get:JvmSynthetic internal val cell: Cell<NativePublicKey>) :
    NativeValue(cell) {
    internal constructor(native: NativePublicKey, hidden: Hidden = Hidden()) : this(Cell(native, "PublicKey"))

    override val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /**
     * Verifies that this key's owner signed [message]. Throws [QuorateException.BadSignature] or another
     * `QuorateException`.
     */
    public fun verify(message: ByteArray, signature: Signature): Unit =
        cell.call { key -> signature.cell.call { key.verify(message, it) } }

    /**
     * Verifies that this key's owner signed [message] for another chain, under its ciphersuite. Cost (BLS): one hash to
     * the curve, one subgroup check, two pairings. Throws [QuorateException.BadSignature], or
     * [QuorateException.WrongContext] for a signature of another suite, and for another ciphersuite than the default if
     * the suite is neither [Suite.MIN_SIG] nor [Suite.MIN_PK].
     */
    public fun verifyWith(ciphersuite: Ciphersuite, message: ByteArray, signature: Signature): Unit =
        cell.call { key -> signature.cell.call { key.verifyWith(ciphersuite.raw, message, it) } }

    /** Verifies a proof of possession. Throws [QuorateException.BadPossession]. */
    public fun verifyPossession(possession: Signature): Unit =
        cell.call { key -> possession.cell.call { key.verifyPossession(it) } }

    override fun toString(): String = shown { "PublicKey($suite, ${encode().hex()})" }

    public companion object {
        /** Decodes a key and checks that it is a point of the right group, and not the neutral element. */
        @JvmStatic
        public fun decode(suite: Suite, bytes: ByteArray): PublicKey =
            PublicKey(translated { NativePublicKey.decode(suite.native, bytes) })
    }
}

/** A decoded signature. It is not verified yet. */
public class Signature private constructor(@get:JvmSynthetic internal val cell: Cell<NativeSignature>) :
    NativeValue(cell) {
    internal constructor(native: NativeSignature, hidden: Hidden = Hidden()) : this(Cell(native, "Signature"))

    override val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /** Returns the form for direct links: longer, and faster to decode. */
    public fun encodeLink(): ByteArray = cell.call { it.encodeLink() }

    override fun toString(): String = shown { "Signature($suite, ${encode().hex()})" }

    public companion object {
        /** Decodes a signature. */
        @JvmStatic
        public fun decode(suite: Suite, bytes: ByteArray): Signature =
            Signature(translated { NativeSignature.decode(suite.native, bytes) })

        /** Decodes the form for direct links. */
        @JvmStatic
        public fun decodeLink(suite: Suite, bytes: ByteArray): Signature =
            Signature(translated { NativeSignature.decodeLink(suite.native, bytes) })
    }
}

/** A public key with an unverified proof of possession, as a member submits it. */
public class UnverifiedKey private constructor(private val cell: Cell<NativeUnverifiedKey>) : NativeValue(cell) {
    internal constructor(native: NativeUnverifiedKey, hidden: Hidden = Hidden()) : this(Cell(native, "UnverifiedKey"))

    /** Combines a received key and proof. */
    public constructor(public: PublicKey, possession: Signature) : this(
        public.cell.call { key -> possession.cell.call { NativeUnverifiedKey(key, it) } },
    )

    override val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

    /** The key; it is unproven. */
    public val public: PublicKey get() = cell.call { PublicKey(it.publicKey()) }

    /** The proof as received. */
    public val possession: Signature get() = cell.call { Signature(it.possession()) }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /** Verifies the proof. Throws [QuorateException.BadPossession]. Cost: one signature verification. */
    public fun verify(): VerifiedKey = cell.call { VerifiedKey(it.verify()) }

    override fun toString(): String = shown { "UnverifiedKey($suite, ${public.encode().hex()})" }

    public companion object {
        /** Returns the key of [secret] with a new proof. */
        @JvmStatic
        public fun prove(secret: SecretKey): UnverifiedKey = UnverifiedKey(secret.call { NativeUnverifiedKey.prove(it) })

        /** Decodes a key and its proof. */
        @JvmStatic
        public fun decode(suite: Suite, bytes: ByteArray): UnverifiedKey =
            UnverifiedKey(translated { NativeUnverifiedKey.decode(suite.native, bytes) })
    }
}

/**
 * A public key whose owner proved possession of the secret key. Only [UnverifiedKey.verify] and `fromSecret` create
 * one.
 */
public class VerifiedKey private constructor(@get:JvmSynthetic internal val cell: Cell<NativeVerifiedKey>) :
    NativeObject(cell) {
    internal constructor(native: NativeVerifiedKey, hidden: Hidden = Hidden()) : this(Cell(native, "VerifiedKey"))

    /** Signature scheme of the object. */
    public val suite: Suite get() = cell.call { Suite.fromNative(it.suite()) }

    /** The key. */
    public val public: PublicKey get() = cell.call { PublicKey(it.publicKey()) }

    override fun equals(other: Any?): Boolean =
        this === other || other is VerifiedKey && compared { public == other.public }

    override fun hashCode(): Int = hashed { public.hashCode() }

    override fun toString(): String = shown { "VerifiedKey($suite, ${public.encode().hex()})" }

    public companion object {
        /** Returns the key of a secret key, which needs no proof. */
        @JvmStatic
        public fun fromSecret(secret: SecretKey): VerifiedKey = VerifiedKey(secret.call { NativeVerifiedKey.fromSecret(it) })
    }
}
