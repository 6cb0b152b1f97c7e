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

/** Where a ciphertext belongs. Nobody can move it to another place without knowing what is in it. */
public class Label internal constructor(private val native: NativeLabel) {
    /** Whose keys decrypt it. */
    public val committee: CommitteeId get() = CommitteeId.fromBytes(native.committee)

    /** In which epoch of the protocol it is proposed. */
    public val epoch: ULong
        @JvmName("getEpoch")
        get() = native.epoch

    /** Who proposes it. */
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

/** What encrypting and checking ciphertexts need: all that a client has of a committee. */
public class EncryptionKey private constructor(@get:JvmSynthetic internal val cell: Cell<NativeEncryptionKey>) :
    EncodedObject(cell) {
    internal constructor(native: NativeEncryptionKey) : this(Cell(native, "EncryptionKey"))

    /** Whose members decrypt. */
    public val committee: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.committee()) }

    /** The public key itself: 32 bytes. */
    public val key: ByteArray get() = cell.call { it.key() }

    /** The 65 bytes. */
    override fun encode(): ByteArray = cell.call { it.encode() }

    /**
     * The same key with tables, which make encrypting more than twice as fast and checking faster. Memory: 61,440 bytes.
     * Cost: about 80 multiplications, which some fifty ciphertexts win back.
     */
    public fun precomputed(): EncryptionKey = cell.call { EncryptionKey(it.precomputed()) }

    /**
     * Encrypts at most [MAX_PLAINTEXT] bytes. Epoch and proposer are part of it, so that nobody else can propose it, or in
     * another epoch. Cost: five multiplications, and a cipher and a hash over the payload.
     */
    @JvmName("encrypt")
    public fun encrypt(epoch: ULong, proposer: Int, plaintext: ByteArray): Ciphertext =
        cell.call { Ciphertext(it.encrypt(epoch, proposer.u16("proposer"), plaintext)) }

    override fun toString(): String = shown { "EncryptionKey(of $committee)" }

    public companion object {
        private val constants = tdh2Constants()

        /** The longest payload that is encrypted: 32 MiB. */
        @JvmField
        public val MAX_PLAINTEXT: Int = constants.maxPlaintext.toInt()

        /** How much longer a payload is when it is encrypted. */
        @JvmField
        public val OVERHEAD: Int = constants.overhead.toInt()

        /** The key of a committee. */
        @JvmStatic
        public fun fromPublicKeys(keys: PublicKeys): EncryptionKey = EncryptionKey(keys.cell.call { NativeEncryptionKey.fromPublicKeys(it) })

        /** Reads 65 bytes. */
        @JvmStatic
        public fun decode(bytes: ByteArray): EncryptionKey =
            EncryptionKey(translated { NativeEncryptionKey.decode(bytes) })
    }
}

/** What a proposer sends. Nothing of it is checked but that it is one. */
public class Ciphertext private constructor(private val cell: Cell<NativeCiphertext>) : EncodedObject(cell) {
    internal constructor(native: NativeCiphertext) : this(Cell(native, "Ciphertext"))

    /** Where it says it belongs. */
    public val label: Label get() = cell.call { Label(it.label()) }

    /** The encrypted payload, [EncryptionKey.OVERHEAD] bytes longer than the plain one. */
    public val payload: ByteArray get() = cell.call { it.payload() }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /**
     * Checks that this is a ciphertext for these keys, that this proposer proposed it in this epoch (who sent it is the
     * link's word), and that payload and proof are its author's. Throws [QuorateException.WrongContext] or
     * [QuorateException.BadCiphertext]. Cost: four multiplications, two of them short, and a hash of the payload.
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

/** A ciphertext that was checked: what shares are made of. It comes from [Ciphertext.check] and in no other way. */
public class ValidCiphertext private constructor(@get:JvmSynthetic internal val cell: Cell<NativeValidCiphertext>) :
    NativeObject(cell) {
    internal constructor(native: NativeValidCiphertext) : this(Cell(native, "ValidCiphertext"))

    /** The ciphertext alone, which forgets that it was checked. */
    public val ciphertext: Ciphertext get() = cell.call { Ciphertext(it.ciphertext()) }

    /** Where it belongs. */
    public val label: Label get() = cell.call { Label(it.label()) }

    /** What the proofs of its shares name: 32 bytes. */
    public val id: ByteArray get() = cell.call { it.id() }

    /** The element that its shares are multiples of: 32 bytes. */
    public val base: ByteArray get() = cell.call { it.base() }

    /**
     * Decrypts with verified shares. Throws [QuorateException.BelowQuorum], [QuorateException.DuplicateSigner],
     * [QuorateException.WrongContext] for a share of another ciphertext; and [QuorateException.BadCiphertext] if the author
     * encrypted nothing sensible: take it for empty, as all will.
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

/** What came of one share more. */
public class Collected internal constructor(
    /** The payload, once. */
    public val output: ByteArray?,
    /**
     * Once, in the place of the payload: what all come to if the author encrypted nothing sensible. Take it for empty.
     */
    public val error: QuorateException?,
    /** Shares that turned out to be wrong. */
    public val faults: List<ShareFault<WrongShare, DecryptionShare>>,
)

/**
 * Collects the shares of one ciphertext until it opens: first on trust, then, if a share was wrong, with each checked once
 * and the wrong ones named.
 */
public class Decryption private constructor(private val cell: Cell<NativeDecryption>) : NativeObject(cell) {
    /**
     * Of a ciphertext that was checked for these keys; else it throws [QuorateException.WrongContext].
     *
     * @param cache those who share one spare each other the coefficients of their sets of members.
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

    /** Whether it is open, or known never to open. */
    public val isDone: Boolean get() = cell.call { it.isDone() }

    /** Takes a share in, and opens the ciphertext if that makes enough. Throws [QuorateException.UnknownSigner]. */
    public fun add(share: DecryptionShare): Collected =
        cell.call { decryption ->
            val got = share.cell.call { decryption.add(it) }
            Collected(got.output, got.error?.let(QuorateException::of), got.faults.map(::fault))
        }

    override fun toString(): String = shown { "Decryption(done: $isDone)" }
}
