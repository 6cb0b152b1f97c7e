package org.quorate.threshold

/** Verifies a member's attestation of some bytes, usually a signature of the member. */
public fun interface Attested {
    /** Returns true if the attestation is valid. */
    public fun isGood(member: Int, bytes: ByteArray, attestation: ByteArray): Boolean
}
