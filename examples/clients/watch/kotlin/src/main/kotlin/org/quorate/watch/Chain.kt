// What is known of a chain, from all its validators together; bounded, however long one watches.
package org.quorate.watch

import com.google.gson.JsonElement
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import org.quorate.Certificate
import org.quorate.Conflict
import org.quorate.awaitVerify

private const val KEPT = 4096 // certificates, proven blocks, and each validator's blocks that are remembered

/**
 * Two things that cannot both be, by signatures alone: more than a third of the weight broke the protocol.
 *
 * [evidence] convinces everybody who has the genesis; it is empty for two proven blocks at one height.
 */
class Contradiction(message: String, val evidence: ByteArray = ByteArray(0)) : RuntimeException(message)

/** A block as a validator reports it, before its certificate is there. */
class Claim(val height: Long, val view: Long, val digest: String, val author: Long, val transactions: Long)

/** A block that a proof shows. */
class Proven(val height: Long, val digest: String)

/** Which block is at which height, as somebody says. */
private class Places {
    val digests = LinkedHashMap<Long, String>()
    private val heights = LinkedHashMap<String, Long>()

    fun keep(height: Long, digest: String) {
        digests.keep(height, digest)
        heights.keep(digest, height)
    }

    /** Whether another block is at this height, or this block at another. */
    fun differ(height: Long, digest: String): Boolean =
        (digests[height] ?: digest) != digest || (heights[digest] ?: height) != height
}

/** Takes what validators say, and throws [Refused] or [Contradiction] for what cannot be. For one thread at a time. */
class Chain(private val committees: Committees) {
    var certificates = 0
        private set
    var proofs = 0
        private set
    var view = 0L
        private set
    private val proven = Places()
    private val shown = LinkedHashMap<String, Places>() // by the validator's address
    private val views = LinkedHashMap<ULong, Certificate>()
    private val verified = LinkedHashMap<String, Certificate>()

    /**
     * Checks a validator's block at [height] and the certificate in it, which is that of the block [before].
     *
     * Gives what it says of itself, and who signed the block before.
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
        if (claim.height != height) throw Refused("WRONG_CONTEXT", "block ${claim.height} instead of $height")
        if (height == 1L) return Pair(claim, emptyList())
        val certificate = certificate(encoded)
        val statement = certificate.statement
        val view = statement.view.toLong()
        if (statement.kind != BLOCK || hex(statement.digest) != parent || view !in 1..<claim.view) {
            throw Refused("WRONG_CONTEXT", "the certificate is not the parent's")
        }
        val signers = certificate.signers.toList()
        if (signers.map { it.toLong() } != numbers(answer, "signers")) {
            throw Refused("WRONG_CONTEXT", "others signed the certificate than the answer says")
        }
        if (before != null && (before.digest != parent || before.view != view)) {
            throw Refused("WRONG_CONTEXT", "block ${height - 1} was another before")
        }
        return Pair(claim, signers)
    }

    /** Verifies a certificate, each once, and that no other of its view contradicts it. */
    private suspend fun certificate(encoded: String): Certificate {
        verified[encoded]?.let { return it }
        val voters = committees.voters
        val certificate = Certificate.decode(unhex(encoded), voters)
        certificate.awaitVerify(voters)
        if (encoded !in verified) certificates += 1
        verified.keep(encoded, certificate)
        val other = views.keep(certificate.statement.view, certificate)
        if (other.statement.contradicts(certificate.statement)) {
            val evidence = Conflict(other, certificate)
            val guilty = evidence.verify(voters).value.culprits.joinToString(" and ")
            val view = certificate.statement.view
            throw Contradiction("two blocks of view $view are certified; $guilty signed both", evidence.encode())
        }
        return certificate
    }

    /**
     * Compares the height that a validator gives a certified block with proofs, and with what others show.
     *
     * A certificate says nothing of heights, so without a proof one of two may lie, and nobody knows which: gives the
     * other one.
     */
    fun agree(block: Claim, url: String): String? {
        if (proven.differ(block.height, block.digest)) {
            throw Refused("WRONG_CONTEXT", "a proof shows that ${short(block.digest)} is not block ${block.height}")
        }
        shown.getOrPut(url) { Places() }.keep(block.height, block.digest)
        return disproved(block.height, block.digest).firstOrNull()
    }

    /** Whether a certified view is the newest of all: signatures bind views. */
    fun newest(view: Long): Boolean {
        val newest = view > this.view
        this.view = maxOf(view, this.view)
        return newest
    }

    /** Checks that a transaction is committed, by its proof alone. */
    suspend fun proof(wanted: String, answer: JsonElement): Proven {
        val encoded = text(answer, "proof")
        // A stranger chooses how long this takes; the others go on meanwhile.
        val block = withContext(Dispatchers.Default) {
            val proof = TransactionProof.decode(unhex(encoded), committees)
            if (hex(proof.verify(committees)) != wanted) {
                throw Refused("WRONG_CONTEXT", "another transaction is proven than was asked for")
            }
            Proven(proof.block.height.toLong(), hex(proof.block.digest))
        }
        val said = Triple(digest(answer, "id"), number(answer, "height"), digest(answer, "block"))
        if (said != Triple(wanted, block.height, block.digest)) {
            throw Refused("WRONG_CONTEXT", "the proof is of something else than the answer says")
        }
        if (proven.differ(block.height, block.digest)) {
            val other = proven.digests.getValue(block.height)
            val both = "${short(block.digest)} and ${short(other)}"
            throw Contradiction("two blocks at height ${block.height} are proven: $both")
        }
        proven.keep(block.height, block.digest)
        proofs += 1
        return block
    }

    /** Who showed something else than this. */
    fun disproved(height: Long, digest: String): List<String> =
        shown.keys.filter { shown.getValue(it).differ(height, digest) }

    /** What a liar showed is no reason to doubt anybody else. */
    fun forget(url: String) {
        shown -= url
    }
}

fun short(digest: String): String = "${digest.take(16)}…"

/** What is there under a key already, or else the value, which stays until many others came. */
private fun <K, V : Any> LinkedHashMap<K, V>.keep(key: K, value: V): V {
    val found = getOrPut(key) { value }
    if (size > KEPT) remove(keys.first())
    return found
}
