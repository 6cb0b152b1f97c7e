package org.quorate

import java.math.BigInteger
import org.quorate.internal.constants

/** Version and constants of this release of quorate. */
public object Quorate {
    private val native = constants()

    /** The version, the same as that of the Rust crate. */
    @JvmField
    public val VERSION: String = native.version

    /** Every [QuorateException.code]: those of the core, and `CLOSED`. */
    @JvmField
    public val CODES: List<String> = native.codes.toList()

    /** Maximum number of members of a committee. */
    @JvmField
    public val MAX_MEMBERS: Int = native.maxMembers.toInt()

    /** Maximum total weight of a committee. */
    @JvmField
    public val MAX_TOTAL_WEIGHT: BigInteger = native.maxTotalWeight

    /** Maximum number of different values in a timeout certificate. */
    @JvmField
    public val MAX_TIMEOUT_GROUPS: Int = native.maxTimeoutGroups.toInt()

    /** Fewer pending votes than this are verified one by one. */
    @JvmField
    public val DEFAULT_BATCH_THRESHOLD: Int = native.defaultBatchThreshold.toInt()

    @get:JvmSynthetic
    internal val domains: List<String> = native.domains.toList()
}
