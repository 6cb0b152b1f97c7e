// The verified state of a chain, combined from all validators. Its memory is bounded.
package org.quorate.watch

import com.google.gson.JsonElement
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import org.quorate.Certificate
import org.quorate.Conflict
import org.quorate.awaitVerify

private const val MAX_REMEMBERED = 4096 // maximum number of remembered certificates, proven blocks, and blocks per validator
private const val MAX_REWIND = 64 // blocks

/**
 * Two contradicting certificates: members with more than a third of the weight broke the protocol.
 *
 * [evidence] proves the violation to any holder of the genesis file. It is empty for two proven blocks at one height.
 */
class Contradiction(message: String, val evidence: ByteArray = ByteArray(0)) : RuntimeException(message)

/** A block as reported by a validator, before its certificate is known. */
class Claim(val height: Long, val view: Long, val digest: String, val author: Long, val transactions: Long)

/** A proven block. */
class Proven(val height: Long, val digest: String)

/** A reported or proven mapping between heights and blocks. */
private class HeightIndex {
    val digests = LinkedHashMap<Long, String>()
    private val heights = LinkedHashMap<String, Long>()

    fun remember(height: Long, digest: String) {
        digests.remember(height, digest)
        heights.remember(digest, height)
    }

    /** Returns true if another block is at this height, or if this block is at another height. */
    fun conflicts(height: Long, digest: String): Boolean =
        (digests[height] ?: digest) != digest || (heights[digest] ?: height) != height
}

/** Verifies reports of validators. Throws [Refused] or [Contradiction]. Not thread-safe. */
class Chain(private val committees: Committees) {
    var certificates = 0
        private set
    var proofs = 0
        private set
    var view = 0L
        private set
    private var height = 0L
    private val proven = HeightIndex()
    private val shown = LinkedHashMap<String, HeightIndex>() // by the validator's address
    private val views = LinkedHashMap<ULong, Certificate>()
    private val verified = LinkedHashMap<String, Certificate>()

    /**
     * Verifies a validator's block at [height] and its certificate, which certifies the block [before].
     *
     * Returns the reported block, and the signers of the previous block.
     */
    suspend fun successor(before: Claim?, height: Long, answer: JsonElement): Pair<Claim, List<Int>> {
        val claim = Claim(
            number(answer, "height"),
            number(answer, "view"),
            digest(answer, "digest"),
            number(answer, "author"),
            number(answer, "transactions"),
        )
        val parent = digest(answer, "parent")
        val encoded = text(answer, "certificate")
        if (claim.height != height) throw Refused("WRONG_CONTEXT", "height of the block: expected $height, got ${claim.height}")
        if (height == 1L) return Pair(claim, emptyList())
        val certificate = certificate(encoded)
        val statement = certificate.statement
        val view = statement.view.toLong()
        if (statement.kind != BLOCK || hex(statement.digest) != parent || view !in 1..<claim.view) {
            throw Refused("WRONG_CONTEXT", "the certificate does not certify the parent")
        }
        val signers = certificate.signers.toList()
        if (signers.map { it.toLong() } != numbers(answer, "signers")) {
            throw Refused("WRONG_CONTEXT", "the signers of the certificate differ from the reported ones")
        }
        if (before != null && (before.digest != parent || before.view != view)) {
            throw Refused("WRONG_CONTEXT", "block ${height - 1} was reported with another digest before")
        }
        return Pair(claim, signers)
    }

    /** Verifies a certificate once, and checks that no certificate of the same view contradicts it. */
    private suspend fun certificate(encoded: String): Certificate {
        verified[encoded]?.let { return it }
        val voters = committees.voters
        val certificate = Certificate.decode(unhex(encoded), voters)
        certificate.awaitVerify(voters)
        if (encoded !in verified) certificates += 1
        verified.remember(encoded, certificate)
        val other = views.remember(certificate.statement.view, certificate)
        if (other.statement.contradicts(certificate.statement)) {
            val evidence = Conflict(other, certificate)
            val culprits = evidence.verify(voters).value.culprits.joinToString(" and ")
            val view = certificate.statement.view
            throw Contradiction("two blocks of view $view are certified; $culprits signed both", evidence.encode())
        }
        return certificate
    }

    /**
     * Compares the reported height of a certified block with proofs and with the reports of other validators.
     *
     * A certificate does not bind the height: without a proof, either may be wrong. Returns the other validator.
     */
    fun agree(block: Claim, url: String): String? {
        if (proven.conflicts(block.height, block.digest)) {
            throw Refused("WRONG_CONTEXT", "a proof shows that ${short(block.digest)} is not block ${block.height}")
        }
        shown.getOrPut(url) { HeightIndex() }.remember(block.height, block.digest)
        return refutedBy(block.height, block.digest).firstOrNull()
    }

    /** Records a certified block and returns whether its view is the newest so far: signatures bind views. */
    fun newest(block: Claim): Boolean {
        val newest = block.view > view
        if (newest) {
            view = block.view
            height = block.height
        }
        return newest
    }

    /**
     * The height to start from instead of [block], if blocks between the newest one and [block] were not shown.
     *
     * Validators report different heights when a watcher starts. A false height must not send a watcher back far.
     */
    fun firstMissed(block: Claim): Long? {
        val missed = block.height - height - 1
        return if (height > 0 && missed in 1..MAX_REWIND) height + 1 else null
    }

    /** Verifies the proof of a committed transaction. */
    suspend fun proof(wanted: String, answer: JsonElement): Proven {
        val encoded = text(answer, "proof")
        // The sender controls the duration, so other tasks must run meanwhile.
        val block = withContext(Dispatchers.Default) {
            val proof = TransactionProof.decode(unhex(encoded), committees)
            if (hex(proof.verify(committees)) != wanted) {
                throw Refused("WRONG_CONTEXT", "the proof is for another transaction than the requested one")
            }
            Proven(proof.block.height.toLong(), hex(proof.block.digest))
        }
        val reported = Triple(digest(answer, "id"), number(answer, "height"), digest(answer, "block"))
        if (reported != Triple(wanted, block.height, block.digest)) {
            throw Refused("WRONG_CONTEXT", "the proof does not match the response")
        }
        if (proven.conflicts(block.height, block.digest)) {
            val other = proven.digests.getValue(block.height)
            val both = "${short(block.digest)} and ${short(other)}"
            throw Contradiction("two blocks at height ${block.height} are proven: $both")
        }
        proven.remember(block.height, block.digest)
        proofs += 1
        return block
    }

    /** Returns the validators that reported a different block or height. */
    fun refutedBy(height: Long, digest: String): List<String> =
        shown.keys.filter { shown.getValue(it).conflicts(height, digest) }

    /** Discards the reports of a refused validator, so that they do not cast doubt on others. */
    fun forget(url: String) {
        shown -= url
    }
}

fun short(digest: String): String = "${digest.take(16)}…"

/** Returns the value stored under a key, or stores the given one and evicts the oldest. */
private fun <K, V : Any> LinkedHashMap<K, V>.remember(key: K, value: V): V {
    val found = getOrPut(key) { value }
    if (size > MAX_REMEMBERED) remove(keys.first())
    return found
}
