package org.quorate.threshold.tdh2

import org.quorate.Cell
import org.quorate.NativeObject
import org.quorate.QuorateException
import org.quorate.internal.Decryption as NativeDecryption
import org.quorate.threshold.Cache
import org.quorate.threshold.ShareFault

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
            Collected(got.output, got.error?.let(QuorateException::fromNative), got.faults.map(::fault))
        }

    override fun toString(): String = shown { "Decryption(done: $isDone)" }
}
