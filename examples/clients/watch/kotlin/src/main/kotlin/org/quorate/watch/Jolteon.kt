// Decodes and verifies Jolteon's blocks and proofs as specified in spec/jolteon.md, with quorate's building blocks.
// No report is trusted: every check leads back to the committees of the genesis file.
package org.quorate.watch

import org.quorate.Certificate
import org.quorate.Committee
import org.quorate.Merkle
import org.quorate.QuorateException
import org.quorate.Signature
import org.quorate.Statement
import org.quorate.Suite
import org.quorate.TimeoutCertificate
import org.quorate.Vote
import org.quorate.Wire

const val BLOCK = 1
const val TIMEOUT = 2
const val PROPOSAL = 3
const val AVAILABLE = 4
val TRANSACTIONS = Merkle("quorate-v1-transaction", "quorate-v1-batch-node")

private const val MAX_BATCHES = 1024
private const val MAX_LINKS = 1024
private const val MAX_TRANSACTIONS = 1 shl 16
private const val MAX_BATCH_BYTES = 2 shl 20
private const val MAX_SEQUENCE = (1L shl 48) - 1
private val SIGNATURE_LENGTH = mapOf(Suite.MIN_SIG to 48, Suite.MIN_PK to 96, Suite.ED25519 to 64)

/** A violation of the protocol, with a code of spec/wire.md. */
class Refused(val code: String, message: String) : RuntimeException(message)

/** The members of an epoch: one committee of voting keys and one of identity keys. */
class Committees(val voters: Committee, val identities: Committee) {
    /** Digest of the genesis block (height 0). */
    fun genesis(stateRoot: ByteArray): ByteArray =
        Wire.hash("quorate-v1-jolteon-genesis", voters.id.bytes + identities.id.bytes + stateRoot)
}

/** A reader that tracks its position, so that parts can be passed to quorate's decoders. */
class Input(private val data: ByteArray) : AutoCloseable {
    val reader = Wire.Reader(data)

    val at: Int get() = data.size - reader.remaining

    fun since(start: Int): ByteArray = data.copyOfRange(start, at)

    fun certificate(committee: Committee): Certificate {
        val part = part {
            reader.raw(50)
            skipDetached(committee)
        }
        return Certificate.decode(part, committee)
    }

    fun detached(statement: Statement, committee: Committee): Certificate =
        Certificate.decodeDetached(part { skipDetached(committee) }, statement, committee)

    fun timeoutCertificate(committee: Committee): TimeoutCertificate {
        val part = part {
            reader.raw(18)
            var signers = 0
            repeat(reader.u16()) {
                reader.u64()
                signers += skipMembers(committee.size)
            }
            skipProof(committee.suite, signers)
        }
        return TimeoutCertificate.decode(part, committee)
    }

    override fun close() = reader.close()

    private fun skipDetached(committee: Committee) =
        skipProof(committee.suite, committee.size - skipMembers(committee.size))

    /** Skips an encoded set of members and returns its size. */
    private fun skipMembers(size: Int): Int {
        val form = reader.u8()
        if (form == 0) return reader.raw((size + 7) / 8).sumOf { it.countOneBits() }
        val count = reader.varint()
        if (form != 1 || count > size) throw Refused("MALFORMED", "set of members")
        repeat(count.toInt()) { reader.varint() }
        return count.toInt()
    }

    private fun skipProof(suite: Suite, signers: Int) {
        reader.raw(SIGNATURE_LENGTH.getValue(suite) * if (suite == Suite.ED25519) signers else 1)
    }

    /** Returns the bytes that [skip] skips, or all remaining bytes if it fails: the decoder then reports the error. */
    private fun part(skip: () -> Unit): ByteArray {
        val start = at
        try {
            skip()
        } catch (_: QuorateException) {
            return data.copyOfRange(start, data.size)
        } catch (_: Refused) {
            return data.copyOfRange(start, data.size)
        }
        return since(start)
    }
}

/** Decodes a value that must fill all bytes. */
fun <T> whole(encoded: ByteArray, read: (Input) -> T): T = Input(encoded).use { data ->
    read(data).also { data.reader.finish() }
}

/** The reference of a batch in a block. */
class BatchRef(val count: Int, val root: ByteArray, val digest: ByteArray) {
    companion object {
        fun read(data: Input, identities: Committee): BatchRef {
            val start = data.at
            val r = data.reader
            val (author, sequence) = readSlot(r)
            val count = r.u32()
            val size = r.u32()
            val root = r.raw(32)
            if (count !in 1..MAX_TRANSACTIONS || size > MAX_BATCH_BYTES) throw Refused("MALFORMED", "size of a batch")
            if (author >= identities.size) throw Refused("UNKNOWN_SIGNER", "no member $author")
            val digest = Wire.hash("quorate-v1-batch-id", data.since(start))
            val statement = identities.statement(AVAILABLE, ((author.toLong() shl 48) + sequence).toULong(), digest)
            data.detached(statement, identities)
            return BatchRef(count.toInt(), root, digest)
        }
    }
}

/** A block proposed by a leader. */
class Block(
    val view: ULong,
    val height: ULong,
    val author: Int,
    val parent: ByteArray,
    val parentView: ULong,
    val payload: List<BatchRef>,
    val signature: Signature,
    val digest: ByteArray,
) {
    /** Verifies the author's signature. */
    fun checkAuthor(committees: Committees) {
        val statement = committees.identities.statement(PROPOSAL, view, digest)
        Vote(statement, author, signature).verify(committees.identities)
    }

    /** Returns true if a certificate names this block. Does not verify its signatures. */
    fun isCertifiedBy(certificate: Certificate): Boolean {
        val statement = certificate.statement
        return statement.kind == BLOCK && statement.view == view && statement.digest.contentEquals(digest)
    }

    companion object {
        fun read(data: Input, committees: Committees): Block {
            val start = data.at
            val r = data.reader
            val voters = committees.voters
            if (r.u64() != voters.epoch) throw Refused("WRONG_CONTEXT", "epoch of the block")
            val (view, height) = Pair(r.u64(), r.u64())
            val (author, parent) = Pair(r.u16(), r.raw(32))
            val justify = if (r.option()) data.certificate(voters) else null
            val tc = if (r.option()) data.timeoutCertificate(voters) else null
            val payload = List(r.count(MAX_BATCHES)) { BatchRef.read(data, committees.identities) }
            val executed = r.u64()
            r.raw(32) // the state's root
            r.u64() // the time
            if (author >= voters.size) throw Refused("UNKNOWN_SIGNER", "no member $author")
            checkShape(view, height, parent, justify?.statement, tc, executed)
            val digest = Wire.hash("quorate-v1-jolteon-block", data.since(start))
            val signature = Signature.decode(Suite.ED25519, r.raw(64))
            val parentView = justify?.statement?.view ?: 0u
            return Block(view, height, author, parent, parentView, payload, signature, digest)
        }
    }
}

/** A commit proof: a block's descendants up to two in consecutive views, and the last one's certificate. */
class Finality(val links: List<Block>, val certificate: Certificate) {
    /** Verifies that [block] is committed. Cost: one certificate. */
    fun verify(block: Block, committees: Committees) {
        var parent = block
        var consecutive = false
        for (link in links) {
            if (!link.parent.contentEquals(parent.digest) || link.parentView != parent.view) {
                throw Refused("WRONG_CONTEXT", "parent of a block in the commit proof")
            }
            consecutive = parent.view isFollowedBy link.view
            parent = link
        }
        if (!consecutive) throw Refused("WRONG_CONTEXT", "last view of the commit proof")
        if (!parent.isCertifiedBy(certificate)) throw Refused("WRONG_CONTEXT", "certificate of the commit proof")
        certificate.verify(committees.voters)
    }

    companion object {
        fun read(data: Input, committees: Committees): Finality {
            val links = List(data.reader.count(MAX_LINKS)) { Block.read(data, committees) }
            if (links.isEmpty()) throw Refused("MALFORMED", "commit proof without blocks")
            return Finality(links, data.certificate(committees.voters))
        }
    }
}

/** A proof that a transaction is committed; see examples/node/src/proof.rs. */
class TransactionProof(
    val transaction: ByteArray,
    val path: Merkle.Path,
    val batch: Int,
    val block: Block,
    val finality: Finality,
) {
    /** Verifies the proof and returns the transaction's identifier. */
    fun verify(committees: Committees): ByteArray {
        val named = block.payload.getOrNull(batch) ?: throw Refused("WRONG_CONTEXT", "batch of the transaction")
        if (path.count != named.count.toLong()) {
            throw Refused("WRONG_CONTEXT", "number of transactions in the batch")
        }
        val leaf = TRANSACTIONS.leaf(transaction)
        TRANSACTIONS.verify(named.root, leaf, path)
        finality.verify(block, committees)
        for (signed in listOf(block) + finality.links) signed.checkAuthor(committees)
        return leaf
    }

    companion object {
        fun decode(encoded: ByteArray, committees: Committees): TransactionProof = whole(encoded) { data ->
            val transaction = data.reader.bytes(MAX_BATCH_BYTES)
            val path = readPath(data)
            val batch = data.reader.u16()
            TransactionProof(transaction, path, batch, Block.read(data, committees), Finality.read(data, committees))
        }
    }
}

/** A batch: its header, its digest, and its transactions' identifiers. */
class Batch(val header: ByteArray, val digest: ByteArray, val transactions: List<ByteArray>) {
    companion object {
        fun decode(encoded: ByteArray): Batch {
            val (slot, count, body) = whole(encoded) { data ->
                Triple(readSlot(data.reader), data.reader.count(MAX_TRANSACTIONS), data.reader.bytes(MAX_BATCH_BYTES))
            }
            val transactions = whole(body) { inner -> List(count) { inner.reader.bytes(MAX_BATCH_BYTES) } }
            if (count == 0) throw Refused("MALFORMED", "batch without transactions")
            val leaves = TRANSACTIONS.leaves(transactions)
            val w = Wire.Writer()
            w.u16(slot.first)
            w.u64(slot.second.toULong())
            w.u32(count.toLong())
            w.u32(body.size.toLong())
            w.raw(TRANSACTIONS.root(leaves))
            val header = w.intoBytes()
            return Batch(header, Wire.hash("quorate-v1-batch-id", header), leaves)
        }
    }
}

private fun readSlot(r: Wire.Reader): Pair<Int, Long> {
    val (author, sequence) = Pair(r.u16(), r.u64())
    if (sequence !in 1uL..MAX_SEQUENCE.toULong()) throw Refused("MALFORMED", "sequence of a batch")
    return Pair(author, sequence.toLong())
}

/** Index and count determine the number of siblings of a path, found by walking up the tree. */
private fun readPath(data: Input): Merkle.Path {
    val start = data.at
    var (place, width) = Pair(data.reader.u32(), data.reader.u32())
    if (place >= width) throw Refused("MALFORMED", "index of a path")
    var siblings = 0
    while (width > 1) {
        if (place % 2 == 1L || place + 1 < width) siblings += 1
        place /= 2
        width = (width + 1) / 2
    }
    data.reader.raw(32 * siblings)
    return Merkle.Path.decode(data.since(start))
}

/** The maximum number has no successor: it would wrap. */
private infix fun ULong.isFollowedBy(next: ULong): Boolean = next > this && next - this == 1uL

/** Checks the rules of a block that do not depend on its parent. */
private fun checkShape(
    view: ULong,
    height: ULong,
    parent: ByteArray,
    justify: Statement?,
    tc: TimeoutCertificate?,
    executed: ULong,
) {
    val parentView = justify?.view ?: 0u
    if (justify != null && (justify.kind != BLOCK || !justify.digest.contentEquals(parent) || parentView == 0uL)) {
        throw Refused("MALFORMED", "block whose certificate is not its parent's")
    }
    val follows = when (tc) {
        null -> parentView isFollowedBy view
        else -> tc.kind == TIMEOUT && tc.view isFollowedBy view && parentView < tc.view && parentView >= tc.highestValue
    }
    if (!follows) throw Refused("MALFORMED", "block whose view does not follow from its certificates")
    if (height == 0uL || (height == 1uL) != (justify == null) || executed >= height) {
        throw Refused("MALFORMED", "block at an impossible height")
    }
}
