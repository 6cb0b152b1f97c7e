package org.quorate.threshold.coin

import org.quorate.Cell
import org.quorate.CommitteeId
import org.quorate.EncodedObject
import org.quorate.Hidden
import org.quorate.NativeObject
import org.quorate.QuorateException
import org.quorate.borrowed
import org.quorate.bytes
import org.quorate.callAll
import org.quorate.internal.Coin as NativeCoin
import org.quorate.internal.CoinKeyShare as NativeKeyShare
import org.quorate.internal.CoinPublicKeys as NativePublicKeys
import org.quorate.internal.CoinShareFault as NativeFault
import org.quorate.internal.CoinWrongShare as NativeWrongShare
import org.quorate.internal.coinDeal
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
    public fun verifyShare(instance: Coin, share: CoinShare): VerifiedShare =
        cell.call { keys ->
            instance.cell.call { of -> share.cell.call { VerifiedShare(keys.verifyShare(of, it)) } }
        }

    /**
     * Verifies several shares together and identifies every wrong one; these raise no error but are listed in the
     * faults. Cost: 0.6 multiplications per share.
     */
    public fun verifyShares(
        instance: Coin,
        shares: List<CoinShare>,
    ): Checked<VerifiedShare, ShareFault<WrongShare, CoinShare>> =
        cell.call { keys ->
            instance.cell.call { of ->
                callAll(shares.map { it.cell }) { natives ->
                    val checked = keys.verifyShares(of, natives)
                    Checked(checked.verified.map(::VerifiedShare), checked.faults.map(::fault))
                }
            }
        }

    override fun toString(): String = shown { "PublicKeys(coin, $threshold)" }

    public companion object {
        /**
         * Deals a new key whose threshold is one more than the maximum number of faulty members. **The process that
         * runs this knows the key**: run it once, offline, and give each member only its own share.
         */
        @JvmStatic
        public fun deal(committee: CommitteeId, threshold: Threshold): Dealt {
            val dealt = translated { coinDeal(committee.raw, threshold.native) }
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
     * Returns this member's share of a coin. **Release it only when the protocol permits it**: a party that sees enough
     * shares early knows the value early. Cost: three multiplications.
     */
    public fun coinShare(coin: Coin): CoinShare =
        cell.call { key -> coin.cell.call { CoinShare(key.share(it)) } }

    /** Returns the 99 bytes, for a key file. Fill the array with zeros after use. */
    public fun toBytes(): ByteArray = cell.call { it.toBytes().bytes() }

    override fun toString(): String = shown { "KeyShare(coin, member $member)" }

    public companion object {
        /**
         * Decodes the result of [toBytes]; call [check] next. The caller keeps the array and overwrites it with zeros.
         */
        @JvmStatic
        public fun fromBytes(bytes: ByteArray): KeyShare =
            KeyShare(translated { bytes.borrowed { NativeKeyShare.fromBytes(it) } })
    }
}

/** A name hashed to the group for a set of keys: the base of its shares. */
public class Coin private constructor(@get:JvmSynthetic internal val cell: Cell<NativeCoin>) : NativeObject(cell) {
    private constructor(native: NativeCoin) : this(Cell(native, "Coin"))

    /** Its name. */
    public val name: CoinName get() = cell.call { CoinName(it.name()) }

    /** Identifier in the proofs of its shares: 32 bytes. */
    public val id: ByteArray get() = cell.call { it.id() }

    /** The element whose multiples are the shares: 32 bytes. */
    public val base: ByteArray get() = cell.call { it.base() }

    /**
     * Combines verified shares into the value. Throws [QuorateException.BelowQuorum],
     * [QuorateException.DuplicateSigner], and [QuorateException.WrongContext] for a share of another coin.
     */
    @JvmOverloads
    public fun combine(keys: PublicKeys, shares: List<VerifiedShare>, cache: Cache? = null): CoinValue =
        cell.call { coin ->
            keys.cell.call { of ->
                callAll(shares.map { it.cell }) { natives ->
                    CoinValue.fromBytes(Cache.with(cache) { coin.combine(of, natives, it) })
                }
            }
        }

    override fun toString(): String = shown { "Coin($name)" }

    public companion object {
        /** Returns the coin with that name. Cost: half a multiplication. */
        @JvmStatic
        public fun fromName(keys: PublicKeys, name: CoinName): Coin = Coin(keys.cell.call { NativeCoin.fromName(it, name.native) })
    }
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

    override fun toString(): String = shown { "WrongShare(coin)" }

    public companion object {
        /** Decodes evidence without verification. */
        @JvmStatic
        public fun decode(bytes: ByteArray): WrongShare = WrongShare(translated { NativeWrongShare.decode(bytes) })
    }
}

@JvmSynthetic
internal fun fault(native: NativeFault): ShareFault<WrongShare, CoinShare> =
    when (native) {
        is NativeFault.Proven -> ShareFault.Proven(native.member.toInt(), WrongShare(native.evidence))
        is NativeFault.Forged -> ShareFault.Forged(native.member.toInt(), CoinShare(native.share))
    }
