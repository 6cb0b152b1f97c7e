package org.quorate.threshold.coin

import org.quorate.Cell
import org.quorate.NativeObject
import org.quorate.QuorateException
import org.quorate.callAll
import org.quorate.copyOf32
import org.quorate.hex
import org.quorate.internal.Coin as NativeCoin
import org.quorate.internal.CoinName as NativeName
import org.quorate.internal.LengthOf
import org.quorate.internal.Toss as NativeToss
import org.quorate.internal.coinNameDecode
import org.quorate.internal.coinNameEncode
import org.quorate.internal.coinValueBelow
import org.quorate.internal.coinValueBit
import org.quorate.threshold.Cache
import org.quorate.threshold.Collected
import org.quorate.threshold.ShareFault
import org.quorate.translated
import org.quorate.u16
import org.quorate.u8

/** Name of a coin. Use each name for one decision only. In Java: `CoinName.of(…)`. */
public class CoinName internal constructor(@get:JvmSynthetic internal val native: NativeName) {
    /** Number of the protocol, chosen by the caller, so that two protocols never share a coin. */
    public val protocol: Int get() = native.protocol.toInt()

    /** Epoch of the protocol. */
    public val epoch: ULong
        @JvmName("getEpoch")
        get() = native.epoch

    /** Instance within the epoch. */
    public val instance: ULong
        @JvmName("getInstance")
        get() = native.instance

    /** Round of the instance. */
    public val round: ULong
        @JvmName("getRound")
        get() = native.round

    /** The 25 bytes. */
    public fun encode(): ByteArray = translated { coinNameEncode(native) }

    override fun equals(other: Any?): Boolean = other is CoinName && encode().contentEquals(other.encode())

    override fun hashCode(): Int = encode().contentHashCode()

    override fun toString(): String = "CoinName(protocol $protocol, epoch $epoch, instance $instance, round $round)"

    public companion object {
        /** Creates a name. */
        @JvmStatic
        @JvmName("of")
        public operator fun invoke(protocol: Int, epoch: ULong, instance: ULong, round: ULong): CoinName =
            CoinName(NativeName(protocol.u8("protocol"), epoch, instance, round))

        /** Reads 25 bytes. */
        @JvmStatic
        public fun decode(bytes: ByteArray): CoinName = CoinName(translated { coinNameDecode(bytes) })
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
     * Combines verified shares to the value. Throws [QuorateException.BelowQuorum], [QuorateException.DuplicateSigner],
     * and [QuorateException.WrongContext] for a share of another coin.
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
        /** The coin with that name. Cost: half a multiplication. */
        @JvmStatic
        public fun fromName(keys: PublicKeys, name: CoinName): Coin = Coin(keys.cell.call { NativeCoin.fromName(it, name.native) })
    }
}

/** 32 random bytes, the same for all members. */
public class CoinValue private constructor(private val raw: ByteArray) {
    /** The 32 bytes. */
    public val bytes: ByteArray get() = raw.clone()

    /** Returns one bit. */
    public fun bit(): Boolean = translated { coinValueBit(raw) }

    /** Returns a number from 0 to n − 1, for leader election; null if n is 0. The bias is below 2⁻²⁴⁰. */
    public fun below(n: Int): Int? = translated { coinValueBelow(raw, n.u16("n")) }?.toInt()

    override fun equals(other: Any?): Boolean = other is CoinValue && raw.contentEquals(other.raw)

    override fun hashCode(): Int = raw.contentHashCode()

    /** 64 hex digits. */
    override fun toString(): String = raw.hex()

    public companion object {
        /** A known value. Throws [QuorateException.Malformed] unless there are exactly 32 bytes. */
        @JvmStatic
        public fun fromBytes(bytes: ByteArray): CoinValue = CoinValue(bytes.copyOf32(LengthOf.HASH))
    }
}

/**
 * Collects the shares of one coin until enough are valid. It verifies all shares, in batches, before combining them,
 * because a combined value cannot be verified.
 */
public class Toss private constructor(private val cell: Cell<NativeToss>) : NativeObject(cell) {
    /**
     * For a coin of these keys; otherwise it throws [QuorateException.WrongContext].
     *
     * @param cache combiners that share one reuse the Lagrange coefficients of recent sets of members.
     */
    @JvmOverloads
    public constructor(keys: PublicKeys, coin: Coin, cache: Cache? = null) : this(
        Cell(
            keys.cell.call { of -> coin.cell.call { named -> Cache.with(cache) { NativeToss(of, named, it) } } },
            "Toss",
        ),
    )

    /** True if the value was returned. */
    public val isDone: Boolean get() = cell.call { it.isDone() }

    /** Adds a share. The output is the value, once enough shares are valid. Throws [QuorateException.UnknownSigner]. */
    public fun add(share: CoinShare): Collected<CoinValue, ShareFault<WrongShare, CoinShare>> =
        cell.call { toss ->
            val got = share.cell.call { toss.add(it) }
            Collected(got.output?.let(CoinValue::fromBytes), got.faults.map(::fault))
        }

    override fun toString(): String = shown { "Toss(done: $isDone)" }
}
