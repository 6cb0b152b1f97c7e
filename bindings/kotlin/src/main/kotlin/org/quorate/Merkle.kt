package org.quorate

import org.quorate.internal.merkleLeaf
import org.quorate.internal.merkleLeaves
import org.quorate.internal.merklePath
import org.quorate.internal.merkleRoot
import org.quorate.internal.merkleVerify
import org.quorate.internal.pathDecode

/**
 * A kind of Merkle tree over BLAKE3: the domain strings of its leaves and of its nodes, which must differ and have no
 * other use. The root does not bind the number of leaves: sign the count together with the root.
 */
public data class Merkle(public val leafDomain: String, public val nodeDomain: String) {
    init {
        leafDomain.text("leafDomain")
        nodeDomain.text("nodeDomain")
    }

    /** Returns the leaf of one item. */
    public fun leaf(item: ByteArray): ByteArray = translated { merkleLeaf(leafDomain, nodeDomain, item) }

    /** Returns the leaves of several items. */
    public fun leaves(items: List<ByteArray>): List<ByteArray> =
        translated { merkleLeaves(leafDomain, nodeDomain, items) }

    /** Returns the root over the leaves. */
    public fun root(leaves: List<ByteArray>): ByteArray = translated { merkleRoot(leafDomain, nodeDomain, leaves) }

    /** Returns the path of the leaf at [index]. */
    public fun path(leaves: List<ByteArray>, index: Int): Path =
        Path.decode(translated { merklePath(leafDomain, nodeDomain, leaves, index.natural("index")) })

    /**
     * Verifies that [leaf] is at the path's position in the tree under [root]; throws [QuorateException.WrongContext]
     * if not. Compare [Path.count] with the signed count.
     */
    public fun verify(root: ByteArray, leaf: ByteArray, path: Path): Unit =
        translated { merkleVerify(leafDomain, nodeDomain, root, leaf, path.raw) }

    /** The path from one leaf to the root. */
    public class Path private constructor(@get:JvmSynthetic internal val raw: ByteArray) {
        private val fields = translated { pathDecode(raw) }

        /** Index of the leaf. */
        public val index: Long get() = fields.index.toLong()

        /** Number of leaves of the tree, as this path claims. */
        public val count: Long get() = fields.count.toLong()

        /** The siblings along the path, bottom first. */
        public val siblings: List<ByteArray> get() = fields.siblings.map { it.clone() }

        /** Returns the canonical encoding. */
        public fun encode(): ByteArray = raw.clone()

        override fun equals(other: Any?): Boolean = other is Path && raw.contentEquals(other.raw)

        override fun hashCode(): Int = raw.contentHashCode()

        override fun toString(): String = "Path(leaf $index of $count)"

        public companion object {
            /** Decodes a path. */
            @JvmStatic
            public fun decode(bytes: ByteArray): Path = Path(bytes.clone())
        }
    }
}
