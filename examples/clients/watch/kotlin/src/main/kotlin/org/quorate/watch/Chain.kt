// The verified state of a chain, combined from all validators. Its memory is bounded. A light client of the package `quorate`
// verifies every certificate, proof and change of the members.
package org.quorate.watch

import com.google.gson.JsonElement
import org.quorate.Certificate
import org.quorate.Conflict
import org.quorate.LightClient
import org.quorate.Merkle
import org.quorate.QuorateException
import org.quorate.UntrustedHeader
import org.quorate.awaitHandOver
import org.quorate.awaitVerifyCertificate
import org.quorate.awaitVerifyTransaction

private const val MAX_REMEMBERED = 4096 // maximum number of remembered certificates, proven blocks, and blocks per validator
private const val MAX_REWIND = 64 // blocks
private const val MAX_AHEAD = LightClient.MAX_EPOCHS / 2 // epochs that are followed before a block needs them

/** A leaf is a transaction's identifier. */
val TRANSACTIONS = Merkle("quorate-v1-transaction", "quorate-v1-batch-node")

/**
 * Two contradicting certificates: members with more than a third of the weight broke the protocol.
 *
 * [evidence] proves the violation to any holder of the genesis file. It is empty for two proven blocks at one height.
 */
class Contradiction(message: String, val evidence: ByteArray = ByteArray(0)) : RuntimeException(message)

/** A block as reported by a validator. Blocks of ABFT have no author. */
class Claim(val height: Long, val view: Long, val digest: String, val author: Long?, val transactions: Long)

/** A reported block, the block that is certified now, if any, and the signers of its certificate. */
class Certified(val claim: Claim, val block: Claim?, val signers: List<Int>)

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
class Chain(val client: LightClient) {
    var certificates = 0
        private set
    var proofs = 0
        private set
    var view = 0L
        private set
    private var height = 0L
    private val proven = HeightIndex()
    private val shown = LinkedHashMap<String, HeightIndex>() // by the validator's address
    private val views = LinkedHashMap<Triple<Int, ULong, ULong>, Certificate>()
    private val verified = LinkedHashMap<String, Certificate>()

    /**
     * Verifies a validator's block at [height] and its certificate. A Jolteon block has the certificate of the block before
     * it, a block of another protocol its own.
     */
    suspend fun certified(before: Claim?, height: Long, answer: JsonElement): Certified {
        val claim = Claim(
            number(answer, "height"),
            number(answer, "view"),
            digest(answer, "digest"),
            if (client.protocol == "abft") null else number(answer, "author"),
            number(answer, "transactions"),
        )
        val parent = digest(answer, "parent")
        val encoded = text(answer, "certificate")
        if (claim.height != height) throw Refused("WRONG_CONTEXT", "height of the block: expected $height, got ${claim.height}")
        if (before != null && before.digest != parent) {
            throw Refused("WRONG_CONTEXT", "block ${height - 1} was reported with another digest before")
        }
        val ofParent = client.protocol == "jolteon"
        if (ofParent && height == 1L) return Certified(claim, null, emptyList())
        val certificate = certificate(encoded)
        val statement = certificate.statement
        val holds =
            if (ofParent) {
                val view = before?.view ?: statement.view.toLong()
                view in 1..<claim.view && client.certifies(statement, (height - 1).toULong(), view.toULong(), unhex(parent))
            } else {
                client.certifies(statement, height.toULong(), claim.view.toULong(), unhex(claim.digest))
            }
        if (!holds) throw Refused("WRONG_CONTEXT", "the certificate does not certify the block")
        val signers = certificate.signers.toList()
        if (signers.map { it.toLong() } != numbers(answer, "signers")) {
            throw Refused("WRONG_CONTEXT", "the signers of the certificate differ from the reported ones")
        }
        return Certified(claim, if (ofParent) before else claim, signers)
    }

    /** Verifies a certificate once, and checks that no certificate of the same kind and view contradicts it. */
    private suspend fun certificate(encoded: String): Certificate {
        verified[encoded]?.let { return it }
        val certificate = client.awaitVerifyCertificate(unhex(encoded)).value
        if (encoded !in verified) certificates += 1
        verified.remember(encoded, certificate)
        val statement = certificate.statement
        val other = views.remember(Triple(statement.kind, statement.epoch, statement.view), certificate)
        if (other.statement.contradicts(statement)) {
            val evidence = Conflict(other, certificate)
            val culprits = evidence.verify(client.voters(statement.epoch)).value.culprits.joinToString(" and ")
            throw Contradiction("two blocks of view ${statement.view} are certified; $culprits signed both", evidence.encode())
        }
        return certificate
    }

    /** Returns the epoch that a block's certificate claims. */
    fun claimedEpoch(answer: JsonElement): ULong {
        val encoded = text(answer, "certificate")
        return if (encoded.isEmpty()) 0u else UntrustedHeader.peek(unhex(encoded)).epoch
    }

    /** Returns true if the members of an epoch are no longer known, so that its blocks cannot be verified. */
    fun isForgotten(epoch: ULong): Boolean {
        val newest = client.epoch
        return epoch <= newest && newest - epoch >= LightClient.MAX_EPOCHS.toULong()
    }

    /** Follows the epochs of a validator's list, to shortly after the needed one. Returns the numbers of the new ones. */
    suspend fun handOver(answer: JsonElement, needed: ULong): List<ULong> {
        val listed = answer.takeIf { it.isJsonObject }?.asJsonObject?.get("epochs")?.takeIf { it.isJsonArray }
            ?: throw Refused("MALFORMED", "missing epochs in the response")
        val begun = mutableListOf<ULong>()
        for (one in listed.asJsonArray) {
            val epoch = number(one, "epoch").toULong()
            if (epoch <= client.epoch) continue
            if (epoch > needed && epoch - needed > MAX_AHEAD.toULong()) break
            val (block, finality, payload) = listOf("block", "finality", "payload").map { unhex(text(one, it)) }
            try {
                begun += client.awaitHandOver(block, finality, payload)
            } catch (error: QuorateException) {
                // Another validator's list was faster.
                if (epoch > client.epoch) throw error
            }
        }
        return begun
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
        val verified = client.awaitVerifyTransaction(unhex(text(answer, "proof")))
        if (hex(verified.id) != wanted) {
            throw Refused("WRONG_CONTEXT", "the proof is for another transaction than the requested one")
        }
        val block = Proven(verified.commit.height.toLong(), hex(verified.commit.digest))
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
