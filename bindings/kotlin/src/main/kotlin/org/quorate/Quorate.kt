package org.quorate

import org.quorate.internal.constants

/** Version of this release of quorate, and the codes of its errors. */
public object Quorate {
    private val native = constants()

    /** The version, the same as that of the Rust crate. */
    @JvmField
    public val VERSION: String = native.version

    /** Every [QuorateException.code]: those of the core, and `CLOSED`. */
    @JvmField
    public val CODES: List<String> = native.codes.toList()
}
