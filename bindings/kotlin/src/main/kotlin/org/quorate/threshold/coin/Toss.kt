package org.quorate.threshold.coin

import org.quorate.Cell
import org.quorate.NativeObject
import org.quorate.QuorateException
import org.quorate.internal.Toss as NativeToss
import org.quorate.threshold.Cache
import org.quorate.threshold.Collected
import org.quorate.threshold.ShareFault

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
