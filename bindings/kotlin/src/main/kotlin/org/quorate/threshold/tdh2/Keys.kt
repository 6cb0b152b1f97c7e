package org.quorate.threshold.tdh2

import org.quorate.Cell
import org.quorate.CommitteeId
import org.quorate.EncodedObject
import org.quorate.NativeObject
import org.quorate.QuorateException
import org.quorate.borrowed
import org.quorate.bytes
import org.quorate.callAll
import org.quorate.internal.Tdh2KeyShare as NativeKeyShare
import org.quorate.internal.Tdh2PublicKeys as NativePublicKeys
import org.quorate.internal.tdh2Deal
import org.quorate.threshold.Checked
import org.quorate.threshold.ShareFault
import org.quorate.threshold.Threshold
import org.quorate.translated
import org.quorate.u16

/** What a dealer hands out: the public keys for all, and a share for each member. */
public class Dealt internal constructor(
    /** What everybody may know. */
    public val keys: PublicKeys,
    /** The members' secrets, in their order. Give each its own alone, and close these. */
    public val shares: List<KeyShare>,
) {
    /** The keys. */
    public operator fun component1(): PublicKeys = keys

    /** The shares. */
    public operator fun component2(): List<KeyShare> = shares
}

/** What everybody knows of dealt keys, checked to lie on one polynomial. */
public class PublicKeys private constructor(@get:JvmSynthetic internal val cell: Cell<NativePublicKeys>) :
    EncodedObject(cell) {
    internal constructor(native: NativePublicKeys) : this(Cell(native, "PublicKeys"))

    /** For which committee they were dealt. */
    public val committee: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.committee()) }

    /** How many shares of how many are needed. */
    public val threshold: Threshold get() = cell.call { Threshold.of(it.threshold()) }

    /** The public key itself: 32 bytes. */
    public val key: ByteArray get() = cell.call { it.key() }

    override fun encode(): ByteArray = cell.call { it.encode() }

    /** The member's verification key of 32 bytes; null if there is no such member. */
    public fun verificationKey(member: Int): ByteArray? = cell.call { it.verificationKey(member.u16("member")) }

    /**
     * The same keys with a table for each member, which makes checking between n/8 and 46 shares at once somewhat cheaper.
     * Memory: 10 kB for each member. Cost: as [decode], and a quarter of a multiplication for each.
     */
    public fun precomputed(): PublicKeys = cell.call { PublicKeys(it.precomputed()) }

    /** Checks one share, or throws [QuorateException.BadShare]. Cost: 1.5 multiplications. */
    public fun verifyShare(instance: ValidCiphertext, share: DecryptionShare): VerifiedShare =
        cell.call { keys ->
            instance.cell.call { of -> share.cell.call { VerifiedShare(keys.verifyShare(of, it)) } }
        }

    /**
     * Checks many shares together and finds every wrong one; these are no error but among the faults. Cost: 0.6 of a
     * multiplication for each share.
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
         * Deals a fresh key of which one share more is needed than members may be faulty. **Whoever runs this knows the
         * key**: run it once, away from the network, and give each member its share alone.
         */
        @JvmStatic
        public fun deal(committee: CommitteeId, threshold: Threshold): Dealt {
            val dealt = translated { tdh2Deal(committee.raw, threshold.native) }
            return Dealt(PublicKeys(dealt.keys), dealt.shares.map(::KeyShare))
        }

        /** Reads keys, and checks that they lie on one polynomial. Cost: a sum of n + 1 products. */
        @JvmStatic
        public fun decode(bytes: ByteArray): PublicKeys = PublicKeys(translated { NativePublicKeys.decode(bytes) })
    }
}

/** A member's secret. Close it: that wipes it. It cannot be printed, compared, copied or serialized. */
public class KeyShare private constructor(private val cell: Cell<NativeKeyShare>) : NativeObject(cell) {
    internal constructor(native: NativeKeyShare) : this(Cell(native, "KeyShare"))

    /** Whose share it is. */
    public val member: Int get() = cell.call { it.member().toInt() }

    /** For which committee it was dealt. */
    public val committee: CommitteeId get() = cell.call { CommitteeId.fromBytes(it.committee()) }

    /** What everybody knows of it: 32 bytes. */
    public val verificationKey: ByteArray get() = cell.call { it.verificationKey() }

    /**
     * Checks that the dealer gave this member the secret of its verification key, or throws [QuorateException.BadShare].
     * To be done once: with a wrong one a member makes wrong shares, and is the culprit.
     */
    public fun check(keys: PublicKeys): Unit = cell.call { share -> keys.cell.call { share.check(it) } }

    /**
     * This member's part in a decryption, which stands for nothing but this ciphertext. Only one that was checked makes
     * shares. Cost: three multiplications.
     */
    public fun decryptionShare(ciphertext: ValidCiphertext): DecryptionShare =
        cell.call { key -> ciphertext.cell.call { DecryptionShare(key.share(it)) } }

    /** The 99 bytes, for a key file. Fill the array with zeros after use. */
    public fun toBytes(): ByteArray = cell.call { it.toBytes().bytes() }

    override fun toString(): String = shown { "KeyShare(tdh2, member $member)" }

    public companion object {
        /** Reads [toBytes]; [check] it then. The array stays yours to fill with zeros. */
        @JvmStatic
        public fun fromBytes(bytes: ByteArray): KeyShare =
            KeyShare(translated { bytes.borrowed { NativeKeyShare.fromBytes(it) } })
    }
}
