package org.quorate

import java.math.BigInteger
import org.quorate.internal.constants

/** What this release of quorate states about itself. */
public object Quorate {
    private val native = constants()

    /** The version, the same as that of the Rust crate. */
    @JvmField
    public val VERSION: String = native.version

    /** Every [QuorateException.code]: those of the core, and `CLOSED`. */
    @JvmField
    public val CODES: List<String> = native.codes.toList()

    /** The most members that a committee can have. */
    @JvmField
    public val MAX_MEMBERS: Int = native.maxMembers.toInt()

    /** The largest sum of a committee's weights. */
    @JvmField
    public val MAX_TOTAL_WEIGHT: BigInteger = native.maxTotalWeight

    /** The most different values that a timeout certificate can hold. */
    @JvmField
    public val MAX_TIMEOUT_GROUPS: Int = native.maxTimeoutGroups.toInt()

    /** With fewer pending votes than this a collector checks them one by one. */
    @JvmField
    public val DEFAULT_BATCH_THRESHOLD: Int = native.defaultBatchThreshold.toInt()

    @get:JvmSynthetic
    internal val domains: List<String> = native.domains.toList()
}
