// What is known of a chain, from all its validators together; bounded, however long one watches.
package org.quorate.watch

import com.google.gson.JsonElement
import org.quorate.Certificate
import org.quorate.Conflict
import org.quorate.awaitVerify

private const val KEPT = 4096 // blocks, views and certificates that are remembered

/** Two things that cannot both be. [evidence] convinces everybody who has the genesis, if there is any. */
class Contradiction(message: String, val evidence: ByteArray = ByteArray(0)) : RuntimeException(message)

/** A block as a validator reports it, before its certificate is there. */
class Claim(val height: Long, val view: Long, val digest: String, val author: Long, val transactions: Long)

/** A block that a proof shows. */
class Proven(val height: Long, val digest: String)

/** Takes what validators say, and throws [Refused] or [Contradiction] for what cannot be. For one thread at a time. */
class Chain(private val committees: Committees) {
    var certificates = 0
        private set
    var proofs = 0
        private set
    var height = 0L
        private set
    private val digests = LinkedHashMap<Long, Pair<String, String>>()
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

    /** Compares a certified block with what the others have there; whether it is the newest of all. */
    fun agree(height: Long, digest: String, url: String): Boolean {
        compare(height, digest, url)
        val newest = height > this.height
        this.height = maxOf(height, this.height)
        return newest
    }

    /** Checks that a transaction is committed, by its proof alone. */
    fun proof(wanted: String, answer: JsonElement, url: String): Proven {
        val proof = TransactionProof.decode(unhex(text(answer, "proof")), committees)
        if (hex(proof.verify(committees)) != wanted) {
            throw Refused("WRONG_CONTEXT", "another transaction is proven than was asked for")
        }
        val block = Proven(proof.block.height.toLong(), hex(proof.block.digest))
        val said = Triple(digest(answer, "id"), number(answer, "height"), digest(answer, "block"))
        if (said != Triple(wanted, block.height, block.digest)) {
            throw Refused("WRONG_CONTEXT", "the proof is of something else than the answer says")
        }
        compare(block.height, block.digest, url)
        proofs += 1
        return block
    }

    private fun compare(height: Long, digest: String, url: String) {
        val (known, by) = digests.keep(height, Pair(digest, url))
        if (known != digest) {
            throw Contradiction("block $height is ${short(digest)} here and ${short(known)} at $by")
        }
    }
}

fun short(digest: String): String = "${digest.take(16)}…"

/** What is there under a key already, or else the value, which stays until many others came. */
private fun <K, V : Any> LinkedHashMap<K, V>.keep(key: K, value: V): V {
    val found = getOrPut(key) { value }
    if (size > KEPT) remove(keys.first())
    return found
}
