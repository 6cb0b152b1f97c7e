@file:JvmSynthetic

package org.quorate

import org.quorate.internal.Attestations
import org.quorate.threshold.Attested

/**
 * Runs [verify], which takes all attestations for valid, and then verifies these with the user's function. If one is
 * invalid, [verify] runs again, takes none for valid, and throws the core's error.
 */
internal inline fun <T> Attested.asked(verify: (Attestations) -> T): T {
    val assumed = Attestations(true)
    try {
        val outcome = runCatching { verify(assumed) }
        val asked = assumed.asked()
        if (asked.all { isGood(it.member.toInt(), it.bytes, it.attestation) }) return outcome.getOrThrow()
    } finally {
        assumed.destroy()
    }
    val refused = Attestations(false)
    try {
        return verify(refused)
    } finally {
        refused.destroy()
    }
}
