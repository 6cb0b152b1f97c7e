package org.quorate.threshold.tdh2

import org.quorate.Cell
import org.quorate.CommitteeId
import org.quorate.EncodedObject
import org.quorate.Hidden
import org.quorate.NativeObject
import org.quorate.QuorateException
import org.quorate.borrowed
import org.quorate.bytes
import org.quorate.callAll
import org.quorate.internal.Ciphertext as NativeCiphertext
import org.quorate.internal.EncryptionKey as NativeEncryptionKey
import org.quorate.internal.Tdh2KeyShare as NativeKeyShare
import org.quorate.internal.Tdh2PublicKeys as NativePublicKeys
import org.quorate.internal.Tdh2ShareFault as NativeFault
import org.quorate.internal.Tdh2WrongShare as NativeWrongShare
import org.quorate.internal.ValidCiphertext as NativeValidCiphertext
import org.quorate.internal.tdh2Constants
import org.quorate.internal.tdh2Deal
import org.quorate.threshold.Cache
import org.quorate.threshold.Checked
import org.quorate.threshold.ShareFault
import org.quorate.threshold.Threshold
import org.quorate.translated
import org.quorate.u16

/** A dealer's output: the public keys, and a share for each member. */
public class Dealt internal constructor(
    /** The public keys. */
    public val keys: PublicKeys,
    /** The members' secret shares, in order. Give each member only its own, and close these. */
    public val shares: List<KeyShare>,
) {
    /** Returns the keys. */
    public operator fun component1(): PublicKeys = keys

    /** Returns the shares. */
    public operator fun component2(): List<KeyShare> = shares
}

/** The public keys of a dealt key, checked to lie on one polynomial. */
public class PublicKeys private constructor(@get:JvmSynthetic internal val cell: Cell<NativePublicKeys>) :
    EncodedObject(cell) {
    internal constructor(native: NativePublicKeys, hidden: Hidden = Hidden()) : this(Cell(native, "PublicKeys"))

    /** Committee for which they were dealt. */
    public val committee: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.committee()) }

    /** Number of shares needed, and number of parties. */
    public val threshold: Threshold get() = cell.call { Threshold.fromNative(it.threshold()) }

    /** The public key: 32 bytes. */
    public val key: ByteArray get() = cell.call { it.key() }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /** Returns the member's verification key of 32 bytes; null if there is no such member. */
    public fun verificationKey(member: Int): ByteArray? = cell.call { it.verificationKey(member.u16("member")) }

    /**
     * Returns the same keys with a table for each member, which makes verifying between n/8 and 46 shares at once
     * somewhat cheaper. Memory: 10 kB for each member. Cost: as [decode], plus a quarter of a multiplication per
     * member.
     */
    public fun precomputed(): PublicKeys = cell.call { PublicKeys(it.precomputed()) }

    /** Verifies one share, or throws [QuorateException.BadShare]. Cost: 1.5 multiplications. */
    public fun verifyShare(instance: ValidCiphertext, share: DecryptionShare): VerifiedShare =
        cell.call { keys ->
            instance.cell.call { of -> share.cell.call { VerifiedShare(keys.verifyShare(of, it)) } }
        }

    /**
     * Verifies several shares together and identifies every wrong one; these raise no error but are listed in the
     * faults. Cost: 0.6 multiplications per share.
     */
    public fun verifyShares(
        instance: ValidCiphertext,
        shares: List<DecryptionShare>,
    ): Checked<VerifiedShare, ShareFault<WrongShare, DecryptionShare>> =
        cell.call { keys ->
            instance.cell.call { of ->
                callAll(shares.map { it.cell }) { natives ->
                    val checked = keys.verifyShares(of, natives)
                    Checked(checked.verified.map(::VerifiedShare), checked.faults.map(::fault))
                }
            }
        }

    override fun toString(): String = shown { "PublicKeys(tdh2, $threshold)" }

    public companion object {
        /**
         * Deals a new key whose threshold is one more than the maximum number of faulty members. **The process that
         * runs this knows the key**: run it once, offline, and give each member only its own share.
         */
        @JvmStatic
        public fun deal(committee: CommitteeId, threshold: Threshold): Dealt {
            val dealt = translated { tdh2Deal(committee.raw, threshold.native) }
            return Dealt(PublicKeys(dealt.keys), dealt.shares.map(::KeyShare))
        }

        /** Decodes keys and verifies that they lie on one polynomial. Cost: a sum of n + 1 products. */
        @JvmStatic
        public fun decode(bytes: ByteArray): PublicKeys = PublicKeys(translated { NativePublicKeys.decode(bytes) })
    }
}

/** A member's share of the secret key. Close it to wipe it. It cannot be printed, compared, copied or serialized. */
public class KeyShare private constructor(private val cell: Cell<NativeKeyShare>) : NativeObject(cell) {
    internal constructor(native: NativeKeyShare, hidden: Hidden = Hidden()) : this(Cell(native, "KeyShare"))

    /** Member that holds the share. */
    public val member: Int get() = cell.call { it.member().toInt() }

    /** Committee for which it was dealt. */
    public val committee: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.committee()) }

    /** Its public verification key: 32 bytes. */
    public val verificationKey: ByteArray get() = cell.call { it.verificationKey() }

    /**
     * Verifies that the dealer gave this member the secret of its verification key, or throws
     * [QuorateException.BadShare]. Call it once: with a wrong secret the member makes wrong shares and is blamed for
     * them.
     */
    public fun check(keys: PublicKeys): Unit = cell.call { share -> keys.cell.call { share.check(it) } }

    /**
     * Returns this member's share of a decryption, which is valid for this ciphertext only. Only a checked ciphertext
     * has shares. Cost: three multiplications.
     */
    public fun decryptionShare(ciphertext: ValidCiphertext): DecryptionShare =
        cell.call { key -> ciphertext.cell.call { DecryptionShare(key.share(it)) } }

    /** Returns the 99 bytes, for a key file. Fill the array with zeros after use. */
    public fun toBytes(): ByteArray = cell.call { it.toBytes().bytes() }

    override fun toString(): String = shown { "KeyShare(tdh2, member $member)" }

    public companion object {
        /**
         * Decodes the result of [toBytes]; call [check] next. The caller keeps the array and overwrites it with zeros.
         */
        @JvmStatic
        public fun fromBytes(bytes: ByteArray): KeyShare =
            KeyShare(translated { bytes.borrowed { NativeKeyShare.fromBytes(it) } })
    }
}

/** The key for encrypting and checking ciphertexts: all that a client needs of a committee. */
public class EncryptionKey private constructor(@get:JvmSynthetic internal val cell: Cell<NativeEncryptionKey>) :
    EncodedObject(cell) {
    internal constructor(native: NativeEncryptionKey, hidden: Hidden = Hidden()) : this(Cell(native, "EncryptionKey"))

    /** Committee whose members decrypt. */
    public val committee: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.committee()) }

    /** The public key: 32 bytes. */
    public val key: ByteArray get() = cell.call { it.key() }

    /** Returns the 65 bytes. */
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

        /** Returns the encryption key of a committee. */
        @JvmStatic
        public fun fromPublicKeys(keys: PublicKeys): EncryptionKey = EncryptionKey(keys.cell.call { NativeEncryptionKey.fromPublicKeys(it) })

        /** Decodes 65 bytes. */
        @JvmStatic
        public fun decode(bytes: ByteArray): EncryptionKey =
            EncryptionKey(translated { NativeEncryptionKey.decode(bytes) })
    }
}

/** A ciphertext as sent by a proposer. Only its form is checked. */
public class Ciphertext private constructor(private val cell: Cell<NativeCiphertext>) : EncodedObject(cell) {
    internal constructor(native: NativeCiphertext, hidden: Hidden = Hidden()) : this(Cell(native, "Ciphertext"))

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
        /** Decodes a ciphertext. */
        @JvmStatic
        public fun decode(bytes: ByteArray): Ciphertext = Ciphertext(translated { NativeCiphertext.decode(bytes) })
    }
}

/** A checked ciphertext, for which shares can be made. Only [Ciphertext.check] creates one. */
public class ValidCiphertext private constructor(@get:JvmSynthetic internal val cell: Cell<NativeValidCiphertext>) :
    NativeObject(cell) {
    internal constructor(native: NativeValidCiphertext, hidden: Hidden = Hidden()) :
        this(Cell(native, "ValidCiphertext"))

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

/** Evidence that a member made a wrong share, for every holder of the public keys. */
public class WrongShare private constructor(private val cell: Cell<NativeWrongShare>) : EncodedObject(cell) {
    internal constructor(native: NativeWrongShare, hidden: Hidden = Hidden()) : this(Cell(native, "WrongShare"))

    override fun encode(): ByteArray = cell.call { it.encode() }

    /**
     * Verifies the evidence with the keys alone and returns the culprit. Throws [QuorateException.NotEvidence] if the
     * share is right, or not the member's own.
     */
    public fun verify(keys: PublicKeys): Int =
        cell.call { evidence -> keys.cell.call { evidence.verify(it).toInt() } }

    override fun toString(): String = shown { "WrongShare(tdh2)" }

    public companion object {
        /** Decodes evidence without verification. */
        @JvmStatic
        public fun decode(bytes: ByteArray): WrongShare = WrongShare(translated { NativeWrongShare.decode(bytes) })
    }
}

@JvmSynthetic
internal fun fault(native: NativeFault): ShareFault<WrongShare, DecryptionShare> =
    when (native) {
        is NativeFault.Proven -> ShareFault.Proven(native.member.toInt(), WrongShare(native.evidence))
        is NativeFault.Forged -> ShareFault.Forged(native.member.toInt(), DecryptionShare(native.share))
    }
