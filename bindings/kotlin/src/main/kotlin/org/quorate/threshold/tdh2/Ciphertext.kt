package org.quorate.threshold.tdh2

import org.quorate.Cell
import org.quorate.CommitteeId
import org.quorate.EncodedObject
import org.quorate.NativeObject
import org.quorate.QuorateException
import org.quorate.callAll
import org.quorate.internal.Ciphertext as NativeCiphertext
import org.quorate.internal.Decryption as NativeDecryption
import org.quorate.internal.EncryptionKey as NativeEncryptionKey
import org.quorate.internal.Label as NativeLabel
import org.quorate.internal.ValidCiphertext as NativeValidCiphertext
import org.quorate.internal.tdh2Constants
import org.quorate.threshold.Cache
import org.quorate.threshold.ShareFault
import org.quorate.translated
import org.quorate.u16

/** Context of a ciphertext. Moving a ciphertext to another context requires knowledge of its plaintext. */
public class Label internal constructor(private val native: NativeLabel) {
    /** Committee whose keys decrypt it. */
    public val committee: CommitteeId get() = CommitteeId.fromBytes(native.committee)

    /** Epoch of the protocol in which it is proposed. */
    public val epoch: ULong
        @JvmName("getEpoch")
        get() = native.epoch

    /** Index of its proposer. */
    public val proposer: Int get() = native.proposer.toInt()

    /** The hash of the encrypted payload: 32 bytes. */
    public val payload: ByteArray get() = native.payload.clone()

    override fun equals(other: Any?): Boolean =
        other is Label &&
            committee == other.committee &&
            epoch == other.epoch &&
            proposer == other.proposer &&
            native.payload.contentEquals(other.native.payload)

    override fun hashCode(): Int = native.payload.contentHashCode()

    override fun toString(): String = "Label(epoch $epoch, proposer $proposer, $committee)"
}

/** The key for encrypting and checking ciphertexts: all that a client needs of a committee. */
public class EncryptionKey private constructor(@get:JvmSynthetic internal val cell: Cell<NativeEncryptionKey>) :
    EncodedObject(cell) {
    internal constructor(native: NativeEncryptionKey) : this(Cell(native, "EncryptionKey"))

    /** Committee whose members decrypt. */
    public val committee: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.committee()) }

    /** The public key: 32 bytes. */
    public val key: ByteArray get() = cell.call { it.key() }

    /** The 65 bytes. */
    override fun encode(): ByteArray = cell.call { it.encode() }

    /**
     * Returns the same key with tables, which make encryption more than twice as fast and checks faster. Memory: 61,440
     * bytes. Cost: about 80 multiplications, recovered after some fifty ciphertexts.
     */
    public fun precomputed(): EncryptionKey = cell.call { EncryptionKey(it.precomputed()) }

    /**
     * Encrypts at most [MAX_PLAINTEXT] bytes. The ciphertext binds epoch and proposer, so that no other member can
     * propose it, and none in another epoch. Cost: five multiplications, plus a cipher and a hash over the payload.
     */
    @JvmName("encrypt")
    public fun encrypt(epoch: ULong, proposer: Int, plaintext: ByteArray): Ciphertext =
        cell.call { Ciphertext(it.encrypt(epoch, proposer.u16("proposer"), plaintext)) }

    override fun toString(): String = shown { "EncryptionKey(of $committee)" }

    public companion object {
        private val constants = tdh2Constants()

        /** Maximum length of a plaintext: 32 MiB. */
        @JvmField
        public val MAX_PLAINTEXT: Int = constants.maxPlaintext.toInt()

        /** Bytes by which an encrypted payload is longer than its plaintext. */
        @JvmField
        public val OVERHEAD: Int = constants.overhead.toInt()

        /** The encryption key of a committee. */
        @JvmStatic
        public fun fromPublicKeys(keys: PublicKeys): EncryptionKey = EncryptionKey(keys.cell.call { NativeEncryptionKey.fromPublicKeys(it) })

        /** Reads 65 bytes. */
        @JvmStatic
        public fun decode(bytes: ByteArray): EncryptionKey =
            EncryptionKey(translated { NativeEncryptionKey.decode(bytes) })
    }
}

/** A ciphertext as sent by a proposer. Only its form is checked. */
public class Ciphertext private constructor(private val cell: Cell<NativeCiphertext>) : EncodedObject(cell) {
    internal constructor(native: NativeCiphertext) : this(Cell(native, "Ciphertext"))

    /** The context that it names. */
    public val label: Label get() = cell.call { Label(it.label()) }

    /** The encrypted payload, [EncryptionKey.OVERHEAD] bytes longer than the plaintext. */
    public val payload: ByteArray get() = cell.call { it.payload() }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /**
     * Checks that this is a ciphertext for these keys, that it is for this proposer and epoch (the link authenticates
     * the sender), and that payload and proof are its author's. Throws [QuorateException.WrongContext] or
     * [QuorateException.BadCiphertext]. Cost: four multiplications, two of them short, plus a hash of the payload.
     */
    @JvmName("check")
    public fun check(key: EncryptionKey, epoch: ULong, proposer: Int): ValidCiphertext =
        cell.call { ciphertext ->
            key.cell.call { ValidCiphertext(ciphertext.check(it, epoch, proposer.u16("proposer"))) }
        }

    override fun toString(): String = shown { "Ciphertext($label)" }

    public companion object {
        /** Reads a ciphertext. */
        @JvmStatic
        public fun decode(bytes: ByteArray): Ciphertext = Ciphertext(translated { NativeCiphertext.decode(bytes) })
    }
}

/** A checked ciphertext, for which shares can be made. Only [Ciphertext.check] creates one. */
public class ValidCiphertext private constructor(@get:JvmSynthetic internal val cell: Cell<NativeValidCiphertext>) :
    NativeObject(cell) {
    internal constructor(native: NativeValidCiphertext) : this(Cell(native, "ValidCiphertext"))

    /** The ciphertext, without the proof that it was checked. */
    public val ciphertext: Ciphertext get() = cell.call { Ciphertext(it.ciphertext()) }

    /** Its context. */
    public val label: Label get() = cell.call { Label(it.label()) }

    /** Identifier in the proofs of its shares: 32 bytes. */
    public val id: ByteArray get() = cell.call { it.id() }

    /** The element whose multiples are the shares: 32 bytes. */
    public val base: ByteArray get() = cell.call { it.base() }

    /**
     * Decrypts with verified shares. Throws [QuorateException.BelowQuorum], [QuorateException.DuplicateSigner], and
     * [QuorateException.WrongContext] for a share of another ciphertext; throws [QuorateException.BadCiphertext] if the
     * author encrypted no valid plaintext: treat it as empty, as all members will.
     */
    @JvmOverloads
    public fun combine(keys: PublicKeys, shares: List<VerifiedShare>, cache: Cache? = null): ByteArray =
        cell.call { ciphertext ->
            keys.cell.call { of ->
                callAll(shares.map { it.cell }) { natives -> Cache.with(cache) { ciphertext.combine(of, natives, it) } }
            }
        }

    override fun toString(): String = shown { "ValidCiphertext($label)" }
}

/** Result of adding a share. */
public class Collected internal constructor(
    /** The plaintext, returned once. */
    public val output: ByteArray?,
    /**
     * Returned once, in place of the plaintext: the error that all members get if the author encrypted no valid
     * plaintext. Treat the ciphertext as empty.
     */
    public val error: QuorateException?,
    /** Faults of the shares found to be wrong. */
    public val faults: List<ShareFault<WrongShare, DecryptionShare>>,
)

/**
 * Collects the shares of one ciphertext until it can be decrypted: optimistically at first; after a failure it checks
 * each share once and identifies the wrong ones.
 */
public class Decryption private constructor(private val cell: Cell<NativeDecryption>) : NativeObject(cell) {
    /**
     * For a ciphertext that was checked for these keys; otherwise it throws [QuorateException.WrongContext].
     *
     * @param cache combiners that share one reuse the Lagrange coefficients of recent sets of members.
     */
    @JvmOverloads
    public constructor(keys: PublicKeys, ciphertext: ValidCiphertext, cache: Cache? = null) : this(
        Cell(
            keys.cell.call { of ->
                ciphertext.cell.call { checked -> Cache.with(cache) { NativeDecryption(of, checked, it) } }
            },
            "Decryption",
        ),
    )

    /** True if the ciphertext is decrypted, or known to be invalid. */
    public val isDone: Boolean get() = cell.call { it.isDone() }

    /** Adds a share, and decrypts the ciphertext once there are enough. Throws [QuorateException.UnknownSigner]. */
    public fun add(share: DecryptionShare): Collected =
        cell.call { decryption ->
            val got = share.cell.call { decryption.add(it) }
            Collected(got.output, got.error?.let(QuorateException::of), got.faults.map(::fault))
        }

    override fun toString(): String = shown { "Decryption(done: $isDone)" }
}
