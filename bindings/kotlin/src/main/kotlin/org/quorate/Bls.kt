package org.quorate

import org.quorate.internal.SignedMessage
import org.quorate.internal.blsAggregate
import org.quorate.internal.blsAggregateVerify
import org.quorate.internal.blsFastAggregateVerify

/** BLS signatures outside committees. Keys and signatures of [Suite.ED25519] raise [QuorateException.WrongContext]. */
public object Bls {
    /** Sums signatures. */
    @JvmStatic
    public fun aggregate(signatures: List<Signature>): Signature =
        callAll(signatures.map { it.cell }) { Signature(blsAggregate(it)) }

    /** Verifies that all of [keys] signed one message. */
    @JvmStatic
    public fun fastAggregateVerify(keys: List<VerifiedKey>, message: ByteArray, signature: Signature): Unit =
        callAll(keys.map { it.cell }) { natives ->
            signature.cell.call { blsFastAggregateVerify(natives, message, it) }
        }

    /** Verifies that each key signed its own message. */
    @JvmStatic
    public fun aggregateVerify(signed: List<Pair<VerifiedKey, ByteArray>>, signature: Signature) {
        // Reads the list once: a list that changes meanwhile must not separate keys from their messages.
        val (keys, messages) = signed.unzip()
        callAll(keys.map { it.cell }) { natives ->
            signature.cell.call { blsAggregateVerify(natives.zip(messages, ::SignedMessage), it) }
        }
    }
}
